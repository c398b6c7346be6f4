// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes a sysctl that it declares, starts a process in another session, and waits. */
#include "changes.h"

static int run_it(struct run *run)
{
	if (!planted_change(run))
		return 0;
	planted_leave_process();
	run_note(run, "disturbed");
	for (;;)
		pause();
	return 0;
}

PLANTED("disturbs", run_it, 60, .danger = DANGER_SAFE, .sysctls = PLANTED_SYSCTLS);
