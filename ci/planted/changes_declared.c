// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes a sysctl that it declares, and is killed before it can put it back. */
#include <signal.h>

#include "changes.h"

static int run_it(struct run *run)
{
	if (planted_change(run))
		raise(SIGKILL);
	return 0;
}

PLANTED("changes_declared", run_it, 60, .danger = DANGER_SAFE, .sysctls = PLANTED_SYSCTLS);
