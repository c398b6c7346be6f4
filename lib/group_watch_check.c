// SPDX-License-Identifier: GPL-2.0-or-later
#include "group_watch.h"

#include <check.h>

Suite *suite(void);

/* A leader and two members, one of which counts half as much. */
static const struct group_watch three = {
	.n = 3, .id = { 11, 12, 13 }, .ratio = { 1, 1, 0.5 }, .period = 1000
};

/* The read of the k-th sample, 7 after the overflow. */
static struct group_read at(uint64_t k)
{
	const uint64_t value = 1000 * k + 7;

	return (struct group_read){ .nr = 3,
				    .enabled = 500 * k,
				    .running = 500 * k,
				    .member = { { .value = value, .id = 11 },
						{ .value = value + 3, .id = 12 },
						{ .value = value / 2, .id = 13 } } };
}

#define N 10

/* Ten sound samples, of which number `which` is what `read` says. */
static struct group_watch watch_with(uint64_t which, const struct group_read *read)
{
	struct group_watch watch = three;

	for (uint64_t k = 1; k <= N; k++) {
		struct group_read sound = at(k);

		group_watch_take(&watch, k == which ? read : &sound);
	}
	return watch;
}

static uint64_t wrong(const struct group_watch *watch)
{
	return watch->misnumbered + watch->misnamed + watch->backwards + watch->off_period +
	       watch->off_ratio + watch->off_time;
}

START_TEST(sound)
{
	struct group_watch watch = watch_with(0, NULL);

	ck_assert_uint_eq(watch.samples, N);
	ck_assert_uint_eq(wrong(&watch), 0);
	ck_assert_uint_eq(watch.value[2], 10007 / 2);
}
END_TEST

START_TEST(members)
{
	struct group_read read = at(5);
	struct group_watch watch;

	read.nr = 2;
	ck_assert_uint_eq(watch_with(5, &read).misnumbered, 1);
	read.nr = 4;
	ck_assert_uint_eq(watch_with(5, &read).misnumbered, 1);
	read = at(5);
	read.member[1].id = 13;
	read.member[2].id = 12;
	watch = watch_with(5, &read);
	ck_assert_uint_eq(watch.misnamed, 1);
	ck_assert_uint_eq(wrong(&watch), 1);
	read = at(5);
	read.member[0].id = 0;
	ck_assert_uint_eq(watch_with(5, &read).misnamed, 1);
}
END_TEST

START_TEST(goes_back)
{
	for (int i = 0; i < 3; i++) {
		struct group_read read = at(5);

		read.member[i].value = at(4).member[i].value - 1;
		ck_assert_uint_eq(watch_with(5, &read).backwards, 1);
	}
	for (int i = 0; i < 2; i++) {
		struct group_read read = at(5);

		*(i ? &read.enabled : &read.running) = at(4).enabled - 1;
		ck_assert_uint_eq(watch_with(5, &read).backwards, 1);
	}
}
END_TEST

/* The leader as it was at the sample before, or just before its overflow, or long after it. */
START_TEST(leader)
{
	static const int64_t off[] = { -1000, -8, 300, 1000 };
	struct group_read read = at(5);

	for (int i = 0; i < 3; i++)
		read.member[i].value = (uint64_t)((int64_t)read.member[i].value + off[_i]);
	ck_assert_uint_eq(watch_with(5, &read).off_period, 1);
}
END_TEST

/* A member that stood still for a period, and then made up for it; one that never counts. */
START_TEST(ratio)
{
	struct group_watch watch = three;
	struct group_read read = at(5);

	read.member[1].value = at(4).member[1].value;
	ck_assert_uint_eq(watch_with(5, &read).off_ratio, 2);
	read = at(5);
	read.member[2].value += 150;
	ck_assert_uint_eq(watch_with(5, &read).off_ratio, 2);
	for (uint64_t k = 1; k <= N; k++) {
		read = at(k);
		read.member[2].value = 0;
		group_watch_take(&watch, &read);
	}
	ck_assert_uint_eq(watch.off_ratio, N);
	ck_assert_uint_eq(wrong(&watch), N);
}
END_TEST

START_TEST(times)
{
	struct group_read read = at(5);

	read.running = read.enabled + 1;
	ck_assert_uint_eq(watch_with(5, &read).off_time, 1);
	read.running = read.enabled - 1;
	ck_assert_uint_eq(watch_with(5, &read).off_time, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("group_watch");
	TCase *tcase = tcase_create("samples");

	tcase_add_test(tcase, sound);
	tcase_add_test(tcase, members);
	tcase_add_test(tcase, goes_back);
	tcase_add_loop_test(tcase, leader, 0, 4);
	tcase_add_test(tcase, ratio);
	tcase_add_test(tcase, times);
	suite_add_tcase(s, tcase);
	return s;
}
