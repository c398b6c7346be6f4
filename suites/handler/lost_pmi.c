// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: every overflow reaches a handler, whichever counter it is of, however many count at once,
 * and also when the task is switched out and in or moves to another CPU.
 *
 * Mechanism: an overflow raises a PMI, whose handler takes the sample and loads the counter anew. A
 * PMI that is not raised (the enable bit was forgotten as the event came back) or dropped (masked,
 * swallowed as somebody else's NMI) leaves a counter that runs on to its far end in silence.
 *
 * On a broken machine an event's own count grows by more than two periods from one sample to the
 * next. One may be missing: a task that is switched out between overflow and PMI takes the sample
 * with it. What passes while the event does not count is no gap. Stretches in which the kernel
 * throttled the event, or the ring was full, are not judged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "background.h"
#include "counters.h"
#include "drain.h"
#include "gaps.h"
#include "hypothesis.h"
#include "placement.h"
#include "prime.h"
#include "rate_limit.h"
#include "workload.h"

#define STEP_ROUNDS 5000 /* of the loop, about 10^5 instructions: each event overflows once */
#define STEPS 150	 /* of a row, so many samples of each event */
#define TURN_STEPS 5	 /* between two switches: more than two periods, or a loss is not seen */
#define SWITCH_STEPS 500
#define PERIOD_LEAST 10007 /* more often would be throttled */
#define RING_PAGES 16
#define EVENTS_MAX 16
#define GAP_MAX 2.0

/* The first four are of different kinds, on Intel the first three on fixed counters. */
static const struct kind {
	const char *name;
	uint64_t config;
} kinds[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* An event that is sampled, and what was found of it. */
struct subject {
	const struct kind *kind;
	struct perf_event_attr attr; /* with the period */
	struct event event;
	struct drained drained;
	struct gaps gaps;
};

/* What makes a row: how the steps are spent, and what refutes it. */
struct row {
	const char *name;
	const char *check;	    /* for gaps without a switch in them */
	const char *check_switched; /* for those with one */
	unsigned int steps;
	int (*between)(void *context, struct err *err); /* after each turn; NULL: nothing */
	void *context;
};

struct experiment {
	struct run *run;
	const struct workload *work;
	struct subject subjects[EVENTS_MAX]; /* the first n_kinds are of different kinds */
	size_t n_kinds;
	size_t n;	       /* as many as the PMU counts at once */
	uint64_t least_judged; /* gaps, of any event in any row */
};

static void do_step(void *context)
{
	const struct workload *work = context;

	work->run(STEP_ROUNDS);
}

static void take_sample(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct subject *subject = context;
	const struct gap_mark mark = {
		.count = sample->read_value,
		.lost = subject->drained.lost,
		.pauses = subject->drained.unthrottled,
		.switches = subject->drained.switches,
	};

	(void)misc;
	gaps_add(&subject->gaps, &mark);
}

static struct perf_event_attr count_attr(const struct kind *kind)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, kind->config);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* Fill subjects with one of each kind that counts here, each overflowing once in a step. */
static int find_kinds(struct experiment *all, struct err *err)
{
	void *work = (void *)(uintptr_t)all->work;

	for (size_t i = 0; i < KINDS; i++) {
		struct subject *subject = &all->subjects[all->n_kinds];
		struct event_count count;

		subject->kind = &kinds[i];
		subject->event = (struct event)EVENT_CLOSED;
		subject->attr = count_attr(subject->kind);
		if (counters_count(&subject->attr, 1, do_step, work, &count, err) || !count.value) {
			run_note(all->run, "without %s, which does not count here", kinds[i].name);
			continue;
		}
		subject->attr.sample_period = count.value; /* to be made a prime */
		all->n_kinds++;
	}
	return all->n_kinds ? 0 : err_plain(err, ENODEV, "no hardware event counts");
}

/* The first prime from `least` on that no event before this one has: periods must not beat. */
static uint64_t own_period(const struct experiment *all, size_t own, uint64_t least)
{
	uint64_t period = prime_from(least > PERIOD_LEAST ? least : PERIOD_LEAST);

	for (size_t i = 0; i < own; i++) {
		if (all->subjects[i].attr.sample_period == period)
			return own_period(all, own, period + 1);
	}
	return period;
}

/* Repeat the first and the last kind until the PMU is full, and give each event its period. */
static int fill_pmu(struct experiment *all, struct err *err)
{
	struct perf_event_attr attrs[EVENTS_MAX];
	struct perf_event_attr *attr;

	for (size_t i = all->n_kinds; i < EVENTS_MAX; i++)
		all->subjects[i] = all->subjects[i % 2 ? all->n_kinds - 1 : 0];
	for (size_t i = 0; i < EVENTS_MAX; i++) {
		attrs[i] = count_attr(all->subjects[i].kind);
		attr = &all->subjects[i].attr;
		attr->sample_period = own_period(all, i, attr->sample_period);
		attr->sample_type = PERF_SAMPLE_READ;
		attr->context_switch = 1;
	}
	return counters_fit(attrs, EVENTS_MAX, do_step, (void *)(uintptr_t)all->work, &all->n, err);
}

static int start(struct subject *subjects, size_t n, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		subjects[i].drained = (struct drained){ 0 };
		subjects[i].gaps = (struct gaps){ 0 };
		result = event_open_self(&subjects[i].event, &subjects[i].attr, err);
		if (!result)
			result = event_map(&subjects[i].event, RING_PAGES, false, err);
	}
	for (size_t i = 0; !result && i < n; i++)
		result = event_enable(&subjects[i].event, err);
	return result;
}

