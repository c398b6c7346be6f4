// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: PMI handlers take no more of a CPU than kernel.perf_cpu_time_max_percent allows, whatever
 * perf is asked to record.
 *
 * Mechanism: a PMI handler reads and writes PMU registers, some of them slow, and collects what
 * perf options ask for: call chains, a copy of the stack, branch records. Acknowledging through
 * counter freezing saves most of the register accesses; the patch that introduced it argues with
 * the table that is made here: handler times of the eight ways to call perf record. The kernel
 * times its handlers and lowers the sample rate when they take more than their share.
 *
 * On a broken kernel, or where that time does not reach the limiter, the share of a row exceeds the
 * limit. What a change to the handler gains is seen by comparing this table with another kernel's:
 * only rows of the same options, frequency mode against frequency mode.
 */
#include <errno.h>

#include "cost_rows.h"
#include "event.h"
#include "interrupts.h"
#include "rate_limit.h"

static struct perf_event_attr cycles_attr(const struct cost_options *options)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	cost_options_apply(&attr, options);
	return attr;
}

/* NMIs of the CPUs under test. False, and a broken run, when they cannot be read. */
static bool count_nmis(struct run *run, uint32_t *count)
{
	struct err err;

	if (!interrupts_total("NMI", run_cpus(run), count, &err))
		return true;
	run_broken(run, "%s", err.text);
	return false;
}

/* Others cause NMIs, too: this is what of all NMIs the table does not tell of. */
static void report_untraced(struct run *run, const char *row, uint32_t before, double traced)
{
	uint32_t after;

	if (count_nmis(run, &after))
		run_figure(run, "samples", row, "NMIs not traced",
			   interrupts_since(before, after) - traced, "1");
}

static int run_row(struct cost_rows *rows, const struct cost_options *options)
{
	const struct perf_event_attr attr = cycles_attr(options);
	uint32_t before;
	struct stats stats = { 0 };
	int result;

	if (!count_nmis(rows->run, &before))
		return -ENODATA;
	result = cost_rows_observe(rows, options->row, &attr);
	if (!result && cost_rows_samples(rows, options->row).taken > 0) {
		cost_rows_report(rows, options->row, options->fixed, &stats);
		report_untraced(rows->run, options->row, before, (double)stats.n);
		cost_rows_check_share(rows, "cpu_share", options->row);
	}
	cost_rows_end(rows);
	return result;
}

static int run_cost(struct run *run)
{
	struct cost_rows rows;
	struct err err;
	int result = 0;

	if (cost_rows_open(&rows, run, HANDLER_NMI, "perf NMI handler time", &err))
		return run_broken(run, "%s", err.text);
	for (const struct cost_options *row = cost_options; !result && row->row; row++) {
		const struct perf_event_attr attr = cycles_attr(row);

		if (row->callgraph == CALLGRAPH_LBR && event_probe(&attr, &err))
			run_note(run, "%s: not measured: %s", row->row, err.text);
		else
			result = run_row(&rows, row);
	}
	cost_rows_close(&rows);
	run_control(run, "samples, least of all rows", rows.least_samples, 0, "1");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_PMU },
	{ .kind = NEED_TRACEPOINT, .what = "nmi/nmi_handler" },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "cpu_share",
	  .claim = "PMI handlers take no more of a CPU than kernel.perf_cpu_time_max_percent",
	  .origin = "the sysctl as set on this machine "
		    "(Documentation/admin-guide/sysctl/kernel.rst)" },
	{ 0 },
};

static const struct option_spec options[] = { COST_ROWS_WORKLOAD, COST_ROWS_ROW_MS, { 0 } };

const struct hypothesis hypothesis = {
	.name = "nmi_cost",
	.claim = "PMI handlers take no more of a CPU than kernel.perf_cpu_time_max_percent "
		 "allows, whatever perf is asked to record.",
	.source = "perf, x86: Use counter freezing with Arch Perfmon v4 (Skylake perf patches, "
		  "3/4): its table of handler times by perf option",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	/* The kernel may rightly say that it lowers the rate: that is the mechanism. */
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.options = options,
	.run = run_cost,
};
