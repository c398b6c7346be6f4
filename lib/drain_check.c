// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <string.h>

#include "drain.h"

Suite *suite(void);

/* A ring made by hand. */
struct fake {
	struct perf_event_mmap_page page;
	unsigned char data[4096];
	struct event event;
};

static struct fake *new_fake(void)
{
	static struct fake fake;

	memset(&fake, 0, sizeof(fake));
	fake.event.fd = -1;
	fake.event.attr.sample_type = PERF_SAMPLE_IP;
	ck_assert_int_eq(
		ring_init(&fake.event.ring, &fake.page, fake.data, sizeof(fake.data), false), 0);
	return &fake;
}

static void add(struct fake *fake, uint32_t type, uint16_t misc, const uint64_t *body, size_t n)
{
	const struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + n * 8),
	};

	memcpy(fake->data + fake->page.data_head, &header, sizeof(header));
	if (n)
		memcpy(fake->data + fake->page.data_head + sizeof(header), body, n * 8);
	fake->page.data_head += header.size;
}

struct seen {
	uint64_t ips[4];
	uint16_t misc[4];
	size_t n;
};

static void see(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct seen *seen = context;

	ck_assert_uint_lt(seen->n, 4);
	seen->ips[seen->n] = sample->ip;
	seen->misc[seen->n++] = misc;
}

START_TEST(each_kind_counts)
{
	struct fake *fake = new_fake();
	struct drained drained = { .samples = 10, .lost = 100 };
	struct seen seen = { 0 };
	struct err err;

	fake->event.id = 2;
	add(fake, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_EXACT_IP, (uint64_t[]){ 0x1000 }, 1);
	add(fake, PERF_RECORD_LOST, 0, (uint64_t[]){ 1, 7 }, 2);
	add(fake, PERF_RECORD_LOST, 0, (uint64_t[]){ 2, 3 }, 2);
	add(fake, PERF_RECORD_THROTTLE, 0, (uint64_t[]){ 1, 2, 3 }, 3);
	add(fake, PERF_RECORD_UNTHROTTLE, 0, (uint64_t[]){ 1, 2, 3 }, 3);
	add(fake, PERF_RECORD_UNTHROTTLE, 0, (uint64_t[]){ 1, 2, 3 }, 3);
	add(fake, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, NULL, 0);
	add(fake, PERF_RECORD_MMAP, 0, (uint64_t[]){ 1, 2, 3 }, 3);
	add(fake, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (uint64_t[]){ 0x2000 }, 1);
	ck_assert_int_eq(event_drain(&fake->event, &drained, see, &seen, &err), 0);
	ck_assert_uint_eq(drained.samples, 12);
	ck_assert_uint_eq(drained.lost, 110);
	ck_assert_uint_eq(drained.lost_records, 2);
	ck_assert_uint_eq(drained.lost_foreign, 1);
	ck_assert_uint_eq(drained.throttled, 1);
	ck_assert_uint_eq(drained.unthrottled, 2);
	ck_assert_uint_eq(drained.switches, 1);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_uint_eq(seen.ips[0], 0x1000);
	ck_assert_uint_eq(seen.misc[0], PERF_RECORD_MISC_EXACT_IP);
	ck_assert_uint_eq(seen.ips[1], 0x2000);
	ring_free(&fake->event.ring);
}
END_TEST

START_TEST(a_sample_that_is_none)
{
	struct fake *fake = new_fake();
	struct drained drained = { 0 };
	struct seen seen = { 0 };
	struct err err;

	add(fake, PERF_RECORD_SAMPLE, 0, (uint64_t[]){ 1, 2 }, 2);
	ck_assert_int_eq(event_drain(&fake->event, &drained, see, &seen, &err), -EBADMSG);
	ck_assert_uint_eq(seen.n, 0);
	ring_free(&fake->event.ring);
}
END_TEST

/* Like a kernel that writes faster than it is read, but for a while only. */
static void see_and_add(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct fake *fake = context;

	(void)misc;
	if (sample->ip < 5)
		add(fake, PERF_RECORD_SAMPLE, 0, (uint64_t[]){ sample->ip + 1 }, 1);
}

START_TEST(what_comes_meanwhile_waits)
{
	struct fake *fake = new_fake();
	struct drained drained = { 0 };
	struct err err;

	add(fake, PERF_RECORD_SAMPLE, 0, (uint64_t[]){ 1 }, 1);
	for (uint64_t round = 1; round <= 3; round++) {
		ck_assert_int_eq(event_drain(&fake->event, &drained, see_and_add, fake, &err), 0);
		ck_assert_uint_eq(drained.samples, round);
		/* Its space is the kernel's again. */
		ck_assert_uint_eq(fake->page.data_tail, 16 * round);
	}
	ring_free(&fake->event.ring);
}
END_TEST

static void spin(void *context)
{
	volatile unsigned int rounds = 20000000;

	(void)context;
	while (rounds)
		rounds--;
}

/* The software clock, so that it runs anywhere. */
START_TEST(this_thread)
{
	struct self_sampling sampling = {
		.attr = event_attr_cpu_clock(1000000),
		.pages = 16,
		.parts = 3,
		.work = spin,
	};
	struct err err;

	ck_assert_msg(!self_sample(&sampling, &err), "%s", err.text);
	ck_assert_uint_gt(sampling.count.value, 0);
	ck_assert_uint_gt(sampling.drained.samples, 0);
	/* A sample per millisecond of the count; timers that come late merge some. */
	ck_assert_uint_le(sampling.drained.samples, sampling.count.value / 1000000 + 1);
}
END_TEST

START_TEST(an_event_that_does_not_open)
{
	struct self_sampling sampling = {
		.attr = event_attr(PERF_TYPE_SOFTWARE, 0xffff),
		.pages = 1,
		.parts = 1,
		.work = spin,
	};
	struct err err;

	ck_assert_int_lt(self_sample(&sampling, &err), 0);
	ck_assert_str_ne(err.text, "");
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("drain");
	TCase *tests = tcase_create("drain");

	tcase_add_test(tests, each_kind_counts);
	tcase_add_test(tests, a_sample_that_is_none);
	tcase_add_test(tests, what_comes_meanwhile_waits);
	tcase_add_test(tests, this_thread);
	tcase_add_test(tests, an_event_that_does_not_open);
	suite_add_tcase(all, tests);
	return all;
}
