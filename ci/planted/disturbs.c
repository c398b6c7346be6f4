// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes a sysctl that it declares, starts a process in another session, and waits. */
#include "planted.h"
#include "sysctl.h"

static const char *const sysctls[] = { "kernel.perf_event_mlock_kb", NULL };

static int run_it(struct run *run)
{
	struct err err;

	planted_pass(run);
	if (sysctl_write(sysctls[0], "517", &err))
		return run_broken(run, "%s", err.text);
	planted_leave_process();
	run_note(run, "disturbed");
	for (;;)
		pause();
	return 0;
}

PLANTED("disturbs", run_it, 60, .danger = DANGER_SAFE, .sysctls = sysctls);
