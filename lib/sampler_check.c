// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bystander.h"
#include "sampler.h"

Suite *suite(void);

#define DATA_SIZE 4096
#define RUN_NS 1000000000ULL

/*
 * A sampler over a ring made by hand: what the kernel would have to do to produce a THROTTLE
 * without its UNTHROTTLE cannot be asked of a sound one.
 */
struct fake {
	struct perf_event_mmap_page page;
	unsigned char data[DATA_SIZE];
	struct sampler sampler;
};

static struct fake *new_fake(void)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	struct sampler_cpu *one = calloc(1, sizeof(*one));

	ck_assert(fake && one);
	one->event.fd = -1;
	one->event.attr.sample_type = PERF_SAMPLE_TIME;
	ck_assert_int_eq(ring_init(&one->event.ring, &fake->page, fake->data, DATA_SIZE, false), 0);
	fake->sampler.cpu = one;
	fake->sampler.n = 1;
	fake->sampler.start_ns = 5000;
	fake->sampler.planned_ns = RUN_NS;
	return fake;
}

static void add(struct fake *fake, uint32_t type, const uint64_t *body, size_t n)
{
	const struct perf_event_header header = { .type = type,
						  .size = (uint16_t)(sizeof(header) + n * 8) };

	memcpy(fake->data + fake->page.data_head, &header, sizeof(header));
	if (n)
		memcpy(fake->data + fake->page.data_head + sizeof(header), body, n * 8);
	fake->page.data_head += header.size;
}

static void add_throttle(struct fake *fake, uint64_t time, bool throttled)
{
	const uint64_t body[3] = { time, 2, 3 };

	add(fake, throttled ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, body, 3);
}

static void free_fake(struct fake *fake)
{
	ring_free(&fake->sampler.cpu->event.ring);
	free(fake->sampler.cpu);
	free(fake);
}

/* T and U as they come, and how many of them are out of order. */
static const struct {
	const char *sequence;
	uint64_t disorder;
} throttles[] = {
	{ "", 0 },   { "TU", 0 }, { "TUT", 0 }, { "TUTU", 0 },
	{ "TT", 1 }, { "U", 1 },  { "TUU", 1 }, { "TTUU", 2 },
};

START_TEST(throttle_order)
{
	struct fake *fake = new_fake();
	struct err err;

	for (const char *c = throttles[_i].sequence; *c; c++)
		add_throttle(fake, 1, *c == 'T');
	/* The descriptor is none, so disabling fails; the ring is read all the same. */
	sampler_stop(&fake->sampler, &err);
	ck_assert_uint_eq(fake->sampler.cpu->disorder, throttles[_i].disorder);
	ck_assert_uint_eq(fake->sampler.cpu->throttled + fake->sampler.cpu->unthrottled,
			  strlen(throttles[_i].sequence));
	free_fake(fake);
}
END_TEST

START_TEST(slices_and_losses)
{
	/* The first and the last moment of the run, one before it (clock of another CPU), one
	 * after. */
	const uint64_t times[] = { 5000, 5000 + RUN_NS - 1, 4000, 5000 + 2 * RUN_NS };
	const uint64_t lost[2] = { 7, 42 };
	struct fake *fake = new_fake();
	struct err err;

	for (size_t i = 0; i < 4; i++) {
		add(fake, PERF_RECORD_SAMPLE, &times[i], 1);
		add_throttle(fake, times[i], true);
		add_throttle(fake, 5000, false);
	}
	add(fake, PERF_RECORD_LOST, lost, 2);
	sampler_stop(&fake->sampler, &err);
	ck_assert_uint_eq(fake->sampler.cpu->samples, 4);
	ck_assert_uint_eq(fake->sampler.cpu->slice[0], 2);
	ck_assert_uint_eq(fake->sampler.cpu->slice[1], 0);
	ck_assert_uint_eq(fake->sampler.cpu->slice[SAMPLER_SLICES - 1], 2);
	for (int i = 0; i < SAMPLER_SLICES; i++)
		ck_assert_uint_eq(fake->sampler.cpu->throttled_slice[i],
				  fake->sampler.cpu->slice[i]);
	ck_assert_uint_eq(fake->sampler.cpu->lost, 42);
	free_fake(fake);
}
END_TEST

