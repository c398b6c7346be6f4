// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "gaps.h"

Suite *suite(void);

#define PERIOD 1000
#define N 8

/* A run as it should be: seven samples at almost the period, and the rest of one at the end. */
static const struct gap_mark sound[N] = {
	{ 1003, 0, 0, 0 }, { 2001, 0, 0, 0 }, { 3000, 0, 0, 2 }, { 4002, 0, 0, 2 },
	{ 5000, 0, 0, 2 }, { 6007, 0, 0, 2 }, { 7000, 0, 0, 2 }, { 7400, 0, 0, 2 },
};

static struct gaps find(const struct gap_mark *marks, size_t n)
{
	struct gaps gaps = { 0 };

	for (size_t i = 0; i < n; i++)
		gaps_add(&gaps, &marks[i]);
	return gaps;
}

START_TEST(sound_run)
{
	struct gaps gaps = find(sound, N);

	ck_assert_uint_eq(gaps.running.n, 7);
	ck_assert_uint_eq(gaps.running.longest, 1007);
	ck_assert_uint_eq(gaps.switched.n, 1);
	ck_assert_uint_eq(gaps.switched.longest, 999);
	ck_assert_uint_eq(gaps.excluded, 0);
	ck_assert_uint_eq(gaps.backwards, 0);
}
END_TEST

/* Without one sample, whichever, a gap is longer; without two neighbours longer than two periods.
 */
START_TEST(missing_samples)
{
	struct gap_mark marks[N];
	struct gaps gaps;
	uint64_t longest;

	for (size_t missing = 1; missing <= 2; missing++) {
		memcpy(marks, sound, sizeof(marks));
		memmove(&marks[_i], &marks[_i + missing],
			(N - missing - (size_t)_i) * sizeof(marks[0]));
		gaps = find(marks, N - missing);
		longest = gaps.running.longest > gaps.switched.longest ? gaps.running.longest
								       : gaps.switched.longest;
		ck_assert_uint_eq(gaps.running.n + gaps.switched.n, N - missing);
		/* The one at the end is followed by less than a period. */
		ck_assert_uint_ge(longest, missing * PERIOD + (_i + missing < N - 1 ? 900 : 400));
	}
}
END_TEST

START_TEST(none_at_the_start_and_none_at_the_end)
{
	const struct gap_mark late[] = { { 5000, 0, 0, 0 }, { 5100, 0, 0, 0 } };
	const struct gap_mark early[] = { { 1000, 0, 0, 0 }, { 9000, 0, 0, 0 } };
	const struct gap_mark never[] = { { 12000, 0, 0, 0 } };

	ck_assert_uint_eq(find(late, 2).running.longest, 5000);
	ck_assert_uint_eq(find(early, 2).running.longest, 8000);
	ck_assert_uint_eq(find(never, 1).running.longest, 12000);
}
END_TEST

/* A gap goes to the switch if there was one in it, wherever it was. */
START_TEST(after_a_switch)
{
	const struct gap_mark marks[] = {
		{ 1000, 0, 0, 0 }, { 2000, 0, 0, 1 }, { 9000, 0, 0, 3 }, { 10000, 0, 0, 3 }
	};
	struct gaps gaps = find(marks, 4);

	ck_assert_uint_eq(gaps.switched.n, 2);
	ck_assert_uint_eq(gaps.switched.longest, 7000);
	ck_assert_uint_eq(gaps.running.n, 2);
	ck_assert_uint_eq(gaps.running.longest, 1000);
}
END_TEST

/* What was lost in a full ring, or throttled, proves nothing about the handler. */
START_TEST(not_judged)
{
	const struct gap_mark lost[] = { { 1000, 0, 0, 0 }, { 9000, 7, 0, 0 }, { 10000, 7, 0, 0 } };
	const struct gap_mark throttled[] = { { 1000, 0, 0, 0 },
					      { 9000, 0, 1, 0 },
					      { 19000, 0, 1, 0 } };

	ck_assert_uint_eq(find(lost, 3).running.longest, 1000);
	ck_assert_uint_eq(find(lost, 3).running.n, 2);
	ck_assert_uint_eq(find(lost, 3).excluded, 1);
	/* Only the one in which the throttling was. */
	ck_assert_uint_eq(find(throttled, 3).running.longest, 10000);
	ck_assert_uint_eq(find(throttled, 3).excluded, 1);
}
END_TEST

START_TEST(backwards)
{
	const struct gap_mark marks[] = { { 2000, 0, 0, 0 }, { 1000, 0, 0, 0 }, { 2500, 0, 0, 0 } };
	struct gaps gaps = find(marks, 3);

	ck_assert_uint_eq(gaps.backwards, 1);
	ck_assert_uint_eq(gaps.running.n, 2);
	ck_assert_uint_eq(gaps.running.longest, 2000);
}
END_TEST

/* Four periods of silence, then a switch: the silence was there before it. */
START_TEST(a_look_in_between)
{
	const struct gap_mark before = { 5000, 0, 0, 0 }, after = { 6000, 0, 0, 2 };
	const struct gap_mark older = { 500, 0, 0, 0 }, paused = { 9000, 0, 1, 0 };
	struct gaps gaps = find(sound, 1);

	gaps_look(&gaps, &older);
	gaps_look(&gaps, &paused);
	ck_assert_uint_eq(gaps.running.longest, 1003);
	gaps_look(&gaps, &before);
	ck_assert_uint_eq(gaps.running.longest, 3997);
	ck_assert_uint_eq(gaps.running.n, 1);
	gaps_add(&gaps, &after);
	ck_assert_uint_eq(gaps.switched.longest, 4997);
	ck_assert_uint_eq(gaps.switched.n, 1);
	ck_assert_uint_eq(gaps.backwards + gaps.excluded, 0);
}
END_TEST

/* A switch, then four periods of silence: it was the switch. */
START_TEST(a_look_after_a_switch)
{
	const struct gap_mark look = { 5000, 0, 0, 2 }, after = { 6000, 0, 0, 2 };
	struct gaps gaps = find(sound, 1);

	gaps_look(&gaps, &look);
	gaps_add(&gaps, &after);
	ck_assert_uint_eq(gaps.running.longest, 1003);
	ck_assert_uint_eq(gaps.switched.longest, 4997);
	ck_assert_uint_eq(gaps.switched.n, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("gaps");
	TCase *tests = tcase_create("gaps");

	tcase_add_test(tests, sound_run);
	tcase_add_loop_test(tests, missing_samples, 0, N - 2);
	tcase_add_test(tests, none_at_the_start_and_none_at_the_end);
	tcase_add_test(tests, after_a_switch);
	tcase_add_test(tests, not_judged);
	tcase_add_test(tests, backwards);
	tcase_add_test(tests, a_look_in_between);
	tcase_add_test(tests, a_look_after_a_switch);
	suite_add_tcase(all, tests);
	return all;
}
