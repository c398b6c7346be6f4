// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_walk.h"

#include <check.h>
#include <math.h>

Suite *suite(void);

/* Rounds of 10 instructions and a period of a hundred of them. */
static const struct record_walk fresh = {
	.period = 1003, .per_round = 10, .begin = 0x1000, .end = 0x1100
};

static struct record_walk walk_of(const uint64_t *to_go, size_t n)
{
	struct record_walk walk = fresh;

	for (size_t i = 0; i < n; i++)
		record_walk_take(&walk, 0x1010, to_go[i]);
	return walk;
}

#define WALK(...)                                  \
	walk_of((const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint64_t wrong(const struct record_walk *walk)
{
	return walk->missing + walk->repeated + walk->astray;
}

START_TEST(sound)
{
	struct record_walk walk = WALK(1000, 900, 799, 699, 598, 499, 398);

	ck_assert_uint_eq(walk.inside, 7);
	ck_assert_uint_eq(walk.calls, 1);
	ck_assert_uint_eq(walk.steps, 6);
	ck_assert_uint_eq(wrong(&walk), 0);
}
END_TEST

/* A call that begins anew is no step, whatever is in between. */
START_TEST(new_calls)
{
	struct record_walk walk = WALK(300, 200, 100, 950, 850, 1000);

	ck_assert_uint_eq(walk.calls, 3);
	ck_assert_uint_eq(walk.steps, 3);
	ck_assert_uint_eq(wrong(&walk), 0);
}
END_TEST

START_TEST(outside)
{
	struct record_walk walk = WALK(300);

	record_walk_take(&walk, 0xfff, 77);
	record_walk_take(&walk, 0x1100, 999);
	record_walk_take(&walk, 0x10ff, 200);
	ck_assert_uint_eq(walk.inside, 2);
	ck_assert_uint_eq(walk.calls, 1);
	ck_assert_uint_eq(wrong(&walk), 0);
}
END_TEST

START_TEST(broken)
{
	struct record_walk walk = WALK(1000, 800);

	ck_assert_uint_eq(walk.missing, 1);
	ck_assert_uint_eq(wrong(&walk), 1);
	walk = WALK(1000, 699);
	ck_assert_uint_eq(walk.missing, 2);
	walk = WALK(1000, 1000);
	ck_assert_uint_eq(walk.repeated, 1);
	ck_assert_uint_eq(walk.calls, 1);
	walk = WALK(1000, 951);
	ck_assert_uint_eq(walk.repeated, 1);
	ck_assert_uint_eq(wrong(&walk), 1);
	walk = WALK(1000, 890);
	ck_assert_uint_eq(walk.astray, 1);
	ck_assert_uint_eq(wrong(&walk), 1);
	walk = WALK(1000, 850);
	ck_assert_uint_eq(walk.astray, 1);
	/* Two exchanged: a call more, and one missing. */
	walk = WALK(1000, 900, 700, 800, 600);
	ck_assert_uint_eq(walk.calls, 2);
	ck_assert_uint_eq(walk.missing, 2);
}
END_TEST

/* The address stands still, in a step; not between two calls. */
START_TEST(addresses)
{
	struct record_walk walk = fresh;

	record_walk_take(&walk, 0x1010, 1000);
	record_walk_take(&walk, 0x1010, 900);
	record_walk_take(&walk, 0x1020, 800);
	record_walk_take(&walk, 0x1020, 1000);
	record_walk_take(&walk, 0x1030, 900);
	ck_assert_uint_eq(walk.steps, 3);
	ck_assert_uint_eq(walk.still, 1);
	ck_assert_uint_eq(wrong(&walk), 0);
}
END_TEST

START_TEST(by_count)
{
	ck_assert_double_eq(record_walk_missing(9999, 1000, 9, 0), 0);
	ck_assert_double_eq(record_walk_missing(10000, 1000, 9, 0), 1);
	ck_assert_double_eq(record_walk_missing(10000, 1000, 6, 3), 1);
	ck_assert_double_eq(record_walk_missing(9999, 1000, 12, 0), -3);
	ck_assert_double_eq(record_walk_missing(0, 1000, 0, 0), 0);
}
END_TEST

START_TEST(times)
{
	const uint64_t even[] = { 100, 200, 290, 410, 500 };
	/* Three at the end of one buffer, three at that of the next. */
	const uint64_t drained[] = { 100, 101, 102, 500, 501, 502 };
	const uint64_t back[] = { 100, 200, 150, 300 };
	const uint64_t same[] = { 100, 100, 100 };

	ck_assert_double_eq(record_times_apart(even, 5, 0.25), 1);
	ck_assert_double_eq(record_times_apart(drained, 6, 0.25), 0.2);
	ck_assert_double_eq_tol(record_times_apart(back, 4, 0.25), 2.0 / 3, 1e-9);
	ck_assert_double_eq(record_times_apart(same, 3, 0.25), 0);
	ck_assert(isnan(record_times_apart(even, 1, 0.25)));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("record_walk");
	TCase *tcase = tcase_create("records");

	tcase_add_test(tcase, sound);
	tcase_add_test(tcase, new_calls);
	tcase_add_test(tcase, outside);
	tcase_add_test(tcase, broken);
	tcase_add_test(tcase, addresses);
	tcase_add_test(tcase, by_count);
	tcase_add_test(tcase, times);
	suite_add_tcase(s, tcase);
	return s;
}
