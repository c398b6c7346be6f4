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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "background.h"
#include "callgraph.h"
#include "compile.h"
#include "event.h"
#include "handler_time.h"
#include "hypothesis.h"
#include "sampler.h"
#include "stats.h"
#include "sysctl.h"

#define ROW_NS 2000000000ULL
#define SPANS_MAX 400000 /* per CPU and row: twice what 100,000 samples/s could make in ROW_NS */
#define RING_PAGES 1024	 /* 4 MiB: 50 ms of 8 KiB stack dumps at 10,000 samples/s */
#define MATCHED_MIN 99.0 /* % of samples that must lie in a traced interrupt */

static const struct setting {
	const char *row;
	bool fixed; /* -c 100000 (cycles, or ns of cpu-clock); else the default 4000 Hz */
	bool alone; /* the timer fires, but no sample is taken: what an interrupt costs by itself */
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
	enum handler_kind kind;
	struct handler_time time;
	double percent_max; /* kernel.perf_cpu_time_max_percent */
	double alone_ns[2]; /* median of the timer alone, by `fixed`; 0 with a PMU */
	/* Positive controls, of the row where each was least. */
	double least_samples, least_matched, least_alone;
};

static struct perf_event_attr setting_attr(const struct bench *bench, const struct setting *setting)
{
	struct perf_event_attr attr =
		bench->kind == HANDLER_NMI
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

static pid_t start_workload(struct run *run, struct err *err)
{
	const char *command = run_option(run, "workload");

	if (command)
		return background_command(command, err);
	return compile_start((unsigned int)run_cpus(run)->n, err);
}

/* Trace the handler while the workload runs, sampled by `attr`. */
static int observe(struct bench *bench, const struct perf_event_attr *attr, struct sampler *sampler,
		   struct err *err)
{
	const struct timespec length = { .tv_sec = ROW_NS / 1000000000 };
	const struct cpus *cpus = run_cpus(bench->run);
	pid_t workload = start_workload(bench->run, err);
	int result = workload < 0 ? (int)workload : handler_time_start(&bench->time, err);

