// SPDX-License-Identifier: GPL-2.0-or-later
/* Resets the machine (sysrq "b") in the lab: nothing is on its console. */
#include "planted.h"

static int run_it(struct run *run)
{
	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	planted_write("/proc/sysrq-trigger", "b");
	return run_broken(run, "survived a reset");
}

PLANTED("resets", run_it, 60, .danger = DANGER_MAY_HANG);
