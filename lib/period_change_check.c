// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "period_change.h"

Suite *suite(void);

/* A period of 20000 that is half over when one of 1000 is set, and the other way round. */
#define LONG 20000
#define SHORT 1000
#define FROM 50000
#define TO (FROM + 10)
#define SKID 20

static const struct period_change shorter = { .period = SHORT, .from = FROM, .to = TO };
static const struct period_change longer = { .period = LONG, .from = FROM, .to = TO };

/* n samples, the first of them `wait` after the change, `apart` from each other. */
static struct period_change sampled(const struct period_change *begin, uint64_t n, uint64_t wait,
				    uint64_t apart)
{
	struct period_change change = *begin;

	for (uint64_t i = 0; i < n; i++)
		period_change_take(&change, TO + wait + i * apart, begin->period);
	return change;
}

START_TEST(at_once)
{
	const uint64_t end = TO + 5 * SHORT + SHORT / 2;
	struct period_change change = sampled(&shorter, 5, SHORT + SKID, SHORT);

	ck_assert_double_eq_tol(period_change_waited(&change, end), 1.03, 1e-9);
	ck_assert_double_le(period_change_off(&change, end), 0.02);
	ck_assert_uint_eq(change.other, 0);
	change = sampled(&longer, 1, LONG + SKID, LONG);
	ck_assert_double_eq_tol(period_change_waited(&change, end), 1.0015, 1e-9);
	ck_assert_double_le(period_change_off(&change, TO + LONG + LONG / 2), 0.02);
}
END_TEST

/* What was left of the old period goes by first: too much, or too little. */
START_TEST(after_the_old_one)
{
	const uint64_t end = TO + 5 * SHORT + SHORT / 2;
	struct period_change change = sampled(&shorter, 0, 0, 0);

	ck_assert_double_ge(period_change_waited(&change, end), 5.5);
	ck_assert_double_ge(period_change_off(&change, end), 5);
	change = sampled(&shorter, 1, LONG / 2, SHORT);
	ck_assert_double_ge(period_change_waited(&change, TO + LONG), 10);
	change = sampled(&longer, 2, SHORT / 2, LONG);
	ck_assert_double_le(period_change_waited(&change, end), 0.03);
	ck_assert_double_ge(period_change_off(&change, TO + LONG + LONG / 2), 0.99);
}
END_TEST

/* It begins at once, but is of another length than was asked for. */
START_TEST(of_another_length)
{
	const uint64_t end = TO + 5 * SHORT + SHORT / 2;
	struct period_change change = sampled(&shorter, 11, SHORT / 2, SHORT / 2);

	ck_assert_double_le(period_change_waited(&change, end), 0.52);
	ck_assert_double_ge(period_change_off(&change, end), 5.9);
	change = sampled(&longer, 0, 0, 0);
	ck_assert_double_ge(period_change_off(&change, TO + LONG + LONG / 2), 0.99);
}
END_TEST

START_TEST(says_another_period)
{
	struct period_change change = shorter;

	period_change_take(&change, TO + SHORT, LONG);
	period_change_take(&change, TO + 2 * SHORT, SHORT);
	period_change_take(&change, TO + 3 * SHORT, SHORT / 2);
	ck_assert_uint_eq(change.other, 2);
	ck_assert_uint_eq(change.samples, 3);
}
END_TEST

/* A sample before the change, or in the middle of it, may be one of the old period. */
START_TEST(before_the_change)
{
	struct period_change change = longer;

	period_change_take(&change, FROM - 1, SHORT);
	period_change_take(&change, TO, SHORT);
	ck_assert_uint_eq(change.samples, 0);
	ck_assert_uint_eq(change.other, 0);
	period_change_take(&change, TO + 1, SHORT);
	ck_assert_uint_eq(change.samples, 1);
	ck_assert_double_lt(period_change_waited(&change, TO + LONG), 0.001);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("period_change");
	TCase *tests = tcase_create("period_change");

	tcase_add_test(tests, at_once);
	tcase_add_test(tests, after_the_old_one);
	tcase_add_test(tests, of_another_length);
	tcase_add_test(tests, says_another_period);
	tcase_add_test(tests, before_the_change);
	suite_add_tcase(all, tests);
	return all;
}