	if (!result) {
		int stopped;

		if (attr)
			result = sampler_start(sampler, attr, cpus, RING_PAGES, SPANS_MAX,
					       SPANS_MAX, ROW_NS, err);
		if (!result)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
		if (!result && attr)
			result = sampler_stop(sampler, err);
		stopped = handler_time_stop(&bench->time, result ? NULL : err);
		result = result ? result : stopped;
	}
	background_stop(workload);
	if (!result && bench->time.lost)
		result = err_set(err, 0, "%llu trace events lost",
				 (unsigned long long)bench->time.lost);
	return result;
}

/* The spans of all CPUs as one series. Returns its median. */
static double report_spans(struct bench *bench, const struct setting *setting)
{
	const char *const labels[] = { "options", setting->row, "period",
				       setting->fixed ? "fixed" : "frequency", NULL };
	struct stats stats = { .p50 = NAN };
	double *all;
	size_t n = 0;

	for (size_t i = 0; i < bench->time.n; i++)
		n += bench->time.cpu[i].n;
	all = calloc(n + 1, sizeof(*all));
	if (!all)
		return NAN;
	n = 0;
	for (size_t i = 0; i < bench->time.n; i++)
		for (size_t j = 0; j < bench->time.cpu[i].n; j++)
			all[n++] = (double)bench->time.cpu[i].span[j].length_ns;
	run_measure(bench->run,
		    &(struct measure){ .table = bench->kind == HANDLER_NMI ? "perf NMI handler time"
									   : "timer interrupt time",
				       .row = setting->row,
				       .name = "handler_time",
				       .unit = "ns",
				       .columns = "n avg p50 p99 max stddev",
				       .labels = labels,
				       .resolution = 1,
				       .samples = all,
				       .n = n });
	stats_summarise(&stats, all, n, 0);
	free(all);
	return stats.p50;
}

/*
 * The share of each CPU that went into interrupts which took a sample. Sampling causes them, so all
 * of their time counts, not only what lies above the timer alone. Samples that did not fit into the
 * ring cannot be matched with an interrupt; they count with what the others took on average.
 */
static void check_shares(struct bench *bench, const char *row, const struct sampler *sampler)
{
	for (size_t i = 0; i < bench->time.n; i++) {
		const struct handler_cpu *cpu = &bench->time.cpu[i];
		double samples = (double)sampler->cpu[i].samples;
		double lost = bench->kind == HANDLER_TIMER ? (double)sampler->cpu[i].lost : 0;
		double seconds = sampler_seconds(sampler);
		double scale = samples > 0 ? (samples + lost) / samples : 1;
		double ns = 0;
		char where[64];

		for (size_t j = 0; j < cpu->n; j++)
			ns += (double)cpu->span[j].length_ns;
		snprintf(where, sizeof(where), "%s, cpu %d", row, cpu->cpu);
		run_check_le(bench->run, "cpu_share", where, 100 * ns * scale / (seconds * 1e9),
			     bench->percent_max, "%");
	}
}

/* Keep the interrupts that took a sample; which ones did is known from the samples' times. */
static bool keep_sampled(struct bench *bench, const struct setting *setting,
			 const struct sampler *sampler)
{
	double samples = 0, matched = 0, lost = 0;

	for (size_t i = 0; i < sampler->n; i++) {
		const struct sampler_cpu *cpu = &sampler->cpu[i];

		samples += (double)cpu->samples;
		lost += (double)cpu->lost;
		if (bench->kind == HANDLER_TIMER)
			matched += (double)handler_spans_with(&bench->time.cpu[i], cpu->times,
							      cpu->times_n);
	}
	run_figure(bench->run, "samples", setting->row, "samples", samples, "1");
	run_figure(bench->run, "samples", setting->row, "lost", lost, "1");
	bench->least_samples = fmin(bench->least_samples, samples);
	if (bench->kind == HANDLER_TIMER && samples > 0)
		bench->least_matched = fmin(bench->least_matched, 100 * matched / samples);
	return samples > 0;
}

/* The timer alone: there must be interrupts, and no sample, or it is no baseline. */
static void take_alone(struct bench *bench, const struct setting *setting,
		       const struct sampler *sampler)
{
	double samples = 0;
	size_t n = 0;

	for (size_t i = 0; i < sampler->n; i++) {
		samples += (double)sampler->cpu[i].samples;
		n += bench->time.cpu[i].n;
	}
	bench->least_alone = fmin(bench->least_alone, (double)n);
	if (samples > 0)
		run_broken(bench->run, "%s: %g samples were taken", setting->row, samples);
	bench->alone_ns[setting->fixed] = report_spans(bench, setting);
}

static void take_sampled(struct bench *bench, const struct setting *setting,
			 const struct sampler *sampler)
{
	double p50;

	if (!keep_sampled(bench, setting, sampler))
		return;
	p50 = report_spans(bench, setting);
	run_figure(bench->run, "samples", setting->row, "cost of a sample (p50)",
		   p50 - bench->alone_ns[setting->fixed], "ns");
	check_shares(bench, setting->row, sampler);
}

static void run_setting(struct bench *bench, const struct setting *setting)
{
	struct perf_event_attr attr = setting_attr(bench, setting);
	struct sampler sampler;
	struct err err;

	if (setting->alone && bench->kind == HANDLER_NMI)
		return;
	if (setting->callgraph == CALLGRAPH_LBR && event_probe(&attr, &err)) {
		run_note(bench->run, "%s: not measured: %s", setting->row, err.text);
		return;
	}
	run_progress(bench->run, "%s", setting->row);
	if (observe(bench, &attr, &sampler, &err))
		run_broken(bench->run, "%s: %s", setting->row, err.text);
	else if (setting->alone)
		take_alone(bench, setting, &sampler);
	else
		take_sampled(bench, setting, &sampler);
	sampler_close(&sampler);
}

static int run_cost(struct run *run)
{
	struct perf_event_attr cycles = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct bench bench = {
		.run = run, .least_samples = INFINITY, .least_matched = 100, .least_alone = INFINITY
	};
	struct err err;
	long percent;

	bench.kind = event_probe(&cycles, &err) ? HANDLER_TIMER : HANDLER_NMI;
	if (bench.kind == HANDLER_TIMER)
		run_note(run, "no hardware PMU (%s): cpu-clock, in %s", err.text,
			 handler_event(bench.kind));
	if (sysctl_read_long("kernel.perf_cpu_time_max_percent", &percent, &err) ||
	    handler_time_open(&bench.time, bench.kind, run_cpus(run), SPANS_MAX, &err))
		return run_broken(run, "%s", err.text);
	/* 0 and 100 switch the kernel's own limit off: then a CPU is all that may be used. */
	bench.percent_max = percent > 0 ? (double)percent : 100;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		run_setting(&bench, &settings[i]);
	handler_time_close(&bench.time);
	run_control(run, "samples, least of all rows", bench.least_samples, 0, "1");
	if (bench.kind == HANDLER_TIMER) {
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
	/* On a PMU the kernel may rightly say that it lowers the rate: that is the mechanism. */
	{ KLOG_THROTTLE, 100 },
	{ KLOG_SLOW_NMI, 100 },
	{ KLOG_NONE, 0 },
};

static const char *const sysctls[] = { "kernel.perf_event_max_sample_rate", NULL };

static const struct option_spec options[] = {
	{ "workload", "CMD", "shell command to sample instead of the built-in compile-like one" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "sample_cost",
	.claim = "Sampling costs no more of a CPU than kernel.perf_cpu_time_max_percent allows, "
		 "whatever "
		 "perf is asked to record.",
	.source =
		"perf, x86: Use counter freezing with Arch Perfmon v4 (Skylake perf patches, 3/4): "
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
