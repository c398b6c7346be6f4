/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_WAKEUP_H
#define PMIPROOF_WAKEUP_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

/*
 * How long after its deadline a wake-up still counts as caused by it. A timer interrupt that is
 * lost is made good by the next one, at the latest that of this limit's own timer, so a wake-up as
 * late as this proves nothing. Far above what competing load or real-time throttling (50 ms in each
 * second) delays one, or a hypervisor that moves the machine.
 */
#define WAKEUP_LIMIT_NS 5000000000

/* A series ends after this many unanswered deadlines: each may cost WAKEUP_LIMIT_NS. */
#define WAKEUP_UNANSWERED_MAX 3

/*
 * What a series needs of the outside: a clock and a timer on that clock. Tests put a planted one
 * in its place. Times in ns.
 */
struct wakeup_source {
	/* The time now. Returns 0 or -errno. */
	int (*now)(void *context, int64_t *now);
	/*
	 * Set the one-shot timer to `deadline` and sleep until it expires, at most until `limit`.
	 * *woke is the time after the sleep. Returns how often the timer expired, or -errno.
	 */
	int (*sleep)(void *context, int64_t deadline, int64_t limit, int64_t *woke);
	void *context;
};

/* Deadlines to program. Times in ns. */
struct wakeup_plan {
	size_t rounds;
	/*
	 * Each deadline is `interval` plus 0 to `dither` - 1 after the wake-up before it. A fixed
	 * distance would meet the kernel's tick always, or never, at the same phase.
	 */
	int64_t interval;
	int64_t dither;
	unsigned long seed; /* of the dither: the same seed gives the same distances */
};

/* What became of the deadlines. Owned by the caller, freed with wakeup_free(). */
struct wakeup_series {
	size_t programmed; /* deadlines; fewer than planned when too many were not answered */
	size_t answered;   /* deadlines with exactly one expiration, within WAKEUP_LIMIT_NS */
	size_t early;	   /* wake-ups before their deadline */
	size_t n;
	double *latency; /* ns from deadline to wake-up, negative when early, of those answered */
};

/*
 * Program plan->rounds deadlines one after the other in the calling thread, and sleep to each.
 * Returns 0, -ENOMEM, or the error of the source, which ends the series.
 */
int wakeup_measure(struct wakeup_series *series, const struct wakeup_plan *plan,
		   const struct wakeup_source *source, struct err *err);

void wakeup_free(struct wakeup_series *series);

/*
 * The real source: CLOCK_MONOTONIC and a timerfd on it. Unlike clock_nanosleep() a timerfd takes no
 * timer slack (50 us for SCHED_OTHER), so that the policies can be compared, and counts
 * expirations. -errno when there is no timerfd. Closed with wakeup_source_close().
 */
int wakeup_source_open(struct wakeup_source *source, struct err *err);
void wakeup_source_close(struct wakeup_source *source);

#endif
