// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: children of a task that is sampled at a frequency start near its period, and a storm of
 * them does not break the limit of samples per second.
 *
 * Mechanism: in frequency mode the kernel finds the period by measuring, from a start that may be
 * far too short. A child inherits the event, and with it the period found so far
 * (inherit_event()). A kernel that has each child start again from a period of 1 takes an interrupt
 * at nearly every instruction until the period has grown: the usual reason for stuck overflows.
 *
 * On a broken kernel a good part of the children start at a fraction of the parent's period and
 * climb (1, 17, 281, ...). Not all do: when parent and child take turns, the kernel may swap their
 * events instead of changing them over, and the child goes on with those of its parent.
 *
 * The limit (RATE_LIMIT_SYSCTL) is one of each event: children that live for less than a few ticks
 * may each use up its samples. Those of the second storm live longer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "fork_periods.h"
#include "fork_storm.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "sysctl.h"

#define FREQUENCY 10000	 /* samples per second */
#define RING_PAGES 64	 /* of 32-byte samples: a second of them and more */
#define SETTLE_BAND 2	 /* the parent's last periods are within this factor of each other */
#define SETTLE_MS 10	 /* CPU time between two looks, or two batches */
#define SETTLE_LOOKS 100 /* a second */
#define NEAR 0.05	 /* of the parent's period: the least near one */
#define FAR_MAX 2	 /* percent of children that may start farther */
#define CHILDREN_MIN 40	 /* with samples */
#define CPUS_TRIED 4	 /* the code is the same on all */
#define LOW_LIMIT 1024	 /* samples per second */
#define CLEAR_MARGIN 1.5 /* what is asked for above what is allowed, to tell them apart */

static const struct storm {
	const char *name;
	long limit; /* 0: as found */
	struct fork_storm fork;
} storms[] = {
	{ "limit as found", 0, { .children = 100, .batch = 8, .child_ms = 3 } },
	{ "limit 1024", LOW_LIMIT, { .children = 24, .batch = 8, .child_ms = 16 } },
};

/* One CPU's storm and what was observed. */
struct observed {
	const struct storm *storm;
	int cpu;
	struct event event;
	struct fork_periods periods;
	struct drained drained; /* from the start of the storm */
	struct rate_limit limit;
	double parent_period; /* settled, before the storm */
	double seconds;
	struct err err;
};

static void take(const struct ring_sample *sample, uint16_t misc, void *periods)
{
	(void)misc;
	fork_periods_take(periods, sample);
}

static int drain(void *context)
{
	struct observed *observed = context;

	return event_drain(&observed->event, &observed->drained, take, &observed->periods,
			   &observed->err);
}

/*
 * Forking is work of the kernel, which is not counted: in each tick in which it finds the parent at
 * that, it takes the event for a rare one. Work between batches puts that right again.
 */
static int end_batch(void *context)
{
	int result = drain(context);

	fork_storm_work(SETTLE_MS);
	return result;
}

/* User code, inherited by children, and, as a ring of such an event must be, on one CPU. */
static int open_event(struct observed *observed, uint64_t frequency)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	int result;

	attr.freq = 1;
	attr.sample_freq = frequency;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr.inherit = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	result = event_open_task_cpu(&observed->event, &attr, gettid(), observed->cpu,
				     &observed->err);
	if (!result)
		result = event_map(&observed->event, RING_PAGES, false, &observed->err);
	return result ? result : event_enable(&observed->event, &observed->err);
}

/* Work until the parent's period has settled; without that there is nothing to compare with. */
static int settle(struct observed *observed)
{
	int result = 0;

	for (int look = 0; !result && look < SETTLE_LOOKS; look++) {
		fork_storm_work(SETTLE_MS);
		result = drain(observed);
		if (!result &&
		    fork_periods_settled(&observed->periods, SETTLE_BAND, &observed->parent_period))
			return 0;
	}
	return result;
}

