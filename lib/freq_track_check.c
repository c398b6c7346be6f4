// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "freq_track.h"

Suite *suite(void);

/* 100 million events per second for 60 ms, sampled at 4000 Hz: a period of 25000, 240 samples. */
#define PERIOD 25000
#define SAMPLES 240
static const struct freq_stretch stretch = { .frequency = 4000,
					     .count = (uint64_t)PERIOD * SAMPLES,
					     .running = 60000000 };

static struct freq_track steady(uint64_t period, uint64_t n)
{
	struct freq_track track = { 0 };

	while (n--)
		freq_track_take(&track, period);
	return track;
}

START_TEST(settled_at_once)
{
	const struct freq_track track = steady(PERIOD, SAMPLES);
	const struct freq_signs signs = freq_track_signs(&track, &stretch);

	ck_assert_double_eq(signs.expected, PERIOD);
	ck_assert_double_eq(signs.settled, PERIOD);
	ck_assert_double_eq(signs.settled_off, 1);
	ck_assert_double_eq(signs.off, 1);
	ck_assert_double_eq(signs.lowest, 1);
	ck_assert_double_eq(signs.recorded, 1);
}
END_TEST

/* The way there, from wherever it was, does not count. */
START_TEST(settles_in_time)
{
	static const uint64_t from[] = { 1, 200000 };

	for (int i = 0; i < 2; i++) {
		struct freq_track track = { 0 };
		double period = (double)from[i];
		struct freq_signs signs;

		for (int n = 0; n < SAMPLES; n++) {
			freq_track_take(&track, (uint64_t)period);
			period += (PERIOD - period) / 8;
		}
		signs = freq_track_signs(&track, &stretch);
		ck_assert_double_lt(signs.settled_off, 1.01);
		ck_assert_double_gt(signs.lowest, 0.99);
	}
}
END_TEST

/* It stays where it was, above or below; both are as many times too much. */
START_TEST(stays_away)
{
	struct freq_track track = steady(8 * PERIOD, SAMPLES / 8);
	struct freq_signs signs = freq_track_signs(&track, &stretch);

	ck_assert_double_eq(signs.off, 8);
	ck_assert_double_eq(signs.settled_off, 8);
	ck_assert_double_eq(signs.recorded, 1);
	track = steady(PERIOD / 8, SAMPLES * 8);
	signs = freq_track_signs(&track, &stretch);
	ck_assert_double_eq(signs.off, 8);
	ck_assert_double_eq(signs.settled_off, 8);
	ck_assert_double_eq(signs.lowest, 0.125);
}
END_TEST

/* A single absurd period, once settled. */
START_TEST(one_low_period)
{
	struct freq_track track = steady(PERIOD, SAMPLES - 10);
	struct freq_signs signs;

	freq_track_take(&track, 1);
	for (int i = 0; i < 9; i++)
		freq_track_take(&track, PERIOD);
	signs = freq_track_signs(&track, &stretch);
	ck_assert_double_lt(signs.lowest, 0.001);
	ck_assert_double_lt(signs.off, 1.05);
}
END_TEST

/* Samples say the period that was asked for first, or another event's: they do not add up. */
START_TEST(wrong_periods_recorded)
{
	struct freq_track track = steady(5 * PERIOD, SAMPLES);
	struct freq_signs signs = freq_track_signs(&track, &stretch);

	ck_assert_double_eq(signs.recorded, 5);
	ck_assert_double_eq(signs.settled_off, 5);
	ck_assert_double_eq(signs.off, 1);
	track = steady(0, SAMPLES);
	signs = freq_track_signs(&track, &stretch);
	ck_assert_double_eq(signs.recorded, FREQ_OFF_MAX);
	ck_assert_double_eq(signs.settled_off, FREQ_OFF_MAX);
	ck_assert_double_eq(signs.off, 1);
	ck_assert_double_eq(signs.lowest, 0);
}
END_TEST

/* No sample, no count, or an event that was never on the PMU: as wrong as can be, and finite. */
START_TEST(nothing_at_all)
{
	static const struct freq_stretch none = { .frequency = 4000 };
	struct freq_track track = { 0 };
	struct freq_signs signs = freq_track_signs(&track, &stretch);

	ck_assert_double_eq(signs.settled, 0);
	ck_assert_double_eq(signs.off, FREQ_OFF_MAX);
	ck_assert_double_eq(signs.lowest, 0);
	ck_assert_double_eq(signs.recorded, FREQ_OFF_MAX);
	track = steady(PERIOD, SAMPLES);
	signs = freq_track_signs(&track, &none);
	ck_assert_double_eq(signs.off, FREQ_OFF_MAX);
	ck_assert_double_eq(signs.lowest, 0);
}
END_TEST

/* More samples than are kept: the newest are. */
START_TEST(more_than_kept)
{
	struct freq_track track = steady(1, 10 * FREQ_TRACK_RECENT);
	struct freq_signs signs;

	for (int i = 0; i < FREQ_TRACK_RECENT; i++)
		freq_track_take(&track, PERIOD);
	signs = freq_track_signs(&track, &stretch);
	ck_assert_double_eq(signs.settled, PERIOD);
	ck_assert_uint_eq(track.n, 11 * FREQ_TRACK_RECENT);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("freq_track");
	TCase *tests = tcase_create("freq_track");

	tcase_add_test(tests, settled_at_once);
	tcase_add_test(tests, settles_in_time);
	tcase_add_test(tests, stays_away);
	tcase_add_test(tests, one_low_period);
	tcase_add_test(tests, wrong_periods_recorded);
	tcase_add_test(tests, nothing_at_all);
	tcase_add_test(tests, more_than_kept);
	suite_add_tcase(s, tests);
	return s;
}
