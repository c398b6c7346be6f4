// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>

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

START_TEST(scaled)
{
	const struct event_count half = { .value = 500, .enabled = 2000, .running = 1000 };
	const struct event_count all = { .value = 500, .enabled = 2000, .running = 2000 };
	const struct event_count never = { .value = 0, .enabled = 2000, .running = 0 };

	ck_assert_double_eq(counters_scaled(&half), 1000);
	ck_assert_double_eq(counters_scaled(&all), 500);
	ck_assert(isnan(counters_scaled(&never)));
}
END_TEST

/* enabled, running, the task's CPU time, wall clock. */
static const struct {
	uint64_t enabled, running, ran, wall;
	bool good;
} times[] = {
	{ 1000, 1000, 950, 1050, true },
	{ 1000, 400, 950, 1050, true },
	/* Clocks that differ a little. */
	{ 1000, 1000, 1005, 995, true },
	{ 1000, 1001, 950, 1050, false },
	{ 1100, 1000, 950, 1050, false },
	{ 900, 900, 950, 1050, false },
	{ 0, 0, 950, 1050, false },
	{ 2000, 2000, 950, 1050, false },
};

START_TEST(times_of_counts)
{
	const struct event_count count = { .value = 1,
					   .enabled = times[_i].enabled,
					   .running = times[_i].running };

	ck_assert_int_eq(!counters_times_wrong(&count, times[_i].ran, times[_i].wall),
			 times[_i].good);
}
END_TEST

START_TEST(with_the_kernel_or_without)
{
	struct perf_event_attr attr = counters_attr(PERF_COUNT_HW_CPU_CYCLES, false, 7);

	ck_assert_uint_eq(attr.type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(attr.config, PERF_COUNT_HW_CPU_CYCLES);
	ck_assert_uint_eq(attr.sample_period, 7);
	ck_assert(attr.exclude_kernel && attr.exclude_hv && !attr.exclude_user);
	attr = counters_attr(PERF_COUNT_HW_CPU_CYCLES, true, 0);
	ck_assert_uint_eq(attr.sample_period, 0);
	ck_assert(!attr.exclude_kernel && !attr.exclude_hv && !attr.exclude_user);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("counters");
	TCase *tests = tcase_create("counters");

	tcase_add_test(tests, software_events_all_fit);
	tcase_add_test(tests, one_that_does_not_open);
	tcase_add_test(tests, scaled);
	tcase_add_test(tests, with_the_kernel_or_without);
	tcase_add_loop_test(tests, times_of_counts, 0, sizeof(times) / sizeof(times[0]));
	suite_add_tcase(all, tests);
	return all;
}
