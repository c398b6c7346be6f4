/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PERIOD_CHANGE_H
#define PMIPROOF_PERIOD_CHANGE_H

#include <stdint.h>

/*
 * What came after the period of an event was changed (PERF_EVENT_IOC_PERIOD). Samples carry the
 * event's own count (PERF_SAMPLE_READ) and their period. All is in units of the event.
 */
struct period_change {
	uint64_t period;   /* the new one */
	uint64_t from, to; /* the event's count just before the change, and just after it */
	/* Results, to be zero at first: */
	uint64_t samples; /* since then */
	uint64_t first;	  /* count of the first of them */
	uint64_t other;	  /* that say another period */
};

/* A sample in its order: its count, and the period that it says. One before the change is none. */
void period_change_take(struct period_change *change, uint64_t count, uint64_t period);

/*
 * How many new periods it took to the first sample, or to the event's count at the end, when there
 * was none: 1 where the new period begins with the change.
 */
double period_change_waited(const struct period_change *change, uint64_t end);

/* By how many samples there were more or fewer than periods were over at the end, 0.5 at most. */
double period_change_off(const struct period_change *change, uint64_t end);

#endif
