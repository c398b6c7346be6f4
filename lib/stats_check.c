// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats.h"

#include <check.h>
#include <errno.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>

Suite *suite(void);

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* 1, 2, ..., n: then a sample's value is its rank. */
static void fill_ranks(double *samples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		samples[i] = (double)(i + 1);
}

/*
 * Worked by hand. Sum of squared deviations from the mean 5 is 9+1+1+1+0+0+4+16 = 32, and
 * 32 / (8 - 1) = 4.571429. The median of 2 4 4 4 5 5 7 9 is 4.5; quantile q lies at index 7q:
 * 0.9 at 6.3, 7 + 0.3 * 2; 0.99 at 6.93, 7 + 0.93 * 2; 0.999 at 6.993, 7 + 0.993 * 2.
 */
START_TEST(summary_by_hand)
{
	const double samples[] = { 9, 4, 2, 4, 5, 4, 7, 5 };
	struct stats s;

	ck_assert_int_eq(stats_summarise(&s, samples, N_OF(samples), 2), 0);
	ck_assert_uint_eq(s.n, 8);
	ck_assert_double_eq(s.min, 2);
	ck_assert_double_eq(s.max, 9);
	ck_assert_double_eq(s.warm_max, 7);
	ck_assert_double_eq_tol(s.avg, 5, 1e-12);
	ck_assert_double_eq_tol(s.stddev, sqrt(32.0 / 7), 1e-12);
	ck_assert_double_eq_tol(s.p50, 4.5, 1e-12);
	ck_assert_double_eq_tol(s.p90, 7.6, 1e-12);
	ck_assert_double_eq_tol(s.p99, 8.86, 1e-12);
	ck_assert_double_eq_tol(s.p999, 8.986, 1e-12);
	/* Ranks 1 and 8: 1 - 2 * 1/256 is 99.2 %, ranks 2 and 7 only 1 - 2 * 9/256 = 93.0 %. */
	ck_assert_double_eq(s.p50_low, 2);
	ck_assert_double_eq(s.p50_high, 9);
	ck_assert_double_eq(s.confidence, 0.95);
}
END_TEST

/* 800; + (0 - 800) / 8 = 700; + (1500 - 700) / 8 = 800; + (80 - 800) / 8 = 710. */
START_TEST(ewma_by_hand)
{
	const double samples[] = { 800, 0, 1500, 80 };
	struct stats s;

	ck_assert_double_eq(stats_ewma(800, 0), 700);
	ck_assert_double_eq(stats_ewma(700, 1500), 800);
	ck_assert_double_eq(stats_ewma(5, 5), 5);
	ck_assert_int_eq(stats_summarise(&s, samples, N_OF(samples), 0), 0);
	ck_assert_double_eq(s.ewma, 710);
}
END_TEST

START_TEST(warm_max_skips_only_the_start)
{
	const double samples[] = { 90, 80, 10, 30, 20 };
	static const struct {
		size_t skip;
		double warm_max;
	} cases[] = { { 0, 90 }, { 1, 80 }, { 2, 30 }, { 4, 20 }, { 5, 90 }, { 99, 90 } };
	struct stats s;

	for (size_t i = 0; i < N_OF(cases); i++) {
		ck_assert_int_eq(stats_summarise(&s, samples, N_OF(samples), cases[i].skip), 0);
		ck_assert_double_eq(s.warm_max, cases[i].warm_max);
		ck_assert_double_eq(s.max, 90);
	}
}
END_TEST

START_TEST(summary_of_nothing_is_not_a_number)
{
	struct stats s;

	ck_assert_int_eq(stats_summarise(&s, NULL, 0, 2), 0);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_double_nan(s.min);
	ck_assert_double_nan(s.max);
	ck_assert_double_nan(s.warm_max);
	ck_assert_double_nan(s.avg);
	ck_assert_double_nan(s.stddev);
	ck_assert_double_nan(s.ewma);
	ck_assert_double_nan(s.p50);
	ck_assert_double_nan(s.p90);
	ck_assert_double_nan(s.p99);
	ck_assert_double_nan(s.p999);
	ck_assert_double_nan(s.p50_low);
	ck_assert_double_nan(s.p50_high);
	ck_assert_double_nan(s.confidence);
}
END_TEST