static int drain(struct subject *subject, struct err *err)
{
	return event_drain(&subject->event, &subject->drained, take_sample, subject, err);
}

/* Nothing comes after the last sample but the rest of a period. */
static int finish(struct subject *subject, struct err *err)
{
	struct event_count count = { 0 };
	int result = event_disable(&subject->event, err);

	if (!result)
		result = event_read(&subject->event, &count, err);
	if (!result)
		result = drain(subject, err);
	gaps_add(&subject->gaps, &(struct gap_mark){ .count = count.value,
						     .lost = subject->drained.lost,
						     .pauses = subject->drained.unthrottled,
						     .switches = subject->drained.switches });
	return result;
}

/* Sample the n events from `subjects` on while the steps of the row are done. */
static int sample(const struct experiment *all, struct subject *subjects, size_t n,
		  const struct row *row, struct err *err)
{
	int result = start(subjects, n, err);

	for (unsigned int step = 1; !result && step <= row->steps; step++) {
		all->work->run(STEP_ROUNDS);
		for (size_t i = 0; !result && i < n && step % TURN_STEPS == 0; i++)
			result = drain(&subjects[i], err);
		if (!result && row->between && step % TURN_STEPS == 0)
			result = row->between(row->context, err);
	}
	for (size_t i = 0; !result && i < n; i++)
		result = finish(&subjects[i], err);
	for (size_t i = 0; i < n; i++)
		event_close(&subjects[i].event);
	return result;
}

static void judge(struct run *run, const struct row *row, const struct subject *subject)
{
	const struct gaps *gaps = &subject->gaps;
	double period = (double)subject->attr.sample_period;
	char line[64];

	snprintf(line, sizeof(line), "%s: %s", row->name, subject->kind->name);
	run_figure(run, "gaps", line, "samples", (double)subject->drained.samples, "1");
	run_figure(run, "gaps", line, "switches", (double)subject->drained.switches, "1");
	run_figure(run, "gaps", line, "not judged", (double)gaps->excluded, "1");
	run_figure(run, "gaps", line, "longest", (double)gaps->running.longest / period, "periods");
	run_check_eq(run, "count_grows", line, (double)gaps->backwards, 0, "1");
	if (gaps->running.n)
		run_check_le(run, row->check, line, (double)gaps->running.longest / period, GAP_MAX,
			     "periods");
	if (!gaps->switched.n)
		return;
	run_figure(run, "gaps", line, "longest with a switch",
		   (double)gaps->switched.longest / period, "periods");
	run_check_le(run, row->check_switched, line, (double)gaps->switched.longest / period,
		     GAP_MAX, "periods");
}

