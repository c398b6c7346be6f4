// SPDX-License-Identifier: GPL-2.0-or-later
/* Fails: the check does not hold. */
#include "planted.h"

static int run_it(struct run *run)
{
	run_control(run, "present", 1, 0, "1");
	run_check_le(run, "held", "row 7", 3, 2, "1");
	return 0;
}

PLANTED("refuted", run_it, 60, .danger = DANGER_SAFE);
