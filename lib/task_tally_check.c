// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "task_tally.h"

Suite *suite(void);

START_TEST(each_has_its_own)
{
	static struct task_tally tally;

	for (uint32_t i = 0; i < 30; i++)
		task_tally_add(&tally, 100 + i % 3);
	task_tally_add(&tally, 7);
	task_tally_add(&tally, 102);
	ck_assert_uint_eq(tally.n, 4);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(tally.task[i].tid, 100 + i);
		ck_assert_uint_eq(tally.task[i].samples, 10);
	}
	ck_assert_uint_eq(tally.task[2].samples, 11);
	ck_assert_uint_eq(tally.task[3].tid, 7);
	ck_assert_uint_eq(tally.task[3].samples, 1);
	ck_assert_uint_eq(tally.others, 0);
}
END_TEST

START_TEST(more_tasks_than_are_told_apart)
{
	static struct task_tally tally;

	for (uint32_t i = 0; i < TASK_TALLY_MAX + 5; i++)
		task_tally_add(&tally, i);
	task_tally_add(&tally, 3);
	ck_assert_uint_eq(tally.n, TASK_TALLY_MAX);
	ck_assert_uint_eq(tally.others, 5);
	ck_assert_uint_eq(tally.task[3].samples, 2);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("task_tally");
	TCase *tests = tcase_create("task_tally");

	tcase_add_test(tests, each_has_its_own);
	tcase_add_test(tests, more_tasks_than_are_told_apart);
	suite_add_tcase(all, tests);
	return all;
}
