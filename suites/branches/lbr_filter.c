// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a branch stack has all the branches that were asked for, newest first, and no others.
 *
 * Mechanism: the caller asks for branches by type and by where they lead to, user code or the
 * kernel. The CPU's own filter (Intel: LBR_SELECT) is set to that each time the event comes to the
 * CPU; what it cannot tell apart the kernel sorts out by decoding the branch instructions.
 *
 * On a broken kernel a stack has branches of another type, lacks some of those asked for, is in
 * another order, or shows the kernel's addresses to who has asked for user code only.
 *
 * The program goes round a loop that has three branches of each type, some that are never taken,
 * and a system call. In a stack of a sample from within it, each branch must be preceded by the one
 * before it in the loop that passes the filter: none can be missing, too much, or elsewhere.
 */
#include <stdio.h>
#include <time.h>

#include "branch_loop.h"
#include "clock.h"
#include "drain.h"
#include "hypothesis.h"
#include "kinds.h"
#include "rate_limit.h"
#include "stats.h"

#define PERIOD \
	5003	   /* user instructions: a record is full after ten rounds of less than a hundred */
#define WANTED 120 /* stacks of a row */
#define FLOOR 99   /* fewer are no conclusion */
#define ROUNDS 1000 /* of a part: 13 periods; a ring holds 300 deep stacks */
#define RING_PAGES 64
#define ROW_NS 2000000000
#define WRONG_MAX 1.0	  /* % of stacks */
#define CALLS_MIN 50.0	  /* the same */
#define RETURNS_MIN 90.0  /* the same */
#define FILL_MIN 30.0	  /* % of the deepest stack */
#define DEPTH_FILTERED 16 /* records as deep as that have a filter */

#define BIT(type) (1U << PERF_BR_##type)
#define ASK(filter) PERF_SAMPLE_BRANCH_##filter
#define ALL_TYPES (~0U)
#define CALLS (BIT(CALL) | BIT(IND_CALL) | BIT(SYSCALL) | BIT(IRQ))
#define RETURNS (BIT(RET) | BIT(SYSRET) | BIT(ERET))

/* What to ask for, and the types that are to come: perf_event_open(2), branch_sample_type. */
static const struct filter {
	const char *name;
	uint64_t ask;
	uint32_t types;
} filters[] = {
	{ "any", ASK(ANY), ALL_TYPES },
	{ "any_call", ASK(ANY_CALL), CALLS },
	{ "any_return", ASK(ANY_RETURN), RETURNS },
	{ "cond", ASK(COND), BIT(COND) },
	{ "call", ASK(CALL), BIT(CALL) },
	{ "ind_call", ASK(IND_CALL), BIT(IND_CALL) },
	{ "ind_jump", ASK(IND_JUMP), BIT(IND) },
	{ "call and any_return", ASK(CALL) | ASK(ANY_RETURN), BIT(CALL) | RETURNS },
	{ "cond and ind_call", ASK(COND) | ASK(IND_CALL), BIT(COND) | BIT(IND_CALL) },
	{ "ind_call and ind_jump", ASK(IND_CALL) | ASK(IND_JUMP), BIT(IND_CALL) | BIT(IND) },
	{ "any_call, any_return, cond, ind_jump",
	  ASK(ANY_CALL) | ASK(ANY_RETURN) | ASK(COND) | ASK(IND_JUMP),
	  CALLS | RETURNS | BIT(COND) | BIT(IND) },
};

#define FILTERS (sizeof(filters) / sizeof(filters[0]))
#define FILTERS_KERNEL                                                            \
	5 /* the first so many, of which any kernel has branches in a system call \
	   */

enum filter_number { ANY, ANY_CALL, ANY_RETURN };

/* An event with a filter, and what came of it. */
struct row {
	char name[64];
	const struct filter *filter;
	struct event event;
	struct branch_tally tally;
	struct drained drained;
};

/* What all rows amount to. */
struct experiment {
	struct run *run;
	uint64_t deepest, least_stacks;
	double filled[FILTERS]; /* mean branches in the rows of user code; 0: no such row */
};

static struct row make_row(const struct filter *filter, bool user, bool kernel)
{
	struct row row = {
		.filter = filter,
		.event = EVENT_CLOSED,
		.tally = { .loop = &kinds_calling.loop,
			   .filter = { .types = filter->types, .user = user, .kernel = kernel } },
	};

