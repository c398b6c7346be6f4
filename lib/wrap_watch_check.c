// SPDX-License-Identifier: GPL-2.0-or-later
#include "wrap_watch.h"

#include <check.h>
#include <stdlib.h>

#include "event.h"

Suite *suite(void);

#define COUNTS 1000
#define HZ 1e4 /* wraps each 100 ms; 30 ms before are 300 counts, 80 us not one */

static uint64_t reading, step;

/* A counter that goes on by `step` with each look at it. */
static uint64_t read_fake(void)
{
	reading = (reading + step) % COUNTS;
	return reading;
}

static const struct cycle_counter fake = { .counts = COUNTS, .read = read_fake };
static struct wrap_watch watch = { .counter = &fake, .hz = HZ };

/* From a reading of 600, of 1000, to the second wrap: 400 and 1000 counts of 100 us, and 100 ms. */
START_TEST(length_to_the_second_wrap)
{
	reading = 600;
	step = 0;
	ck_assert_uint_eq(wrap_watch_ns(&watch, 2), 40000000 + 100000000 + 100000000);
	ck_assert_uint_eq(wrap_watch_ns(&watch, 1), 40000000 + 100000000);
}
END_TEST

static const struct {
	uint64_t at;
	uint64_t after; /* the reading that the look ends with */
} looks[] = {
	{ 100, 101 }, /* far: one reading */
	{ 698, 699 },
	{ 701, 0 },
	{ 990, 0 }, /* near: until it has wrapped */
};

START_TEST(waits_only_near_a_wrap)
{
	struct sampler_cpu one = { .event = EVENT_CLOSED };
	struct storm storm = { .sampler = { .cpu = &one, .n = 1 } };

	reading = looks[_i].at;
	step = 1;
	wrap_watch_look(&storm, &watch);
	ck_assert_uint_eq(reading, looks[_i].after);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("wrap_watch");
	TCase *tcase = tcase_create("wrap_watch");

	tcase_add_test(tcase, length_to_the_second_wrap);
	tcase_add_loop_test(tcase, waits_only_near_a_wrap, 0, sizeof(looks) / sizeof(looks[0]));
	suite_add_tcase(s, tcase);
	return s;
}
