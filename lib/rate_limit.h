/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RATE_LIMIT_H
#define PMIPROOF_RATE_LIMIT_H

#include <stdint.h>

#include "err.h"
#include "klog.h"

/* The sysctls: in samples per second and CPU, and the share of time that handlers may take. */
#define RATE_LIMIT_SYSCTL "kernel.perf_event_max_sample_rate"
#define RATE_PERCENT_SYSCTL "kernel.perf_cpu_time_max_percent"
#define RATE_PERCENT_DEFAULT "25"

/*
 * For a hypothesis that samples. Where handlers are slow the kernel rightly lowers its limit
 * (perf_sample_event_took()), and says so, and that an NMI took long (nmi_check_duration()): up to
 * 100 messages of each are no fault. The limit is put back afterwards.
 */
extern const struct klog_allow rate_limit_klog[];
extern const char *const rate_limit_sysctls[]; /* NULL-terminated */

/*
 * For one that sets the limit: the kernel refuses to have it written while the percentage is 0 or
 * 100, which then becomes the kernel's default. Both are put back afterwards.
 */
extern const char *const rate_limit_set_sysctls[]; /* NULL-terminated */
int rate_limit_set(long limit, struct err *err);

/* What cpu-clock raises any shorter period to (perf_swevent_start_hrtimer()). */
#define RATE_CLOCK_PERIOD_MIN_NS 10000

/*
 * The limit before and after something was sampled. The kernel itself may lower it meanwhile, when
 * handlers of hardware events take too long (perf_sample_event_took()), also those of somebody
 * else's; it never raises it.
 */
struct rate_limit {
	long before, after;
};

/*
 * Most samples per second that are within the limit: the larger one, and per tick, of at most 1024
 * a second (HZ of the Alpha port, the highest), one because samples per tick are rounded up
 * (DIV_ROUND_UP()) and one because that which throttles is delivered (kernel/events/core.c).
 */
double rate_limit_most(const struct rate_limit *limit);

/* Samples per second that cpu-clock with this period asks for. */
double rate_limit_asked(uint64_t period_ns);

/*
 * Those of them that it can have: timers may be no finer than the tick. `resolution_ns` is that of
 * clock_getres(CLOCK_MONOTONIC): 1, or the length of a tick.
 */
double rate_limit_possible(uint64_t period_ns, uint64_t resolution_ns);

/*
 * A fixed period for an event that happens so many times a second: the shortest of a few primes,
 * 20011 to 400009, that makes at most 0.7 of the samples that the sysctl allows; the longest if
 * none does. A prime has no factor in common with the length of a loop.
 */
uint64_t rate_limit_period(double per_second, long allowed);

/*
 * Most samples that an event may get within the limit in a stretch of time: as above, and as the
 * limit is kept tick by tick, of two more ticks, the ones that the stretch begins and ends in, of
 * HZ = 100.
 */
double rate_limit_samples(long limit, double seconds);

/* What a sample costs a CPU, from the least to the most: as lost by what else ran there. */
struct rate_cost {
	double least_ns, most_ns;
};

/*
 * Where the limit may be, which began at `start`, after samples of that cost have been taken with
 * kernel.perf_cpu_time_max_percent at `percent` (kernel/events/core.c, perf_sample_event_took()).
 *
 * The kernel lowers the limit when the average length T of handlers exceeds its share of the time
 * from one sample to the next, percent / limit. It then takes it for a quarter longer than it is,
 * and rounds down to whole samples per tick: it ends between 0.8 and 1 of percent / T, less HZ, and
 * not below HZ. What a sample costs is not T: it is more by what the kernel does not time, the
 * entry into the interrupt and the way back (PALcode on Alpha), and what caches lost. And handlers
 * of samples that come thick may take longer than that of a single one. So the limit must be
 *   at most RATE_BAND_HIGH of percent / cost: untimed are up to 1.5 times of what is timed;
 *   at least RATE_BAND_LOW of it, less HZ, or where it began: 0.8, for handlers twice as long.
 */
struct rate_band {
	double low, high; /* samples per second */
};
#define RATE_BAND_HIGH 2.5
#define RATE_BAND_LOW 0.4
struct rate_band rate_limit_band(double start, double percent, const struct rate_cost *cost);

#endif
