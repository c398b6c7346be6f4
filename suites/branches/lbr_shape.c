// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a branch stack is as deep as the CPU's record, in order, of the moment of its sample, and
 * what it says of each branch beside addresses is true.
 *
 * Mechanism: the record is a ring of 8 to 64 branches with a pointer to the newest. The kernel
 * reads it from there backwards, takes mispredictions, transactions and cycles out of the bits that
 * this CPU has for them, and finds the types by decoding the code.
 *
 * On a broken kernel stacks are shorter, begin at the wrong end, or are of an earlier sample, flags
 * contradict each other or are those of another branch, cycles are none or nonsense.
 *
 * The program goes round two loops: one with branches of every type in a known order, and one where
 * a branch is taken or not as a random generator says, whose state is in a register. From the
 * register of a sample all branches before it follow: a stack of any other moment has others. That
 * branch cannot be predicted, and the one that closes the loop is.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "branch_loop.h"
#include "branch_shape.h"
#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "hypothesis.h"
#include "kinds.h"
#include "lbr_model.h"
#include "rate_limit.h"
#include "stats.h"

#define PERIOD 5003 /* instructions */
#define WANTED 400
#define FLOOR 299
/* Of a part: 13 periods, which do not beat with what happens each tenth time. */
#define ROUNDS_KNOWN 1000
#define ROUNDS_RANDOM 3500
#define ROUNDS_TIMED 20000
#define RING_PAGES 64
#define ROW_NS 2000000000
#define WRONG_MAX 1.0 /* % of stacks */
#define STALE_MAX 0.5 /* the same: two of WANTED */
#define LACK_MAX \
	2 /* branches of a stack: the way back from an interrupt is recorded, and dropped */
#define BEHIND_MOST \
	64 /* branches that a CPU may take between freezing the record and interrupting */
#define RANDOM_MISSED_MIN 20.0 /* % of entries */
#define RANDOM_MISSED_MAX 80.0
#define ALWAYS_MISSED_MAX 10.0
#define CYCLES_MIN 0.6 /* of those that the counter says */
#define CYCLES_MAX 1.6
#define SHORT_MAX 0.7 /* of those of the longer way */
#define INDEXES_MIN 4

/* A way to sample. */
struct row {
	const char *name;
	uint64_t ask; /* beside PERF_SAMPLE_BRANCH_ANY and _USER */
	bool random;  /* which of the loops */
	uint64_t state;
	struct branch_tally known;
	struct shape_tally shape;
	struct drained drained;
};

static struct row make_row(const char *name, uint64_t ask, bool random)
{
	return (struct row){
		.name = name,
		.ask = ask,
		.random = random,
		.state = 88172645463325252,
		.known = { .loop = &kinds_calm.loop, .filter = { .types = ~0U, .user = true } },
		.shape = { .loop = &random_branch.loop, .behind_most = BEHIND_MOST },
	};
}

static uint64_t stacks(const struct row *row)
{
	return row->random ? row->shape.stacks : row->known.stacks;
}

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct row *row = context;

	(void)misc;
	if (row->random)
		shape_tally_take(&row->shape, sample);
	else
		branch_tally_take(&row->known, sample);
}

/* What not all kernels know: types are from Linux 4.14 on, the index from 5.7 on. */
#define ASK_NEWER (PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX)

static int open_row(struct event *event, struct row *row, struct err *err)
{
	struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int result;

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | row->ask;
	if (row->random) {
		attr.sample_type |= PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = random_branch.regs;
	}
	result = event_open_self(event, &attr, err);
	if (result == -EINVAL && (row->ask & ASK_NEWER)) {
		row->ask &= ~(uint64_t)ASK_NEWER;
		return open_row(event, row, err);
	}
	if (!result)
		result = event_map(event, RING_PAGES, false, err);
	return result ? result : event_enable(event, err);
}

static int observe(struct event *event, struct row *row, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ROW_NS;
	int result = 0;

	while (!result && stacks(row) < WANTED && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		if (row->random)
			random_branch.run(ROUNDS_RANDOM, &row->state);
		else
			kinds_calm.run(ROUNDS_KNOWN);
		result = event_drain(event, &row->drained, take, row, err);
	}
	return result;
}

/* False where there is nothing to judge, which has been said. */
static bool sample_row(struct run *run, struct row *row)
{
	struct event event = EVENT_CLOSED;
	struct err err;
	int result = open_row(&event, row, &err);

	run_progress(run, "%s", row->name);
	if (result)
		run_note(run, "not judged: %s: %s", row->name, err.text);
	else if (observe(&event, row, &err))
		run_broken(run, "%s: %s", row->name, err.text);
	event_close(&event);
	return !result && run_control(run, row->name, (double)stacks(row), FLOOR, "stacks");
}

