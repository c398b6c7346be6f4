// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: sampling costs no more of a CPU than kernel.perf_cpu_time_max_percent allows, whatever
 * perf is asked to record.
 *
 * Mechanism: each sample is taken in an interrupt, and what perf options ask for (call chains, a
 * copy of the stack, branch records) is collected there. The kernel measures hardware PMI handlers
 * and lowers the sample rate when they take more than their share; software clocks have no such
 * feedback, so there the share only stays bounded while the handler stays cheap.
 *
 * On a broken kernel the share of a row exceeds the limit. The table is what the claim is usually
 * argued with: the handler's time for each option, at the default frequency and at a fixed period,
 * in the manner of the counter-freezing patch. With a PMU it is the NMI handler's own time;
 * without, the timer interrupts that took a cpu-clock sample, beside those of an unsampled
 * baseline.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "background.h"
#include "callgraph.h"
#include "compile.h"
#include "event.h"
#include "handler_cost.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "stats.h"
#include "sysctl.h"

#define ROW_NS 2000000000ULL
#define SPANS_MAX 400000 /* per CPU and row: twice what 100,000 samples/s could make in ROW_NS */
#define RING_PAGES 1024	 /* 4 MiB: 50 ms of 8 KiB stack dumps at 10,000 samples/s */
#define MATCHED_MIN 99.0 /* % of samples that must lie in a traced interrupt */

static const struct setting {
	const char *row;
	bool fixed; /* -c 100000 (cycles, or ns of cpu-clock); else the default 4000 Hz */
	bool alone; /* the timer fires, but no sample is taken: what an interrupt costs by
		       itself */
	enum callgraph callgraph;
} settings[] = {
	{ "timer alone", false, true, CALLGRAPH_NONE },
	{ "timer alone -c 100000", true, true, CALLGRAPH_NONE },
	{ "default", false, false, CALLGRAPH_NONE },
	{ "-c 100000", true, false, CALLGRAPH_NONE },
	{ "-g", false, false, CALLGRAPH_FP },
	{ "-g -c 100000", true, false, CALLGRAPH_FP },
	{ "--call-graph lbr", false, false, CALLGRAPH_LBR },
	{ "--call-graph lbr -c 100000", true, false, CALLGRAPH_LBR },
	{ "--call-graph dwarf", false, false, CALLGRAPH_DWARF },
	{ "--call-graph dwarf -c 100000", true, false, CALLGRAPH_DWARF },
};

/* What the whole run shares. */
struct bench {
	struct run *run;
	struct handler_cost cost;
	double percent_max;    /* kernel.perf_cpu_time_max_percent */
	struct stats alone[2]; /* of the timer alone, by `fixed`; 0 with a PMU */
	/* Positive controls, of the row where each was least. */
	double least_samples, least_matched, least_alone;
};

static struct perf_event_attr setting_attr(const struct bench *bench, const struct setting *setting)
{
	struct perf_event_attr attr =
		bench->cost.time.kind == HANDLER_NMI
			? event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)
			: event_attr_cpu_clock(100000);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr.freq = !setting->fixed;
	attr.sample_period = setting->fixed ? 100000 : 4000;
	/* perf_swevent_hrtimer() runs on time and finds that nothing is to be sampled. */
	attr.exclude_user = setting->alone;
	attr.exclude_kernel = setting->alone;
	callgraph_apply(&attr, setting->callgraph);
	return attr;
}

static int start_workload(struct run *run, struct background_command *workload, struct err *err)
{
	const char *command = run_option(run, "workload");

	if (command)
		return background_command_start(workload, command, err);
	*workload = (struct background_command){
		.pid = compile_start((unsigned int)run_cpus(run)->n, err),
	};
	return workload->pid < 0 ? (int)workload->pid : 0;
}

static int stop_workload(struct run *run, struct background_command *workload, const char *row,
			 struct err *err)
{
	unsigned int ended;
	int result = background_command_stop(workload, &ended, err);

	if (run_option(run, "workload"))
		run_figure(run, "workload", row, "runs that ended", ended, "1");
	return result;
}

