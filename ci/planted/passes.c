// SPDX-License-Identifier: GPL-2.0-or-later
/* Passes. */
#include "planted.h"

static int run_it(struct run *run)
{
	run_progress(run, "half way");
	planted_pass(run);
	run_note(run, "a remark");
	return 0;
}

PLANTED("passes", run_it, 60, .danger = DANGER_SAFE);
