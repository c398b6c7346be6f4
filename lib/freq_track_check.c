// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdbool.h>

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

/* --- An event that becomes rare --- */

/* A kernel, and an event that becomes rarer: `times` as rare. */
struct turn {
	double hz, times;
	bool ticks;   /* do ticks adjust the period? */
	bool unended; /* and end one that is under way, where it is far too long? */
};

#define RARE_TICKS 5 /* of a period, when the event was frequent */
#define RARE_PERIOD 1e8

/*
 * What was counted until the next sample, as perf_adjust_freq_unthr_context() and
 * perf_adjust_period() go on: an eighth of the way in each tick, and a new period where more than
 * eight of them are left.
 */
static struct freq_rare become_rare(const struct turn *turn)
{
	const double want = RARE_PERIOD / turn->times;
	const double per_tick = want / RARE_TICKS;
	double period = RARE_PERIOD, left = RARE_PERIOD, count = 0, ticks = 0;

	while (left > 0) {
		count += per_tick;
		left -= per_tick;
		ticks++;
		if (turn->ticks)
			period += (want - period) / 8;
		if (turn->unended && left > 8 * period)
			left = period;
	}
	return (struct freq_rare){ .frequency = (uint64_t)(turn->hz / RARE_TICKS),
				   .period = (uint64_t)RARE_PERIOD,
				   .count = (uint64_t)(count + left),
				   .sampled = true,
				   .running = (uint64_t)(ticks * 1e9 / turn->hz) };
}

/* The bound of the hypothesis, half of the period, is far from either, whatever the tick. */
START_TEST(waits_for_ticks_only)
{
	static const double hz[] = { 100, 250, 300, 1000 }, times[] = { 20, 60, 1000, 100000 };

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++) {
			struct turn turn = { hz[i], times[k], true, true };
			struct freq_rare rare = become_rare(&turn);

			ck_assert_double_le(freq_rare_waited(&rare), 0.35);
			ck_assert_double_ge(freq_rare_times(&rare), 0.9 * turn.times);
			turn.ticks = false;
			rare = become_rare(&turn);
			ck_assert_double_ge(freq_rare_waited(&rare), 0.99);
			turn = (struct turn){ hz[i], times[k], true, false };
			rare = become_rare(&turn);
			ck_assert_double_ge(freq_rare_waited(&rare), 0.99);
		}
}
END_TEST

/* It was waited for a while only. */
START_TEST(no_sample_at_all)
{
	struct turn turn = { 250, 100, true, true };
	struct freq_rare rare = become_rare(&turn);

	rare.sampled = false;
	ck_assert_double_eq(freq_rare_waited(&rare), 1);
}
END_TEST

START_TEST(rare_without_figures)
{
	static const struct freq_rare nothing = { 0 };
	static const struct freq_rare no_period = { .frequency = 50, .count = 5, .running = 5 },
				      no_count = { .frequency = 50, .period = 5, .running = 5 },
				      endless = { .frequency = 50,
						  .period = 1,
						  .count = UINT64_MAX,
						  .running = 1 };

	ck_assert_double_eq(freq_rare_waited(&nothing), FREQ_OFF_MAX);
	ck_assert_double_eq(freq_rare_times(&nothing), 0);
	ck_assert_double_eq(freq_rare_waited(&no_period), FREQ_OFF_MAX);
	ck_assert_double_eq(freq_rare_times(&no_period), 0);
	ck_assert_double_eq(freq_rare_waited(&no_count), 1);
	ck_assert_double_eq(freq_rare_times(&no_count), 0);
	ck_assert_double_eq(freq_rare_waited(&endless), FREQ_OFF_MAX);
	ck_assert_double_lt(freq_rare_times(&endless), 1);
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
	tcase_add_test(tests, waits_for_ticks_only);
	tcase_add_test(tests, no_sample_at_all);
	tcase_add_test(tests, rare_without_figures);
	suite_add_tcase(s, tests);
	return s;
}
