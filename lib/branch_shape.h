/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_BRANCH_SHAPE_H
#define PMIPROOF_BRANCH_SHAPE_H

#include <stdint.h>

#include "random_loop.h"
#include "ring.h"

/* An entry with more cycles than that has an interrupt in it. */
#define SHAPE_CYCLES_MAX 1000

/* The deepest stack that there is. */
#define SHAPE_DEPTH_MAX 64

/*
 * What stacks of samples in a random_loop look like: how deep they are, what their entries say
 * beside addresses, and whether they are of the moment of the sample. A pure adding-up.
 */
struct shape_tally {
	const struct random_loop *loop;
	int behind_most; /* branches between a stack's newest and its sample, at the most */
	/* Results, to be zero at first. Samples whose address is in the loop ... */
	uint64_t stacks;
	uint64_t deep[SHAPE_DEPTH_MAX + 1]; /* ... by the depth of their stack */
	uint64_t judged, stale;		    /* random_loop_behind() */
	uint64_t index_seen;		    /* a bit for each hw_idx below 64 */
	uint64_t index_above;		    /* stacks with one above */
	uint64_t index_none;		    /* with that for "not known", or without */
	/* Entries of these stacks ... */
	uint64_t entries;
	uint64_t both, neither; /* ... that are mispredicted and predicted, or neither */
	uint64_t transaction;	/* ... of a transaction, or its end */
	uint64_t told;		/* ... with flags or cycles */
	uint64_t sometimes, sometimes_missed; /* ... of the branch that is sometimes taken */
	uint64_t always, always_missed;	      /* ... and of the other one */
	/* Of entries with at most SHAPE_CYCLES_MAX, but for the oldest of a stack. */
	uint64_t timed, cycles;
	/*
	 * The same of a predicted branch that is sometimes taken, since the one that closed the
	 * round before, and of the one that closes its round.
	 */
	uint64_t long_timed, long_cycles, short_timed, short_cycles;
};

/* The sample's only register must be the loop's state. */
void shape_tally_take(struct shape_tally *tally, const struct ring_sample *sample);

/* The deepest stack, and how many are that deep, or lack up to `lack` of it. */
uint64_t shape_deepest(const struct shape_tally *tally, uint64_t lack, uint64_t *n);

/* How many different hw_idx there were. */
unsigned int shape_indexes(const struct shape_tally *tally);

/* The largest hw_idx below 64, -1: none. */
int shape_index_most(const struct shape_tally *tally);

#endif
