// SPDX-License-Identifier: GPL-2.0-or-later
/* Would end the machine; it must not be started unless that is allowed. */
#include "planted.h"

static int run_it(struct run *run)
{
	planted_pass(run);
	return 0;
}

PLANTED("dangerous", run_it, 60, .danger = DANGER_MAY_HANG);