static void judge_known(struct run *run, const struct row *row)
{
	const struct branch_tally *tally = &row->known;
	uint64_t broken = tally->missing > tally->unknown ? tally->missing : tally->unknown;

	run_check_le(run, "follows_code", row->name, stats_percent(broken, tally->stacks),
		     WRONG_MAX, "%");
	run_check_le(run, "newest_first", row->name,
		     stats_percent(tally->disordered, tally->stacks), WRONG_MAX, "%");
	if (row->ask & PERF_SAMPLE_BRANCH_TYPE_SAVE)
		run_check_le(run, "types", row->name, stats_percent(tally->mistyped, tally->stacks),
			     WRONG_MAX, "%");
}

static void judge_depth(struct run *run, const struct row *row, const struct lbr_model *model)
{
	uint64_t n, deepest = shape_deepest(&row->shape, LACK_MAX, &n);

	run_figure(run, "branch stacks", row->name, "stacks", (double)row->shape.stacks, "1");
	run_figure(run, "branch stacks", row->name, "deepest", (double)deepest, "1");
	if (model)
		run_check_eq(run, "depth", row->name, (double)deepest, model->depth, "1");
	run_check_ge(run, "full", row->name, stats_percent(n, row->shape.stacks), 100 - WRONG_MAX,
		     "%");
	run_check_le(run, "fresh", row->name, stats_percent(row->shape.stale, row->shape.judged),
		     STALE_MAX, "%");
}

static void judge_flags(struct run *run, const struct row *row)
{
	const struct shape_tally *shape = &row->shape;
	double random = stats_percent(shape->sometimes_missed, shape->sometimes);
	double always = stats_percent(shape->always_missed, shape->always);

	run_check_eq(run, "flags_exclusive", row->name, (double)shape->both, 0, "1");
	run_check_eq(run, "no_transactions", row->name, (double)shape->transaction, 0, "1");
	if (shape->neither == shape->entries) {
		run_note(run, "this CPU does not tell mispredictions");
		return;
	}
	run_check_eq(run, "flags_given", row->name, (double)shape->neither, 0, "1");
	run_figure(run, "branch stacks", row->name, "mispredicted, at random", random, "%");
	run_figure(run, "branch stacks", row->name, "mispredicted, always taken", always, "%");
	run_check_ge(run, "random_mispredicted", row->name, random, RANDOM_MISSED_MIN, "%");
	run_check_le(run, "random_mispredicted", row->name, random, RANDOM_MISSED_MAX, "%");
	run_check_le(run, "loop_predicted", row->name, always, ALWAYS_MISSED_MAX, "%");
}

static void judge_index(struct run *run, const struct row *row, const struct lbr_model *model)
{
	const struct shape_tally *shape = &row->shape;
	uint64_t n, deepest = shape_deepest(shape, 0, &n);
	uint64_t most =
		shape->index_above ? SHAPE_DEPTH_MAX : (uint64_t)(shape_index_most(shape) + 1);

	if (shape->index_none == shape->stacks) {
		run_note(run, "no index of the newest branch");
		return;
	}
	run_check_le(run, "index_in_range", row->name, (double)most,
		     model ? model->depth : (double)deepest, "1");
	run_check_ge(run, "index_moves", row->name, shape_indexes(shape), INDEXES_MIN, "1");
}

static void random_rounds(void *state)
{
	random_branch.run(ROUNDS_TIMED, state);
}

/* Cycles of a branch by the counter: half of the rounds have two, the others one. */
static void judge_cycles(struct run *run, const struct row *row)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_CPU_CYCLES);
	struct event_count count = { 0 };
	const struct shape_tally *shape = &row->shape;
	uint64_t state = row->state;
	double expected, cycles;
	struct err err;

	if (counters_count(&attr, 1, random_rounds, &state, &count, &err)) {
		run_broken(run, "cycles: %s", err.text);
		return;
	}
	expected = (double)count.value / (1.5 * ROUNDS_TIMED);
	cycles = (double)shape->cycles / (double)shape->timed;
	if (!run_control(run, "cycles of a branch, by the counter", expected, 0, "cycles"))
		return;
	run_figure(run, "branch stacks", row->name, "cycles of a branch", cycles, "cycles");
	run_figure(run, "branch stacks", row->name, "by the counter", expected, "cycles");
	run_check_ge(run, "cycles", row->name, cycles / expected, CYCLES_MIN, "1");
	run_check_le(run, "cycles", row->name, cycles / expected, CYCLES_MAX, "1");
	run_check_le(run, "cycles_own", row->name,
		     (double)shape->short_cycles / (double)shape->short_timed,
		     SHORT_MAX * (double)shape->long_cycles / (double)shape->long_timed, "cycles");
}

static void run_known(struct run *run)
{
	struct row row = make_row("known loop", PERF_SAMPLE_BRANCH_TYPE_SAVE, false);

	if (sample_row(run, &row))
		judge_known(run, &row);
}