START_TEST(corrupt_ring_is_an_error)
{
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 4 };
	struct fake *fake = new_fake();
	struct err err;

	memcpy(fake->data, &header, sizeof(header));
	fake->page.data_head = sizeof(header);
	ck_assert_int_eq(sampler_stop(&fake->sampler, &err), -EBADMSG);
	free_fake(fake);
}
END_TEST

/* Each is fine as a record of the ring, and too short for its type. */
static const uint32_t short_types[] = { PERF_RECORD_SAMPLE, PERF_RECORD_LOST, PERF_RECORD_THROTTLE,
					PERF_RECORD_UNTHROTTLE };

START_TEST(short_record_is_an_error)
{
	struct fake *fake = new_fake();
	struct err err;

	add(fake, short_types[_i], NULL, 0);
	ck_assert_int_eq(sampler_stop(&fake->sampler, &err), -EBADMSG);
	free_fake(fake);
}
END_TEST

/* Kernels on which an event that reaches its limit deadlocks (see suites/sampling/clock_refresh.c).
 */
static bool limit_is_dangerous(void)
{
	struct utsname name;

	ck_assert_int_eq(uname(&name), 0);
	return !strncmp(name.release, "6.16.", 5) || !strncmp(name.release, "6.17.", 5);
}

START_TEST(events_stop_at_their_limit)
{
	struct perf_event_attr attr = event_attr_cpu_clock(100003);
	const struct timespec moment = { .tv_nsec = 50000000 };
	const struct cpus cpus = { .n = 1, .cpu = { 0 } };
	struct bystanders all;
	struct sampler sampler;
	struct err err;

	if (limit_is_dangerous()) {
		puts("skipped: this kernel may hang at the limit of an event");
		return;
	}
	attr.sample_type = PERF_SAMPLE_IP;
	/* An idle CPU takes no samples of its cpu-clock on some kernels: keep it busy. */
	ck_assert_int_eq(bystanders_start(&all, &cpus, BYSTANDER_KINDS, &err), 0);
	if (sampler_start(&sampler, &attr, &cpus,
			  &(struct sampler_plan){ .pages = 8, .limit = 7, .planned_ns = RUN_NS },
			  &err)) {
		printf("skipped: %s\n", err.text);
	} else {
		/* Time for hundreds of periods, of which seven may be used. */
		for (int i = 0; i < 100 && sampler.cpu[0].samples < 7; i++)
			nanosleep(&moment, NULL);
		nanosleep(&moment, NULL);
		ck_assert_int_eq(sampler_stop(&sampler, &err), 0);
		ck_assert_uint_eq(sampler.cpu[0].samples, 7);
		sampler_close(&sampler);
	}
	bystanders_stop(&all);
	bystanders_free(&all);
}
END_TEST

static bool all_went_on(const struct bystanders *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (!all->worker[i].rounds)
			return false;
	return !all->rcu || all->grace_total;
}

START_TEST(workers_and_grace_periods_go_on)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	struct bystanders all;
	struct cpus cpus;
	struct err err;

	ck_assert_int_eq(cpus_allowed(&cpus, &err), 0);
	ck_assert_int_eq(bystanders_start(&all, &cpus, BYSTANDER_KINDS, &err), 0);
	for (int i = 0; i < 600 && !all_went_on(&all); i++)
		nanosleep(&moment, NULL);
	bystanders_stop(&all);
	ck_assert(all_went_on(&all));
	bystanders_free(&all);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("sampler");
	TCase *tcase = tcase_create("sampler");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, throttle_order, 0, sizeof(throttles) / sizeof(throttles[0]));
	tcase_add_test(tcase, slices_and_losses);
	tcase_add_test(tcase, corrupt_ring_is_an_error);
	tcase_add_loop_test(tcase, short_record_is_an_error, 0,
			    sizeof(short_types) / sizeof(short_types[0]));
	tcase_add_test(tcase, events_stop_at_their_limit);
	tcase_add_test(tcase, workers_and_grace_periods_go_on);
	suite_add_tcase(s, tcase);
	return s;
}
