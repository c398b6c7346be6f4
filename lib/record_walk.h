/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RECORD_WALK_H
#define PMIPROOF_RECORD_WALK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Judges the precise records of a loop that keeps its rounds to go in a register, which is in each
 * record: from one record to the next the loop must have come on by a period. Pure functions.
 */
struct record_walk {
	uint64_t period;     /* instructions; several rounds */
	uint64_t per_round;  /* the same */
	uint64_t begin, end; /* the loop's code */
	/* Results, to be zero at first: */
	uint64_t inside;   /* records in the loop; others are not judged */
	uint64_t calls;	   /* of the loop: the rounds to go were more than before */
	uint64_t steps;	   /* between two records of a call ... */
	uint64_t missing;  /* ... that were whole periods too long: so many records */
	uint64_t repeated; /* ... that were less than half a period */
	uint64_t astray;   /* ... of another length that is no period */
	uint64_t still;	   /* ... whose two records have the same address */
	uint64_t last;	   /* rounds to go in the newest record in the loop */
	uint64_t last_ip;
};

/* Take the next record: its address, and the register. */
void record_walk_take(struct record_walk *walk, uint64_t ip, uint64_t to_go);

/*
 * How many records are missing of an event that has counted so much with that fixed period, where
 * so many came or were said to be lost; negative: there are too many.
 */
double record_walk_missing(uint64_t count, uint64_t period, uint64_t records, uint64_t lost);

/*
 * The share of records, in their order, whose time is at least `part` of the mean step after that
 * of the one before. NAN with fewer than two.
 */
double record_times_apart(const uint64_t *times, size_t n, double part);

#endif
