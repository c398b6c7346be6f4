// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits to be interrupted; has already refuted nothing. Shows progress meanwhile. */
#include "planted.h"

static int run_it(struct run *run)
{
	planted_pass(run);
	for (int second = 0;; second++) {
		run_progress(run, "waiting since %d s", second);
		sleep(1);
	}
	return 0;
}

PLANTED("waits", run_it, 60, .danger = DANGER_SAFE);
