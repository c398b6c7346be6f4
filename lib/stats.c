// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEDIAN_CONFIDENCE 0.95

/* k of the moving average: 1/8. */
#define EWMA_DIVISOR 8

/* Below so many samples in both series, p-values are exact. */
#define MANN_WHITNEY_EXACT 50

/* A coverage short of the confidence by less than this is equal to it but for rounding. */
#define COVERAGE_ROUNDING 1e-12

static void stats_clear(struct stats *stats, size_t n)
{
	*stats = (struct stats){
		.n = n,
		.min = NAN,
		.max = NAN,
		.warm_max = NAN,
		.avg = NAN,
		.stddev = NAN,
		.ewma = NAN,
		.p50 = NAN,
		.p90 = NAN,
		.p99 = NAN,
		.p999 = NAN,
		.p50_low = NAN,
		.p50_high = NAN,
		.confidence = NAN,
	};
}

/* The figures that depend on the order in which the samples were taken. */
static void summarise_ordered(struct stats *stats, const double *samples, size_t n,
			      size_t warm_skip)
{
	size_t first_warm = warm_skip < n ? warm_skip : 0;

	stats->warm_max = gsl_stats_max(samples + first_warm, 1, n - first_warm);
	stats->ewma = samples[0];
	for (size_t i = 1; i < n; i++)
		stats->ewma = stats_ewma(stats->ewma, samples[i]);
}

static void summarise_sorted(struct stats *stats, const double *sorted, size_t n)
{
	stats->min = sorted[0];
	stats->max = sorted[n - 1];
	stats->p50 = stats_quantile(sorted, n, 0.5);
	stats->p90 = stats_quantile(sorted, n, 0.9);
	stats->p99 = stats_quantile(sorted, n, 0.99);
	stats->p999 = stats_quantile(sorted, n, 0.999);
	if (!stats_median_interval(sorted, n, MEDIAN_CONFIDENCE, &stats->p50_low, &stats->p50_high))
		stats->confidence = MEDIAN_CONFIDENCE;
}

int stats_summarise(struct stats *stats, const double *samples, size_t n, size_t warm_skip)
{
	double *sorted;

	stats_clear(stats, n);
	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!isfinite(samples[i]))
			return -EDOM;
	sorted = reallocarray(NULL, n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, samples, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	summarise_sorted(stats, sorted, n);
	free(sorted);

	summarise_ordered(stats, samples, n, warm_skip);
	stats->avg = gsl_stats_mean(samples, 1, n);
	stats->stddev = n < 2 ? 0 : gsl_stats_sd(samples, 1, n);
	return 0;
}

double stats_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	if (!n || !(q >= 0 && q <= 1))
		return NAN;
	return gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
}

/*
 * Probability that the median lies between the samples of ranks r and n + 1 - r (counted from 1):
 * that of at least r and at most n - r of n samples falling below it. GSL has none (NAN) for ranks
 * very close to the middle of more than 10^7 samples, where it is small.
 */
static double median_coverage(unsigned int r, unsigned int n)
{
	return 1 - 2 * gsl_cdf_binomial_P(r - 1, 0.5, n) + COVERAGE_ROUNDING;
}

/*
 * The rank of the lower end of the interval of the median, counted from 1; the upper end has the
 * same from above. 0 when there is none.
 */
static size_t median_rank(size_t n, double confidence)
{
	unsigned int covers = 1, beyond = (unsigned int)(n / 2) + 1;

	if (n < 2 || n > UINT_MAX || !(confidence > 0 && confidence < 1) ||
	    median_coverage(covers, (unsigned int)n) < confidence)
		return 0;
	/* Coverage falls as the ranks come closer; find the closest that still has enough. */
	while (beyond - covers > 1) {
		unsigned int middle = covers + (beyond - covers) / 2;

		if (median_coverage(middle, (unsigned int)n) >= confidence)
			covers = middle;
		else
			beyond = middle;
	}
	return covers;
}

int stats_median_interval(const double *sorted, size_t n, double confidence, double *low,
			  double *high)
{
	size_t rank = median_rank(n, confidence);

	*low = rank ? sorted[rank - 1] : NAN;
	*high = rank ? sorted[n - rank] : NAN;
	return rank ? 0 : -EDOM;
}

static size_t count_all(const struct stats_step *steps, size_t n)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += steps[i].count;
	return all;
}

/* sorted[index], were the samples there one by one; the last one when it is above all. */
static double sample_at(const struct stats_step *steps, size_t n, size_t index)
{
	size_t i = 0;

	while (i + 1 < n && index >= steps[i].count)
		index -= steps[i++].count;
	return steps[i].value;
}

double stats_steps_quantile(const struct stats_step *steps, size_t n, double q)
{
	size_t all = count_all(steps, n);
	double at = q * (double)(all - 1);
	double between[2];

	if (!all || !(q >= 0 && q <= 1))
		return NAN;
	between[0] = sample_at(steps, n, (size_t)at);
	between[1] = sample_at(steps, n, (size_t)at + 1);
	return stats_quantile(between, 2, at - floor(at));
}