/* Trace the handler while the workload runs, sampled as the row asks. */
static int observe(struct bench *bench, const struct setting *setting, struct err *err)
{
	const struct perf_event_attr attr = setting_attr(bench, setting);
	struct background_command workload;
	int result = start_workload(bench->run, &workload, err);
	int stopped;

	if (result)
		return result;
	result = handler_cost_observe(&bench->cost, &attr, run_cpus(bench->run), ROW_NS, RING_PAGES,
				      SPANS_MAX, err);
	stopped = stop_workload(bench->run, &workload, setting->row, result ? NULL : err);
	return result ? result : stopped;
}

/* The spans of all CPUs as one series, of which *stats tells. */
static void report_spans(struct bench *bench, const struct setting *setting, struct stats *stats)
{
	const char *const labels[] = { "options", setting->row, "period",
				       setting->fixed ? "fixed" : "frequency", NULL };
	const char *table = bench->cost.time.kind == HANDLER_NMI ? "perf NMI handler time"
								 : "timer interrupt time";
	size_t n;
	double *all = handler_cost_lengths(&bench->cost, &n);

	if (!all) {
		run_broken(bench->run, "%s: out of memory", setting->row);
		return;
	}
	run_measure(bench->run, &(struct measure){ .table = table,
						   .row = setting->row,
						   .name = "handler_time",
						   .unit = "ns",
						   .columns = "n avg p50 p99 max stddev",
						   .labels = labels,
						   .resolution = 1,
						   .samples = all,
						   .n = n });
	(void)stats_summarise(stats, all, n, 0);
	free(all);
}

/* Sampling causes these interrupts, so all of their time counts, also that of the timer
 * alone. */
static void check_shares(struct bench *bench, const char *row)
{
	for (size_t i = 0; i < bench->cost.time.n; i++) {
		char where[64];

		snprintf(where, sizeof(where), "%s, cpu %d", row, bench->cost.time.cpu[i].cpu);
		run_check_le(bench->run, "cpu_share", where, handler_cost_share(&bench->cost, i),
			     bench->percent_max, "%");
	}
}

/* The timer alone: there must be interrupts, and no sample, or it is no baseline. */
static void take_alone(struct bench *bench, const struct setting *setting)
{
	struct stats *stats = &bench->alone[setting->fixed];
	double samples = 0;

	for (size_t i = 0; i < bench->cost.sampler.n; i++)
		samples += (double)bench->cost.sampler.cpu[i].samples;
	if (samples > 0)
		run_broken(bench->run, "%s: %g samples were taken", setting->row, samples);
	report_spans(bench, setting, stats);
	bench->least_alone = fmin(bench->least_alone, (double)stats->n);
}

static void report_added(struct bench *bench, const struct setting *setting,
			 const struct stats *stats)
{
	const struct handler_cost_added added =
		handler_cost_added(stats, &bench->alone[setting->fixed]);

	run_figure(bench->run, "samples", setting->row, "cost of a sample (p50)", added.p50, "ns");
	if (!isfinite(added.low) || !isfinite(added.high))
		return;
	run_figure(bench->run, "samples", setting->row, "cost, low", added.low, "ns");
	run_figure(bench->run, "samples", setting->row, "cost, high", added.high, "ns");
}

static void take_sampled(struct bench *bench, const struct setting *setting)
{
	const struct handler_cost_samples samples = handler_cost_match(&bench->cost);
	struct stats stats = { 0 };

	run_figure(bench->run, "samples", setting->row, "samples", samples.taken, "1");
	run_figure(bench->run, "samples", setting->row, "lost", samples.lost, "1");
	bench->least_samples = fmin(bench->least_samples, samples.taken);
	if (samples.taken <= 0)
		return;
	if (bench->cost.time.kind == HANDLER_TIMER)
		bench->least_matched =
			fmin(bench->least_matched, 100 * samples.matched / samples.taken);
	report_spans(bench, setting, &stats);
	report_added(bench, setting, &stats);
	check_shares(bench, setting->row);
}

/*
 * Fewer samples than asked for are right when the limit was lowered, by the kernel, whose
 * handlers took too long, or by another program: cpu_share holds or not either way. The
 * reader must know.
 */
