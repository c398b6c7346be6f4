/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FORK_PERIODS_H
#define PMIPROOF_FORK_PERIODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring.h"

#define FORK_PERIODS_RAMP 10	  /* periods that are kept of each child */
#define FORK_PERIODS_RECENT 16	  /* and of the parent */
#define FORK_PERIODS_CHILDREN 256 /* children that are told apart */

/* The first periods of a child, in their order. */
struct child_periods {
	uint32_t tid;
	uint64_t n; /* samples; the first FORK_PERIODS_RAMP of them are kept */
	uint64_t period[FORK_PERIODS_RAMP];
};

/*
 * The periods that the kernel chose in frequency mode for a parent and for its children, as their
 * samples tell (tid, period), which come in order.
 */
struct fork_periods {
	uint32_t parent; /* thread id; all others are children */
	/* Results, to be zero at first: */
	uint64_t parent_n; /* samples of the parent */
	uint64_t recent[FORK_PERIODS_RECENT];
	size_t children;
	struct child_periods child[FORK_PERIODS_CHILDREN];
	uint64_t others; /* samples of children beyond these */
};

/* Add one sample. */
void fork_periods_take(struct fork_periods *periods, const struct ring_sample *sample);

/*
 * Has the parent's period settled: are the last FORK_PERIODS_RECENT within a factor `band` of each
 * other? If so, *period is their median.
 */
bool fork_periods_settled(const struct fork_periods *periods, double band, double *period);

/* How many children have a first period below this. */
size_t fork_periods_below(const struct fork_periods *periods, double least);

/* Order the children by their first period, the lowest first. */
void fork_periods_sort(struct fork_periods *periods);

#endif
