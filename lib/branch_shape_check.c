// SPDX-License-Identifier: GPL-2.0-or-later
#include "branch_shape.h"

#include <check.h>
#include <string.h>

Suite *suite(void);

static const struct random_loop loop = {
	.begin = 0x1000,
	.end = 0x1100,
	.sometimes_from = 0x1040,
	.sometimes_to = 0x1050,
	.always_from = 0x1060,
	.always_to = 0x1004,
};

#define DEPTH 16
#define NOW 0x123456789abcdefULL

/* A sound stack of the moment when the state is NOW and its branch is decided. */
static void sound(struct perf_branch_entry stack[DEPTH])
{
	uint64_t state = NOW;
	int n = 0;

	memset(stack, 0, DEPTH * sizeof(*stack));
	while (n < DEPTH) {
		if (random_taken(state))
			stack[n++] = (struct perf_branch_entry){ .from = 0x1040, .to = 0x1050 };
		if (n < DEPTH)
			stack[n++] = (struct perf_branch_entry){ .from = 0x1060, .to = 0x1004 };
		state = random_before(state);
	}
	for (int i = 0; i < DEPTH; i++) {
		stack[i].predicted = 1;
		stack[i].cycles = 5;
	}
}

static const uint64_t now = NOW, before = 0x987654321ULL;

static struct ring_sample sample_of(const struct perf_branch_entry *stack, uint64_t nr,
				    const uint64_t *state)
{
	return (struct ring_sample){ .ip = 0x1020,
				     .branches = stack,
				     .branch_nr = nr,
				     .branch_has_hw_index = true,
				     .branch_hw_index = 3,
				     .intr_regs_abi = 2,
				     .intr_regs = state };
}

static struct shape_tally one(const struct ring_sample *sample)
{
	struct shape_tally tally = { .loop = &loop, .behind_most = 64 };

	shape_tally_take(&tally, sample);
	return tally;
}

static struct shape_tally one_stack(const struct perf_branch_entry *stack)
{
	const struct ring_sample sample = sample_of(stack, DEPTH, &now);

	return one(&sample);
}

START_TEST(sound_stack)
{
	struct perf_branch_entry stack[DEPTH];
	struct shape_tally tally;
	uint64_t n;

	sound(stack);
	tally = one_stack(stack);
	ck_assert_uint_eq(tally.stacks, 1);
	ck_assert_uint_eq(tally.judged, 1);
	ck_assert_uint_eq(tally.entries, DEPTH);
	ck_assert_uint_eq(tally.told, DEPTH);
	ck_assert_uint_eq(tally.sometimes + tally.always, DEPTH);
	ck_assert_uint_gt(tally.sometimes, 0);
	ck_assert_uint_eq(tally.stale + tally.both + tally.neither + tally.transaction, 0);
	ck_assert_uint_eq(tally.sometimes_missed + tally.always_missed, 0);
	ck_assert_uint_eq(tally.timed, DEPTH - 1);
	ck_assert_uint_eq(tally.cycles, 5 * (DEPTH - 1));
	ck_assert_uint_eq(shape_deepest(&tally, 0, &n), DEPTH);
	ck_assert_uint_eq(n, 1);
}
END_TEST

START_TEST(not_of_the_loop)
{
	struct perf_branch_entry stack[DEPTH];
	struct ring_sample sample;

	sound(stack);
	sample = sample_of(stack, DEPTH, &now);
	sample.ip = 0xfff;
	ck_assert_uint_eq(one(&sample).stacks, 0);
	sample.ip = 0x1100;
	ck_assert_uint_eq(one(&sample).stacks, 0);
	sample.ip = 0x1000;
	sample.intr_regs_abi = 0;
	ck_assert_uint_eq(one(&sample).stacks, 0);
}
END_TEST

/* A stack of another moment; a short one is not judged, but counted. */
START_TEST(stale_and_short)
{
	struct perf_branch_entry stack[DEPTH];
	struct ring_sample sample;
	struct shape_tally tally;
	uint64_t n;

	sound(stack);
	sample = sample_of(stack, DEPTH, &before);
	ck_assert_uint_eq(one(&sample).stale, 1);
	sample = sample_of(stack, 5, &before);
	tally = one(&sample);
	ck_assert_uint_eq(tally.stacks, 1);
	ck_assert_uint_eq(tally.judged + tally.stale, 0);
	ck_assert_uint_eq(shape_deepest(&tally, 0, &n), 5);
	sample = sample_of(stack, 0, &before);
	tally = one(&sample);
	ck_assert_uint_eq(shape_deepest(&tally, 0, &n), 0);
	ck_assert_uint_eq(n, 1);
}
END_TEST

