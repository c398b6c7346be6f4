/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RANDOM_LOOP_H
#define PMIPROOF_RANDOM_LOOP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A loop that a random generator walks: in each round one branch is taken or not, by the
 * generator's state, and another one always, which closes the loop. Who knows the state at some
 * moment knows all branches before it, so that a branch stack can be told from that of any other
 * moment. Pure functions.
 */
struct random_loop {
	uint64_t begin, end;		       /* its code */
	uint64_t sometimes_from, sometimes_to; /* taken where random_taken() */
	uint64_t always_from, always_to;
};

/* The generator's step, Marsaglia's xorshift64, and the step back. The state is never 0. */
uint64_t random_next(uint64_t state);
uint64_t random_before(uint64_t state);

/* Is the one branch taken in the round in which this is the state? */
bool random_taken(uint64_t state);

/* Fewer branches do not tell moments apart. */
#define RANDOM_BRANCHES_MIN 8

/*
 * How many branches passed between what the newest entry of a stack shows and the latest moment at
 * which the generator has come to `state`, when that round is closed: 0 to `most`. -1: more than
 * that, or it is no stack of this loop; -2: the stack has less than RANDOM_BRANCHES_MIN branches of
 * the loop. What is from before the loop, at the old end, is ignored.
 */
int random_loop_behind(const struct random_loop *loop, uint64_t state,
		       const struct perf_branch_entry *branches, uint64_t nr, int most);

#endif
