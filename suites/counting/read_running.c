// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: reading an event while it counts gives what that event has counted so far.
 *
 * Mechanism: the kernel has an event's count up to the last time that it looked at its counter. A
 * read of an event that is on the PMU looks again and adds what has come since; when the event is
 * stopped it looks for the last time. A read that looks at another counter, or at none, is wrong,
 * and the next look may make up for it: who reads only after stopping does not notice.
 *
 * On a broken kernel a profile made by reading counters around parts of a program has the counts
 * of another event, or of the time when the task was last switched.
 *
 * After some work an event is read, stopped, and read again: the first read must not be above the
 * second and have nearly all of it, and that must be as much as without a read. Nothing is asked of
 * how much that is, so that it may be of a PMU that counts the kernel, too.
 */
#include <errno.h>
#include <stdio.h>

#include "counters.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "read_watch.h"
#include "workload.h"

#define READS 20
#define INSTRUCTIONS 300000 /* of the work */
#define ROUNDS_TRIED 1000
#define TRIES 3
#define LEAST_PERCENT 75
#define CHANGED_MAX 1.5
#define EVENTS 2

struct experiment {
	struct run *run;
	struct workload_job job;
	bool whole; /* the PMU counts the kernel, too */
};

struct subject {
	struct event event;
	struct read_watch read, unread;
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
	return counters_attr(config, all->whole, 0);
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

/* The count, after a read while it counted or without. */
static int compare_read(struct subject *subject, struct err *err)
{
	struct event_count stopped;
	int result = event_read(&subject->event, &stopped, err);

	if (!result)
		read_watch_take(&subject->read, &subject->start, subject->running.value, &stopped);
	return result;
}

static int compare_unread(struct subject *subject, struct err *err)
{
	struct event_count stopped;
	int result = event_read(&subject->event, &stopped, err);

	if (!result)
		read_watch_take(&subject->unread, &subject->start, stopped.value, &stopped);
	return result;
}

/* Count the work once, with a read of each at the end or without. */
static int count(struct experiment *all, struct subject *subjects, size_t n, bool read,
		 struct err *err)
{
	int result = each(subjects, n, start, err);

	if (result)
		return result;
	workload_do(&all->job);
	if (read)
		result = each(subjects, n, read_running, err);
	if (!result)
		result = each(subjects, n, stop, err);
	return result ? result : each(subjects, n, read ? compare_read : compare_unread, err);
}

static int count_in_turn(struct experiment *all, struct subject *subjects, size_t n,
			 struct err *err)
{
	int result = 0;

	for (int i = 0; !result && i < 2 * READS; i++)
		result = count(all, subjects, n, i % 2, err);
	return result;
}

/* False when the event was never on the PMU: somebody else's may be in its place. */
static bool judge(struct run *run, const char *row, const struct subject *subject)
{
	double changed = read_watch_changed(&subject->read, &subject->unread);

	if (!run_control(run, "reads of a row", (double)subject->read.reads, 0, "1") ||
	    !run_control(run, "rounds without a read", (double)subject->unread.reads, 0, "1"))
		return false;
	run_figure(run, "reads while it counts", row, "least", subject->read.least, "%");
	run_figure(run, "reads while it counts", row, "most", subject->read.most, "%");
	run_check_eq(run, "not_above_final", row, (double)subject->read.above, 0, "1");
	run_check_ge(run, "nearly_all", row, subject->read.least, LEAST_PERCENT, "%");
	run_figure(run, "reads while it counts", row, "counted with / without", changed, "1");
	/* Of how many cycles it takes that cannot be said: who shares the core has a part in it. */
	if (subject->event.attr.config == PERF_COUNT_HW_INSTRUCTIONS)
		run_check_le(run, "changes_nothing", row, changed, CHANGED_MAX, "1");
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
		result = count_in_turn(all, subjects, n, err);
	for (size_t i = n; i > 0; i--)
		event_close(&subjects[i - 1].event);
	for (size_t i = 0; !result && i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s: %s", row, kinds[first + i].name);
		if (!judge(all->run, name, &subjects[i]))
			break;
	}
	return result;
}

/* How much work that is: a loop in C has more instructions in a round than one in assembly. */
static int find_rounds(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t most = 0;

	for (int i = 0; i < TRIES; i++) {
		struct event_count count;
		int result = counters_count(&attr, 1, workload_do, &all->job, &count, err);

		if (result)
			return result;
		most = count.value > most ? count.value : most;
	}
	if (!most)
		return err_plain(err, ENODATA, "a loop of %d rounds has no instructions",
				 ROUNDS_TRIED);
	all->job.rounds = 1 + ROUNDS_TRIED * INSTRUCTIONS / most;
	return 0;
}

/* Which of the kinds count, and how many of them at once. */
static int find_events(struct experiment *all, size_t *fit, struct err *err)
{
	struct perf_event_attr attrs[EVENTS];
	const struct perf_event_attr attr = counters_user_attr(kinds[0].config);
	int result = 0;

	all->whole = event_probe(&attr, err) != 0;
	for (size_t i = 0; !result && i < EVENTS; i++) {
		attrs[i] = attr_of(all, kinds[i].config);
		result = event_probe(&attrs[i], err);
	}
	if (!result)
		result = find_rounds(all, err);
	return result ? result : counters_fit(attrs, EVENTS, workload_do, &all->job, fit, err);
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
	struct experiment all = { .run = run, .job = { workload_find("multiply"), ROUNDS_TRIED } };
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
	  .claim = "and it has three quarters of what was counted up to then",
	  .origin =
		  "between the two are some system calls, thousands of instructions, after a loop "
		  "of 300000: far below a quarter, with an interrupt, too, where the kernel is "
		  "counted" },
	{ .name = "changes_nothing",
	  .claim = "the same work has as many instructions with such a read as without",
	  .origin = "perf_event_open(2), read(2): it changes nothing; a factor of 1.5 for "
		    "interrupts where the kernel is counted" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "read_running",
	.claim = "Reading an event while it counts gives what that event has counted so far.",
	.source = "positive control of the PMI hypotheses; perf_event_open(2), read(2)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 10,
	.needs = needs,
	.checks = checks,
	/* Counters of 20 bits, as Alpha's, overflow all the time. */
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_read_running,
};
