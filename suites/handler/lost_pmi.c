// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: every overflow reaches a handler, whichever counter it is of, however many count at once,
 * and also when the task is switched out and in or moves to another CPU.
 *
 * Mechanism: an overflow raises a PMI, whose handler takes the sample and loads the counter anew. A
 * PMI that is not raised (the enable bit was forgotten as the event came back) or dropped (masked,
 * swallowed as somebody else's NMI) leaves a counter that runs on to its far end in silence.
 *
 * On a broken machine an event's own count grows by more than two periods, and skid, from one
 * sample to the next. One may be missing: a task that is switched out between overflow and PMI
 * takes the sample with it. What passes while the event does not count is no gap. Stretches in
 * which the kernel throttled the event, or the ring was full, are not judged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "counters.h"
#include "gap_sampler.h"
#include "hypothesis.h"
#include "placement.h"
#include "prime.h"
#include "rate_limit.h"
#include "turns.h"
#include "workload.h"

#define STEP_ROUNDS 5000   /* of the loop, about 10^5 instructions: each event overflows once */
#define TURN_STEPS 5	   /* more than two periods between switches, or a loss is not seen */
#define TURNS 30	   /* of a row: 150 samples of each event */
#define TURNS_SWITCHED 100 /* of one with switches */
#define PERIOD_LEAST 10007 /* more often would be throttled */
#define RING_PAGES 16
#define EVENTS_MAX 16
#define GAP_MAX 2.5

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

/* What makes a row: how the steps are spent, and what refutes it. */
struct row {
	const char *name;
	const char *check;	    /* for gaps without a switch in them */
	const char *check_switched; /* for those with one */
	unsigned int turns;
	int (*between)(void *context, struct err *err); /* after each turn; NULL: nothing */
	void *context;
};

struct experiment {
	struct run *run;
	struct workload_job step;	     /* in which each event overflows once */
	const struct kind *kind[EVENTS_MAX]; /* the first n_kinds are different */
	struct gap_subject subjects[EVENTS_MAX];
	size_t n_kinds;
	size_t n;	       /* as many as the PMU counts at once */
	uint64_t least_judged; /* gaps, of any event in any row */
};

/* Find what counts here, with a period that each step holds once. */
static int find_kinds(struct experiment *all, struct err *err)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct perf_event_attr attr = counters_user_attr(kinds[i].config);
		struct event_count count;

		if (counters_count(&attr, 1, workload_do, &all->step, &count, err) ||
		    !count.value) {
			run_note(all->run, "without %s, which does not count here", kinds[i].name);
			continue;
		}
		attr.sample_period = count.value;
		all->subjects[all->n_kinds].attr = attr;
		all->kind[all->n_kinds++] = &kinds[i];
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

	for (size_t i = 0; i < EVENTS_MAX; i++) {
		size_t like = i < all->n_kinds ? i : i % 2 ? all->n_kinds - 1 : 0;
		struct perf_event_attr *attr = &all->subjects[i].attr;

		all->kind[i] = all->kind[like];
		*attr = all->subjects[like].attr;
		attr->sample_period = own_period(all, i, attr->sample_period);
		attrs[i] = counters_user_attr(all->kind[i]->config);
	}
	return counters_fit(attrs, EVENTS_MAX, workload_do, &all->step, &all->n, err);
}

/* A turn of a row. */
struct turn {
	struct experiment *all;
	const struct row *row;
};

static int do_turn(void *context, struct err *err)
{
	const struct turn *turn = context;

	for (int i = 0; i < TURN_STEPS; i++)
		workload_do(&turn->all->step);
	return turn->row->between ? turn->row->between(turn->row->context, err) : 0;
}

