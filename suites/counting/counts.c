// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: hardware counters count exactly what a known loop retires, nothing from elsewhere, and
 * every overflow becomes a sample.
 *
 * Mechanism: a counter is programmed, started and stopped around its task, saved and restored as
 * tasks take turns, and reloaded at each overflow. A mistake in any of these adds the counts of
 * others, loses some, or loses an overflow, after which a counter runs on to its far end in
 * silence.
 *
 * On a broken kernel or PMU a loop of known length counts differently, a count grows with what
 * another task does between a switch to it and back, or a loop yields fewer samples than its count
 * holds periods. Everything that samples or counts rests on this: it is the positive control of the
 * other hypotheses.
 *
 * Counts of two lengths of a loop are subtracted, so that what starting and stopping costs cancels
 * out, and the least of several runs is taken: an interrupt may add an instruction (the return to
 * the loop is counted on several CPUs), but nothing can take one away. What an erratum of the CPU
 * explains is accepted, and noted.
 */
#include <math.h>
#include <stdio.h>

#include "counters.h"
#include "drain.h"
#include "errata.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "turns.h"
#include "workload.h"

#define REPEATS 30
#define ROUNDS_SHORT 1000 /* microseconds: most runs see no interrupt */
#define ROUNDS_LONG 11000
#define ROUNDS_OTHER 100000 /* of another task, of two branches and more each */
#define LEAK_MAX 100	    /* instructions */
#define PERIOD 10007	    /* prime, so that it does not beat with the length of a round */
#define ROUNDS_SAMPLED 2000000
#define PARTS 100 /* in which they are done, so that the ring is emptied before it is full */
#define RING_PAGES 64

/* Count what some work retires; NAN and a broken run when that is not possible. */
static double count(struct run *run, uint64_t config, const char *name, void (*work)(void *context),
		    void *context)
{
	struct perf_event_attr attr = counters_user_attr(config);
	struct event_count read = { 0 };
	struct err err;
	int result = counters_count(&attr, 1, work, context, &read, &err);

	if (!result && read.running == read.enabled)
		return (double)read.value;
	run_broken(run, "count of %s: %s", name,
		   result ? err.text : "the event was not on the PMU all the time");
	return NAN;
}

static double count_loop(struct run *run, uint64_t config, const struct workload *work,
			 uint64_t rounds)
{
	struct workload_job job = { work, rounds };

	return count(run, config, work->name, workload_do, &job);
}

/* What ROUNDS_LONG - ROUNDS_SHORT more rounds add, at the least. */
static double least_difference(struct run *run, uint64_t config, const struct workload *work)
{
	double few = INFINITY, many = INFINITY;

	for (int i = 0; i < REPEATS; i++) {
		few = fmin(few, count_loop(run, config, work, ROUNDS_SHORT));
		many = fmin(many, count_loop(run, config, work, ROUNDS_LONG));
	}
	return many - few;
}

/*
 * Is that the count it must be, or as wrong as the CPU's maker says it may be? Tells what to expect
 * of it.
 */
static double or_erratum(struct run *run, const char *row, uint64_t config, double got,
			 double expected)
{
	const struct erratum *erratum = got > expected ? errata_here(config) : NULL;

	if (!erratum || got - expected > erratum->most)
		return expected;
	run_note(run, "%s: %.0f more than expected, as erratum %s allows (%s)", row, got - expected,
		 erratum->id, erratum->source);
	return got;
}

static void check_loop(struct run *run, const char *check, uint64_t config,
		       const struct workload *work, uint64_t per_round)
{
	char row[64];
	double got = least_difference(run, config, work);
	double expected = (double)((ROUNDS_LONG - ROUNDS_SHORT) * per_round);

	snprintf(row, sizeof(row), "%s, %s", work->name,
		 config == PERF_COUNT_HW_INSTRUCTIONS ? "instructions" : "branches");
	run_figure(run, "counts", row, "counted", got, "1");
	run_figure(run, "counts", row, "expected", expected, "1");
	run_check_eq(run, check, row, got, or_erratum(run, row, config, got, expected), "1");
}

/* A loop, a turn of another task on the same CPU, and the loop again. */
struct visit {
	struct workload_job loop;
	struct turns turns;
	int result;
	struct err err;
};

static void visit(void *context)
{
	struct visit *visit = context;

	workload_do(&visit->loop);
	if (!visit->result)
		visit->result = turns_take(&visit->turns, &visit->err);
	workload_do(&visit->loop);
}

