// SPDX-License-Identifier: GPL-2.0-or-later
#include "random_loop.h"

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

#define ROUNDS 500
#define DEPTH 32
#define MOST 64

/* A walk, forward as a CPU goes. */
static struct perf_branch_entry walk[2 * ROUNDS];
static uint64_t state_at[ROUNDS];
static int branches_at[ROUNDS]; /* in walk, when round i is decided and its branch behind us */
static int walked;

static void walk_on(void)
{
	uint64_t state = 88172645463325252;

	memset(walk, 0, sizeof(walk));
	walked = 0;
	for (int i = 0; i < ROUNDS; i++) {
		state = random_next(state);
		if (random_taken(state))
			walk[walked++] = (struct perf_branch_entry){ .from = 0x1040, .to = 0x1050 };
		state_at[i] = state;
		branches_at[i] = walked;
		walk[walked++] = (struct perf_branch_entry){ .from = 0x1060, .to = 0x1004 };
	}
}

/* The stack at the time when so many branches were taken. */
static void stack_at(int taken, struct perf_branch_entry stack[DEPTH])
{
	for (int i = 0; i < DEPTH; i++)
		stack[i] = walk[taken - 1 - i];
}

START_TEST(steps_back)
{
	uint64_t state = 1;

	for (int i = 0; i < 1000; i++) {
		uint64_t next = random_next(state);

		ck_assert_uint_ne(next, 0);
		ck_assert_uint_eq(random_before(next), state);
		state = next;
	}
	/* By hand: 1 ^ 2^13, ^ 2^6, which shifted by 7 is gone but for 2^6, ^ the same << 17. */
	ck_assert_uint_eq(random_next(1), 0x40822041);
}
END_TEST

/* Every moment and every distance, also in the middle of a round. */
START_TEST(behind_by_so_many)
{
	struct perf_branch_entry stack[DEPTH];

	walk_on();
	for (int round = 100; round < ROUNDS; round += 7) {
		stack_at(branches_at[round] + 1 - _i, stack);
		ck_assert_int_eq(random_loop_behind(&loop, state_at[round], stack, DEPTH, MOST),
				 _i <= MOST ? _i : -1);
	}
}
END_TEST

/* A stack of a moment before is not taken for one of now, whatever it is cut to but very short. */
START_TEST(stale_is_noticed)
{
	int wrong = 0, n = 0;

	walk_on();
	for (int round = 200; round < ROUNDS; round++, n++) {
		struct perf_branch_entry stack[DEPTH];

		stack_at(branches_at[round - 150], stack);
		ck_assert_int_eq(random_loop_behind(&loop, state_at[round], stack, DEPTH, MOST),
				 -1);
		wrong += random_loop_behind(&loop, state_at[round], stack, 16, MOST) >= 0;
	}
	/* Ten rounds or so fit by chance one of 64 times 1 / 1024. */
	ck_assert_int_lt(wrong * 6, n);
}
END_TEST

/* Turned round, one missing, one twice, the other one's target: none fits. */
START_TEST(mutated_stacks)
{
	struct perf_branch_entry sound[DEPTH], stack[DEPTH];

	walk_on();
	stack_at(branches_at[300], sound);
	for (int i = 0; i < DEPTH; i++)
		stack[i] = sound[DEPTH - 1 - i];
	ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, DEPTH, MOST), -1);
	for (int i = 1; i < DEPTH - 8; i++) {
		memcpy(stack, sound, sizeof(stack));
		stack[i].to = stack[i].to == 0x1050 ? 0x1004 : 0x1050;
		ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, DEPTH, MOST), -1);
		memcpy(stack, sound, sizeof(stack));
		stack[i].from++;
		ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, DEPTH, MOST), -1);
	}
}
END_TEST

/* From before the loop at the old end: ignored. Too little of the loop: not judged. */
START_TEST(short_stacks)
{
	struct perf_branch_entry stack[DEPTH];

	walk_on();
	stack_at(branches_at[300], stack);
	stack[20].from = 0x9000;
	ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, DEPTH, MOST), 1);
	stack[RANDOM_BRANCHES_MIN].to = 0x1100;
	ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, DEPTH, MOST), 1);
	stack[RANDOM_BRANCHES_MIN - 1].to = 0xfff;
	ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, DEPTH, MOST), -2);
	ck_assert_int_eq(random_loop_behind(&loop, state_at[300], stack, 0, MOST), -2);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("random_loop");
	TCase *tcase = tcase_create("stacks");

	tcase_add_test(tcase, steps_back);
	tcase_add_loop_test(tcase, behind_by_so_many, 0, MOST + 2);
	tcase_add_test(tcase, stale_is_noticed);
	tcase_add_test(tcase, mutated_stacks);
	tcase_add_test(tcase, short_stacks);
	suite_add_tcase(s, tcase);
	return s;
}
