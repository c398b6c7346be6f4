// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "fresh_pages.h"
#include "overflow_sampler.h"

Suite *suite(void);

#define PAGES 120
#define PARTS 4

static struct perf_event_attr fault_attr(uint64_t period)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	attr.sample_period = period;
	return attr;
}

static int touch(void *context, struct err *err)
{
	const struct fresh_pages *pages = context;

	fresh_pages_touch(pages, 0, pages->n);
	return fresh_pages_renew(pages, err);
}

/* Where the kernel has the event: page faults need no PMU. */
static bool can_sample(void)
{
	const struct perf_event_attr attr = fault_attr(1);
	struct err err;

	if (!event_probe(&attr, &err))
		return true;
	printf("not tested: %s\n", err.text);
	return false;
}

START_TEST(several_at_once)
{
	struct overflow_subject subjects[] = { { .attr = fault_attr(1) },
					       { .attr = fault_attr(3) },
					       { .attr = fault_attr(7) } };
	struct fresh_pages pages;
	const struct overflow_work work = {
		.parts = PARTS, .pages = 4, .part = touch, .context = &pages
	};
	struct err err;

	if (!can_sample())
		return;
	ck_assert_int_eq(fresh_pages_map(&pages, PAGES, &err), 0);
	ck_assert_msg(!overflow_sample(subjects, 3, &work, &err), "%s", err.text);
	for (int i = 0; i < 3; i++) {
		const struct overflow_subject *subject = &subjects[i];

		ck_assert_uint_ge(subject->count.value, PAGES * PARTS);
		ck_assert_uint_eq(subject->overflows.samples,
				  subject->count.value / subject->attr.sample_period);
		ck_assert_uint_eq(subject->overflows.twice + subject->overflows.missing, 0);
		ck_assert_int_eq(subject->event.fd, -1);
	}
	fresh_pages_unmap(&pages);
}
END_TEST

/* A ring of one page, which is not read in between: what has no room is told. */
START_TEST(a_ring_that_is_too_small)
{
	struct overflow_subject subject = { .attr = fault_attr(1) };
	struct fresh_pages pages;
	const struct overflow_work work = {
		.parts = PARTS, .pages = 1, .part = touch, .context = &pages
	};
	struct err err;

	if (!can_sample())
		return;
	/* Records of 40 bytes: more than a page of 64 KiB holds. */
	ck_assert_int_eq(fresh_pages_map(&pages, 2000, &err), 0);
	ck_assert_msg(!overflow_sample(&subject, 1, &work, &err), "%s", err.text);
	ck_assert_uint_gt(subject.drained.lost, 0);
	ck_assert_uint_gt(subject.overflows.samples, 0);
	ck_assert_uint_eq(subject.overflows.twice + subject.overflows.excess, 0);
	/* Those of the last part, for which no record made room. */
	ck_assert_uint_eq(subject.overflows.missing + subject.drained.lost +
				  subject.overflows.samples,
			  subject.count.value);
	fresh_pages_unmap(&pages);
}
END_TEST

static int end_it(void *context, struct err *err)
{
	(void)context;
	return err_plain(err, EPROTO, "planted");
}

START_TEST(errors_end_it)
{
	struct overflow_subject subject = { .attr = fault_attr(1) };
	const struct overflow_work work = { .parts = 1, .pages = 1, .part = end_it };
	const struct overflow_work odd = { .parts = 1, .pages = 3, .part = end_it };
	struct err err;

	if (!can_sample())
		return;
	ck_assert_int_eq(overflow_sample(&subject, 1, &work, &err), -EPROTO);
	ck_assert_int_eq(subject.event.fd, -1);
	ck_assert_int_eq(overflow_sample(&subject, 1, &odd, &err), -EINVAL);
	subject.attr.type = 0xffff;
	ck_assert_int_lt(overflow_sample(&subject, 1, &work, &err), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("overflow_sampler");
	TCase *tests = tcase_create("overflow_sampler");

	tcase_add_test(tests, several_at_once);
	tcase_add_test(tests, a_ring_that_is_too_small);
	tcase_add_test(tests, errors_end_it);
	suite_add_tcase(all, tests);
	return all;
}