/* False when there is no use in going on. */
static bool run_row(struct experiment *all, size_t first, size_t n, const struct row *row)
{
	struct err err;

	run_progress(all->run, "%s", row->name);
	if (sample(all, &all->subjects[first], n, row, &err)) {
		run_broken(all->run, "%s: %s", row->name, err.text);
		return false;
	}
	for (size_t i = first; i < first + n; i++) {
		const struct gaps *gaps = &all->subjects[i].gaps;

		if (gaps->running.n + gaps->switched.n < all->least_judged)
			all->least_judged = gaps->running.n + gaps->switched.n;
		judge(all->run, row, &all->subjects[i]);
	}
	return true;
}

/* Each kind of event by itself, then 2, 3, ... up to all that the PMU counts at once. */
static void run_counters(struct experiment *all)
{
	char name[32];
	struct row row = { .name = "alone",
			   .check = "no_gap_alone",
			   .check_switched = "no_gap_switching",
			   .steps = STEPS };

	for (size_t i = 0; i < all->n_kinds; i++)
		if (!run_row(all, i, 1, &row))
			return;
	row.check = "no_gap_together";
	row.name = name;
	for (size_t n = 2; n <= all->n; n++) {
		snprintf(name, sizeof(name), "%zu at once", n);
		if (!run_row(all, 0, n, &row))
			return;
	}
}

/* Switches in the row that has just been run, seen by its first event. */
static void control_switches(const struct experiment *all, const char *name)
{
	run_control(all->run, name, (double)all->subjects[0].drained.switches,
		    (double)(SWITCH_STEPS / TURN_STEPS), "1");
}

/* Another task on the same CPU, which works when it is told to. */
struct partner {
	const struct workload *work;
	int to[2], from[2]; /* pipes */
	pid_t pid;
};

static void play(const void *argument)
{
	const struct partner *partner = argument;
	char token;

	while (read(partner->to[0], &token, 1) == 1) {
		partner->work->run(STEP_ROUNDS);
		if (write(partner->from[1], &token, 1) != 1)
			return;
	}
}

/* Sleep until the partner has done its part. */
static int take_turns(void *context, struct err *err)
{
	const struct partner *partner = context;
	char token = 0;

	if (write(partner->to[1], &token, 1) != 1 || read(partner->from[0], &token, 1) != 1)
		return err_set(err, errno, "the task to take turns with");
	return 0;
}

static void run_switching(struct experiment *all)
{
	struct partner partner = { .work = all->work, .to = { -1, -1 }, .from = { -1, -1 } };
	const struct row row = { .name = "taking turns",
				 .check = "no_gap_switching",
				 .check_switched = "no_gap_switching",
				 .steps = SWITCH_STEPS,
				 .between = take_turns,
				 .context = &partner };
	struct err err;

	if (pipe2(partner.to, O_CLOEXEC) || pipe2(partner.from, O_CLOEXEC))
		run_broken(all->run, "pipes: %s", strerror(errno));
	else if ((partner.pid = background_start(play, &partner, &err)) < 0)
		run_broken(all->run, "%s", err.text);
	else if (run_row(all, 0, all->n, &row))
		control_switches(all, "switches while taking turns");
	background_stop(partner.pid);
	for (int i = 0; i < 2; i++) {
		if (partner.to[i] >= 0)
			close(partner.to[i]);
		if (partner.from[i] >= 0)
			close(partner.from[i]);
	}
}

/* Two CPUs to go back and forth between. */
struct migration {
	int cpu[2];
	unsigned int here; /* which of them */
};

static int migrate(void *context, struct err *err)
{
	struct migration *migration = context;

	migration->here ^= 1;
	return cpus_pin(migration->cpu[migration->here], err);
}

