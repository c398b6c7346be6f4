// SPDX-License-Identifier: GPL-2.0-or-later
#include "grace_period.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

Suite *suite(void);

#define WAITS 5

static long voluntary_switches(void)
{
	struct rusage usage;

	ck_assert_int_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw;
}

/* Who waits for a grace period is put to sleep; once in a while it may have passed meanwhile. */
START_TEST(waits_asleep)
{
	struct grace_period grace;
	struct err err;
	long before;

	if (grace_period_open(&grace, &err)) {
		printf("skipped: %s\n", err.text);
		return;
	}
	before = voluntary_switches();
	for (int i = 0; i < WAITS; i++)
		ck_assert_msg(!grace_period_wait(&grace, &err), "%s", err.text);
	ck_assert_int_gt(voluntary_switches() - before, WAITS / 2);
	grace_period_close(&grace);
}
END_TEST

START_TEST(closed_is_an_error)
{
	struct grace_period grace = { .ring = EVENT_CLOSED, .moved = EVENT_CLOSED };
	struct err err;

	ck_assert_int_eq(grace_period_wait(&grace, &err), -EBADF);
	grace_period_close(&grace);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("grace_period");
	TCase *tcase = tcase_create("grace_period");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, waits_asleep);
	tcase_add_test(tcase, closed_is_an_error);
	suite_add_tcase(s, tcase);
	return s;
}
