// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes what it declares, leaves a process, and kills its supervisor. */
#include <signal.h>

#include "changes.h"

static int run_it(struct run *run)
{
	if (!planted_change(run))
		return 0;
	planted_leave_process();
	kill(getppid(), SIGKILL);
	for (;;)
		pause();
	return 0;
}

PLANTED("kills_supervisor", run_it, 60, .danger = DANGER_SAFE, .sysctls = PLANTED_SYSCTLS);
