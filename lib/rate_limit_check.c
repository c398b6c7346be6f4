// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "rate_limit.h"

Suite *suite(void);

static const struct {
	struct rate_limit limit;
	double most;
} limits[] = {
	{ { 1024, 1024 }, 3072 },
	/* Lowered or raised meanwhile: what was right at any time is within it. */
	{ { 100000, 25000 }, 102048 },
	{ { 4096, 100000 }, 102048 },
};

START_TEST(most_within_the_limit)
{
	ck_assert_double_eq(rate_limit_most(&limits[_i].limit), limits[_i].most);
}
END_TEST

START_TEST(asked_for)
{
	ck_assert_double_eq(rate_limit_asked(1), 1e5);
	ck_assert_double_eq(rate_limit_asked(10000), 1e5);
	ck_assert_double_eq(rate_limit_asked(1000000), 1000);
}
END_TEST

/* Ticks of 1024 Hz and of 250 Hz. */
START_TEST(possible)
{
	ck_assert_double_eq(rate_limit_possible(17, 1), 1e5);
	ck_assert_double_eq_tol(rate_limit_possible(17, 976563), 1024, 0.01);
	ck_assert_double_le(rate_limit_possible(17, 976563), 1024);
	ck_assert_double_eq(rate_limit_possible(17, 4000000), 250);
	ck_assert_double_eq(rate_limit_possible(10000000, 4000000), 100);
}
END_TEST

/* A 3 GHz CPU asked for no more than 0.7 of the usual limit: 70000/s. */
static const struct {
	double per_second;
	long allowed;
	uint64_t period;
} periods[] = {
	{ 1, 100000, 20011 },	{ 1.4e9, 100000, 20011 },  { 1.41e9, 100000, 50021 },
	{ 3e9, 100000, 50021 }, { 3.6e9, 100000, 100003 }, { 3e9, 25000, 200003 },
	{ 3e9, 10000, 400009 }, { 3e9, 1, 400009 },	   { 0, 100000, 20011 },
};

START_TEST(period_within_the_limit)
{
	ck_assert_uint_eq(rate_limit_period(periods[_i].per_second, periods[_i].allowed),
			  periods[_i].period);
}
END_TEST

START_TEST(samples_within_the_limit)
{
	/* 50 ms and two ticks of 10 ms, at one more than the limit for each of 1024 ticks/s. */
	ck_assert_double_eq_tol(rate_limit_samples(4096, 0.05), 358.4, 1e-6);
	/* 13 ticks of 4 ms, 17 samples each, are within it; what no limit would let through is not.
	 */
	ck_assert_double_gt(rate_limit_samples(4096, 0.05), 13 * 17);
	ck_assert_double_lt(rate_limit_samples(4096, 0.05), 0.05 / 26e-6);
}
END_TEST

/*
 * What a kernel with `hz` ticks per second makes of a limit of 100000 when it believes that each
 * handler takes that long: see the description in lib/rate_limit.h. Its average starts from 0, or
 * (warm) from handlers before these.
 */
static double kernel_limit(double handler_ns, double hz, double percent, bool warm)
{
	double limit = 100000, sum = warm ? 128 * handler_ns : 0;
	double allowed = percent / 100 * 1e9 / limit;

	for (int i = 0; i < 10000; i++) {
		double average;

		sum += handler_ns - sum / 128;
		average = floor(sum / 128);
		if (average <= allowed)
			continue;
		allowed = average + floor(average / 4);
		limit = hz * fmax(1, floor(percent / 100 * 1e9 / hz / allowed));
	}
	return limit;
}

/* The report's machine: handlers of 24 to 26 us, HZ 1024, and a limit of 7168 to 8192. */
START_TEST(the_model_is_that_kernel)
{
	const double limit = kernel_limit(24000 + 500 * _i, 1024, 25, true);

	ck_assert_double_ge(limit, 7168);
	ck_assert_double_le(limit, 8192);
}
END_TEST

#define CPU_HZ_SLOW 250e6

static const struct {
	double handler_ns, hz;
	double untimed_ns; /* what a sample costs beside its handler */
} sound[] = {
	{ 25000, 1024, 2000 },	{ 25000, 1024, 25000 }, { 50000, 250, 2000 },
	{ 3000, 250, 1500 },	{ 1200, 1000, 800 },	{ 2600, 100, 3000 },
	{ 400000, 1024, 2000 }, { 700000, 1024, 2000 },
};

static struct rate_band band_of(double cost_ns)
{
	const struct rate_cost cost = { cost_ns, cost_ns };

	return rate_limit_band(100000, 25, &cost);
}

START_TEST(sound_kernels_end_in_the_band)
{
	const struct rate_band band = band_of(sound[_i].handler_ns + sound[_i].untimed_ns);

	for (int warm = 0; warm < 2; warm++) {
		const double limit = kernel_limit(sound[_i].handler_ns, sound[_i].hz, 25, warm);

		ck_assert_double_ge(limit, band.low);
		ck_assert_double_le(limit, band.high);
	}
}
END_TEST

/* A handler of 25 us taken for something else, on the report's kernel. */
static const struct {
	double taken_for_ns;
	bool too_high;
} wrong[] = {
	{ 0, true },			     /* not told at all */
	{ 25000 * CPU_HZ_SLOW / 1e9, true }, /* cycles in place of ns */
	{ 25000 + 17.18e9 / 5000, false },   /* one in 5000 is a wrap of 2^32 cycles too long */
	{ 25000 * 1000, false },	     /* ps in place of ns */
};

START_TEST(wrong_kernels_end_outside_of_it)
{
	const struct rate_band band = band_of(25000 + 2000);
	const double limit = kernel_limit(wrong[_i].taken_for_ns, 1024, 25, true);

	if (wrong[_i].too_high)
		ck_assert_double_gt(limit, band.high);
	else
		ck_assert_double_lt(limit, band.low);
}
END_TEST

START_TEST(band_of_a_limit_that_is_low_already)
{
	const struct rate_cost cost = { 2000, 3000 };
	const struct rate_band band = rate_limit_band(4096, 25, &cost);

	/* 125,000 samples of 2 us fit into 25 %, 83,333 of 3 us. */
	ck_assert_double_eq(band.low, 4096);
	ck_assert_double_eq_tol(band.high, 2.5 * 125000, 1);
	ck_assert_double_eq_tol(rate_limit_band(100000, 25, &cost).low, 0.4 * 83333.3 - 1024, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("rate_limit");
	TCase *tcase = tcase_create("rate_limit");

	tcase_add_loop_test(tcase, most_within_the_limit, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_test(tcase, asked_for);
	tcase_add_test(tcase, possible);
	tcase_add_loop_test(tcase, period_within_the_limit, 0,
			    sizeof(periods) / sizeof(periods[0]));
	tcase_add_test(tcase, samples_within_the_limit);
	tcase_add_loop_test(tcase, the_model_is_that_kernel, 0, 5);
	tcase_add_loop_test(tcase, sound_kernels_end_in_the_band, 0,
			    sizeof(sound) / sizeof(sound[0]));
	tcase_add_loop_test(tcase, wrong_kernels_end_outside_of_it, 0,
			    sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, band_of_a_limit_that_is_low_already);
	suite_add_tcase(s, tcase);
	return s;
}
