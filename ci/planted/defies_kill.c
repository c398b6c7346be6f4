// SPDX-License-Identifier: GPL-2.0-or-later
/* Sleeps for ever in the kernel, where no signal wakes it, in the lab. */
#include "lkdtm.h"

static int run_it(struct run *run)
{
	if (!planted_in_lab() || access(LKDTM, W_OK))
		return run_skip(run, "not in the lab, or its kernel cannot hang");
	planted_pass(run);
	planted_write(LKDTM, "HUNG_TASK");
	for (;;)
		pause();
	return 0;
}

PLANTED("defies_kill", run_it, 5, .danger = DANGER_MAY_HANG);
