/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_STATS_H
#define PMIPROOF_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * Descriptive statistics of one series of samples, all in the unit of the samples. Computed with
 * GSL. Quantiles are of the sorted samples with linear interpolation
 * (gsl_stats_quantile_from_sorted_data).
 */
struct stats {
	size_t n;
	double min;
	double max;
	double warm_max; /* maximum without the first warm_skip samples; max when n <= warm_skip */
	double avg;
	double stddev; /* sample standard deviation (n - 1); 0 for n < 2 */
	double ewma; /* exponentially weighted moving average, k = 1/8, started at the first sample
		      */
	double p50;
	double p90;
	double p99;
	double p999;
	double p50_low, p50_high; /* confidence interval of the median; NAN when n is too small */
	double confidence;	  /* confidence of that interval, 0.95; NAN without one */
};

/*
 * Summarise samples[0..n-1], given in the order they were taken (warm_max and ewma depend on it).
 * warm_skip is how many at the start are cold. n == 0 leaves everything but n NAN, and so does
 * a sample that is not finite. Finite samples so large that a figure overflows leave that figure
 * not finite.
 * Returns 0, -EDOM for a sample that is not finite, or -ENOMEM.
 */
int stats_summarise(struct stats *stats, const double *samples, size_t n, size_t warm_skip);

/* 100 * part / whole; 0 for a whole of 0, of which nothing was seen. */
double stats_percent(uint64_t part, uint64_t whole);

/* Quantile q of samples sorted ascending; NAN for n == 0 or q outside [0, 1]. */
double stats_quantile(const double *sorted, size_t n, double q);

/*
 * Distribution-free confidence interval of the median from order statistics (binomial, p = 1/2),
 * at least `confidence`: the narrowest symmetric one. Returns 0, or -EDOM when n is too small for
 * that confidence (n < 6 at 0.95) or above UINT_MAX, or the confidence not between 0 and 1; then
 * *low and *high are NAN.
 */
int stats_median_interval(const double *sorted, size_t n, double confidence, double *low,
			  double *high);

/*
 * Wilson score interval of a rate: `hits` of `n` at `confidence` (two-sided). n == 0 gives [0, 1];
 * more hits than n, or a confidence not between 0 and 1, gives NANs.
 */
void stats_wilson(size_t hits, size_t n, double confidence, double *low, double *high);

/*
 * Samples by their values, for series that are too long to be held one by one: how many samples
 * have a value. The steps of a series are ascending and have each value once.
 */
struct stats_step {
	double value;
	size_t count; /* above 0; the sum over a series fits a size_t as well */
};

/* As stats_quantile() and stats_median_interval(), of a series of `n` steps. */
double stats_steps_quantile(const struct stats_step *steps, size_t n, double q);
int stats_steps_median_interval(const struct stats_step *steps, size_t n, double confidence,
				double *low, double *high);

/*
 * Do two series, of n and m steps, come from the same distribution? The two-sided p-value of the
 * Mann-Whitney (Wilcoxon rank-sum) test. Exact when both have fewer than 50 samples and no value
 * occurs twice, else by the normal approximation with corrections for ties and continuity (the same
 * limits as R's wilcox.test()). NAN when either is empty or memory ran out; 1 when all values are
 * equal.
 */
double stats_mann_whitney(const struct stats_step *a, size_t n, const struct stats_step *b,
			  size_t m);

/*
 * One step of the moving average the GIC thread's tool prints as "avg": prev + (sample - prev) / 8.
 */
double stats_ewma(double prev, double sample);

/*
 * Smallest step of a clock seen by reading it back to back, in ns: the least non-zero difference
 * of `reads` readings (what clock_getres() promises is often finer than what is delivered).
 * Returns 0 when the clock did not advance or cannot be read.
 */
double stats_clock_resolution(clockid_t clock, unsigned int reads);

#endif
