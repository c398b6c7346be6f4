/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CLOCK_H
#define PMIPROOF_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Milliseconds of CLOCK_MONOTONIC: for timeouts and durations, never for a measurement. */
static inline int64_t clock_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* Sleep for a while between two looks at something that has no descriptor to poll. */
static inline void clock_sleep_ms(long ms)
{
	struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&wait, NULL);
}

#endif
