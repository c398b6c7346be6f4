// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>

#include "gap_sampler.h"

Suite *suite(void);

#define PERIOD_NS 500000

static int spin(void *context, struct err *err)
{
	volatile unsigned int rounds = 5000000;
	unsigned int *calls = context;

	if (++*calls == 100)
		return err_set(err, EINTR, "enough");
	while (rounds)
		rounds--;
	return 0;
}

/* The software clock, so that it runs anywhere; its timers come late on a busy machine. */
START_TEST(two_events_at_once)
{
	unsigned int calls = 0;
	const struct gap_work work = { .parts = 4, .pages = 16, .part = spin, .context = &calls };
	struct gap_subject subjects[2];
	struct err err;

	for (int i = 0; i < 2; i++)
		subjects[i].attr = event_attr_cpu_clock(PERIOD_NS);
	ck_assert_msg(!gap_sample(subjects, 2, &work, &err), "%s", err.text);
	ck_assert_uint_eq(calls, 4);
	for (int i = 0; i < 2; i++) {
		const struct gaps *gaps = &subjects[i].gaps;

		ck_assert_uint_gt(subjects[i].drained.samples, 0);
		/* One per sample and one at the end. */
		ck_assert_uint_eq(gaps->running.n + gaps->switched.n + gaps->excluded +
					  gaps->backwards,
				  subjects[i].drained.samples + 1);
		ck_assert_uint_eq(gaps->last.count, subjects[i].count.value);
		ck_assert_int_eq(subjects[i].event.fd, -1);
	}
}
END_TEST

START_TEST(work_that_fails)
{
	unsigned int calls = 98;
	const struct gap_work work = { .parts = 4, .pages = 1, .part = spin, .context = &calls };
	struct gap_subject subject = { .attr = event_attr_cpu_clock(PERIOD_NS) };
	struct err err;

	ck_assert_int_eq(gap_sample(&subject, 1, &work, &err), -EINTR);
	ck_assert_uint_eq(calls, 100);
	ck_assert_int_eq(subject.event.fd, -1);
}
END_TEST

START_TEST(an_event_that_does_not_open)
{
	unsigned int calls = 0;
	const struct gap_work work = { .parts = 4, .pages = 1, .part = spin, .context = &calls };
	struct gap_subject subjects[2] = {
		{ .attr = event_attr_cpu_clock(PERIOD_NS) },
		{ .attr = event_attr(PERF_TYPE_SOFTWARE, 0xffff) },
	};
	struct err err;

	ck_assert_int_lt(gap_sample(subjects, 2, &work, &err), 0);
	ck_assert_uint_eq(calls, 0);
	ck_assert_int_eq(subjects[0].event.fd, -1);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("gap_sampler");
	TCase *tests = tcase_create("gap_sampler");

	tcase_add_test(tests, two_events_at_once);
	tcase_add_test(tests, work_that_fails);
	tcase_add_test(tests, an_event_that_does_not_open);
	suite_add_tcase(all, tests);
	return all;
}