	snprintf(row.name, sizeof(row.name), "%s: %s%s%s", filter->name, user ? "user" : "",
		 user && kernel ? " and " : "", kernel ? "kernel" : "");
	return row;
}

/* The kernel's branches are told by the type that it finds for them. */
static struct perf_event_attr row_attr(const struct row *row)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = row->filter->ask;
	if (row->tally.filter.user)
		attr.branch_sample_type |= PERF_SAMPLE_BRANCH_USER;
	if (row->tally.filter.kernel)
		attr.branch_sample_type |= PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_TYPE_SAVE;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static void take(const struct ring_sample *sample, uint16_t misc, void *tally)
{
	(void)misc;
	branch_tally_take(tally, sample);
}

static int open_row(struct row *row, struct err *err)
{
	const struct perf_event_attr attr = row_attr(row);
	int result = event_open_self(&row->event, &attr, err);

	if (!result)
		result = event_map(&row->event, RING_PAGES, false, err);
	return result ? result : event_enable(&row->event, err);
}

/* Go round until there are stacks enough, or time is up. */
static int observe(struct row *row, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ROW_NS;
	int result = 0;

	while (!result && row->tally.stacks < WANTED && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		kinds_calling.run(ROUNDS);
		result = event_drain(&row->event, &row->drained, take, &row->tally, err);
	}
	return result;
}

static double share(const struct row *row, uint64_t stacks)
{
	return stats_percent(stacks, row->tally.stacks);
}

static void report(struct run *run, const struct row *row)
{
	const struct branch_tally *tally = &row->tally;
	const char *table = "branch filters";

	run_figure(run, table, row->name, "stacks", (double)tally->stacks, "1");
	run_figure(run, table, row->name, "branches of each",
		   (double)tally->branches / (double)tally->stacks, "1");
	run_figure(run, table, row->name, "unasked", (double)tally->unasked, "1");
	run_figure(run, table, row->name, "missing", (double)tally->missing, "1");
	run_figure(run, table, row->name, "system calls", (double)tally->calls, "1");
	run_figure(run, table, row->name, "returns", (double)tally->returns, "1");
}

static void judge(struct experiment *all, const struct row *row)
{
	const struct branch_tally *tally = &row->tally;
	const struct branch_filter *filter = &tally->filter;
	struct run *run = all->run;

	report(run, row);
	run_check_le(run, "known_branches", row->name, share(row, tally->unknown), WRONG_MAX, "%");
	run_check_le(run, "only_asked", row->name, share(row, tally->unasked), WRONG_MAX, "%");
	run_check_le(run, "all_asked", row->name, share(row, tally->missing), WRONG_MAX, "%");
	run_check_le(run, "newest_first", row->name, share(row, tally->disordered), WRONG_MAX, "%");
	if (!filter->kernel) {
		run_check_eq(run, "user_only", row->name, (double)tally->to_kernel, 0, "1");
		run_check_eq(run, "hides_kernel", row->name, (double)tally->from_kernel, 0, "1");
	}
	if (!filter->user)
		run_check_eq(run, "kernel_only", row->name, (double)tally->to_user, 0, "1");
	/* Calls of user code and, where they are few enough, of the kernel would hide it. */
	if (!filter->user && row->filter == &filters[ANY_CALL] && tally->deepest >= DEPTH_FILTERED)
		run_check_ge(run, "shows_calls", row->name, share(row, tally->calls), CALLS_MIN,
			     "%");
	/* At most six returns of user code are newer. */
	if (filter->user && filter->kernel && row->filter == &filters[ANY_RETURN])
		run_check_ge(run, "shows_returns", row->name, share(row, tally->returns),
			     RETURNS_MIN, "%");
}

static void add_up(struct experiment *all, const struct row *row)
{
	const struct branch_tally *tally = &row->tally;

	if (tally->stacks < all->least_stacks)
		all->least_stacks = tally->stacks;
	if (tally->deepest > all->deepest)
		all->deepest = tally->deepest;
	if (!tally->filter.kernel && tally->stacks)
		all->filled[row->filter - filters] =
			(double)tally->branches / (double)tally->stacks;
}

static void run_row(struct experiment *all, size_t filter, bool user, bool kernel)
{
	struct row row = make_row(&filters[filter], user, kernel);
	struct err err;

	run_progress(all->run, "%s", row.name);
	if (open_row(&row, &err)) {
		/* Not all CPUs have all filters, and not all kernels know them. */
		run_note(all->run, "not judged: %s: %s", row.name, err.text);
	} else if (observe(&row, &err)) {
		run_broken(all->run, "%s: %s", row.name, err.text);
	} else {
		add_up(all, &row);
		if (row.tally.stacks > FLOOR)
			judge(all, &row);
	}
	event_close(&row.event);
}

