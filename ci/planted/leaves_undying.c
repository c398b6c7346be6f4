// SPDX-License-Identifier: GPL-2.0-or-later
/* Leaves a process that sleeps for ever in the kernel, where no signal wakes it, in the lab. */
#include "lkdtm.h"

static int run_it(struct run *run)
{
	if (!planted_in_lab() || access(LKDTM, W_OK))
		return run_skip(run, "not in the lab, or its kernel cannot hang");
	lkdtm_on_cpus("HUNG_TASK", 1);
	sleep(1);
	planted_pass(run);
	return 0;
}

PLANTED("leaves_undying", run_it, 60, .danger = DANGER_MAY_HANG);
