// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes a sysctl without saying so, and passes. */
#include "changes.h"

static int run_it(struct run *run)
{
	planted_change(run);
	return 0;
}

PLANTED("changes_undeclared", run_it, 60, .danger = DANGER_SAFE);
