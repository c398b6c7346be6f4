// SPDX-License-Identifier: GPL-2.0-or-later
/* Panics (sysrq "c") in the lab, once it has recorded something. */
#include "planted.h"

static int run_it(struct run *run)
{
	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	run_note(run, "about to panic");
	planted_write("/proc/sysrq-trigger", "c");
	return run_broken(run, "survived a panic");
}

PLANTED("panics", run_it, 60, .danger = DANGER_MAY_HANG);
