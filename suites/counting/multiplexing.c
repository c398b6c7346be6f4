// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: counts of events that take turns on the PMU, scaled by their times enabled and running,
 * are what they are alone, and those times are true.
 *
 * Mechanism: with more events than counters, a timer puts others on the PMU every few milliseconds.
 * The kernel keeps for each event how long it was enabled and how long it was on the PMU (running),
 * by the clock of its context; tools multiply the count by enabled / running. A time that goes on
 * while the event is disabled, or stands still while it counts, makes every scaled figure wrong.
 *
 * On a broken kernel a scaled count is far from what the loop is known to have, an event never gets
 * its turn, it was enabled for longer than time passed or less than its task ran, or a disabled one
 * changes.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "counters.h"
#include "event.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "workload.h"

#define ROUNDS_FIT 1000
#define ROUNDS_TIMED 200000   /* milliseconds */
#define ROUNDS_SCALED 5000000 /* 0.1 s: more than ten turns of 4 ms */
#define EVENTS_MAX 33	      /* twice what the largest PMUs have, and one */
#define SCALED_WRONG_MAX 0.2
#define TRIES 3

/* The event is enabled and disabled around the work, and the times it says are held against ours.
 */
static int time_job(struct run *run, struct event *event, const struct workload_job *job,
		    const char *row, uint64_t *ran, uint64_t *wall, struct err *err)
{
	uint64_t wall_start = clock_ns(CLOCK_MONOTONIC), ran_start;
	struct event_count read = { 0 };
	const char *wrong;
	int result = event_enable(event, err);

	ran_start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	job->work->run(job->rounds);
	*ran += clock_ns(CLOCK_THREAD_CPUTIME_ID) - ran_start;
	if (!result)
		result = event_disable(event, err);
	*wall += clock_ns(CLOCK_MONOTONIC) - wall_start;
	if (!result)
		result = event_read(event, &read, err);
	if (result)
		return result;
	run_figure(run, "times", row, "wall", (double)*wall, "ns");
	run_figure(run, "times", row, "enabled", (double)read.enabled, "ns");
	run_figure(run, "times", row, "running", (double)read.running, "ns");
	run_figure(run, "times", row, "CPU", (double)*ran, "ns");
	wrong = counters_times_wrong(&read, *ran, *wall);
	if (wrong)
		run_note(run, "times, %s: %s", row, wrong);
	run_check_eq(run, "times_sane", row, wrong ? 1 : 0, 0, "1");
	return 0;
}

/* Disabled, an event stands still, its times too; enabled again, both go on. */
static int check_pause(struct run *run, struct event *event, const struct workload_job *job,
		       bool *still, struct err *err)
{
	struct event_count before = { 0 }, after = { 0 };
	int result = event_read(event, &before, err);

	job->work->run(job->rounds);
	if (!result)
		result = event_read(event, &after, err);
	if (result)
		return result;
	run_control(run, "instructions before it was disabled", (double)before.value, 0, "1");
	run_check_eq(run, "disabled_stands_still", "count", (double)(after.value - before.value), 0,
		     "1");
	run_check_eq(run, "disabled_stands_still", "time enabled",
		     (double)(after.enabled - before.enabled), 0, "ns");
	run_check_eq(run, "disabled_stands_still", "time running",
		     (double)(after.running - before.running), 0, "ns");
	*still = after.enabled == before.enabled && after.running == before.running;
	return 0;
}

/* False where times are so wrong that nothing can be scaled by them. */
static bool check_times(struct run *run, const struct workload *work)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	const struct workload_job job = { work, ROUNDS_TIMED };
	uint64_t ran = 0, wall = 0;
	struct event event;
	bool still = true;
	struct err err;
	int result = event_open_self(&event, &attr, &err);

	if (!result)
		result = time_job(run, &event, &job, "enabled once", &ran, &wall, &err);
	if (!result)
		result = check_pause(run, &event, &job, &still, &err);
	if (!result)
		result = time_job(run, &event, &job, "enabled again", &ran, &wall, &err);
	event_close(&event);
	if (result)
		run_broken(run, "times: %s", err.text);
	return still;
}

/* How many of n counts, scaled up to the time they were enabled, are far from what they must be. */
static size_t scaled_wrong(const struct event_count *counts, size_t n, double expected)
{
	size_t wrong = 0;

	/* Also where it is not a number. */
	for (size_t i = 0; i < n; i++)
		wrong += !(fabs(counters_scaled(&counts[i]) / expected - 1) <= SCALED_WRONG_MAX);
	return wrong;
}

static size_t waited(const struct event_count *counts, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += counts[i].running < counts[i].enabled;
	return sum;
}