/* The least count with a turn of so many rounds in it; NAN and a broken run on an error. */
static double least_with_turn(struct run *run, const struct workload *work, uint64_t rounds)
{
	struct visit there = { .loop = { work, ROUNDS_SHORT } };
	double least = INFINITY;

	there.result = turns_start(&there.turns, workload_find("branches"), rounds, &there.err);
	for (int i = 0; !there.result && i < REPEATS; i++)
		least = fmin(least,
			     count(run, PERF_COUNT_HW_INSTRUCTIONS, "a turn", visit, &there));
	turns_stop(&there.turns);
	if (!there.result)
		return least;
	run_broken(run, "another task: %s", there.err.text);
	return NAN;
}

/*
 * Each count has a switch to another task and back in it, so that what that task does shows in all
 * of them if it is counted here.
 */
static void check_elsewhere(struct run *run, const struct workload *work)
{
	double idle = least_with_turn(run, work, 1);
	double busy = least_with_turn(run, work, ROUNDS_OTHER);

	run_figure(run, "counts", "multiply twice, a turn of 1 round", "counted", idle, "1");
	run_figure(run, "counts", "multiply twice, a turn of 100000", "counted", busy, "1");
	run_check_le(run, "nothing_from_elsewhere", "busy turn - idle turn", fabs(busy - idle),
		     LEAK_MAX, "1");
}

/* A long run, sampled: as many samples as its own count holds periods. */
static void check_overflows(struct run *run, const struct workload *work)
{
	struct workload_job job = { work, ROUNDS_SAMPLED / PARTS };
	struct self_sampling sampling = {
		.attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS),
		.pages = RING_PAGES,
		.parts = PARTS,
		.work = workload_do,
		.context = &job,
	};
	struct err err;
	double samples;

	sampling.attr.sample_period = PERIOD;
	sampling.attr.sample_type = PERF_SAMPLE_IP;
	if (self_sample(&sampling, &err)) {
		run_broken(run, "sampling: %s", err.text);
		return;
	}
	samples = (double)(sampling.drained.samples + sampling.drained.lost);
	run_figure(run, "overflows", "multiply", "count", (double)sampling.count.value, "1");
	run_figure(run, "overflows", "multiply", "samples", samples, "1");
	run_figure(run, "overflows", "multiply", "lost", (double)sampling.drained.lost, "1");
	run_check_le(run, "every_overflow", NULL,
		     fabs(samples - floor((double)sampling.count.value / PERIOD)), 1, "1");
}

static int run_counts(struct run *run)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	const struct workload *work = workload_find("multiply");
	int cpu = run_cpus(run)->cpu[0];
	struct err err;
	double first;

	if (!work->exact)
		return run_skip(run, "no loop of known length for this architecture");
	if (cpus_pin(cpu, &err))
		return run_broken(run, "%s", err.text);
	if (event_probe(&attr, &err))
		return run_skip(run, "CPU %d: %s", cpu, err.text);
	first = count_loop(run, PERF_COUNT_HW_INSTRUCTIONS, work, ROUNDS_SHORT);
	if (!run_control(run, "instructions", first, 0, "1"))
		return 0;
	for (const struct workload *w = workloads; w->name; w++)
		check_loop(run, "instructions_exact", PERF_COUNT_HW_INSTRUCTIONS, w,
			   w->instructions_per_round);
	/* The taken branches, and the one that leaves the loop and is not taken. */
	for (const struct workload *w = workloads; w->name; w++)
		check_loop(run, "branches_exact", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, w,
			   w->branches_per_round + 1);
	check_elsewhere(run, work);
	check_overflows(run, work);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "instructions_exact",
	  .claim = "a known loop counts its instructions, to the last one",
	  .origin = "the assembly, confirmed by single-stepping it (fixtures/workloads); more only "
		    "where the CPU's maker says so (lib/errata.c)" },
	{ .name = "branches_exact",
	  .claim = "and its branches",
	  .origin = "the assembly: branches taken and the one not taken; Intel SDM 3B, Branch "
		    "Instructions Retired counts both" },
	{ .name = "nothing_from_elsewhere",
	  .claim = "what another task does between a switch to it and back adds nothing",
	  .origin = "an event of a task counts while that task runs; perf_event_open(2). 100 for "
		    "interrupts at the switch; the other task does hundreds of thousands more" },
	{ .name = "every_overflow",
	  .claim = "samples are the count divided by the period",
	  .origin = "an overflow every period; 1 for the one that may be pending at the end" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "counts",
	.claim = "Hardware counters count exactly what a known loop retires, nothing from "
		 "elsewhere, and every overflow becomes a sample.",
	.source = "positive control of the PMI hypotheses; perf_event_open(2)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_counts,
};