static void note_limit(struct run *run, const char *row, long before)
{
	struct err err;
	long after;

	if (sysctl_read_long(RATE_LIMIT_SYSCTL, &after, &err))
		run_broken(run, "%s", err.text);
	else if (after != before)
		run_note(run, "%s: %s went from %ld to %ld meanwhile", row, RATE_LIMIT_SYSCTL,
			 before, after);
}

/* 0, or -errno; then the run is broken. */
static int run_setting(struct bench *bench, const struct setting *setting)
{
	const struct perf_event_attr attr = setting_attr(bench, setting);
	struct err err;
	long limit;
	int result;

	if (setting->alone && bench->cost.time.kind == HANDLER_NMI)
		return 0;
	if (setting->callgraph == CALLGRAPH_LBR && event_probe(&attr, &err)) {
		run_note(bench->run, "%s: not measured: %s", setting->row, err.text);
		return 0;
	}
	run_progress(bench->run, "%s", setting->row);
	result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &err);
	if (!result)
		result = observe(bench, setting, &err);
	if (result) {
		run_broken(bench->run, "%s: %s", setting->row, err.text);
	} else {
		note_limit(bench->run, setting->row, limit);
		if (setting->alone)
			take_alone(bench, setting);
		else
			take_sampled(bench, setting);
	}
	handler_cost_end(&bench->cost);
	return result;
}

static int run_cost(struct run *run)
{
	struct perf_event_attr cycles = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct bench bench = {
		.run = run, .least_samples = INFINITY, .least_matched = 100, .least_alone = INFINITY
	};
	struct err err;
	enum handler_kind kind = event_probe(&cycles, &err) ? HANDLER_TIMER : HANDLER_NMI;
	long percent;
	int result = 0;

	if (kind == HANDLER_TIMER)
		run_note(run, "no hardware PMU (%s): cpu-clock, in %s", err.text,
			 handler_event(kind));
	if (sysctl_read_long("kernel.perf_cpu_time_max_percent", &percent, &err) ||
	    handler_time_open(&bench.cost.time, kind, run_cpus(run), SPANS_MAX, &err))
		return run_broken(run, "%s", err.text);
	/* 0 and 100 switch the kernel's own limit off: then a CPU is all that may be used. */
	bench.percent_max = percent > 0 ? (double)percent : 100;
	/* A workload that is none will not be one in the next row. */
	for (size_t i = 0; result != -ECHILD && i < sizeof(settings) / sizeof(settings[0]); i++)
		result = run_setting(&bench, &settings[i]);
	handler_time_close(&bench.cost.time);
	run_control(run, "samples, least of all rows", bench.least_samples, 0, "1");
	if (kind == HANDLER_TIMER) {
		run_control(run, "samples in a traced interrupt", bench.least_matched, MATCHED_MIN,
			    "%");
		run_control(run, "interrupts of the timer alone", bench.least_alone, 0, "1");
	}
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
	  .claim = "handlers take no more of a CPU than kernel.perf_cpu_time_max_percent",
	  .origin = "the sysctl as set on this machine "
		    "(Documentation/admin-guide/sysctl/kernel.rst)" },
	{ 0 },
};

static const struct klog_allow klog[] = {
	/* On a PMU the kernel may rightly say that it lowers the rate: that is the
	   mechanism. */
	{ KLOG_THROTTLE, 100 },
	{ KLOG_SLOW_NMI, 100 },
	{ KLOG_NONE, 0 },
};

static const char *const sysctls[] = { RATE_LIMIT_SYSCTL, NULL };

static const struct option_spec options[] = {
	{ "workload", "CMD", "shell command to sample instead of the built-in compile-like one" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "sample_cost",
	.claim = "Sampling costs no more of a CPU than kernel.perf_cpu_time_max_percent "
		 "allows, "
		 "whatever "
		 "perf is asked to record.",
	.source = "perf, x86: Use counter freezing with Arch Perfmon v4 (Skylake perf "
		  "patches, 3/4): "
		  "its table of handler times by perf option",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 90,
	.needs = needs,
	.checks = checks,
	.klog = klog,
	.sysctls = sysctls,
	.options = options,
	.run = run_cost,
};
