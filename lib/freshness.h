/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FRESHNESS_H
#define PMIPROOF_FRESHNESS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/*
 * Is the branch stack of a sample of the moment of the sample? A program that visits regions of
 * code in a cycle, one after the other, tells: the newest of its branches were taken in the region
 * that the sample is in or, where the sample comes right after a change, in the one before.
 */

/* `n` regions of `size` bytes each, side by side from `begin` on, visited in that order. */
struct code_regions {
	uint64_t begin;
	uint64_t size;
	unsigned int n; /* 0: none */
};

enum freshness {
	FRESHNESS_ELSEWHERE, /* not judged: the sample is in none of the regions */
	FRESHNESS_FRESH,
	FRESHNESS_STALE, /* the newest branch in any region is of another one, or there is none */
	FRESHNESS_EMPTY, /* no branches at all, though every region is full of them */
};

/* The region that an address is in, or -1. */
int freshness_region(const struct code_regions *regions, uint64_t address);

/*
 * Judge a stack of `nr` branches, newest first, taken at `ip`. A branch is of the region that it
 * leads to, else of the one that it comes from.
 */
enum freshness freshness_judge(const struct code_regions *regions, uint64_t ip,
			       const struct perf_branch_entry *branches, uint64_t nr);

/* The deepest branch stack that is remembered: that of architectural LBRs. */
#define FRESHNESS_DEPTH 64

/*
 * Samples judged and added up. Set `regions`, the rest 0.
 *
 * A sample with address and stack of the one before is dropped: nothing ran in between (two events
 * in one interrupt), so that it says nothing new.
 *
 * Power: each sample's address is also judged with the stack of the sample before, which is stale
 * for certain. How many of those pairs are noticed says how many of the stale stacks are.
 */
struct freshness_tally {
	const struct code_regions *regions;
	uint64_t judged; /* fresh, stale or empty */
	uint64_t stale, empty;
	uint64_t elsewhere, repeated;
	uint64_t paired, noticed;
	/* The sample before; nr is 0 before the first. */
	uint64_t last_ip, last_nr;
	struct perf_branch_entry last[FRESHNESS_DEPTH];
};

/* Take a sample; of a stack deeper than FRESHNESS_DEPTH only the newest branches are looked at. */
void freshness_take(struct freshness_tally *tally, const struct ring_sample *sample);

#endif
