// SPDX-License-Identifier: GPL-2.0-or-later
/* Dies of SIGSEGV after its check has held. */
#include <signal.h>

#include "planted.h"

static int run_it(struct run *run)
{
	planted_pass(run);
	raise(SIGSEGV);
	return 0;
}

PLANTED("crashes", run_it, 60, .danger = DANGER_SAFE);
