/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FREQ_TRACK_H
#define PMIPROOF_FREQ_TRACK_H

#include <stddef.h>
#include <stdint.h>

/* The newest periods that are looked at, at the most. */
#define FREQ_TRACK_RECENT 256

/*
 * The periods that the kernel chose for an event in frequency mode, as its samples tell, during a
 * stretch in which the event happened at a steady rate. All zero at first.
 */
struct freq_track {
	uint64_t n;   /* samples */
	uint64_t sum; /* of their periods */
	uint64_t recent[FREQ_TRACK_RECENT];
};

/* Add the period of the next sample. */
void freq_track_take(struct freq_track *track, uint64_t period);

/* What happened meanwhile, as the event's own count and times have it. */
struct freq_stretch {
	uint64_t frequency; /* asked for, samples per second */
	uint64_t count;	    /* how often the event happened */
	uint64_t running;   /* in so many ns on the PMU */
};

/* What comes of it. `off` and `lowest` are about the second half of the samples, the settled one.
 */
struct freq_signs {
	double expected; /* the period with which there are `frequency` samples per second */
	double settled;	 /* mean period; 0: no sample */
	double off;	 /* how far from each other, as a factor of 1 or more, ... */
	double lowest;	 /* least period by the expected one */
	double recorded; /* periods of all samples by the count, as a factor of 1 or more ... */
};

#define FREQ_OFF_MAX 1000.0 /* ... but no more than this, also where there is nothing at all */

struct freq_signs freq_track_signs(const struct freq_track *track,
				   const struct freq_stretch *stretch);

#endif
