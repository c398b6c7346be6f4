/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_BRANCH_LEAK_H
#define PMIPROOF_BRANCH_LEAK_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/* Addresses from begin up to, not including, end. */
struct code_range {
	uint64_t begin, end;
};

/*
 * Looks for branches of one task in the samples of another. A victim executes `victim` and never
 * `own`, an observer the other way round, and the observer's samples in `sled` are those right
 * after it was switched in. The samples are to have ip, tid and branch stack.
 */
struct leak_watch {
	uint32_t observer; /* its thread id; all other threads count as victims */
	struct code_range victim, own, sled;
	/* Results, to be zero at first: samples of the observer ... */
	uint64_t samples;
	uint64_t in_sled;
	uint64_t own_seen;	/* ... with a branch from or to its own region */
	uint64_t leaky;		/* ... or the victim's: the leak */
	uint64_t leaky_in_sled; /* of them, those in the sled */
	/* Samples of others in which the victim's region can be seen. */
	uint64_t victim_seen;
};

/* Is a branch from or to the range in the sample's branch stack? */
bool branches_touch(const struct ring_sample *sample, const struct code_range *range);

/* Add one sample. */
void leak_watch_take(struct leak_watch *watch, const struct ring_sample *sample);

/*
 * Samples in the sled before which the victim ran, if it did in `switched` of `rounds` system calls
 * of the observer: what a finding of no leak rests on. 0 without rounds.
 */
double leak_watch_power(const struct leak_watch *watch, uint64_t switched, uint64_t rounds);

#endif
