// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: an event counts all that its task does, whatever comes between: its own overflows, those
 * of another event, switches to another task. And it has the samples of its own overflows.
 *
 * Mechanism: the handler loads the counter that has overflowed anew, and turns on again all that it
 * had turned off. When an event leaves the PMU, what its counter has is added to its count, and
 * when it comes back the counter goes on from there.
 *
 * On a broken kernel a counter is left off, or what it had is not added. Samples and count then
 * agree with each other, and both are too small. Or the overflow of a counter is taken for one of
 * another event, and each has the samples of the other.
 *
 * The task does dependent multiplications. Whatever the CPU, each is an instruction and takes a
 * cycle at least, so that the least that must have been counted is known without the PMU. Nothing
 * is asked of how much more it is, and so it may be of a PMU that counts the kernel, too.
 */
#include <errno.h>
#include <math.h>

#include "counters.h"
#include "hypothesis.h"
#include "overflow_sampler.h"
#include "placement.h"
#include "prime.h"
#include "rate_limit.h"
#include "turns.h"
#include "workload.h"

#define MULTIPLICATIONS 16 /* of a round */
#define PERIOD 100003	   /* prime; more often would be throttled on a fast CPU */
#define OFTEN 40009	   /* of cycles: more than twice as many overflows as of instructions */
#define TRIES 4		   /* each with periods four times as long */
#define PARTS 40
#define PART_ROUNDS 6000 /* about an overflow */
#define TURNS 400
#define TURN_ROUNDS 100 /* fifty of them and more to an overflow */
#define RING_PAGES 4
#define SAMPLES_MIN 0.8
#define SAMPLES_MAX 1.2
#define NEVER (1ULL << 40) /* a period that nobody sees the end of */
#define QUIET 0.8	   /* of what is counted without overflows */

struct experiment {
	struct run *run;
	const struct workload *work;
	bool whole;   /* the PMU counts the kernel, too */
	double quiet; /* instructions of all parts, without an overflow */
	struct turns turns;
};

static struct perf_event_attr attr_of(const struct experiment *all, uint64_t config,
				      uint64_t period)
{
	return counters_attr(config, all->whole, period);
}

/* What the work is counted as at least. */
static double least_of(const struct experiment *all, uint64_t config, uint64_t parts,
		       uint64_t rounds)
{
	uint64_t exact = workload_instructions(all->work, rounds);

	if (config == PERF_COUNT_HW_INSTRUCTIONS && exact)
		return (double)(parts * exact);
	return (double)(parts * rounds * MULTIPLICATIONS);
}

/*
 * The same of all parts with an event of instructions. Where the kernel is counted, what it does
 * for a task may be more than the loop: then it is what was counted when nothing overflowed.
 */
static double least_instructions(const struct experiment *all)
{
	return fmax(QUIET * all->quiet,
		    least_of(all, PERF_COUNT_HW_INSTRUCTIONS, PARTS, PART_ROUNDS));
}

static int work(void *context, struct err *err)
{
	const struct experiment *all = context;

	(void)err;
	all->work->run(PART_ROUNDS);
	return 0;
}

static int work_and_turn(void *context, struct err *err)
{
	struct experiment *all = context;

	all->work->run(TURN_ROUNDS);
	return turns_take(&all->turns, err);
}

/* Sample; where the kernel throttles, which stops the count, too, with longer periods. */
static int sample(struct overflow_subject *subjects, size_t n, const struct overflow_work *work,
		  struct err *err)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t throttled = 0;
		int result = overflow_sample(subjects, n, work, err);

		for (size_t k = 0; k < n; k++)
			throttled += subjects[k].drained.throttled;
		if (result || !throttled)
			return result;
		for (size_t k = 0; k < n; k++)
			subjects[k].attr.sample_period =
				prime_from(4 * subjects[k].attr.sample_period);
	}
	return err_set(err, EBUSY, "the kernel throttles an event of a sample each %llu",
		       (unsigned long long)subjects[0].attr.sample_period);
}

/* Is there all that the work is? */
static void judge_count(struct experiment *all, const char *check, const char *row,
			const struct overflow_subject *subject, double least)
{
	double count = (double)subject->count.value;
	struct run *run = all->run;

	run_figure(run, "counts", row, "least", least, "1");
	run_figure(run, "counts", row, "count", count, "1");
	run_check_ge(run, check, row, count / least, 1, "1");
}

/* Are the samples those of its own count? */
static void judge_samples(struct experiment *all, const char *row,
			  const struct overflow_subject *subject)
{
	double due = (double)overflows_due(&subject->overflows, subject->count.value);
	double samples = (double)(subject->overflows.samples + subject->drained.lost);
	struct run *run = all->run;

	run_figure(run, "counts", row, "overflows", due, "1");
	run_figure(run, "counts", row, "samples", samples, "1");
	/* With few of them nothing is seen, and nothing is overlooked: the count is too small. */
	if (due < PARTS / 2.0)
		return;
	run_check_ge(run, "own_samples", row, samples / due, SAMPLES_MIN, "1");
	run_check_le(run, "own_samples", row, samples / due, SAMPLES_MAX, "1");
}

