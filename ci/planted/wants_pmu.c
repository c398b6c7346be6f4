// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs a PMU with branch records and precise events, and passes. */
#include "planted.h"

static const struct need needs[] = {
	{ NEED_PMU, NULL, 0 },
	{ NEED_BRANCH_STACK, NULL, 0 },
	{ NEED_PRECISE, NULL, 1 },
	{ 0 },
};

static int run_it(struct run *run)
{
	planted_pass(run);
	return 0;
}

PLANTED("wants_pmu", run_it, 60, .danger = DANGER_SAFE, .needs = needs);
