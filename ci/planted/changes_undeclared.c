// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes a sysctl without saying so, and passes. */
#include "planted.h"
#include "sysctl.h"

static int run_it(struct run *run)
{
	struct err err;

	planted_pass(run);
	if (sysctl_write("kernel.perf_event_mlock_kb", "517", &err))
		return run_broken(run, "%s", err.text);
	return 0;
}

PLANTED("changes_undeclared", run_it, 60, .danger = DANGER_SAFE);