/* Two tries: something else may come between, which makes it more. */
static int count_quiet(struct experiment *all, struct err *err)
{
	const struct overflow_work steps = { PARTS, RING_PAGES, work, all };
	int result = 0;

	for (int i = 0; !result && i < 2; i++) {
		struct overflow_subject subject = { .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
								    NEVER) };
		double count;

		result = overflow_sample(&subject, 1, &steps, err);
		count = (double)subject.count.value;
		all->quiet = i ? fmin(all->quiet, count) : count;
	}
	return result;
}

/* How often an event must have overflowed for what is said of it to be about overflows. */
static bool overflowed(struct experiment *all, const struct overflow_subject *subject)
{
	return run_control(all->run, "samples of a row", (double)subject->overflows.samples, 2,
			   "1");
}

static void run_alone(struct experiment *all)
{
	struct overflow_subject subject = { .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
							    PERIOD) };
	const struct overflow_work steps = { PARTS, RING_PAGES, work, all };
	struct err err;

	run_progress(all->run, "alone");
	if (sample(&subject, 1, &steps, &err)) {
		run_broken(all->run, "alone: %s", err.text);
		return;
	}
	if (!overflowed(all, &subject))
		return;
	judge_count(all, "own_overflows", "alone", &subject, least_instructions(all));
	judge_samples(all, "alone", &subject);
}

static void run_beside(struct experiment *all)
{
	static const char *const rows[] = { "instructions beside cycles",
					    "cycles beside instructions" };
	struct overflow_subject both[] = {
		{ .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS, PERIOD) },
		{ .attr = attr_of(all, PERF_COUNT_HW_CPU_CYCLES, OFTEN) },
	};
	const struct overflow_work steps = { PARTS, RING_PAGES, work, all };
	struct err err;

	run_progress(all->run, "beside another");
	if (event_probe(&both[1].attr, &err)) {
		run_note(all->run, "one event alone: cycles: %s", err.text);
		return;
	}
	if (sample(both, 2, &steps, &err)) {
		run_broken(all->run, "beside another: %s", err.text);
		return;
	}
	if (!both[0].count.running) {
		run_note(all->run, "one event alone: the PMU has no room for two");
		return;
	}
	judge_count(all, "other_overflows", rows[0], &both[0], least_instructions(all));
	judge_count(all, "other_overflows", rows[1], &both[1],
		    least_of(all, PERF_COUNT_HW_CPU_CYCLES, PARTS, PART_ROUNDS));
	for (size_t i = 0; i < 2; i++)
		judge_samples(all, rows[i], &both[i]);
}

static void run_switches(struct experiment *all)
{
	struct overflow_subject subject = { .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
							    PERIOD) };
	const struct overflow_work steps = { TURNS, RING_PAGES, work_and_turn, all };
	struct err err;
	int result;

	run_progress(all->run, "switches");
	result = turns_start(&all->turns, all->work, TURN_ROUNDS, &err);
	if (!result)
		result = sample(&subject, 1, &steps, &err);
	turns_stop(&all->turns);
	if (result)
		run_broken(all->run, "switches: %s", err.text);
	else
		judge_count(all, "switches", "taking turns", &subject,
			    least_of(all, PERF_COUNT_HW_INSTRUCTIONS, TURNS, TURN_ROUNDS));
}

static int run_count_goes_on(struct run *run)
{
	struct experiment all = { .run = run, .work = workload_find("multiply") };
	struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct placement placement;
	struct err err;

	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	all.whole = event_probe(&attr, &err) != 0;
	attr = attr_of(&all, PERF_COUNT_HW_INSTRUCTIONS, PERIOD);
	if (event_probe(&attr, &err)) {
		run_skip(run, "CPU %d: %s", run_cpus(run)->cpu[0], err.text);
	} else if (count_quiet(&all, &err)) {
		run_broken(run, "without overflows: %s", err.text);
	} else {
		run_alone(&all);
		run_beside(&all);
		run_switches(&all);
	}
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU, .value = 1 },
	{ .kind = NEED_END },
};

#define LEAST_ORIGIN                                                                           \
	"the instructions of the loop, where they are known; else an instruction and a cycle " \
	"for each multiplication, which needs the one before; 0.8 of the instructions that "   \
	"were counted without overflows"

static const struct check checks[] = {
	{ .name = "own_overflows",
	  .claim = "an event counts on after its own overflows: at least what its task did",
	  .origin = LEAST_ORIGIN },
	{ .name = "other_overflows",
	  .claim = "and after those of another event",
	  .origin = LEAST_ORIGIN,
	  .optional = true },
	{ .name = "switches",
	  .claim = "what was counted in each of hundreds of short turns is in the count",
	  .origin = LEAST_ORIGIN },
	{ .name = "own_samples",
	  .claim = "each has as many samples as its own count holds periods",
	  .origin = "a fifth is allowed for interrupts that are masked for a whole period, where "
		    "the PMU counts the kernel; of two events one has twice as many as the other" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "count_goes_on",
	.claim = "An event counts all that its task does, whatever comes between: its own "
		 "overflows, those of another event, switches. And it has the samples of its own "
		 "overflows.",
	.source = "perf_event_open(2); positive control of the PMI hypotheses, on any PMU",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_count_goes_on,
};
