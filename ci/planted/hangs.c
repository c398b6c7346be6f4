// SPDX-License-Identifier: GPL-2.0-or-later
/* Never ends, and ignores SIGTERM. */
#include <signal.h>

#include "planted.h"

static int run_it(struct run *run)
{
	planted_pass(run);
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
	return 0;
}

PLANTED("hangs", run_it, 1, .danger = DANGER_SAFE);