static void report(struct run *run, const struct event_count *counts, size_t n, double expected)
{
	for (size_t i = 0; i < n; i++) {
		char row[32];

		snprintf(row, sizeof(row), "event %zu of %zu", i + 1, n);
		run_figure(run, "multiplexed", row, "time on the PMU",
			   100 * (double)counts[i].running / (double)counts[i].enabled, "%");
		run_figure(run, "multiplexed", row, "scaled / expected",
			   counters_scaled(&counts[i]) / expected, "1");
	}
}

/*
 * Count the loop with n events, again while any is far off: time that the hypervisor takes away is
 * that of the event whose turn it is, whereas times that are wrong are so each time.
 */
static int count_scaled(const struct workload *work, size_t n, struct event_count *counts,
			struct err *err)
{
	struct workload_job job = { work, ROUNDS_SCALED };
	double expected = (double)workload_instructions(work, ROUNDS_SCALED);
	struct perf_event_attr attrs[EVENTS_MAX];
	int result = 0;

	for (size_t i = 0; i < n; i++)
		attrs[i] = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	for (int tries = 0; !result && tries < TRIES; tries++) {
		result = counters_count(attrs, n, workload_do, &job, counts, err);
		if (!result && !scaled_wrong(counts, n, expected))
			break;
	}
	return result;
}

/* How many events the PMU counts at once; 0 and a broken run when that is not known, or none. */
static size_t count_fit(struct run *run, const struct workload *work)
{
	struct workload_job job = { work, ROUNDS_FIT };
	struct perf_event_attr attrs[EVENTS_MAX];
	struct err err;
	size_t fit = 0;

	for (size_t i = 0; i < EVENTS_MAX; i++)
		attrs[i] = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	if (counters_fit(attrs, EVENTS_MAX, workload_do, &job, &fit, &err)) {
		run_broken(run, "multiplexing: %s", err.text);
		return 0;
	}
	/* Pinned events of somebody else may hold all counters: then none has to wait its turn. */
	return run_control(run, "events on the PMU at once", (double)fit, 0, "1") ? fit : 0;
}

/* More events than the PMU has counters take turns, and their counts are scaled. */
static void check_multiplexing(struct run *run, const struct workload *work)
{
	double expected = (double)workload_instructions(work, ROUNDS_SCALED);
	struct event_count counts[EVENTS_MAX];
	size_t fit = count_fit(run, work);
	size_t n = fit < EVENTS_MAX / 2 ? 2 * fit + 1 : EVENTS_MAX;
	struct err err;

	if (!fit)
		return;
	if (count_scaled(work, n, counts, &err)) {
		run_broken(run, "multiplexing: %s", err.text);
		return;
	}
	report(run, counts, n, expected);
	if (run_control(run, "events that had to wait for a counter", (double)waited(counts, n), 0,
			"1"))
		run_check_eq(run, "multiplexing_scales", NULL,
			     (double)scaled_wrong(counts, n, expected), 0, "1");
}

static int run_multiplexing(struct run *run)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	const struct workload *work = workload_find("multiply");
	int cpu = run_cpus(run)->cpu[0];
	struct err err;

	if (!work->exact)
		return run_skip(run, "no loop of known length for this architecture");
	if (cpus_pin(cpu, &err))
		return run_broken(run, "%s", err.text);
	/* On a hybrid machine it may be of a PMU that only other CPUs have. */
	if (event_probe(&attr, &err))
		return run_skip(run, "CPU %d: %s", cpu, err.text);
	if (check_times(run, work))
		check_multiplexing(run, work);
	else
		run_note(run, "counts were not scaled: the times are wrong");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "times_sane",
	  .claim = "running <= enabled <= time passed, and enabled while its task ran",
	  .origin = "perf_event_open(2), PERF_FORMAT_TOTAL_TIME_*; 1 % for the difference of "
		    "clocks" },
	{ .name = "disabled_stands_still",
	  .claim = "a disabled event adds neither counts nor time",
	  .origin = "perf_event_open(2), PERF_EVENT_IOC_DISABLE" },
	{ .name = "multiplexing_scales",
	  .claim = "with more events than counters, each count times enabled / running is within "
		   "20 % of what the loop has",
	  .origin = "all events see the same loop in turn; loose for interrupts and changing "
		    "frequency, as an event on the PMU for half of the time is off by 50 % "
		    "unscaled; the best of three, for a hypervisor that takes the CPU away" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "multiplexing",
	.claim = "Counts of events that take turns on the PMU, scaled by their times enabled and "
		 "running, are what they are alone, and those times are true.",
	.source = "positive control of the PMI hypotheses; perf_event_open(2)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 20,
	.needs = needs,
	.checks = checks,
	/* What probes whether the PMU can sample may lower the limit already. */
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_multiplexing,
};