START_TEST(summary_of_one)
{
	const double sample = -7.5;
	struct stats s;

	ck_assert_int_eq(stats_summarise(&s, &sample, 1, 2), 0);
	ck_assert_double_eq(s.min, -7.5);
	ck_assert_double_eq(s.max, -7.5);
	ck_assert_double_eq(s.warm_max, -7.5);
	ck_assert_double_eq(s.avg, -7.5);
	ck_assert_double_eq(s.stddev, 0);
	ck_assert_double_eq(s.ewma, -7.5);
	ck_assert_double_eq(s.p50, -7.5);
	ck_assert_double_eq(s.p999, -7.5);
	ck_assert_double_nan(s.p50_low);
	ck_assert_double_nan(s.confidence);
}
END_TEST

START_TEST(sample_that_is_not_finite_is_refused)
{
	const double bad[] = { NAN, INFINITY, -INFINITY };
	struct stats s;

	for (size_t i = 0; i < N_OF(bad); i++) {
		const double samples[] = { 1, 2, bad[i], 4 };

		ck_assert_int_eq(stats_summarise(&s, samples, N_OF(samples), 0), -EDOM);
		ck_assert_uint_eq(s.n, 4);
		ck_assert_double_nan(s.min);
		ck_assert_double_nan(s.max);
		ck_assert_double_nan(s.avg);
		ck_assert_double_nan(s.p50);
	}
}
END_TEST

/* The square of the deviation does not fit; what does is still right. */
START_TEST(overflow_stays_in_its_figure)
{
	const double samples[] = { DBL_MAX, -DBL_MAX };
	struct stats s;

	ck_assert_int_eq(stats_summarise(&s, samples, N_OF(samples), 0), 0);
	ck_assert_double_eq(s.max, DBL_MAX);
	ck_assert_double_eq(s.min, -DBL_MAX);
	ck_assert_double_eq(s.p50, 0);
	ck_assert(!isfinite(s.stddev));
	ck_assert(!isfinite(s.ewma));
}
END_TEST

START_TEST(percent_of_a_whole)
{
	ck_assert_double_eq(stats_percent(1, 4), 25);
	ck_assert_double_eq(stats_percent(0, 4), 0);
	ck_assert_double_eq(stats_percent(4, 4), 100);
	ck_assert_double_eq(stats_percent(0, 0), 0);
	ck_assert_double_eq(stats_percent(UINT64_MAX, UINT64_MAX), 100);
}
END_TEST

/* At index q (n - 1), between its neighbours in proportion: GSL's definition. */
START_TEST(quantile_definition)
{
	const double sorted[] = { 10, 20, 40, 80, 160 };

	ck_assert_double_eq(stats_quantile(sorted, 5, 0), 10);
	ck_assert_double_eq(stats_quantile(sorted, 5, 0.25), 20);
	ck_assert_double_eq(stats_quantile(sorted, 5, 0.5), 40);
	ck_assert_double_eq_tol(stats_quantile(sorted, 5, 0.6), 56, 1e-12);
	ck_assert_double_eq(stats_quantile(sorted, 5, 1), 160);
	ck_assert_double_eq(stats_quantile(sorted, 1, 0.999), 10);
	ck_assert_double_nan(stats_quantile(sorted, 0, 0.5));
	ck_assert_double_nan(stats_quantile(sorted, 5, 1.01));
	ck_assert_double_nan(stats_quantile(sorted, 5, -0.01));
	ck_assert_double_nan(stats_quantile(sorted, 5, NAN));
}
END_TEST

/*
 * Ranks from binomial sums: coverage of (r, n+1-r) is 1 - 2 (C(n,0) + ... + C(n,r-1)) / 2^n.
 * 6: r=1 1-2/64 = 96.9 %.          9: r=2 1-20/512 = 96.1 %, r=3 1-92/512 = 82.0 %.
 * 10: r=2 1-22/1024 = 97.9 %, r=3 1-112/1024 = 89.1 %.
 * 20: r=6 1-43400/1048576 = 95.9 %, r=7 1-120920/1048576 = 88.5 %.
 */
