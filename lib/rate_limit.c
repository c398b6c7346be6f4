// SPDX-License-Identifier: GPL-2.0-or-later
#include "rate_limit.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "sysctl.h"

#define HZ_MIN 100
#define HZ_MAX 1024

const struct klog_allow rate_limit_klog[] = {
	{ KLOG_THROTTLE, 100 },
	{ KLOG_SLOW_NMI, 100 },
	{ KLOG_NONE, 0 },
};

const char *const rate_limit_sysctls[] = { RATE_LIMIT_SYSCTL, NULL };
const char *const rate_limit_set_sysctls[] = { RATE_PERCENT_SYSCTL, RATE_LIMIT_SYSCTL, NULL };

int rate_limit_set(long limit, struct err *err)
{
	char text[32];
	int result;

	snprintf(text, sizeof(text), "%ld", limit);
	result = sysctl_write(RATE_LIMIT_SYSCTL, text, err);
	if (result != -EINVAL)
		return result;
	result = sysctl_write(RATE_PERCENT_SYSCTL, RATE_PERCENT_DEFAULT, err);
	return result ? result : sysctl_write(RATE_LIMIT_SYSCTL, text, err);
}

double rate_limit_most(const struct rate_limit *limit)
{
	long larger = limit->before > limit->after ? limit->before : limit->after;

	return (double)larger + 2 * HZ_MAX;
}

double rate_limit_asked(uint64_t period_ns)
{
	return 1e9 / (double)(period_ns > RATE_CLOCK_PERIOD_MIN_NS ? period_ns
								   : RATE_CLOCK_PERIOD_MIN_NS);
}

double rate_limit_possible(uint64_t period_ns, uint64_t resolution_ns)
{
	return rate_limit_asked(period_ns > resolution_ns ? period_ns : resolution_ns);
}

uint64_t rate_limit_period(double per_second, long allowed)
{
	static const uint64_t primes[] = { 20011, 50021, 100003, 200003, 400009 };
	const size_t n = sizeof(primes) / sizeof(primes[0]);
	size_t i = 0;

	while (i + 1 < n && per_second / (double)primes[i] > 0.7 * (double)allowed)
		i++;
	return primes[i];
}

double rate_limit_samples(long limit, double seconds)
{
	return ((double)limit + HZ_MAX) * (seconds + 2.0 / HZ_MIN);
}

struct rate_band rate_limit_band(double start, double percent, const struct rate_cost *cost)
{
	const double per_second = percent / 100 * 1e9;
	const double high = RATE_BAND_HIGH * per_second / cost->least_ns;
	const double low = RATE_BAND_LOW * per_second / cost->most_ns - HZ_MAX;

	return (struct rate_band){
		.low = fmin(start, low),
		.high = fmax(HZ_MAX, high),
	};
}