/* What the CPU lets through and the kernel throws away takes room from what was asked for. */
static void check_fill(struct experiment *all)
{
	if (all->deepest < DEPTH_FILTERED) {
		run_note(all->run,
			 "whether the CPU itself filters was not judged: its record has "
			 "%u branches only",
			 (unsigned int)all->deepest);
		return;
	}
	for (size_t i = 0; i < FILTERS; i++)
		if (all->filled[i] > 0)
			run_check_ge(all->run, "hardware_filters", filters[i].name,
				     100 * all->filled[i] / (double)all->deepest, FILL_MIN, "%");
}

static int run_lbr_filter(struct run *run)
{
	struct experiment all = { .run = run, .least_stacks = UINT64_MAX };
	struct err err;

	if (!kinds_calling.loop.n)
		return run_skip(run, "no loop of known branches for this architecture");
	if (cpus_pin(run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	for (size_t i = 0; i < FILTERS; i++)
		run_row(&all, i, true, false);
	for (size_t i = 0; i < FILTERS_KERNEL; i++) {
		run_row(&all, i, false, true);
		run_row(&all, i, true, true);
	}
	if (all.least_stacks == UINT64_MAX)
		return run_skip(run, "CPU %d: no filter opens", run_cpus(run)->cpu[0]);
	if (run_control(run, "stacks, least of all rows", (double)all.least_stacks, FLOOR, "1"))
		check_fill(&all);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_ROOT }, /* records of the kernel's branches */
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

#define ORIGIN_SHARE \
	"; 1 % of the stacks for samples right after the task was switched in, and errata"

static const struct check checks[] = {
	{ .name = "known_branches",
	  .claim = "each branch within the loop is one that it takes",
	  .origin = "the loop, single-stepped by its unit test" ORIGIN_SHARE },
	{ .name = "only_asked",
	  .claim = "no branch is of a type that was not asked for",
	  .origin = "perf_event_open(2), branch_sample_type" ORIGIN_SHARE },
	{ .name = "all_asked",
	  .claim = "of the types asked for no branch is missing between two others, and a stack is "
		   "not empty",
	  .origin = "Intel SDM 3B, \"Last Branch Records\": every branch that passes the filter is "
		    "recorded" ORIGIN_SHARE },
	{ .name = "newest_first",
	  .claim = "branches are in the order of the loop, the newest first",
	  .origin = "perf_event_open(2), PERF_SAMPLE_BRANCH_STACK" ORIGIN_SHARE },
	{ .name = "user_only",
	  .claim = "no branch leads into the kernel where user code was asked for",
	  .origin = "perf_event_open(2), PERF_SAMPLE_BRANCH_USER: the target is in user space" },
	{ .name = "hides_kernel",
	  .claim = "nor does one come from it",
	  .origin = "intel_pmu_lbr_filter(): drops them, as the address of a kernel's return is "
		    "none of a user's business; kernels before that change show it" },
	{ .name = "kernel_only",
	  .claim = "no branch leads to user code where the kernel was asked for",
	  .origin = "perf_event_open(2), PERF_SAMPLE_BRANCH_KERNEL: the target is in the kernel" },
	{ .name = "shows_calls",
	  .claim = "calls of the kernel begin with the system call in at least 50 % of the stacks",
	  .origin = "a system call that does not exist makes fewer calls than a record has room "
		    "for; 50 % for interrupts and kernels with much debugging",
	  .optional = true },
	{ .name = "shows_returns",
	  .claim = "returns of both have that from the system call in at least 90 % of the stacks",
	  .origin = "it is among the seven newest; 10 % for samples behind an interrupt",
	  .optional = true },
	{ .name = "hardware_filters",
	  .claim = "stacks of user code are at least 30 % as deep with a filter as the deepest",
	  .origin = "Intel SDM 3B, \"LBR_SELECT\": what is filtered takes no room. Nehalem, "
		    "where errata make the kernel record jumps too, has 42 %; where the kernel "
		    "alone sorts, one branch of 22 takes up to 14 %",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lbr_filter",
	.claim = "A branch stack has all the branches that were asked for, newest first, and no "
		 "others.",
	.source = "perf_event_open(2), branch_sample_type; Intel SDM volume 3B",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lbr_filter,
};
