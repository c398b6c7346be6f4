/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_READ_WATCH_H
#define PMIPROOF_READ_WATCH_H

#include <stdint.h>

#include "event.h"

/*
 * Watches reads of an event that counts: each is made after some work and just before the event is
 * stopped, so that it must have nearly all of what the event then has. Zero at first. Pure.
 */
struct read_watch {
	uint64_t reads;
	uint64_t away;	/* not judged: the event was not on the PMU all the time */
	uint64_t above; /* above what the event had when it was stopped */
	double least;	/* % of what was counted from the start to the stop; negative: below it */
	double most;	/* the same; where nothing was counted it is 0, as is the other */
	double counted_least, counted_most; /* from the start to the stop */
};

/* The event before it was started, its value while it counts, and the event after it was stopped.
 */
void read_watch_take(struct read_watch *watch, const struct event_count *start, uint64_t running,
		     const struct event_count *stopped);

/*
 * By what factor, of 1 and more, what was counted from start to stop with such a read in between
 * differs from what the same work counts without: of the largest or the smallest against the
 * smallest without, where less than 1 is taken for 1.
 */
double read_watch_changed(const struct read_watch *with, const struct read_watch *without);

#endif
