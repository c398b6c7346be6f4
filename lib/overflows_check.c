// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "overflows.h"

Suite *suite(void);

#define PERIOD 1000

/* Samples at multiples of the period, with some skid. */
static void add(struct overflows *overflows, uint64_t from, uint64_t to)
{
	for (uint64_t number = from; number <= to; number++)
		overflows_add(overflows, number * PERIOD + number % 7, overflows->lost);
}

static void expect(const struct overflows *overflows, uint64_t twice, uint64_t missing,
		   uint64_t excess)
{
	ck_assert_uint_eq(overflows->twice, twice);
	ck_assert_uint_eq(overflows->missing, missing);
	ck_assert_uint_eq(overflows->excess, excess);
}

START_TEST(each_once)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, 20);
	overflows_end(&overflows, 20 * PERIOD + PERIOD - 1, 0);
	ck_assert_uint_eq(overflows.samples, 20);
	expect(&overflows, 0, 0, 0);
}
END_TEST

START_TEST(nothing_is_due)
{
	struct overflows overflows = { .period = PERIOD };

	overflows_end(&overflows, PERIOD - 1, 0);
	expect(&overflows, 0, 0, 0);
}
END_TEST

START_TEST(every_one_of_20_taken_out_is_noticed)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, (uint64_t)_i);
	add(&overflows, (uint64_t)_i + 2, 20);
	overflows_end(&overflows, 20 * PERIOD, 0);
	expect(&overflows, 0, 1, 0);
}
END_TEST

START_TEST(every_one_of_20_that_comes_again_is_noticed)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, (uint64_t)_i);
	add(&overflows, (uint64_t)_i, 20);
	overflows_end(&overflows, 20 * PERIOD, 0);
	expect(&overflows, 1, 0, 0);
}
END_TEST

START_TEST(before_it_was_due)
{
	struct overflows overflows = { .period = PERIOD };

	overflows_add(&overflows, PERIOD - 1, 0);
	add(&overflows, 1, 3);
	overflows_end(&overflows, 3 * PERIOD, 0);
	expect(&overflows, 1, 0, 0);
}
END_TEST

/* Samples after periods that are too long by so much each. */
static uint64_t late_of_100(uint64_t longer)
{
	struct overflows overflows = { .period = PERIOD };

	for (uint64_t number = 1; number <= 100; number++)
		overflows_add(&overflows, number * (PERIOD + longer), 0);
	return overflows.late;
}

START_TEST(later_each_time)
{
	/* Once through the period in steps of 10; four times, with 280 to 960 of 25 in each. */
	ck_assert_uint_eq(late_of_100(10), 75);
	ck_assert_uint_eq(late_of_100(40), 4UL * 18);
	/* A tenth of the way. */
	ck_assert_uint_eq(late_of_100(1), 0);
	ck_assert_uint_eq(late_of_100(0), 0);
}
END_TEST

START_TEST(late_by_skid)
{
	struct overflows overflows = { .period = PERIOD };

	overflows_add(&overflows, PERIOD + PERIOD / 4 - 1, 0);
	ck_assert_uint_eq(overflows.late, 0);
	overflows_add(&overflows, 2 * PERIOD + PERIOD / 4, 0);
	overflows_add(&overflows, 4 * PERIOD - 1, 0);
	ck_assert_uint_eq(overflows.late, 2);
	expect(&overflows, 0, 0, 0);
}
END_TEST

START_TEST(all_at_a_count_that_does_not_grow)
{
	struct overflows overflows = { .period = PERIOD };

	for (int i = 0; i < 5; i++)
		overflows_add(&overflows, 3 * PERIOD, 0);
	overflows_end(&overflows, 3 * PERIOD, 0);
	expect(&overflows, 4, 2, 0);
}
END_TEST

START_TEST(final_count_too_low)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, 5);
	overflows_end(&overflows, 3 * PERIOD, 0);
	expect(&overflows, 2, 0, 0);
}
END_TEST

/* Ten are written, so many are lost and told of, then it goes on. */
static struct overflows with_loss(uint64_t lost, uint64_t told)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, 10);
	overflows_add(&overflows, (11 + lost) * PERIOD, told);
	add(&overflows, 12 + lost, 20 + lost);
	overflows_end(&overflows, (20 + lost) * PERIOD, told);
	return overflows;
}

START_TEST(lost_accounts_for_the_rest)
{
	const struct overflows right = with_loss(7, 7), few = with_loss(7, 6),
			       many = with_loss(7, 8), none = with_loss(7, 0),
			       only = with_loss(0, 1);

	expect(&right, 0, 0, 0);
	expect(&few, 0, 1, 0);
	expect(&many, 0, 0, 1);
	expect(&none, 0, 7, 0);
	expect(&only, 0, 0, 1);
}
END_TEST

/* Sums that agree by chance do not: it must be told where it is missing. */
START_TEST(lost_in_the_wrong_place)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, 10);
	add(&overflows, 12, 15);
	overflows_add(&overflows, 16 * PERIOD, 1);
	overflows_end(&overflows, 16 * PERIOD, 1);
	expect(&overflows, 0, 1, 1);
}
END_TEST

START_TEST(told_again)
{
	struct overflows overflows = { .period = PERIOD };

	overflows_add(&overflows, 4 * PERIOD, 3);
	overflows_add(&overflows, 5 * PERIOD, 6);
	overflows_end(&overflows, 5 * PERIOD, 6);
	expect(&overflows, 0, 0, 3);
}
END_TEST

START_TEST(lost_at_the_end)
{
	struct overflows overflows = { .period = PERIOD };

	add(&overflows, 1, 3);
	overflows_end(&overflows, 8 * PERIOD, 5);
	expect(&overflows, 0, 0, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("overflows");
	TCase *tests = tcase_create("overflows");

	tcase_add_test(tests, each_once);
	tcase_add_test(tests, nothing_is_due);
	tcase_add_loop_test(tests, every_one_of_20_taken_out_is_noticed, 0, 20);
	tcase_add_loop_test(tests, every_one_of_20_that_comes_again_is_noticed, 1, 21);
	tcase_add_test(tests, before_it_was_due);
	tcase_add_test(tests, later_each_time);
	tcase_add_test(tests, late_by_skid);
	tcase_add_test(tests, all_at_a_count_that_does_not_grow);
	tcase_add_test(tests, final_count_too_low);
	tcase_add_test(tests, lost_accounts_for_the_rest);
	tcase_add_test(tests, lost_in_the_wrong_place);
	tcase_add_test(tests, told_again);
	tcase_add_test(tests, lost_at_the_end);
	suite_add_tcase(all, tests);
	return all;
}
