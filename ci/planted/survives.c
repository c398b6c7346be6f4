// SPDX-License-Identifier: GPL-2.0-or-later
/* Leaves a process that has given itself another session and another parent. */
#include "planted.h"

static int run_it(struct run *run)
{
	planted_pass(run);
	planted_leave_process();
	return 0;
}

PLANTED("survives", run_it, 60, .danger = DANGER_SAFE);
