// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: sampling cpu-clock costs no more of a CPU than kernel.perf_cpu_time_max_percent allows,
 * whatever perf is asked to record.
 *
 * Mechanism: each sample is taken in a timer interrupt, and what perf options ask for (call chains,
 * a copy of the stack) is collected there. The kernel measures hardware PMI handlers and lowers
 * the sample rate when they take more than their share; software clocks have no such feedback, so
 * that their share only stays bounded while taking a sample stays cheap.
 *
 * On a broken kernel the share of a row exceeds the limit. The table gives the timer interrupts
 * that took a sample, for each option, beside those of the same timer without samples. nmi_cost is
 * the same for a hardware PMU.
 */
#include <math.h>

#include "cost_rows.h"
#include "event.h"
#include "rate_limit.h"

#define MATCHED_MIN 99.0 /* % of samples that must lie in a traced interrupt */

/* What an interrupt of the timer costs by itself, by `fixed`. */
struct alone {
	struct stats stats[2];
	double least; /* interrupts, of either */
};

static struct perf_event_attr clock_attr(const struct cost_options *options)
{
	struct perf_event_attr attr = event_attr_cpu_clock(COST_FIXED_PERIOD);

	cost_options_apply(&attr, options);
	return attr;
}

/* The timer alone: there must be interrupts, and no sample, or it is no baseline. */
static int run_alone(struct cost_rows *rows, const struct cost_options *options,
		     struct alone *alone)
{
	struct perf_event_attr attr = clock_attr(options);
	struct stats *stats = &alone->stats[options->fixed];
	double samples = 0;
	int result;

	/* perf_swevent_hrtimer() runs on time and finds that nothing is to be sampled. */
	attr.exclude_user = 1;
	attr.exclude_kernel = 1;
	result = cost_rows_observe(rows, options->row, &attr);
	for (size_t i = 0; !result && i < rows->cost.sampler.n; i++)
		samples += (double)rows->cost.sampler.cpu[i].samples;
	if (samples > 0)
		run_broken(rows->run, "%s: %g samples were taken", options->row, samples);
	if (!result)
		cost_rows_report(rows, options->row, options->fixed, stats);
	alone->least = fmin(alone->least, (double)stats->n);
	cost_rows_end(rows);
	return result;
}

static void report_added(struct run *run, const char *row, const struct stats *stats,
			 const struct stats *alone)
{
	const struct handler_cost_added added = handler_cost_added(stats, alone);

	run_figure(run, "samples", row, "cost of a sample (p50)", added.p50, "ns");
	if (!isfinite(added.low) || !isfinite(added.high))
		return;
	run_figure(run, "samples", row, "cost, low", added.low, "ns");
	run_figure(run, "samples", row, "cost, high", added.high, "ns");
}

/* *matched: the least share of samples that lay in a traced interrupt, in %. */
static int run_row(struct cost_rows *rows, const struct cost_options *options,
		   const struct alone *alone, double *matched)
{
	const struct perf_event_attr attr = clock_attr(options);
	struct handler_cost_samples samples = { 0 };
	struct stats stats = { 0 };
	int result = cost_rows_observe(rows, options->row, &attr);

	if (!result)
		samples = cost_rows_samples(rows, options->row);
	if (samples.taken > 0) {
		*matched = fmin(*matched, 100 * samples.matched / samples.taken);
		cost_rows_report(rows, options->row, options->fixed, &stats);
		report_added(rows->run, options->row, &stats, &alone->stats[options->fixed]);
		/* Sampling causes these interrupts: all of their time counts. */
		cost_rows_check_share(rows, "cpu_share", options->row);
	}
	cost_rows_end(rows);
	return result;
}

static int run_cost(struct run *run)
{
	static const struct cost_options timer_alone[] = {
		{ "timer alone", false, CALLGRAPH_NONE },
		{ "timer alone -c 100000", true, CALLGRAPH_NONE },
	};
	struct alone alone = { .least = INFINITY };
	struct cost_rows rows;
	double matched = 100;
	struct err err;
	int result = 0;

	if (cost_rows_open(&rows, run, HANDLER_TIMER, "timer interrupt time", &err))
		return run_broken(run, "%s", err.text);
	for (size_t i = 0; !result && i < 2; i++)
		result = run_alone(&rows, &timer_alone[i], &alone);
	for (const struct cost_options *row = cost_options; !result && row->row; row++)
		if (row->callgraph != CALLGRAPH_LBR)
			result = run_row(&rows, row, &alone, &matched);
	cost_rows_close(&rows);
	run_control(run, "samples, least of all rows", rows.least_samples, 0, "1");
	run_control(run, "samples in a traced interrupt", matched, MATCHED_MIN, "%");
	run_control(run, "interrupts of the timer alone", alone.least, 0, "1");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_CPU_CLOCK },
	{ .kind = NEED_TRACEPOINT, .what = "irq_vectors/local_timer_entry" },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "cpu_share",
	  .claim = "interrupts that sample take no more of a CPU than "
		   "kernel.perf_cpu_time_max_percent",
	  .origin = "the sysctl as set on this machine "
		    "(Documentation/admin-guide/sysctl/kernel.rst)" },
	{ 0 },
};

static const struct option_spec options[] = { COST_ROWS_WORKLOAD, COST_ROWS_ROW_MS, { 0 } };

const struct hypothesis hypothesis = {
	.name = "sample_cost",
	.claim = "Sampling cpu-clock costs no more of a CPU than "
		 "kernel.perf_cpu_time_max_percent allows, whatever perf is asked to record.",
	.source = "perf, x86: Use counter freezing with Arch Perfmon v4 (Skylake perf patches, "
		  "3/4): its table of handler times by perf option, for the software clock",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 90,
	.needs = needs,
	.checks = checks,
	.sysctls = rate_limit_sysctls,
	.options = options,
	.run = run_cost,
};
