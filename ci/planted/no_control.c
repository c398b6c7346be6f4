// SPDX-License-Identifier: GPL-2.0-or-later
/* Its positive control sees nothing, so its check says nothing. */
#include "planted.h"

static int run_it(struct run *run)
{
	if (!run_control(run, "present", 0, 0, "1"))
		return 0;
	run_check_le(run, "held", NULL, 1, 2, "1");
	return 0;
}

PLANTED("no_control", run_it, 60, .danger = DANGER_SAFE);