START_TEST(median_interval_ranks)
{
	static const struct {
		size_t n;
		double confidence;
		double low, high;
	} cases[] = { { 6, 0.95, 1, 6 },     { 8, 0.95, 1, 8 },	  { 9, 0.95, 2, 8 },
		      { 10, 0.95, 2, 9 },    { 10, 0.978, 2, 9 }, { 10, 0.979, 1, 10 },
		      { 10, 0.89, 3, 8 },    { 20, 0.95, 6, 15 }, { 20, 0.958, 6, 15 },
		      { 20, 0.9587, 5, 16 }, { 3, 0.75, 1, 3 },	  { 2, 0.5, 1, 2 } };
	double sorted[20], low, high;

	fill_ranks(sorted, N_OF(sorted));
	for (size_t i = 0; i < N_OF(cases); i++) {
		ck_assert_int_eq(
			stats_median_interval(sorted, cases[i].n, cases[i].confidence, &low, &high),
			0);
		ck_assert_double_eq(low, cases[i].low);
		ck_assert_double_eq(high, cases[i].high);
	}
}
END_TEST

/*
 * For large n the binomial is close to a normal: r = n/2 - 1.96 sqrt(n)/2, give or take one rank.
 * n = 100000: 50000 - 309.9 = 49690.
 */
START_TEST(median_interval_of_many)
{
	static double sorted[100000];
	double low, high;

	fill_ranks(sorted, N_OF(sorted));
	ck_assert_int_eq(stats_median_interval(sorted, N_OF(sorted), 0.95, &low, &high), 0);
	ck_assert_double_eq_tol(low, 49690, 1.5);
	ck_assert_double_eq(high, 100001 - low);
}
END_TEST

START_TEST(median_interval_needs_enough_samples)
{
	const double sorted[] = { 1, 2, 3, 4, 5, 6 };
	static const struct {
		size_t n;
		double confidence;
	} cases[] = { { 0, 0.95 }, { 1, 0.95 }, { 1, 0.01 }, { 5, 0.95 },
		      { 6, 0 },	   { 6, 1 },	{ 6, -1 },   { 6, NAN } };

	for (size_t i = 0; i < N_OF(cases); i++) {
		double low = 0, high = 0;

		ck_assert_int_eq(
			stats_median_interval(sorted, cases[i].n, cases[i].confidence, &low, &high),
			-EDOM);
		ck_assert_double_nan(low);
		ck_assert_double_nan(high);
	}
}
END_TEST

/*
 * R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven
 * methods", Statistics in Medicine 17 (1998), table I, method 3 (Wilson without continuity
 * correction), 95 %, to four places.
 */
START_TEST(wilson_published)
{
	static const struct {
		size_t hits, n;
		double low, high;
	} cases[] = { { 81, 263, 0.2553, 0.3662 },
		      { 15, 148, 0.0624, 0.1605 },
		      { 0, 20, 0.0000, 0.1611 },
		      { 1, 29, 0.0061, 0.1718 } };
	double low, high;

	for (size_t i = 0; i < N_OF(cases); i++) {
		stats_wilson(cases[i].hits, cases[i].n, 0.95, &low, &high);
		ck_assert_double_eq_tol(low, cases[i].low, 0.00005);
		ck_assert_double_eq_tol(high, cases[i].high, 0.00005);
		/* Counting misses instead of hits mirrors the interval. */
		stats_wilson(cases[i].n - cases[i].hits, cases[i].n, 0.95, &low, &high);
		ck_assert_double_eq_tol(low, 1 - cases[i].high, 0.00005);
		ck_assert_double_eq_tol(high, 1 - cases[i].low, 0.00005);
	}
}
END_TEST

START_TEST(wilson_at_the_ends)
{
	double low, high;

	stats_wilson(0, 0, 0.95, &low, &high);
	ck_assert_double_eq(low, 0);
	ck_assert_double_eq(high, 1);
	/* 0 of n ends at z^2 / (n + z^2), z = 1.959964. */
	stats_wilson(0, 10, 0.95, &low, &high);
	ck_assert_double_eq(low, 0);
	ck_assert_double_eq_tol(high, 3.841459 / 13.841459, 1e-6);
	stats_wilson(10, 10, 0.95, &low, &high);
	ck_assert_double_eq_tol(low, 10 / 13.841459, 1e-6);
	ck_assert_double_eq(high, 1);
	stats_wilson(SIZE_MAX, SIZE_MAX, 0.95, &low, &high);
	ck_assert_double_eq_tol(low, 1, 1e-12);
	stats_wilson(11, 10, 0.95, &low, &high);
	ck_assert_double_nan(low);
	ck_assert_double_nan(high);
	stats_wilson(5, 10, 1, &low, &high);
	ck_assert_double_nan(low);
	stats_wilson(5, 10, NAN, &low, &high);
	ck_assert_double_nan(high);
}
END_TEST

