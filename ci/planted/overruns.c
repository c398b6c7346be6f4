// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes longer than its budget, and ends on SIGTERM with what it knows. */
#include "planted.h"

static int run_it(struct run *run)
{
	planted_pass(run);
	for (;;)
		pause();
	return 0;
}

PLANTED("overruns", run_it, 1, .danger = DANGER_SAFE);
