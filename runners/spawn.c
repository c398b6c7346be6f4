// SPDX-License-Identifier: GPL-2.0-or-later
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record.h"
#include "recover.h"

/* Exit status for "could not be executed", as the shell's. */
#define EXIT_NO_EXEC 127

/* The record descriptor of the child: the first free one after the standard three. */
#define RECORD_FD 3
#define ACK_FD 4

/* Halfway to the top of the scale (proc(5): -1000 to 1000): a test goes before anything else. */
#define OOM_SCORE_TEST "500"

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *fmt, ...)
{
	int number = errno;
	va_list args;

	va_start(args, fmt);
	vdprintf(STDERR_FILENO, fmt, args);
	va_end(args);
	dprintf(STDERR_FILENO, ": %s: %s\n", strerrorname_np(number), strerrordesc_np(number));
	_exit(EXIT_NO_EXEC);
}

static void become(int from, int to)
{
	if (from == to) {
		if (fcntl(to, F_SETFD, 0))
			give_up("descriptor %d", to);
	} else if (dup2(from, to) < 0) {
		give_up("descriptor %d", to);
	}
}

static void set_descriptors(const struct spawn *how)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		give_up("open /dev/null");
	become(how->err < 0 ? null : how->err, STDERR_FILENO);
	become(null, STDIN_FILENO);
	become(how->out < 0 ? null : how->out, STDOUT_FILENO);
	if (how->record < 0) {
		unsetenv(RECORD_FD_ENV);
		return;
	}
	become(how->record, RECORD_FD);
	if (setenv(RECORD_FD_ENV, "3", 1))
		give_up("set %s", RECORD_FD_ENV);
	if (!how->ack)
		return;
	become(how->ack, ACK_FD);
	if (setenv(RECORD_ACK_ENV, "4", 1))
		give_up("set %s", RECORD_ACK_ENV);
}

/* For whoever has to find what is left of this test when its supervisor is no more. */
static void set_mark(pid_t supervisor)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)supervisor);
	if (setenv(RECOVER_MARK, pid, 1))
		give_up("set %s", RECOVER_MARK);
}

static void reset_signals(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &standard, NULL); /* refused for some: those cannot be changed */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Best effort: without permission a test is simply not preferred by the OOM killer. */
static void raise_oom_score(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, OOM_SCORE_TEST, strlen(OOM_SCORE_TEST)) < 0)
		errno = 0;
	close(fd);
}

__attribute__((noreturn)) static void child(const struct spawn *how, pid_t parent)
{
	static const struct rlimit no_core = { 0, 0 };
	struct err err;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXIT_NO_EXEC); /* the parent died before the first or between the two */
	setsid();
	set_mark(parent);
	set_descriptors(how);
	if (how->cgroup >= 0 && write(how->cgroup, "0", 1) != 1)
		give_up("join the cgroup");
	if (how->cpus && cpus_unpin(how->cpus, &err)) {
		dprintf(STDERR_FILENO, "%s\n", err.text);
		_exit(EXIT_NO_EXEC);
	}
	raise_oom_score();
	setrlimit(RLIMIT_CORE, &no_core);
	reset_signals();
	execv(how->argv[0], how->argv);
	give_up("execute %s", how->argv[0]);
}

pid_t spawn(const struct spawn *how, struct err *err)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return err_set(err, errno, "fork for %s", how->argv[0]);
	if (pid == 0)
		child(how, parent);
	return pid;
}
