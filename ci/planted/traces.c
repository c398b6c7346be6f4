// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes a tracefs instance and waits with it, to be killed. */
#include "planted.h"
#include "trace.h"

static int run_it(struct run *run)
{
	struct trace *trace;
	struct err err;

	planted_pass(run);
	if (trace_open(&trace, run_cpus(run), 64, &err))
		return run_skip(run, "%s", err.text);
	run_note(run, "traces as %d", (int)getpid());
	for (;;)
		pause();
	return 0;
}

PLANTED("traces", run_it, 60, .danger = DANGER_SAFE);
