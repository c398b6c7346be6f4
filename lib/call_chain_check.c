// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "call_chain.h"

Suite *suite(void);

#define DEPTH 3

/* Two chains of three calls; the deepest function stays from 0x40 to 0x4f of its chain. */
static const struct call_site own_calls[DEPTH] = { { 0x1008, 0x1010 },
						   { 0x1018, 0x1020 },
						   { 0x1028, 0x1030 } };
static const struct call_site other_calls[DEPTH] = { { 0x2008, 0x2010 },
						     { 0x2018, 0x2020 },
						     { 0x2028, 0x2030 } };
static const struct call_chain own = { own_calls, DEPTH, 0x1000, 0x1100, 0x1040, 0x1050 };
static const struct call_chain other = { other_calls, DEPTH, 0x2000, 0x2100, 0x2040, 0x2050 };

#define STAY 0x1044
#define BRANCH(f, t) ((struct perf_branch_entry){ .from = (f), .to = (t) })

/* What the hardware shows: innermost first, then who called the chain. */
static const struct perf_branch_entry right[] = {
	{ .from = 0x1028, .to = 0x1030 }, { .from = 0x1018, .to = 0x1020 },
	{ .from = 0x1008, .to = 0x1010 }, { .from = 0x9008, .to = 0x1000 },
	{ .from = 0x9800, .to = 0x9000 },
};

#define RIGHT (sizeof(right) / sizeof(right[0]))

static enum chain_seen judge(uint64_t ip, const struct perf_branch_entry *branches, size_t nr)
{
	return call_chain_judge(&own, &other, ip, branches, nr);
}

START_TEST(complete)
{
	ck_assert_int_eq(judge(STAY, right, RIGHT), CHAIN_COMPLETE);
	/* Without who called the chain: the hardware may have no room for more. */
	ck_assert_int_eq(judge(STAY, right, DEPTH), CHAIN_COMPLETE);
	ck_assert_int_eq(judge(0x1040, right, RIGHT), CHAIN_COMPLETE);
	ck_assert_int_eq(judge(0x104f, right, RIGHT), CHAIN_COMPLETE);
}
END_TEST

START_TEST(elsewhere)
{
	ck_assert_int_eq(judge(0x103f, right, RIGHT), CHAIN_ELSEWHERE);
	ck_assert_int_eq(judge(0x1050, right, RIGHT), CHAIN_ELSEWHERE);
	ck_assert_int_eq(judge(0x9000, NULL, 0), CHAIN_ELSEWHERE);
	ck_assert_int_eq(judge(0x2044, right, RIGHT), CHAIN_ELSEWHERE);
}
END_TEST

START_TEST(cut_short)
{
	for (size_t nr = 0; nr < DEPTH; nr++)
		ck_assert_int_eq(judge(STAY, right, nr), CHAIN_INCOMPLETE);
}
END_TEST

/* Any one call taken out, and what is behind it moved up. */
START_TEST(one_missing)
{
	struct perf_branch_entry stack[RIGHT];
	size_t at = (size_t)_i;

	memcpy(stack, right, sizeof(right));
	memmove(&stack[at], &stack[at + 1], (RIGHT - at - 1) * sizeof(stack[0]));
	ck_assert_int_eq(judge(STAY, stack, RIGHT - 1), CHAIN_INCOMPLETE);
}
END_TEST

/* Any one call with another origin, or another target. */
START_TEST(one_different)
{
	struct perf_branch_entry stack[RIGHT];

	memcpy(stack, right, sizeof(right));
	stack[_i].from++;
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_INCOMPLETE);
	memcpy(stack, right, sizeof(right));
	stack[_i].to++;
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_INCOMPLETE);
}
END_TEST

START_TEST(wrong_order)
{
	struct perf_branch_entry stack[RIGHT];

	memcpy(stack, right, sizeof(right));
	stack[0] = right[1];
	stack[1] = right[0];
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_INCOMPLETE);
	/* Outermost first. */
	for (size_t i = 0; i < DEPTH; i++)
		stack[i] = right[DEPTH - 1 - i];
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_INCOMPLETE);
}
END_TEST

/* One of the other's, anywhere, by its origin or its target alone; with the own chain whole or not.
 */
START_TEST(of_the_other)
{
	struct perf_branch_entry stack[RIGHT];

	memcpy(stack, right, sizeof(right));
	stack[_i] = BRANCH(0x2018, 0x9000);
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_FOREIGN);
	stack[_i] = BRANCH(0x9000, 0x2000);
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_FOREIGN);
	stack[_i] = BRANCH(0x20ff, 0x20ff);
	ck_assert_int_eq(judge(STAY, stack, RIGHT), CHAIN_FOREIGN);
	/* Just outside is nobody's. */
	stack[_i] = BRANCH(0x1fff, 0x2100);
	ck_assert_int_ne(judge(STAY, stack, RIGHT), CHAIN_FOREIGN);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("call_chain");
	TCase *tcase = tcase_create("judge");

	tcase_add_test(tcase, complete);
	tcase_add_test(tcase, elsewhere);
	tcase_add_test(tcase, cut_short);
	tcase_add_loop_test(tcase, one_missing, 0, DEPTH);
	tcase_add_loop_test(tcase, one_different, 0, DEPTH);
	tcase_add_test(tcase, wrong_order);
	tcase_add_loop_test(tcase, of_the_other, 0, (int)RIGHT);
	suite_add_tcase(s, tcase);
	return s;
}
