// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "wake_points.h"

Suite *suite(void);

#define SIZE 24

/* One record after the other; wakes[i] says whether number i + 1 woke. */
static void take(struct wake_points *points, const char *wakes)
{
	for (; *wakes; wakes++)
		wake_points_take(points, 1, SIZE, (uint64_t)(*wakes - '0'));
}

static void expect(const struct wake_points *points, uint64_t due, uint64_t missing, uint64_t early)
{
	ck_assert_uint_eq(points->due, due);
	ck_assert_uint_eq(points->missing, missing);
	ck_assert_uint_eq(points->early, early);
}

static const struct {
	uint64_t events, watermark;
	const char *wakes;
	uint64_t due, missing, early;
} cases[] = {
	{ 1, 0, "11111", 5, 0, 0 },
	{ 3, 0, "001001001", 3, 0, 0 },
	{ 3, 0, "001000001", 3, 1, 0 }, /* one lost */
	{ 3, 0, "010010010", 3, 3, 3 }, /* one record early */
	{ 3, 0, "111111111", 3, 0, 6 }, /* with every record */
	{ 3, 0, "000000000", 3, 3, 0 },
	{ 3, 0, "002001001", 3, 0, 1 }, /* twice */
	/* Above 100 with the 5th record, 200 with the 9th, 300 with the 13th. */
	{ 0, 100, "0000100010001", 3, 0, 0 },
	{ 0, 100, "0001000010001", 3, 1, 1 },
	{ 0, 100, "0000000000001", 3, 2, 0 },
	/* 48 is not above 48: with the 3rd record. */
	{ 0, 48, "0010101", 3, 0, 0 },
	{ 0, 48, "0101010", 3, 3, 3 },
};

START_TEST(what_is_due)
{
	struct wake_points points = { .events = cases[_i].events,
				      .watermark = cases[_i].watermark };

	take(&points, cases[_i].wakes);
	expect(&points, cases[_i].due, cases[_i].missing, cases[_i].early);
}
END_TEST

START_TEST(several_at_once)
{
	struct wake_points points = { .events = 4 };

	ck_assert_uint_eq(wake_points_due(&points, 10, SIZE), 2);
	wake_points_take(&points, 10, SIZE, 2);
	wake_points_take(&points, 1, SIZE, 0);
	wake_points_take(&points, 5, SIZE, 1);
	expect(&points, 4, 1, 0);
	ck_assert_uint_eq(points.records, 16);
	ck_assert_uint_eq(points.bytes, 16 * SIZE);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("wake_points");
	TCase *tests = tcase_create("wake_points");

	tcase_add_loop_test(tests, what_is_due, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tests, several_at_once);
	suite_add_tcase(all, tests);
	return all;
}