START_TEST(resolution_of_a_clock)
{
	struct timespec promised;
	double fine = stats_clock_resolution(CLOCK_MONOTONIC, 10000);
	double coarse;

	ck_assert_double_ge(fine, 1);
	/* What is delivered is never finer than what clock_getres() promises. */
	ck_assert_int_eq(clock_getres(CLOCK_MONOTONIC, &promised), 0);
	ck_assert_double_ge(fine, (double)promised.tv_sec * 1e9 + (double)promised.tv_nsec);
	/* The coarse clock steps with the tick, every 1 to 10 ms: these reads pass one. */
	coarse = stats_clock_resolution(CLOCK_MONOTONIC_COARSE, 5000000);
	ck_assert_double_ge(coarse, 900000);
	ck_assert_double_eq(stats_clock_resolution((clockid_t)999, 100), 0);
	ck_assert_double_eq(stats_clock_resolution(CLOCK_MONOTONIC, 0), 0);
	ck_assert_double_eq(stats_clock_resolution(CLOCK_MONOTONIC, 1), 0);
}
END_TEST

/* The same as steps, of which there is room for n; returns how many there are. */
static size_t make_steps(struct stats_step *steps, const double *samples, size_t n)
{
	size_t n_steps = 0;

	for (size_t i = 0; i < n; i++) {
		if (!i || samples[i] > samples[i - 1])
			steps[n_steps++] = (struct stats_step){ samples[i], 0 };
		steps[n_steps - 1].count++;
	}
	return n_steps;
}

#define SAMPLES_MAX 2000

/* Of samples in any order, which are sorted. */
static double mann_whitney(double *a, size_t n, double *b, size_t m)
{
	static struct stats_step in_a[SAMPLES_MAX], in_b[SAMPLES_MAX];

	gsl_sort(a, 1, n);
	gsl_sort(b, 1, m);
	return stats_mann_whitney(in_a, make_steps(in_a, a, n), in_b, make_steps(in_b, b, m));
}

/*
 * Hollander and Wolfe (1973), page 69: permeability of the human chorioamnion. R's manual of
 * wilcox.test() has W = 35 and the one-sided p = 0.1272.
 */
START_TEST(mann_whitney_exact)
{
	double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

	ck_assert_double_eq_tol(mann_whitney(x, N_OF(x), y, N_OF(y)), 2 * 0.1272, 2e-4);
	ck_assert_double_eq_tol(mann_whitney(y, N_OF(y), x, N_OF(x)), 2 * 0.1272, 2e-4);
}
END_TEST

/* By counting: all 3 of 3 above all 3 is 1 of 20 orders, and as many the other way round. */
START_TEST(mann_whitney_smallest)
{
	double low[] = { 1, 2, 3 }, high[] = { 4, 5, 6 };

	ck_assert_double_eq_tol(mann_whitney(low, 3, high, 3), 0.1, 1e-12);
	ck_assert_double_eq_tol(mann_whitney(high, 3, low, 3), 0.1, 1e-12);
}
END_TEST

/*
 * Ozone in New York in May and August 1973, the data set airquality of R, whose manual of
 * wilcox.test() has W = 127.5 and p = 0.0001208 for it; it has ties.
 */
START_TEST(mann_whitney_with_ties)
{
	double may[] = { 41, 36, 12, 18, 28, 23, 19, 8, 7,  16, 11, 14,	 18,
			 14, 34, 6,  30, 11, 1,	 11, 4, 32, 23, 45, 115, 37 };
	double august[] = { 39, 9,  16, 78, 35, 66, 122, 89,  110, 44, 28,  65, 22,
			    59, 23, 31, 44, 21, 9,  45,	 168, 73,  76, 118, 84, 85 };

	ck_assert_double_eq_tol(mann_whitney(may, N_OF(may), august, N_OF(august)), 0.0001208,
				5e-8);
}
END_TEST

START_TEST(mann_whitney_at_the_ends)
{
	double same[] = { 5, 5, 5, 5 };
	double many[SAMPLES_MAX], more[SAMPLES_MAX];

	ck_assert(isnan(mann_whitney(same, 0, same, 4)));
	ck_assert(isnan(mann_whitney(same, 4, same, 0)));
	ck_assert_double_eq(mann_whitney(same, 4, same, 4), 1);
	for (size_t i = 0; i < N_OF(many); i++) {
		many[i] = (double)i;
		more[i] = (double)i + 1000;
	}
	ck_assert_double_eq(mann_whitney(many, N_OF(many), many, N_OF(many)), 1);
	ck_assert_double_lt(mann_whitney(many, N_OF(many), more, N_OF(more)), 1e-100);
}
END_TEST