static void run_random(struct run *run, const struct lbr_model *model)
{
	struct row row = make_row("random loop", PERF_SAMPLE_BRANCH_HW_INDEX, true);
	struct row plain =
		make_row("random loop, flags and cycles not wanted",
			 PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES, true);

	if (sample_row(run, &row)) {
		judge_depth(run, &row, model);
		judge_flags(run, &row);
		judge_index(run, &row, model);
		if (model && model->cycles)
			judge_cycles(run, &row);
	}
	/* Where flags are part of an address the kernel has them for nothing, and gives them. */
	if (model && model->cycles && sample_row(run, &plain)) {
		judge_depth(run, &plain, model);
		run_check_eq(run, "left_out", plain.name, (double)plain.shape.told, 0, "1");
	}
}

static int run_lbr_shape(struct run *run)
{
	const struct lbr_model *model = lbr_model_here();
	struct err err;

	if (!random_branch.run)
		return run_skip(run, "no loop of known branches for this architecture");
	if (cpus_pin(run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (!model)
		run_note(run,
			 "depth and cycles were not judged: it is not known what this CPU has");
	run_known(run);
	run_random(run, model);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

#define ORIGIN_SHARE \
	"; 1 % of the stacks for samples right after the task was switched in, and errata"
#define ENTRY "struct perf_branch_entry of linux/perf_event.h"

static const struct check checks[] = {
	{ .name = "depth",
	  .claim = "the deepest stack has as many branches as the CPU records",
	  .origin =
		  "Intel SDM 3B, \"LBR Stack Size and TOS Pointer Range\"; not judged on CPUs that "
		  "lib/lbr_model.c does not have",
	  .optional = true },
	{ .name = "full",
	  .claim = "99 % of the stacks lack at most two branches of the deepest",
	  .origin = "thousands of instructions pass between samples, which fill it anew; the "
		    "kernel drops the return from an interrupt" },
	{ .name = "follows_code",
	  .claim = "each branch comes from the code that the one before it led to",
	  .origin = "the loop, single-stepped by its unit test" ORIGIN_SHARE },
	{ .name = "newest_first",
	  .claim = "the newest branch is the first",
	  .origin = "perf_event_open(2), PERF_SAMPLE_BRANCH_STACK" ORIGIN_SHARE },
	{ .name = "fresh",
	  .claim = "a stack is that of the moment of its sample, and not of another one",
	  .origin = "the generator's state in the sample's registers; up to 64 branches may pass "
		    "between the freeze of the record and the interrupt; 0.5 % of the stacks for "
		    "errata" },
	{ .name = "types",
	  .claim = "with PERF_SAMPLE_BRANCH_TYPE_SAVE each branch has its type",
	  .origin = ENTRY ORIGIN_SHARE,
	  .optional = true },
	{ .name = "flags_exclusive",
	  .claim = "no branch is both predicted and mispredicted",
	  .origin = ENTRY },
	{ .name = "flags_given",
	  .claim = "each is one of the two, where the CPU tells it of any",
	  .origin = ENTRY,
	  .optional = true },
	{ .name = "no_transactions",
	  .claim = "no branch is in a transaction or aborts one, where there is none",
	  .origin = ENTRY },
	{ .name = "random_mispredicted",
	  .claim = "a branch that is taken at random is mispredicted in 20 to 80 % of the cases",
	  .origin = "half of them, whatever the predictor; wide for those that lean to one side",
	  .optional = true },
	{ .name = "loop_predicted",
	  .claim = "a branch that is always taken is mispredicted in at most 10 %",
	  .origin = "any predictor has learned it after a few rounds of thousands",
	  .optional = true },
	{ .name = "index_in_range",
	  .claim = "the index of the newest branch is below the depth",
	  .origin = "perf_event_open(2), PERF_SAMPLE_BRANCH_HW_INDEX; Intel SDM 3B, "
		    "MSR_LASTBRANCH_TOS",
	  .optional = true },
	{ .name = "index_moves",
	  .claim = "and has at least four values",
	  .origin = "hundreds of branches pass between samples, at random",
	  .optional = true },
	{ .name = "cycles",
	  .claim = "cycles between branches are 0.6 to 1.6 times those that the counter has",
	  .origin =
		  "Intel SDM 3B, IA32_LBR_x_INFO: core cycles since the last update; judged where "
		  "lib/lbr_model.c has them; a third is left for interrupts and for where samples "
		  "fall",
	  .optional = true },
	{ .name = "cycles_own",
	  .claim = "between the two branches of a round they are at most 0.7 times those from the "
		   "round before",
	  .origin = "the loop has three instructions there and fourteen here, each of which needs "
		    "the one before",
	  .optional = true },
	{ .name = "left_out",
	  .claim = "without flags and cycles asked for there are none",
	  .origin = "perf_event_open(2), PERF_SAMPLE_BRANCH_NO_FLAGS and _NO_CYCLES; "
		    "intel_pmu_setup_hw_lbr_filter(): where they are in a register of their own",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lbr_shape",
	.claim = "A branch stack is as deep as the CPU's record, in order, of the moment of its "
		 "sample, and what it says of each branch is true.",
	.source = "perf_event_open(2), PERF_SAMPLE_BRANCH_STACK; Intel SDM volume 3B",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lbr_shape,
};