static int storm_over(struct observed *observed)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int result = fork_storm_run(&observed->storm->fork, end_batch, observed, &observed->err);

	observed->seconds = (double)(clock_ns(CLOCK_MONOTONIC) - start) / 1e9;
	return result;
}

/* The storm between two looks at the limit, which may be ours. */
static int storm_within(struct observed *observed)
{
	struct sysctl_saved saved[2];
	long found, ours = observed->storm->limit;
	struct err err;
	int result = sysctl_read_long(RATE_LIMIT_SYSCTL, &found, &observed->err);

	if (!result)
		result = sysctl_save(saved, rate_limit_set_sysctls, &observed->err);
	if (result)
		return result;
	if (ours)
		result = rate_limit_set(ours, &observed->err);
	observed->limit.before = ours ? ours : found;
	observed->drained = (struct drained){ 0 };
	if (!result)
		result = storm_over(observed);
	if (!result)
		result =
			sysctl_read_long(RATE_LIMIT_SYSCTL, &observed->limit.after, &observed->err);
	if (ours && sysctl_restore(saved, 2, NULL, &err) && !result) {
		observed->err = err;
		result = -EIO;
	}
	return result;
}

/* All of one CPU's storm. 0, or -errno with observed->err. */
static int observe(struct observed *observed, const struct storm *storm, int cpu)
{
	long limit;
	int result;

	memset(observed, 0, sizeof(*observed));
	observed->storm = storm;
	observed->cpu = cpu;
	observed->event.fd = -1;
	observed->periods.parent = (uint32_t)gettid();
	result = cpus_pin(cpu, &observed->err);
	if (!result)
		result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &observed->err);
	if (!result)
		result = open_event(observed, limit < FREQUENCY ? (uint64_t)limit : FREQUENCY);
	if (!result)
		result = settle(observed);
	if (!result && observed->parent_period > 0)
		result = storm_within(observed);
	event_close(&observed->event);
	return result;
}

static double rate(const struct observed *observed)
{
	return (double)(observed->drained.samples + observed->drained.lost) / observed->seconds;
}

static void judge_rate(struct run *run, const struct observed *observed, const char *row)
{
	run_figure(run, "storm", row, "samples/s", rate(observed), "1/s");
	run_figure(run, "storm", row, "limit", (double)observed->limit.before, "1/s");
	run_figure(run, "storm", row, "throttled", (double)observed->drained.throttled, "1");
	run_figure(run, "storm", row, "lost", (double)observed->drained.lost, "1");
	run_check_le(run, "rate_limit", row, rate(observed), rate_limit_most(&observed->limit),
		     "1/s");
}

/* The first periods of a child as a row of the table. */
static void show_ramp(struct run *run, const char *row, const char *which,
		      const struct child_periods *child)
{
	char line[96], column[8];

	snprintf(line, sizeof(line), "%s, %s", row, which);
	for (uint64_t i = 0; i < child->n && i < FORK_PERIODS_RAMP; i++) {
		snprintf(column, sizeof(column), "%d", (int)i + 1);
		run_figure(run, "first periods by child", line, column, (double)child->period[i],
			   "cycles");
	}
}

static void show_children(struct run *run, struct observed *observed, const char *row)
{
	struct fork_periods *periods = &observed->periods;
	double first[FORK_PERIODS_CHILDREN];
	struct measure measure = { .table = "first period of a child, of the parent's",
				   .row = row,
				   .name = "ratio",
				   .unit = "1",
				   .columns = "n min p50 p90 max",
				   .n = periods->children };

	fork_periods_sort(periods);
	for (size_t i = 0; i < periods->children; i++)
		first[i] = (double)periods->child[i].period[0] / observed->parent_period;
	measure.samples = first;
	run_measure(run, &measure);
	show_ramp(run, row, "lowest", &periods->child[0]);
	show_ramp(run, row, "middle", &periods->child[periods->children / 2]);
	show_ramp(run, row, "highest", &periods->child[periods->children - 1]);
}

