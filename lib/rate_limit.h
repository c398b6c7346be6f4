/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RATE_LIMIT_H
#define PMIPROOF_RATE_LIMIT_H

#include <stdint.h>

#include "klog.h"

/* The sysctl, in samples per second and CPU. */
#define RATE_LIMIT_SYSCTL "kernel.perf_event_max_sample_rate"

/*
 * For a hypothesis that samples. Where handlers are slow the kernel rightly lowers its limit
 * (perf_sample_event_took()), and says so, and that an NMI took long (nmi_check_duration()): up to
 * 100 messages of each are no fault. The limit is put back afterwards.
 */
extern const struct klog_allow rate_limit_klog[];
extern const char *const rate_limit_sysctls[]; /* NULL-terminated */

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
 * A fixed period for an event that happens so many times a second: the shortest of a few primes,
 * 20011 to 400009, that makes at most 0.7 of the samples that the sysctl allows; the longest if
 * none does. A prime has no factor in common with the length of a loop.
 */
uint64_t rate_limit_period(double per_second, long allowed);

#endif
