/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PRECISE_H
#define PMIPROOF_PRECISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Judges of precise samples: pure functions over addresses and registers, so that they can be
 * tried on records made by hand.
 */

/* Code without gaps, of which it is known where each instruction begins. */
struct code_layout {
	uint64_t begin;	       /* address of the first instruction */
	const uint32_t *start; /* n + 1 offsets in bytes: of each instruction, and of the end */
	size_t n;
};

/* What code_find() says of an address at which no instruction begins. */
enum { CODE_OUTSIDE = -1, CODE_ASTRAY = -2 };

/* Number of the instruction that begins at `address`; CODE_ASTRAY: inside of one. */
long code_find(const struct code_layout *code, uint64_t address);

/*
 * The least of n counts over their mean: 1 when all are equal, 0 when one is empty. NAN when there
 * are none or all are 0.
 */
double histogram_least_to_mean(const uint64_t *count, size_t n);

/*
 * How far two histograms are apart: the share of samples that would have to move to make one the
 * other (total variation distance), 0 for equal distributions, 1 for disjoint ones. NAN when one of
 * them is empty.
 */
double histogram_distance(const uint64_t *a, const uint64_t *b, size_t n);

/*
 * Code that counts its own instructions in a register, so that the register's value tells which one
 * has just ended: the counter, modulo per_round, is after[i] when instruction i has. Several
 * instructions in a row may leave the same value.
 */
struct counted_code {
	struct code_layout layout;
	const uint32_t *after; /* layout.n of them */
	uint32_t per_round;    /* at least 1 */
	size_t first;	       /* instructions from here on are the block under test */
};

/* What samples of such code amount to; all 0 at the start. */
struct exactness {
	uint64_t seen;	   /* samples in the code */
	uint64_t inside;   /* of them, in the block under test */
	uint64_t exact;	   /* of those inside, with an address that the kernel calls exact */
	uint64_t named;	   /* samples in the code with such an address ... */
	uint64_t fits;	   /* ... that is of the instruction that the counter tells */
	uint64_t repeated; /* of those seen, without progress of the counter since the one before */
	uint64_t last;	   /* counter of the newest */
};

/*
 * Take the next sample of a run: its address, whether the kernel calls that exact
 * (PERF_RECORD_MISC_EXACT_IP), and the counter in its registers. Samples outside the code are
 * ignored. Between two samples the counter must have moved on, so the code is to run for less than
 * a period per round and never be started anew with a lower counter.
 */
void exactness_add(struct exactness *exactness, const struct counted_code *code, uint64_t ip,
		   bool exact, uint64_t counter);

#endif
