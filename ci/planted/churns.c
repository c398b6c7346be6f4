// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes what can be changed (a sysctl that it declares, a tracefs instance, a process in another
 * session), puts back what is its own to put back, and passes: to be killed at any moment.
 */
#include <signal.h>

#include "changes.h"
#include "trace.h"

/* A process that outlives whoever started it. */
static pid_t start_process(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		execlp("sleep", "planted-survivor", "1000", (char *)NULL);
		_exit(127);
	}
	return pid;
}

static int run_it(struct run *run)
{
	struct trace *trace = NULL;
	pid_t pid = start_process();
	struct err err;

	if (pid > 0 && planted_change(run)) {
		if (trace_open(&trace, run_cpus(run), 64, &err))
			run_note(run, "%s", err.text);
		usleep(40000);
	}
	if (trace)
		trace_close(trace);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

PLANTED("churns", run_it, 60, .danger = DANGER_SAFE, .sysctls = PLANTED_SYSCTLS);
