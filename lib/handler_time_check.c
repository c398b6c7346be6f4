// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "handler_time.h"
#include "sampler.h"
#include "workload.h"

Suite *suite(void);

/* Three handler invocations: [100,110], [200,250], [300,310]. */
static struct handler_span spans[3];
static struct handler_cpu cpu;

static void three_spans(void)
{
	spans[0] = (struct handler_span){ 100, 10 };
	spans[1] = (struct handler_span){ 200, 50 };
	spans[2] = (struct handler_span){ 300, 10 };
	cpu = (struct handler_cpu){ .span = spans, .n = 3, .max = 3 };
}

START_TEST(times_find_their_span)
{
	const uint64_t times[] = { 99, 200, 225, 250, 260, 310, 311 };

	three_spans();
	/* 200, 225 and 250 lie in the second, 310 in the third; the others in none. */
	ck_assert_uint_eq(handler_spans_with(&cpu, times, 7), 4);
	ck_assert_uint_eq(cpu.n, 2);
	ck_assert_uint_eq(spans[0].start_ns, 200);
	ck_assert_uint_eq(spans[1].start_ns, 300);
}
END_TEST

START_TEST(no_times_no_spans)
{
	three_spans();
	ck_assert_uint_eq(handler_spans_with(&cpu, NULL, 0), 0);
	ck_assert_uint_eq(cpu.n, 0);
}
END_TEST

/* Sample this CPU for `ms` with cpu-clock at `period_ns`, while it works and the handler is traced.
 */
static void observe(struct handler_time *time, struct sampler *sampler, uint64_t period_ns,
		    unsigned int ms)
{
	const struct workload *work = workload_find("multiply");
	struct perf_event_attr attr = event_attr_cpu_clock(period_ns);
	struct timespec start, now;
	struct cpus cpus = { .n = 1, .cpu = { 0 } };
	struct err err;

	attr.sample_type = PERF_SAMPLE_IP;
	ck_assert_msg(!handler_time_start(time, &err), "%s", err.text);
	ck_assert_msg(!sampler_start(sampler, &attr, &cpus,
				     &(struct sampler_plan){ .pages = 64,
							     .times_max = 100000,
							     .limit = 100000,
							     .planned_ns = ms * 1000000ULL },
				     &err),
		      "%s", err.text);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		work->run(10000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
		 (long)ms);
	ck_assert_msg(!sampler_stop(sampler, &err), "%s", err.text);
	ck_assert_msg(!handler_time_stop(time, &err), "%s", err.text);
}

/*
 * Every sample must be found in an interrupt, and there must be interrupts of their own: that is
 * what "time of the interrupts that took a sample" rests on.
 */
START_TEST(samples_lie_in_timer_interrupts)
{
	const struct cpus cpus = { .n = 1, .cpu = { 0 } };
	struct handler_time time;
	struct sampler sampler;
	struct err err;
	size_t samples, spans_seen;
	uint64_t last;

	if (handler_time_open(&time, HANDLER_TIMER, &cpus, 100000, &err)) {
		printf("skipped: %s\n", err.text);
		return;
	}
	observe(&time, &sampler, 1000003, 300);
	samples = sampler.cpu[0].times_n;
	spans_seen = time.cpu[0].n;
	ck_assert_uint_gt(samples, 0);
	ck_assert_uint_eq(samples, sampler.cpu[0].samples);
	ck_assert_uint_eq(time.lost, 0);
	ck_assert_uint_ge(spans_seen, samples);
	ck_assert_uint_eq(handler_spans_with(&time.cpu[0], sampler.cpu[0].times, samples), samples);
	ck_assert_uint_le(time.cpu[0].n, samples);

	/* And once more with the same session: what was kept before must be forgotten. */
	last = sampler.end_ns;
	sampler_close(&sampler);
	observe(&time, &sampler, 1000003, 100);
	ck_assert_uint_gt(time.cpu[0].span[0].start_ns, last);
	samples = sampler.cpu[0].times_n;
	ck_assert_uint_eq(handler_spans_with(&time.cpu[0], sampler.cpu[0].times, samples), samples);
	sampler_close(&sampler);
	handler_time_close(&time);
}
END_TEST

/* What is missing makes a share too small, whichever way it got lost and on whatever CPU. */
START_TEST(nothing_may_be_missing)
{
	struct handler_cpu cpus[2] = { { .n = 3 }, { .n = 1 } };
	struct handler_time time = { .cpu = cpus, .n = 2 };
	struct err err;

	ck_assert_int_eq(handler_time_complete(&time, &err), 0);
	time.lost = 1;
	ck_assert_int_eq(handler_time_complete(&time, &err), -ENOBUFS);
	time.lost = 0;
	time.cpu[1].dropped = 1;
	ck_assert_int_eq(handler_time_complete(&time, &err), -ENOBUFS);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("handler_time");
	TCase *tcase = tcase_create("handler_time");

	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, times_find_their_span);
	tcase_add_test(tcase, no_times_no_spans);
	tcase_add_test(tcase, nothing_may_be_missing);
	tcase_add_test(tcase, samples_lie_in_timer_interrupts);
	suite_add_tcase(s, tcase);
	return s;
}