static void judge_children(struct run *run, struct observed *observed, const char *row)
{
	const struct fork_periods *periods = &observed->periods;
	size_t low = fork_periods_below(periods, NEAR * observed->parent_period);

	run_figure(run, "storm", row, "parent's period", observed->parent_period, "cycles");
	run_figure(run, "storm", row, "children seen", (double)periods->children, "1");
	run_figure(run, "storm", row, "low starts", (double)low, "1");
	if (!run_control(run, "children with samples", (double)periods->children, CHILDREN_MIN - 1,
			 "1"))
		return;
	show_children(run, observed, row);
	run_check_le(run, "near_parent", row, 100 * (double)low / (double)periods->children,
		     FAR_MAX, "%");
}

/*
 * Both storms on one CPU. The second one says something where more was asked for in the first than
 * it allows.
 */
static void run_cpu(struct run *run, struct observed *observed, int cpu)
{
	const struct rate_limit low = { LOW_LIMIT, LOW_LIMIT };

	for (size_t i = 0; i < sizeof(storms) / sizeof(storms[0]); i++) {
		char row[64];

		snprintf(row, sizeof(row), "cpu %d, %s", cpu, storms[i].name);
		run_progress(run, "%s", row);
		if (observe(observed, &storms[i], cpu)) {
			run_broken(run, "%s: %s", row, observed->err.text);
			return;
		}
		if (!run_control(run, "parent's settled period", observed->parent_period, 0,
				 "cycles"))
			return;
		judge_rate(run, observed, row);
		if (storms[i].limit)
			continue;
		judge_children(run, observed, row);
		if (geteuid() || rate(observed) < CLEAR_MARGIN * rate_limit_most(&low)) {
			run_note(run, "cpu %d: not measured: %s: %s", cpu, storms[i + 1].name,
				 geteuid() ? "needs root"
					   : "this machine takes too few samples per second to "
					     "need it");
			return;
		}
	}
}

/* Can cycles be sampled there? On a hybrid machine they are of a PMU that some CPUs have not. */
static bool samples_on(struct run *run, int cpu)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct err err;

	if (!cpus_pin(cpu, &err) && !event_probe(&attr, &err))
		return true;
	run_note(run, "cpu %d: not measured: %s", cpu, err.text);
	return false;
}

static int run_fork_period(struct run *run)
{
	const struct cpus *cpus = run_cpus(run);
	struct observed *observed = malloc(sizeof(*observed));
	size_t tried = 0;

	if (!observed)
		return run_broken(run, "out of memory");
	for (size_t i = 0; i < cpus->n && tried < CPUS_TRIED; i++) {
		if (!samples_on(run, cpus->cpu[i]))
			continue;
		run_cpu(run, observed, cpus->cpu[i]);
		tried++;
	}
	free(observed);
	return tried ? 0 : run_skip(run, "cycles can be sampled on none of the CPUs");
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "near_parent",
	  .claim = "at most 2 % of the children start below a twentieth of the parent's period",
	  .origin =
		  "inherit_event() in kernel/events/core.c gives them the parent's. Time in which "
		  "others run makes the kernel shorten it, by an eighth at a time "
		  "(perf_adjust_period()): loose for that, and a start at 1 is farther off by "
		  "orders of magnitude" },
	{ .name = "rate_limit",
	  .claim = "samples per second and CPU stay within the limit",
	  .origin = "the limit + 2 per tick at HZ <= 1024: samples per tick are rounded up "
		    "(DIV_ROUND_UP) and the one that throttles is delivered; each of the children "
		    "lives for ticks enough that their own counts do not matter" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "fork_period",
	.claim = "Children of a task that is sampled at a frequency start near its period, and a "
		 "storm of them keeps within kernel.perf_event_max_sample_rate.",
	.source = "x86, perf: Use a new PMU ack sequence on Skylake (linux-kernel, 2015): \"perf "
		  "programs a too low period in frequency mode after fork\"",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_set_sysctls,
	.run = run_fork_period,
};
