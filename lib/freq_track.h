/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FREQ_TRACK_H
#define PMIPROOF_FREQ_TRACK_H

#include <stdbool.h>
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

/*
 * An event that was frequent and became rare, just when a period had begun which is far too long
 * for that. The kernel sees so at each tick, and does not wait for its end.
 */
struct freq_rare {
	uint64_t frequency; /* asked for, samples per second */
	uint64_t period;    /* that the last sample had when the event was frequent */
	uint64_t count;	    /* how often it happened since, until a sample or until nobody waited */
	uint64_t running;   /* in so many ns on the PMU */
	bool sampled;	    /* was there a sample? */
};

/*
 * How much of that period went by: 1 is all of it, or that there was no sample at all. FREQ_OFF_MAX
 * where there is no period.
 */
double freq_rare_waited(const struct freq_rare *rare);

/* How many times as long as it should be it was then; 0 where that is not known. */
double freq_rare_times(const struct freq_rare *rare);

#endif
