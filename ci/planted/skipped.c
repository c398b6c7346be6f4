// SPDX-License-Identifier: GPL-2.0-or-later
/* Skips, saying what was tried. */
#include "planted.h"

static int run_it(struct run *run)
{
	return run_skip(run, "open the planted device: ENODEV");
}

PLANTED("skipped", run_it, 60, .danger = DANGER_SAFE);
