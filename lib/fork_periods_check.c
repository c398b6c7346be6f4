// SPDX-License-Identifier: GPL-2.0-or-later
#include "fork_periods.h"

#include <check.h>

Suite *suite(void);

enum { PARENT = 100 };

static void take(struct fork_periods *periods, uint32_t tid, uint64_t period)
{
	const struct ring_sample sample = { .tid = tid, .period = period };

	fork_periods_take(periods, &sample);
}

/* Sixteen periods of the parent, each of which is `period` but for one. */
static void take_parent(struct fork_periods *periods, uint64_t period, uint64_t one)
{
	for (int i = 0; i < FORK_PERIODS_RECENT; i++)
		take(periods, PARENT, i == 7 ? one : period);
}

START_TEST(parent_settles)
{
	static const struct {
		uint64_t period, one;
		bool settled;
	} rows[] = {
		{ 1000, 1000, true },  { 1000, 2000, true }, { 1000, 500, true },
		{ 1000, 2001, false }, { 1000, 499, false }, { 1000, 1, false },
	};
	struct fork_periods periods = { .parent = PARENT };
	double period = 0;

	take_parent(&periods, rows[_i].period, rows[_i].one);
	ck_assert(fork_periods_settled(&periods, 2, &period) == rows[_i].settled);
	ck_assert_double_eq(period, rows[_i].settled ? 1000 : 0);
}
END_TEST

/* The ramp from a low period is forgotten once enough others have come. */
START_TEST(parent_settles_in_the_end)
{
	struct fork_periods periods = { .parent = PARENT };
	double period;

	take(&periods, PARENT, 1);
	take(&periods, PARENT, 17);
	for (int i = 0; i < FORK_PERIODS_RECENT - 1; i++) {
		take(&periods, PARENT, 100000);
		ck_assert(!fork_periods_settled(&periods, 2, &period));
	}
	take(&periods, PARENT, 100000);
	ck_assert(fork_periods_settled(&periods, 2, &period));
	ck_assert_double_eq(period, 100000);
}
END_TEST

/* What children do says nothing about the parent. */
START_TEST(children_do_not_settle_the_parent)
{
	struct fork_periods periods = { .parent = PARENT };
	double period;

	for (int i = 0; i < 100; i++)
		take(&periods, 1, 1000);
	ck_assert(!fork_periods_settled(&periods, 2, &period));
}
END_TEST

START_TEST(children_are_told_apart)
{
	struct fork_periods periods = { .parent = PARENT };

	take(&periods, 1, 900);
	take(&periods, 2, 1);
	take(&periods, 1, 2);
	take(&periods, 2, 17);
	take(&periods, PARENT, 5);
	for (uint64_t i = 0; i < 20; i++)
		take(&periods, 1, 1000 + i);
	ck_assert_uint_eq(periods.children, 2);
	ck_assert_uint_eq(periods.child[0].tid, 1);
	ck_assert_uint_eq(periods.child[0].n, 22);
	ck_assert_uint_eq(periods.child[0].period[0], 900);
	ck_assert_uint_eq(periods.child[0].period[1], 2);
	ck_assert_uint_eq(periods.child[0].period[FORK_PERIODS_RAMP - 1], 1007);
	ck_assert_uint_eq(periods.child[1].n, 2);
	ck_assert_uint_eq(periods.child[1].period[0], 1);
	ck_assert_uint_eq(periods.parent_n, 1);
}
END_TEST

/* Only the first period counts: what comes later adapts to the load. */
START_TEST(below)
{
	struct fork_periods periods = { .parent = PARENT };

	take(&periods, 1, 1000);
	take(&periods, 1, 1);
	take(&periods, 2, 250);
	take(&periods, 3, 249);
	take(&periods, 4, 1);
	take(&periods, 4, 1000);
	ck_assert_uint_eq(fork_periods_below(&periods, 250), 2);
	fork_periods_sort(&periods);
	ck_assert_uint_eq(periods.child[0].tid, 4);
	ck_assert_uint_eq(periods.child[3].tid, 1);
}
END_TEST

START_TEST(more_children_than_kept)
{
	struct fork_periods periods = { .parent = PARENT };

	for (uint32_t i = 0; i < FORK_PERIODS_CHILDREN + 3; i++)
		take(&periods, 1000 + i, 1);
	take(&periods, 1000, 1);
	ck_assert_uint_eq(periods.children, FORK_PERIODS_CHILDREN);
	ck_assert_uint_eq(periods.others, 3);
	ck_assert_uint_eq(periods.child[0].n, 2);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("fork_periods");
	TCase *tcase = tcase_create("fork_periods");

	tcase_add_loop_test(tcase, parent_settles, 0, 6);
	tcase_add_test(tcase, parent_settles_in_the_end);
	tcase_add_test(tcase, children_do_not_settle_the_parent);
	tcase_add_test(tcase, children_are_told_apart);
	tcase_add_test(tcase, below);
	tcase_add_test(tcase, more_children_than_kept);
	suite_add_tcase(s, tcase);
	return s;
}
