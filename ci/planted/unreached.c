// SPDX-License-Identifier: GPL-2.0-or-later
/* Returns without having evaluated its check. */
#include "planted.h"

static int run_it(struct run *run)
{
	run_control(run, "present", 1, 0, "1");
	return 0;
}

PLANTED("unreached", run_it, 60, .danger = DANGER_SAFE);
