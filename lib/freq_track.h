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

/* What comes of it. */
struct freq_signs {
	double expected; /* the period with which there are `frequency` samples per second */
	double off;	 /* samples by how many there should have been, as a factor of 1 or more */
	double recorded; /* the periods of all samples by the count, also as a factor */
	/* By what the samples say, in the second half of them: */
	double settled;	    /* mean period; 0: no sample */
	double settled_off; /* from the expected one, as a factor */
	double lowest;	    /* least period by the expected one */
};

/* A factor is no more than this, also where there is nothing at all. */
#define FREQ_OFF_MAX 1000.0

struct freq_signs freq_track_signs(const struct freq_track *track,
				   const struct freq_stretch *stretch);

#endif
