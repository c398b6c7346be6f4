// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "counters.h"

Suite *suite(void);

static void spin(void *context)
{
	volatile unsigned int rounds = 1000000;
	unsigned int *calls = context;

	(*calls)++;
	while (rounds)
		rounds--;
}

/* Software events never take turns. */
START_TEST(software_events_all_fit)
{
	struct perf_event_attr attrs[5];
	struct event_count counts[5];
	unsigned int calls = 0;
	size_t fit = 77;
	struct err err;

	for (int i = 0; i < 5; i++)
		attrs[i] = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	ck_assert_msg(!counters_count(attrs, 5, spin, &calls, counts, &err), "%s", err.text);
	ck_assert_uint_eq(calls, 1);
	for (int i = 0; i < 5; i++) {
		ck_assert_uint_gt(counts[i].value, 0);
		ck_assert_uint_eq(counts[i].running, counts[i].enabled);
	}
	ck_assert_msg(!counters_fit(attrs, 5, spin, &calls, &fit, &err), "%s", err.text);
	ck_assert_uint_eq(fit, 5);
	ck_assert_uint_eq(calls, 6);
}
END_TEST

/* The second cannot be opened, and the first does not stay open. */
START_TEST(one_that_does_not_open)
{
	const struct perf_event_attr attrs[] = {
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK),
		event_attr(PERF_TYPE_SOFTWARE, 0xffff),
	};
	struct event_count counts[2];
	unsigned int calls = 0;
	size_t fit;
	struct err err;

	ck_assert_int_lt(counters_count(attrs, 2, spin, &calls, counts, &err), 0);
	ck_assert_uint_eq(calls, 0);
	ck_assert_int_lt(counters_fit(attrs, 2, spin, &calls, &fit, &err), 0);
	ck_assert_uint_eq(fit, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("counters");
	TCase *tests = tcase_create("counters");

	tcase_add_test(tests, software_events_all_fit);
	tcase_add_test(tests, one_that_does_not_open);
	suite_add_tcase(all, tests);
	return all;
}
