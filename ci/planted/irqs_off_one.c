// SPDX-License-Identifier: GPL-2.0-or-later
/* Spins for ever on one processor with interrupts off, in the lab. */
#include "lkdtm.h"

static int run_it(struct run *run)
{
	if (!planted_in_lab() || access(LKDTM, W_OK))
		return run_skip(run, "not in the lab, or its kernel cannot hang");
	planted_pass(run);
	lkdtm_on_cpus("HARDLOCKUP", 1);
	for (;;)
		pause();
	return 0;
}

PLANTED("irqs_off_one", run_it, 600, .danger = DANGER_MAY_HANG);