/* 1, 2, 2, 2, 10: at index 4q, so 0.9 is at 3.6, 2 + 0.6 * 8. */
START_TEST(quantiles_of_steps)
{
	const struct stats_step steps[] = { { 1, 1 }, { 2, 3 }, { 10, 1 } };

	ck_assert_double_eq(stats_steps_quantile(steps, 3, 0), 1);
	ck_assert_double_eq(stats_steps_quantile(steps, 3, 0.125), 1.5);
	ck_assert_double_eq(stats_steps_quantile(steps, 3, 0.5), 2);
	ck_assert_double_eq(stats_steps_quantile(steps, 3, 0.75), 2);
	ck_assert_double_eq_tol(stats_steps_quantile(steps, 3, 0.9), 6.8, 1e-12);
	ck_assert_double_eq(stats_steps_quantile(steps, 3, 1), 10);
	ck_assert_double_eq(stats_steps_quantile(steps + 1, 1, 0.3), 2);
	ck_assert_double_nan(stats_steps_quantile(steps, 0, 0.5));
	ck_assert_double_nan(stats_steps_quantile(steps, 3, 1.01));
	ck_assert_double_nan(stats_steps_quantile(steps, 3, -0.01));
	ck_assert_double_nan(stats_steps_quantile(steps, 3, NAN));
}
END_TEST

/* Ten samples: of those of ranks 2 and 9 see median_interval_ranks, 3 and 8 are both 5. */
START_TEST(median_interval_of_steps)
{
	const struct stats_step steps[] = { { 1, 2 }, { 5, 6 }, { 9, 2 } };
	const struct stats_step many[] = { { 1, UINT_MAX }, { 2, 101 } };
	double low, high;

	ck_assert_int_eq(stats_steps_median_interval(steps, 3, 0.95, &low, &high), 0);
	ck_assert_double_eq(low, 1);
	ck_assert_double_eq(high, 9);
	ck_assert_int_eq(stats_steps_median_interval(steps, 3, 0.89, &low, &high), 0);
	ck_assert_double_eq(low, 5);
	ck_assert_double_eq(high, 5);
	ck_assert_int_eq(stats_steps_median_interval(steps, 1, 0.95, &low, &high), -EDOM);
	ck_assert_double_nan(low);
	ck_assert_double_nan(high);
	if (SIZE_MAX > UINT_MAX) /* as many as fit a size_t there */
		ck_assert_int_eq(stats_steps_median_interval(many, 2, 0.95, &low, &high), -EDOM);
}
END_TEST

/* Sorted samples from few values or many, from a generator that always gives the same. */
static size_t fill_random(gsl_rng *rng, double *samples)
{
	size_t n = gsl_rng_uniform_int(rng, 300) + 1;
	unsigned long values = gsl_rng_uniform_int(rng, 2) ? 7 : 200;

	for (size_t i = 0; i < n; i++)
		samples[i] = (double)gsl_rng_uniform_int(rng, values) / 8;
	gsl_sort(samples, 1, n);
	return n;
}

/* One by one, or as steps: it is the same, to the last bit. */
START_TEST(steps_are_their_samples)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus);

	for (int round = 0; round < 300; round++) {
		double samples[300], low, high, steps_low, steps_high;
		struct stats_step steps[300];
		size_t n = fill_random(rng, samples);
		size_t n_steps = make_steps(steps, samples, n);
		double q = round % 3 ? gsl_rng_uniform(rng) : (double)round / 300;

		ck_assert_double_eq(stats_steps_quantile(steps, n_steps, q),
				    gsl_stats_quantile_from_sorted_data(samples, 1, n, q));
		ck_assert_int_eq(
			stats_median_interval(samples, n, 0.95, &low, &high),
			stats_steps_median_interval(steps, n_steps, 0.95, &steps_low, &steps_high));
		ck_assert(n < 6 ? isnan(steps_low) : steps_low == low);
		ck_assert(n < 6 ? isnan(steps_high) : steps_high == high);
	}
	gsl_rng_free(rng);
}
END_TEST

