// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: reading an event while it counts gives what that event has counted so far.
 *
 * Mechanism: the kernel has an event's count up to the last time that it looked at its counter. A
 * read of an event that is on the PMU looks again and adds what has come since; when the event is
 * stopped it looks for the last time. A read that looks at another counter, or at none, is wrong,
 * and the next look makes up for it: who reads only after stopping never notices.
 *
 * On a broken kernel a profile made by reading counters around parts of a program has the counts
 * of another event, or of the time when the task was last switched.
 *
 * After some work an event is read, stopped, and read again: the first read must not be above the
 * second and have nearly all of it. Nothing is asked of how much that is, so that it may be of a
 * PMU that counts the kernel, too.
 */
#include <stdio.h>

#include "counters.h"
#include "hypothesis.h"
#include "read_watch.h"
#include "workload.h"

#define READS 20
#define ROUNDS 20000 /* instructions and cycles: some 100000, and differently many of each */
#define LEAST_PERCENT 50
#define EVENTS 2

struct experiment {
	struct run *run;
	struct workload_job job;
	bool whole; /* the PMU counts the kernel, too */
};

struct subject {
	struct event event;
	struct read_watch watch;
	struct event_count start, running;
};

static const struct {
	const char *name;
	uint64_t config;
} kinds[EVENTS] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
};

static struct perf_event_attr attr_of(const struct experiment *all, uint64_t config)
{
	return all->whole ? event_attr(PERF_TYPE_HARDWARE, config) : counters_user_attr(config);
}

/* What is done with each of several events. */
static int each(struct subject *subjects, size_t n,
		int (*step)(struct subject *subject, struct err *err), struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = step(&subjects[i], err);
	return result;
}

static int start(struct subject *subject, struct err *err)
{
	int result = event_read(&subject->event, &subject->start, err);

	return result ? result : event_enable(&subject->event, err);
}

static int read_running(struct subject *subject, struct err *err)
{
	return event_read(&subject->event, &subject->running, err);
}

static int stop(struct subject *subject, struct err *err)
{
	return event_disable(&subject->event, err);
}

static int compare(struct subject *subject, struct err *err)
{
	struct event_count stopped;
	int result = event_read(&subject->event, &stopped, err);

	if (!result)
		read_watch_take(&subject->watch, subject->start.value, subject->running.value,
				stopped.value);
	return result;
}

static int count(struct experiment *all, struct subject *subjects, size_t n, struct err *err)
{
	int result = 0;

	for (int i = 0; !result && i < READS; i++) {
		result = each(subjects, n, start, err);
		if (!result) {
			workload_do(&all->job);
			result = each(subjects, n, read_running, err);
		}
		if (!result)
			result = each(subjects, n, stop, err);
		if (!result)
			result = each(subjects, n, compare, err);
	}
	return result;
}

/* False when the event was never on the PMU: somebody else's may be in its place. */
static bool judge(struct run *run, const char *row, const struct read_watch *watch)
{
	if (!run_control(run, "reads of a row", (double)watch->reads, 0, "1"))
		return false;
	run_figure(run, "of what it has when stopped", row, "least", watch->least, "%");
	run_figure(run, "of what it has when stopped", row, "most", watch->most, "%");
	run_check_eq(run, "not_above_final", row, (double)watch->above, 0, "1");
	run_check_ge(run, "nearly_all", row, watch->least, LEAST_PERCENT, "%");
	return true;
}

/* So many events at once from number `first` on; with a group, its members. */
static int run_row(struct experiment *all, const char *row, size_t first, size_t n, bool group,
		   struct err *err)
{
	struct subject subjects[EVENTS] = { { .event = EVENT_CLOSED }, { .event = EVENT_CLOSED } };
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		const struct perf_event_attr attr = attr_of(all, kinds[first + i].config);

		result = group && i ? event_open_member(&subjects[i].event, &attr,
							&subjects[0].event, err)
				    : event_open_self(&subjects[i].event, &attr, err);
	}
	if (!result)
		result = count(all, subjects, n, err);
	for (size_t i = n; i > 0; i--)
		event_close(&subjects[i - 1].event);
	for (size_t i = 0; !result && i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s: %s", row, kinds[first + i].name);
		if (!judge(all->run, name, &subjects[i].watch))
			break;
	}
	return result;
}

/* Which of the kinds count, from the first on, all at once. */
static int find_events(struct experiment *all, size_t *fit, struct err *err)
{
	struct perf_event_attr attrs[EVENTS];
	const struct perf_event_attr attr = counters_user_attr(kinds[0].config);

	all->whole = event_probe(&attr, err) != 0;
	for (size_t i = 0; i < EVENTS; i++) {
		int result;

		attrs[i] = attr_of(all, kinds[i].config);
		result = event_probe(&attrs[i], err);
		if (result)
			return result;
	}
	return counters_fit(attrs, EVENTS, workload_do, &all->job, fit, err);
}

static int run_rows(struct experiment *all, size_t fit, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < EVENTS; i++)
		result = run_row(all, "alone", i, 1, false, err);
	if (!result && fit < EVENTS)
		run_note(all->run, "the PMU counts no two of them at once");
	if (!result && fit == EVENTS)
		result = run_row(all, "two at once", 0, EVENTS, false, err);
	if (!result && fit == EVENTS)
		result = run_row(all, "of a group", 0, EVENTS, true, err);
	return result;
}

static int run_read_running(struct run *run)
{
	struct experiment all = { .run = run, .job = { workload_find("multiply"), ROUNDS } };
	int cpu = run_cpus(run)->cpu[0];
	struct err err;
	size_t fit;

	if (cpus_pin(cpu, &err))
		return run_broken(run, "%s", err.text);
	if (find_events(&all, &fit, &err))
		return run_skip(run, "CPU %d: %s", cpu, err.text);
	if (run_rows(&all, fit, &err))
		return run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU, .value = 1 },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "not_above_final",
	  .claim = "what an event that counts has is not above what it has when it was stopped",
	  .origin = "perf_event_open(2): counts only grow" },
	{ .name = "nearly_all",
	  .claim = "and it is at least half of what was counted up to then",
	  .origin = "between the two are some system calls, thousands of instructions at the most, "
		    "after a loop of some 100000; loose for an interrupt where the kernel is "
		    "counted, too. A count of the last switch has none of it" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "read_running",
	.claim = "Reading an event while it counts gives what that event has counted so far.",
	.source = "positive control of the PMI hypotheses; perf_event_open(2), read(2)",
	.danger = DANGER_SAFE,
	.budget_s = 10,
	.needs = needs,
	.checks = checks,
	.run = run_read_running,
};
