// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "burst.h"
#include "cpus.h"
#include "event.h"
#include "rate_limit.h"

Suite *suite(void);

#define BURST_NS 20000000

/* A burst on the first CPU; false where nothing can be sampled. */
static bool measure(struct burst *burst, uint64_t period_ns)
{
	const struct perf_event_attr attr = event_attr_cpu_clock(period_ns);
	struct cpus cpus;
	struct err err;

	ck_assert_int_eq(cpus_allowed(&cpus, &err), 0);
	if (!burst_measure(burst, &attr, cpus.cpu[0], BURST_NS, &err))
		return true;
	printf("skipped: %s\n", err.text);
	return false;
}

START_TEST(samples_cost_something)
{
	struct burst burst;

	if (!measure(&burst, 17))
		return;
	/* 2000 fit; how many of them a busy machine takes is its own affair. */
	ck_assert_uint_ge(burst.samples, 10);
	ck_assert_uint_le(burst.samples, 2 * BURST_NS / RATE_CLOCK_PERIOD_MIN_NS);
	ck_assert(burst.left > 0 && burst.left <= 1);
	ck_assert(burst.cost_ns >= 0 && isfinite(burst.cost_ns));
}
END_TEST

START_TEST(no_sample_no_cost)
{
	struct burst burst;

	/* The first sample would come in 1000 s. */
	if (!measure(&burst, 1000000000000))
		return;
	ck_assert_uint_eq(burst.samples, 0);
	ck_assert_double_nan(burst.cost_ns);
}
END_TEST

START_TEST(no_such_cpu)
{
	const struct perf_event_attr attr = event_attr_cpu_clock(17);
	struct burst burst;
	struct err err;

	ck_assert_int_lt(burst_measure(&burst, &attr, CPUS_MAX - 1, BURST_NS, &err), 0);
	ck_assert_double_nan(burst.left);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("burst");
	TCase *tcase = tcase_create("burst");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, samples_cost_something);
	tcase_add_test(tcase, no_sample_no_cost);
	tcase_add_test(tcase, no_such_cpu);
	suite_add_tcase(s, tcase);
	return s;
}