static void judge(const struct experiment *all, size_t i, const struct row *row)
{
	const struct gap_subject *subject = &all->subjects[i];
	const struct gaps *gaps = &subject->gaps;
	struct run *run = all->run;
	double period = (double)subject->attr.sample_period;
	char line[64];

	snprintf(line, sizeof(line), "%s: %s", row->name, all->kind[i]->name);
	run_figure(run, "gaps", line, "samples", (double)subject->drained.samples, "1");
	run_figure(run, "gaps", line, "switches", (double)subject->drained.switches, "1");
	run_figure(run, "gaps", line, "not judged", (double)gaps->excluded, "1");
	run_figure(run, "gaps", line, "longest", (double)gaps->running.longest / period, "periods");
	run_check_eq(run, "count_grows", line, (double)gaps->backwards, 0, "1");
	if (gaps->running.longest)
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
	struct turn turn = { all, row };
	const struct gap_work work = {
		.parts = row->turns, .pages = RING_PAGES, .part = do_turn, .context = &turn
	};
	struct err err;

	run_progress(all->run, "%s", row->name);
	/* Whom that has woken up does not switch us out at the start. */
	clock_sleep_ms(5);
	if (gap_sample(&all->subjects[first], n, &work, &err)) {
		run_broken(all->run, "%s: %s", row->name, err.text);
		return false;
	}
	for (size_t i = first; i < first + n; i++) {
		const struct gaps *gaps = &all->subjects[i].gaps;

		if (gaps->running.n + gaps->switched.n < all->least_judged)
			all->least_judged = gaps->running.n + gaps->switched.n;
		judge(all, i, row);
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
			   .turns = TURNS };

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

/*
 * The first and the last kind across switches, on Intel a fixed and a general-purpose counter. One
 * at a time: the PMI of another event would find the overflow that was missed, and hide it.
 */
static void run_switched(struct experiment *all, const struct row *row, const char *control)
{
	const size_t which[] = { 0, all->n_kinds - 1 };

	for (size_t i = 0; i < (all->n_kinds > 1 ? 2 : 1); i++) {
		if (!run_row(all, which[i], 1, row))
			return;
		run_control(all->run, control, (double)all->subjects[which[i]].drained.switches,
			    TURNS_SWITCHED, "1");
	}
}

static int take_turns(void *context, struct err *err)
{
	return turns_take(context, err);
}

/* With another task on the same CPU. */
static void run_switching(struct experiment *all)
{
	struct turns turns;
	const struct row row = { .name = "taking turns",
				 .check = "no_gap_switching",
				 .check_switched = "no_gap_switching",
				 .turns = TURNS_SWITCHED,
				 .between = take_turns,
				 .context = &turns };
	struct err err;

	if (turns_start(&turns, all->step.work, all->step.rounds, &err))
		run_broken(all->run, "%s", err.text);
	else
		run_switched(all, &row, "switches while taking turns");
	turns_stop(&turns);
}

/* Another CPU on which the events count: on a hybrid machine not all are of the same PMU. */
static bool find_second_cpu(struct experiment *all, struct migration *migration)
{
	const struct cpus *cpus = run_cpus(all->run);
	const struct perf_event_attr attr = counters_user_attr(all->kind[0]->config);
	struct event_count count = { 0 };
	bool found = false;
	struct err err;

	for (size_t i = 1; !found && i < cpus->n; i++) {
		migration->cpu[1] = cpus->cpu[i];
		found = !cpus_pin(cpus->cpu[i], &err) &&
			!counters_count(&attr, 1, workload_do, &all->step, &count, &err) &&
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
				 .turns = TURNS_SWITCHED,
				 .between = placement_migrate,
				 .context = &migration };

	if (!find_second_cpu(all, &migration))
		run_note(all->run, "no second CPU to move to on which the events count");
	else
		run_switched(all, &row, "switches while moving");
}

static int run_lost_pmi(struct run *run)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment *all = calloc(1, sizeof(*all));
	struct placement placement;
	struct err err;

	if (!all)
		return run_broken(run, "out of memory");
	all->run = run;
	all->step = (struct workload_job){ workload_find("multiply"), STEP_ROUNDS };
	all->least_judged = UINT64_MAX;
	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err)) {
		run_broken(run, "%s", err.text);
		free(all);
		return 0;
	}
	if (event_probe(&attr, &err)) {
		run_skip(run, "CPU %d: %s", run_cpus(run)->cpu[0], err.text);
	} else if (find_kinds(all, &err) || fill_pmu(all, &err)) {
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

#define GAP_ORIGIN                                                                                 \
	"an overflow every period; a second period for one that a switch takes along, and half a " \
	"period for skid. A lost PMI silences the counter until its task is scheduled again"

static const struct check checks[] = {
	{ .name = "no_gap_alone",
	  .claim = "one event by itself: never more than two periods, and skid, without a sample",
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
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lost_pmi,
};