/* Each flag of each entry. */
START_TEST(flags)
{
	struct perf_branch_entry stack[DEPTH];
	struct shape_tally tally;

	sound(stack);
	stack[_i].mispred = 1;
	tally = one_stack(stack);
	ck_assert_uint_eq(tally.both, 1);
	ck_assert_uint_eq(tally.sometimes_missed + tally.always_missed, 1);
	stack[_i].predicted = 0;
	ck_assert_uint_eq(one_stack(stack).both, 0);
	stack[_i].mispred = 0;
	tally = one_stack(stack);
	ck_assert_uint_eq(tally.neither, 1);
	ck_assert_uint_eq(tally.told, DEPTH);
	stack[_i].cycles = 0;
	ck_assert_uint_eq(one_stack(stack).told, DEPTH - 1);
	stack[_i].in_tx = 1;
	ck_assert_uint_eq(one_stack(stack).transaction, 1);
	stack[_i].in_tx = 0;
	stack[_i].abort = 1;
	ck_assert_uint_eq(one_stack(stack).transaction, 1);
}
END_TEST

START_TEST(depths)
{
	struct shape_tally tally = { .deep = { [0] = 1, [14] = 2, [15] = 4, [16] = 8 } };
	uint64_t n;

	ck_assert_uint_eq(shape_deepest(&tally, 0, &n), 16);
	ck_assert_uint_eq(n, 8);
	ck_assert_uint_eq(shape_deepest(&tally, 2, &n), 16);
	ck_assert_uint_eq(n, 14);
	shape_deepest(&tally, 20, &n);
	ck_assert_uint_eq(n, 15);
}
END_TEST

START_TEST(cycles_of_an_interrupt)
{
	struct perf_branch_entry stack[DEPTH];
	struct shape_tally tally;

	sound(stack);
	stack[3].cycles = SHAPE_CYCLES_MAX + 1;
	stack[DEPTH - 1].cycles = 900; /* since one that is not in the stack */
	tally = one_stack(stack);
	ck_assert_uint_eq(tally.timed, DEPTH - 2);
	ck_assert_uint_eq(tally.cycles, 5 * (DEPTH - 2));
}
END_TEST

/* Newest first: the closing branch of a round, its other one, the closing one of the round before.
 */
START_TEST(cycles_of_either)
{
	struct perf_branch_entry stack[] = {
		{ .from = 0x1060, .to = 0x1004, .cycles = 2, .predicted = 1 },
		{ .from = 0x1040, .to = 0x1050, .cycles = 9, .predicted = 1 },
		{ .from = 0x1060, .to = 0x1004, .cycles = 700, .predicted = 1 },
		{ .from = 0x1060, .to = 0x1004, .cycles = 800, .predicted = 1 },
	};
	struct ring_sample sample = sample_of(stack, 4, &now);
	struct perf_branch_entry missed[4];
	struct shape_tally tally = one(&sample);

	ck_assert_uint_eq(tally.short_timed, 1);
	ck_assert_uint_eq(tally.short_cycles, 2);
	ck_assert_uint_eq(tally.long_timed, 1);
	ck_assert_uint_eq(tally.long_cycles, 9);
	ck_assert_uint_eq(tally.cycles, 2 + 9 + 700);
	memcpy(missed, stack, sizeof(missed));
	missed[1].mispred = 1;
	sample = sample_of(missed, 4, &now);
	tally = one(&sample);
	ck_assert_uint_eq(tally.short_timed + tally.long_timed, 0);
}
END_TEST

START_TEST(indexes)
{
	static const uint64_t given[] = { 0, 31, 31, 64, UINT64_MAX };
	struct shape_tally tally = { .loop = &loop, .behind_most = 64 };
	struct perf_branch_entry stack[DEPTH];

	sound(stack);
	ck_assert_int_eq(shape_index_most(&tally), -1);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct ring_sample sample = sample_of(stack, DEPTH, &now);

		sample.branch_hw_index = given[i];
		shape_tally_take(&tally, &sample);
	}
	ck_assert_uint_eq(shape_indexes(&tally), 2);
	ck_assert_int_eq(shape_index_most(&tally), 31);
	ck_assert_uint_eq(tally.index_above, 1);
	ck_assert_uint_eq(tally.index_none, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("branch_shape");
	TCase *tcase = tcase_create("stacks");

	tcase_add_test(tcase, sound_stack);
	tcase_add_test(tcase, not_of_the_loop);
	tcase_add_test(tcase, stale_and_short);
	tcase_add_loop_test(tcase, flags, 0, DEPTH);
	tcase_add_test(tcase, depths);
	tcase_add_test(tcase, cycles_of_an_interrupt);
	tcase_add_test(tcase, cycles_of_either);
	tcase_add_test(tcase, indexes);
	suite_add_tcase(s, tcase);
	return s;
}
