// SPDX-License-Identifier: GPL-2.0-or-later
/* Has a check that is only evaluated when a bound is given, and takes a workload. */
#include "planted.h"

static const struct check checks[] = {
	{ "held", "a number is below another", "planted: 1 < 2", false },
	{ "bounded", "10 us are within the bound", "the bound given", true, "ns" },
	{ 0 },
};

static const struct option_spec options[] = {
	{ "workload", "CMD", "what to run" },
	{ "remark", "TEXT", "what to note" },
	{ 0 },
};

static int run_it(struct run *run)
{
	const char *workload = run_option(run, "workload");
	const char *remark = run_option(run, "remark");
	double bound;

	planted_pass(run);
	if (run_bound(run, "bounded", &bound))
		run_check_le(run, "bounded", NULL, 10000, bound, "ns");
	if (workload)
		run_note(run, "workload: %s", workload);
	if (remark)
		run_note(run, "remark: %s", remark);
	run_note(run, "%zu CPUs", run_cpus(run)->n);
	return 0;
}

const struct hypothesis hypothesis = {
	.name = "optional",
	.claim = "A bound and a workload reach the test they are meant for.",
	.source = "planted",
	.danger = DANGER_SAFE,
	.budget_s = 60,
	.checks = checks,
	.options = options,
	.run = run_it,
};