/* Another CPU on which the events count: on a hybrid machine not all are of the same PMU. */
static bool find_second_cpu(const struct experiment *all, struct migration *migration)
{
	const struct cpus *cpus = run_cpus(all->run);
	const struct perf_event_attr attr = count_attr(all->subjects[0].kind);
	struct event_count count = { 0 };
	bool found = false;
	struct err err;

	for (size_t i = 1; !found && i < cpus->n; i++) {
		migration->cpu[1] = cpus->cpu[i];
		found = !cpus_pin(cpus->cpu[i], &err) &&
			!counters_count(&attr, 1, do_step, (void *)(uintptr_t)all->work, &count,
					&err) &&
			count.value;
	}
	return !cpus_pin(migration->cpu[0], &err) && found;
}

static void run_migrating(struct experiment *all)
{
	struct migration migration = { .cpu = { run_cpus(all->run)->cpu[0] } };
	const struct row row = { .name = "moving",
				 .check = "no_gap_migrating",
				 .check_switched = "no_gap_migrating",
				 .steps = SWITCH_STEPS,
				 .between = migrate,
				 .context = &migration };

	if (!find_second_cpu(all, &migration))
		run_note(all->run, "no second CPU to move to on which the events count");
	else if (run_row(all, 0, all->n, &row))
		control_switches(all, "switches while moving");
}

static int run_lost_pmi(struct run *run)
{
	struct experiment *all = calloc(1, sizeof(*all));
	struct placement placement;
	struct err err;

	if (!all)
		return run_broken(run, "out of memory");
	all->run = run;
	all->work = workload_find("multiply");
	all->least_judged = UINT64_MAX;
	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err)) {
		run_broken(run, "%s", err.text);
		free(all);
		return 0;
	}
	if (find_kinds(all, &err) || fill_pmu(all, &err)) {
		run_broken(run, "%s", err.text);
	} else if (run_control(run, "events counted at once", (double)all->n, 0, "1")) {
		run_counters(all);
		run_switching(all);
		run_migrating(all);
		run_control(run, "gaps judged of the event with fewest", (double)all->least_judged,
			    0, "1");
	}
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	free(all);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

#define GAP_ORIGIN                                                                               \
	"an overflow every period; a second period for one that a switch takes along, skid and " \
	"where the count starts. A lost PMI silences the counter until its task is scheduled "   \
	"again"

static const struct check checks[] = {
	{ .name = "no_gap_alone",
	  .claim = "one event by itself: a sample within two periods, always",
	  .origin = GAP_ORIGIN },
	{ .name = "no_gap_together",
	  .claim = "the same with two and more events, up to all that the PMU counts at once",
	  .origin = GAP_ORIGIN,
	  .optional = true },
	{ .name = "no_gap_switching",
	  .claim = "the same across context switches",
	  .origin = GAP_ORIGIN },
	{ .name = "no_gap_migrating",
	  .claim = "the same from one CPU to another",
	  .origin = GAP_ORIGIN,
	  .optional = true },
	{ .name = "count_grows",
	  .claim = "the count at a sample is never below that at the one before",
	  .origin = "it counts what the task has done; perf_event_open(2)" },
	{ 0 },
};

static const struct klog_allow klog[] = {
	/* Where handlers are slow the kernel rightly lowers its limit, and says so. */
	{ KLOG_THROTTLE, 100 },
	{ KLOG_SLOW_NMI, 100 },
	{ KLOG_NONE, 0 },
};

static const char *const sysctls[] = { RATE_LIMIT_SYSCTL, NULL };

const struct hypothesis hypothesis = {
	.name = "lost_pmi",
	.claim = "Every overflow reaches a handler, whichever counter it is of, however many count "
		 "at once, and also across context switches and CPU migration.",
	.source = "[PATCH 1/4] x86, perf: Use a new PMU ack sequence on Skylake, A. Kleen: PMIs "
		  "that are lost or left over where acknowledgement and unmasking race",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = klog,
	.sysctls = sysctls,
	.run = run_lost_pmi,
};
