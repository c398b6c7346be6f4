// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes a sysctl that it declares, and is killed before it can put it back. */
#include <signal.h>

#include "planted.h"
#include "sysctl.h"

static const char *const sysctls[] = { "kernel.perf_event_mlock_kb", NULL };

static int run_it(struct run *run)
{
	struct err err;

	planted_pass(run);
	if (sysctl_write(sysctls[0], "517", &err))
		return run_broken(run, "%s", err.text);
	raise(SIGKILL);
	return 0;
}

PLANTED("changes_declared", run_it, 60, .danger = DANGER_SAFE, .sysctls = sysctls);