int stats_steps_median_interval(const struct stats_step *steps, size_t n, double confidence,
				double *low, double *high)
{
	size_t all = count_all(steps, n);
	size_t rank = median_rank(all, confidence);

	*low = rank ? sample_at(steps, n, rank - 1) : NAN;
	*high = rank ? sample_at(steps, n, all - rank) : NAN;
	return rank ? 0 : -EDOM;
}

void stats_wilson(size_t hits, size_t n, double confidence, double *low, double *high)
{
	double rate, z2, centre, half, scale;

	*low = 0;
	*high = 1;
	if (!n)
		return;
	if (hits > n || !(confidence > 0 && confidence < 1)) {
		*low = NAN;
		*high = NAN;
		return;
	}
	rate = (double)hits / (double)n;
	z2 = pow(gsl_cdf_ugaussian_Qinv((1 - confidence) / 2), 2) / (double)n;
	scale = 1 / (1 + z2);
	centre = (rate + z2 / 2) * scale;
	half = sqrt(z2 * (rate * (1 - rate) + z2 / 4)) * scale;
	/* At the ends the interval closes exactly; rounding must not leave 1e-17. */
	if (hits)
		*low = fmax(0, centre - half);
	if (hits < n)
		*high = fmin(1, centre + half);
}

/* What the ranks of two series say. */
struct ranks {
	double u;    /* pairs in which a is above b, ties counted as half */
	double ties; /* sum of t^3 - t over values that occur t times */
};

static struct ranks rank(const struct stats_step *a, size_t n, const struct stats_step *b, size_t m)
{
	struct ranks ranks = { 0 };
	double below = 0; /* samples of b */
	size_t i = 0, j = 0;

	while (i < n || j < m) {
		bool of_a = j == m || (i < n && a[i].value <= b[j].value);
		bool of_b = !of_a || (j < m && a[i].value == b[j].value);
		double in_a = of_a ? (double)a[i++].count : 0;
		double in_b = of_b ? (double)b[j++].count : 0;
		double t = in_a + in_b;

		ranks.u += in_a * (below + in_b / 2);
		ranks.ties += t * t * t - t;
		below += in_b;
	}
	return ranks;
}

/*
 * P(U <= u) for series without ties. ways[k] is the number of orders of i a's and j b's with U = k:
 * those that end in an a (which is above all j b's) and those that end in a b.
 */
static double mann_whitney_exact(size_t u, size_t n, size_t m)
{
	size_t most = n * m;
	double *ways = calloc((m + 1) * (most + 1), sizeof(*ways));
	double below = 0, all = 0;

	if (!ways)
		return NAN;
	for (size_t j = 0; j <= m; j++)
		ways[j * (most + 1)] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			double *of = ways + j * (most + 1), *fewer = of - (most + 1);

			/* Downwards: of[k - j] is still that of i - 1. */
			for (size_t k = i * j + 1; k-- > 0;)
				of[k] = (k >= j ? of[k - j] : 0) + fewer[k];
		}
	}
	for (size_t k = 0; k <= most; k++) {
		all += ways[m * (most + 1) + k];
		below += k <= u ? ways[m * (most + 1) + k] : 0;
	}
	free(ways);
	return below / all;
}

double stats_mann_whitney(const struct stats_step *a, size_t n, const struct stats_step *b,
			  size_t m)
{
	size_t all_a = count_all(a, n), all_b = count_all(b, m);
	double N = (double)all_a + (double)all_b, pairs = (double)all_a * (double)all_b;
	double variance, distance;
	struct ranks ranks;

	if (!all_a || !all_b)
		return NAN;
	ranks = rank(a, n, b, m);
	distance = fabs(ranks.u - pairs / 2);
	if (all_a < MANN_WHITNEY_EXACT && all_b < MANN_WHITNEY_EXACT && ranks.ties == 0)
		return fmin(1,
			    2 * mann_whitney_exact((size_t)(pairs / 2 - distance), all_a, all_b));
	variance = pairs / 12 * (N + 1 - ranks.ties / (N * (N - 1)));
	if (variance <= 0)
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(0, distance - 0.5) / sqrt(variance)));
}

double stats_ewma(double prev, double sample)
{
	return prev + (sample - prev) / EWMA_DIVISOR;
}

static int64_t step_ns(const struct timespec *from, const struct timespec *to)
{
	return (int64_t)(to->tv_sec - from->tv_sec) * 1000000000 + (to->tv_nsec - from->tv_nsec);
}

double stats_clock_resolution(clockid_t clock, unsigned int reads)
{
	struct timespec last, now;
	int64_t least = 0;

	if (!reads || clock_gettime(clock, &last))
		return 0;
	for (unsigned int i = 1; i < reads; i++) {
		int64_t step;

		if (clock_gettime(clock, &now))
			return 0;
		step = step_ns(&last, &now);
		/* A clock that can be set may also step back. */
		if (step > 0 && (!least || step < least))
			least = step;
		last = now;
	}
	return (double)least;
}
