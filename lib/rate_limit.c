// SPDX-License-Identifier: GPL-2.0-or-later
#include "rate_limit.h"

#define HZ_MAX 1024

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
