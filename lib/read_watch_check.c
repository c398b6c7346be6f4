// SPDX-License-Identifier: GPL-2.0-or-later
#include "read_watch.h"

#include <check.h>

Suite *suite(void);

/* On the PMU all the time, which is three times as long as there are counts. */
static void add(struct read_watch *watch, uint64_t start, uint64_t running, uint64_t stopped)
{
	const struct event_count before = { .value = start,
					    .enabled = 3 * start + 70,
					    .running = 3 * start };
	const struct event_count after = { .value = stopped,
					   .enabled = 3 * stopped + 70,
					   .running = 3 * stopped };

	read_watch_take(watch, &before, running, &after);
}

static struct read_watch take(uint64_t start, uint64_t running, uint64_t stopped)
{
	struct read_watch watch = { 0 };

	add(&watch, start, running, stopped);
	return watch;
}

START_TEST(sound)
{
	const struct read_watch watch = take(1000, 1990, 2000);

	ck_assert_uint_eq(watch.reads, 1);
	ck_assert_uint_eq(watch.above, 0);
	ck_assert_double_eq(watch.least, 99);
	ck_assert_double_eq(watch.most, 99);
	/* All of it, when nothing is counted between the two. */
	ck_assert_uint_eq(take(1000, 2000, 2000).above, 0);
	ck_assert_double_eq(take(1000, 2000, 2000).least, 100);
}
END_TEST

START_TEST(above)
{
	const struct read_watch watch = take(1000, 2001, 2000);

	ck_assert_uint_eq(watch.above, 1);
	ck_assert_double_gt(watch.most, 100);
	/* Far above, as of another counter. */
	ck_assert_uint_eq(take(1000, 7000, 2000).above, 1);
	ck_assert_double_eq(take(1000, 7000, 2000).most, 600);
}
END_TEST

START_TEST(short_of_it)
{
	/* What it had at the start, half of it, and less than at the start. */
	ck_assert_double_eq(take(1000, 1000, 2000).least, 0);
	ck_assert_double_eq(take(1000, 1500, 2000).least, 50);
	ck_assert_double_eq(take(1000, 900, 2000).least, -10);
	/* Below 0, as what a delta that is too large leaves. */
	ck_assert_double_eq(take(0, (uint64_t)-1000, 2000).least, -50);
	ck_assert_uint_eq(take(0, (uint64_t)-1000, 2000).above, 1);
}
END_TEST

/* The stop took away what was read before. */
START_TEST(less_than_at_the_start)
{
	const struct read_watch watch = take(1000, 1500, 500);

	ck_assert_uint_eq(watch.above, 1);
	ck_assert_double_eq(watch.least, -100);
}
END_TEST

START_TEST(worst_of_several)
{
	struct read_watch watch = { 0 };

	add(&watch, 0, 990, 1000);
	add(&watch, 1000, 1970, 2000);
	add(&watch, 2000, 3100, 3000);
	add(&watch, 3000, 3995, 4000);
	ck_assert_uint_eq(watch.reads, 4);
	ck_assert_uint_eq(watch.above, 1);
	ck_assert_double_eq(watch.least, 97);
	ck_assert_double_eq(watch.most, 110);
}
END_TEST

/* It counted nothing, though it was on the PMU. */
START_TEST(idle)
{
	const struct read_watch watch = take(1000, 1000, 1000);

	ck_assert_uint_eq(watch.reads, 1);
	ck_assert_uint_eq(watch.above, 0);
	ck_assert_double_eq(watch.least, 0);
	ck_assert_double_eq(watch.counted_least, 0);
	ck_assert_uint_eq(take(1000, 1001, 1000).above, 1);
}
END_TEST

/* Off the PMU for a moment, or never on it. */
START_TEST(away)
{
	const struct event_count before = { .value = 1000, .enabled = 500, .running = 400 };
	const struct event_count moment = { .value = 1400, .enabled = 700, .running = 599 };
	const struct event_count never = { .value = 1000, .enabled = 700, .running = 400 };
	const struct event_count stays = { .value = 1400, .enabled = 700, .running = 600 };
	struct read_watch watch = { 0 };

	read_watch_take(&watch, &before, 1100, &moment);
	read_watch_take(&watch, &before, 1100, &never);
	ck_assert_uint_eq(watch.away, 2);
	ck_assert_uint_eq(watch.reads, 0);
	read_watch_take(&watch, &before, 1100, &stays);
	ck_assert_uint_eq(watch.away, 2);
	ck_assert_uint_eq(watch.reads, 1);
	ck_assert_double_eq(watch.least, 25);
}
END_TEST

START_TEST(changed)
{
	struct read_watch without = { 0 }, with = { 0 }, nothing = { 0 };

	/* Disturbed once: the least counts. */
	add(&without, 0, 1000, 1000);
	add(&without, 1000, 4000, 4000);
	ck_assert_double_eq(without.counted_least, 1000);
	ck_assert_double_eq(without.counted_most, 3000);
	add(&with, 0, 990, 1000);
	ck_assert_double_eq(read_watch_changed(&with, &without), 1);
	/* Each time that a read adds or takes away is seen. */
	add(&with, 1000, 3000, 3500);
	ck_assert_double_eq(read_watch_changed(&with, &without), 2.5);
	add(&with, 3500, 3600, 3700);
	ck_assert_double_eq(read_watch_changed(&with, &without), 5);
	/* All of it, or more. */
	add(&with, 3700, 3600, 3700);
	ck_assert_double_eq(read_watch_changed(&with, &without), 1000);
	add(&with, 3700, 3600, 3600);
	ck_assert_double_eq(read_watch_changed(&with, &without), 1000);
	/* What is counted without a read is lost. */
	add(&without, 4000, 4000, 4000);
	add(&nothing, 0, 3000, 3000);
	ck_assert_double_eq(read_watch_changed(&nothing, &without), 3000);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("read_watch");
	TCase *tests = tcase_create("read_watch");

	tcase_add_test(tests, sound);
	tcase_add_test(tests, above);
	tcase_add_test(tests, short_of_it);
	tcase_add_test(tests, less_than_at_the_start);
	tcase_add_test(tests, worst_of_several);
	tcase_add_test(tests, idle);
	tcase_add_test(tests, away);
	tcase_add_test(tests, changed);
	suite_add_tcase(s, tests);
	return s;
}
