// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: while branches are sampled, a switch between two threads of a process does not clear the
 * branch records, and one between processes does.
 *
 * Mechanism: branch records (LBR) are of the CPU, not of a task. When a task is switched in, the
 * kernel clears them, so that it does not see another's branches: a register write for each
 * address, about a hundred. Threads of a process may see each other's, so that could be spared,
 * which is what the patch does that this comes from.
 *
 * On a kernel without it, a program whose threads take turns much runs several times slower while
 * its branches are sampled. On one that spares too much, a process sees another's branches: that is
 * the other check, without which a kernel that never clears anything would pass.
 *
 * How often they are cleared is seen through the msr tracepoints; the cost is measured without
 * them.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "drain.h"
#include "event.h"
#include "hypothesis.h"
#include "msr_trace.h"
#include "ping_pong.h"
#include "rate_limit.h"

#define PERIOD 100003
#define RING_PAGES 16
#define ROUNDS_TRACED 400
#define ROUNDS_TIMED 500
#define REPEATS 3
#define ACCESSES_MAX 1000000

#define CLEARED_THREADS_MAX 0.05
#define CLEARED_PROCESSES_MIN 0.9

/* Who takes turns, and what is sampled. */
static const struct {
	const char *row;
	enum ping_pong_kind kind;
	bool system; /* the CPU, whoever runs there; else the tasks */
} settings[] = {
	{ "threads", PING_PONG_THREADS, false },
	{ "threads, system-wide", PING_PONG_THREADS, true },
	{ "processes", PING_PONG_PROCESSES, false },
	{ "processes, system-wide", PING_PONG_PROCESSES, true },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* As `perf record --branch-filter any,u -c 100003`: each task inherits the event. */
static struct perf_event_attr branch_attr(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.inherit = 1;
	return attr;
}

static void count_with_branches(const struct ring_sample *sample, uint16_t misc, void *context)
{
	double *records = context;

	(void)misc;
	*records += sample->branch_nr > 0;
}

/* Take turns while branches are sampled; *records, which is added to: those that have branches. */
static int play_sampled(struct ping_pong *result, size_t i, uint64_t rounds, int cpu,
			double *records, struct err *err)
{
	const struct perf_event_attr attr = branch_attr();
	struct event event = EVENT_CLOSED;
	struct drained drained = { 0 };
	int failed = settings[i].system ? event_open_cpu(&event, &attr, cpu, err)
					: event_open_task_cpu(&event, &attr, 0, cpu, err);

	if (!failed)
		failed = event_map(&event, RING_PAGES, false, err);
	if (!failed)
		failed = event_enable(&event, err);
	if (!failed)
		failed = ping_pong(result, settings[i].kind, rounds, cpu, err);
	if (!failed)
		failed = event_drain(&event, &drained, count_with_branches, records, err);
	event_close(&event);
	return failed;
}

/*
 * ns a round, the least of some: what else runs on the machine only adds. Sampled unless records is
 * NULL. NAN: broken.
 */
static double round_ns(struct run *run, size_t i, double *records)
{
	int cpu = run_cpus(run)->cpu[0];
	double least = INFINITY;
	struct ping_pong result;
	struct err err;

	for (int repeat = 0; repeat < REPEATS; repeat++) {
		int failed =
			records ? play_sampled(&result, i, ROUNDS_TIMED, cpu, records, &err)
				: ping_pong(&result, settings[i].kind, ROUNDS_TIMED, cpu, &err);

		if (failed) {
			run_broken(run, "%s: %s", settings[i].row, err.text);
			return NAN;
		}
		least = fmin(least, (double)result.ns / ROUNDS_TIMED);
	}
	return least;
}

static void measure_cost(struct run *run, size_t i, bool bounded, double bound)
{
	double records = 0;
	double alone = round_ns(run, i, NULL);
	double sampled = round_ns(run, i, &records);
	char control[64];

	snprintf(control, sizeof(control), "%s: records with branches", settings[i].row);
	if (!run_control(run, control, records, 0, "1"))
		return;
	run_figure(run, "cost of a round", settings[i].row, "no sampling", alone, "ns");
	run_figure(run, "cost of a round", settings[i].row, "branch sampling", sampled, "ns");
	run_figure(run, "cost of a round", settings[i].row, "ratio", sampled / alone, "1");
	if (bounded)
		run_check_le(run, "cost_ratio", settings[i].row, sampled / alone, bound, "1");
}

/* What the trace of one setting says. False when it says nothing: a broken run. */
static bool judge_trace(struct run *run, size_t i, const struct msr_log *log,
			const struct ping_pong *result)
{
	double switches = (double)result->switches;
	size_t entries = msr_registers(log, MSR_ENTRIES);
	double cleared = msr_lbr_clearings(log) / switches;
	const char *row = settings[i].row;
	char control[64];

	snprintf(control, sizeof(control), "%s: switches", row);
	if (!run_control(run, control, switches, ROUNDS_TRACED, "1"))
		return false;
	snprintf(control, sizeof(control), "%s: LBR registers", row);
	if (!run_control(run, control, (double)entries, 0, "1"))
		return false;
	run_figure(run, "clearing", row, "switches", switches, "1");
	run_figure(run, "clearing", row, "registers", (double)entries, "1");
	run_figure(run, "clearing", row, "writes per switch",
		   (double)msr_count(log, MSR_WRITE, MSR_ENTRIES | MSR_BIT(MSR_LBR_DEPTH)) /
			   switches,
		   "1");
	run_figure(run, "clearing", row, "cleared per switch", cleared, "1");
	if (settings[i].kind == PING_PONG_THREADS)
		run_check_le(run, "threads_keep", row, cleared, CLEARED_THREADS_MAX, "1");
	else
		run_check_ge(run, "processes_clear", row, cleared, CLEARED_PROCESSES_MIN, "1");
	return true;
}

static int trace_settings(struct run *run, struct msr_trace *trace)
{
	int cpu = run_cpus(run)->cpu[0];
	struct ping_pong result;
	double records = 0;
	struct err err;

	for (size_t i = 0; i < SETTINGS; i++) {
		int failed = msr_trace_start(trace, &err);
		int stopped;

		if (failed)
			return run_broken(run, "%s", err.text);
		failed = play_sampled(&result, i, ROUNDS_TRACED, cpu, &records, &err);
		stopped = msr_trace_stop(trace, failed ? NULL : &err);
		if (failed || stopped)
			return run_broken(run, "%s: %s", settings[i].row, err.text);
		if (!judge_trace(run, i, &trace->log[0], &result))
			return 0;
	}
	return 0;
}

static int run_lbr_switch(struct run *run)
{
	const struct cpus cpu = { .n = 1, .cpu = { run_cpus(run)->cpu[0] } };
	struct msr_trace trace = { 0 };
	double bound = 0;
	bool bounded = run_bound(run, "cost_ratio", &bound);
	struct err err;
	/* Before anything has threads: tracing may need a mount namespace, which is a thread's. */
	int traced = msr_trace_open(&trace, &cpu, MSR_BRANCHES, false, ACCESSES_MAX, &err);

	for (size_t i = 0; i < SETTINGS; i++) {
		run_progress(run, "%s", settings[i].row);
		measure_cost(run, i, bounded, bound);
	}
	if (traced == -ENOENT && !bounded)
		return run_skip(run,
				"%s: whether a switch clears branch records cannot be seen, and no "
				"bound was set for what it costs",
				err.text);
	if (traced == -ENOENT)
		run_note(run, "only the cost is judged: %s", err.text);
	else if (traced)
		return run_broken(run, "%s", err.text);
	else
		trace_settings(run, &trace);
	msr_trace_close(&trace);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_PMU },
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "threads_keep",
	  .claim =
		  "switching between threads of a process clears the branch records in at most 5 % "
		  "of the switches",
	  .origin = "none for the two threads; 5 % for others that run in between: a trace reader, "
		    "kernel threads, the end of the program",
	  .optional = true },
	{ .name = "processes_clear",
	  .claim = "switching between processes clears them in at least 90 % of the switches",
	  .origin = "each time, as each comes from another process; 10 % for switches to kernel "
		    "threads and back, which may be spared",
	  .optional = true },
	{ .name = "cost_ratio",
	  .claim = "a round with branch sampling costs at most so many times one without",
	  .origin = "set by the lab: --bound lbr_switch.cost_ratio=N",
	  .optional = true,
	  .bound_unit = "1" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lbr_switch",
	.claim = "While branches are sampled, a switch between two threads of a process does not "
		 "clear the branch records, and one between processes does.",
	.source = "[PATCH] perf/x86/intel/lbr: Optimize context switches for LBR (2018)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lbr_switch,
};