/* The rank of a value among both series: the mean of those of all that equal it. */
static double rank_in(double value, const double *a, size_t n, const double *b, size_t m)
{
	double below = 0, equal = 0;

	for (size_t i = 0; i < n + m; i++) {
		double other = i < n ? a[i] : b[i - n];

		below += other < value;
		equal += other == value;
	}
	return below + (equal + 1) / 2;
}

/*
 * From the ranks one by one: their sum W over a has the mean n (N + 1) / 2 and the variance
 * n m / (N (N - 1)) times the sum of the squared deviations of all ranks from (N + 1) / 2.
 */
static double by_ranks(const double *a, size_t n, const double *b, size_t m)
{
	double N = (double)(n + m), mean = (N + 1) / 2, sum = -(double)n * mean, squares = 0;

	for (size_t i = 0; i < n + m; i++) {
		double deviation = rank_in(i < n ? a[i] : b[i - n], a, n, b, m) - mean;

		sum += i < n ? deviation + mean : 0;
		squares += deviation * deviation;
	}
	squares *= (double)n * (double)m / (N * (N - 1));
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(0, fabs(sum) - 0.5) / sqrt(squares)));
}

START_TEST(mann_whitney_by_ranks)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus);
	size_t compared = 0;

	for (int round = 0; round < 60; round++) {
		double a[300], b[300];
		size_t n = fill_random(rng, a), m = fill_random(rng, b);

		if (n < 50 && m < 50)
			continue;
		compared++;
		ck_assert_double_eq_tol(mann_whitney(a, n, b, m), by_ranks(a, n, b, m), 1e-9);
	}
	ck_assert_uint_gt(compared, 40);
	gsl_rng_free(rng);
}
END_TEST

/*
 * 10^8 samples: the interval begins at n/2 - 1.96 sqrt(n)/2 = 49990200, and ends as far from the
 * middle. Half of a against 1/10000 less of b are the greater of two values: a difference of two
 * rates of sqrt(2) standard deviations, so p = erfc(1) = 0.157299.
 */
START_TEST(steps_of_very_many)
{
	const struct stats_step wide[] = { { 1, 49990190 },
					   { 2, 20 },
					   { 3, 100000000 - 2 * 49990210 },
					   { 4, 20 },
					   { 5, 49990190 } };
	const struct stats_step a[] = { { 1, 50000000 }, { 2, 50000000 } };
	const struct stats_step b[] = { { 1, 50010000 }, { 2, 49990000 } };
	double low, high;

	ck_assert_int_eq(stats_steps_median_interval(wide, N_OF(wide), 0.95, &low, &high), 0);
	ck_assert_double_eq(low, 2);
	ck_assert_double_eq(high, 4);
	ck_assert_double_eq(stats_steps_quantile(a, 2, 0.5), 1.5);
	ck_assert_double_eq(stats_steps_quantile(b, 2, 0.5), 1);
	ck_assert_double_eq_tol(stats_mann_whitney(a, 2, b, 2), 0.157299, 2e-6);
	ck_assert_double_eq(stats_mann_whitney(a, 1, b, 1), 1);
	ck_assert_double_lt(stats_mann_whitney(a, 1, b + 1, 1), 1e-100);
}
END_TEST

static void add_tests(TCase *tc, const TTest *const *tests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tc, tests[i]);
}

Suite *suite(void)
{
	const TTest *const tests[] = { summary_by_hand,
				       ewma_by_hand,
				       warm_max_skips_only_the_start,
				       summary_of_nothing_is_not_a_number,
				       summary_of_one,
				       sample_that_is_not_finite_is_refused,
				       overflow_stays_in_its_figure,
				       percent_of_a_whole,
				       quantile_definition,
				       median_interval_ranks,
				       median_interval_of_many,
				       median_interval_needs_enough_samples,
				       wilson_published,
				       wilson_at_the_ends,
				       mann_whitney_exact,
				       mann_whitney_smallest,
				       mann_whitney_with_ties,
				       mann_whitney_at_the_ends,
				       quantiles_of_steps,
				       median_interval_of_steps,
				       steps_are_their_samples,
				       mann_whitney_by_ranks,
				       steps_of_very_many,
				       resolution_of_a_clock };
	Suite *s = suite_create("stats");
	TCase *tc = tcase_create("stats");

	add_tests(tc, tests, N_OF(tests));
	suite_add_tcase(s, tc);
	return s;
}
