/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_BRANCH_LOOP_H
#define PMIPROOF_BRANCH_LOOP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring.h"

/*
 * Judges of branch stacks taken in a loop whose branches are known: pure functions, so that they
 * can be tried on stacks made by hand. Kernel addresses are those with the highest bit set, which
 * holds on x86-64.
 */

/* A taken branch of the loop. */
struct loop_branch {
	uint64_t from, to;
	uint64_t type; /* PERF_BR_* of linux/perf_event.h */
};

/* The taken branches of a round in their order; the last leads back to the first round's begin. */
struct branch_loop {
	const struct loop_branch *branches;
	size_t n;	     /* 0: none */
	uint64_t begin, end; /* its code; branches above lie in it */
	uint64_t back;	     /* where its system call returns to; 0: it makes none */
};

/* What was asked for. */
struct branch_filter {
	uint32_t types; /* a bit for each PERF_BR_*, those of the kernel's own branches included */
	bool user, kernel; /* where a branch leads to */
};

bool branch_filter_asks(const struct branch_filter *filter, uint64_t type);

bool branch_in_kernel(uint64_t address);

/*
 * Stacks that had something wrong, one stack under several headings if need be. All of samples
 * whose address is in the loop; others are not judged.
 */
struct branch_tally {
	const struct branch_loop *loop;
	struct branch_filter filter;
	/* Results, to be zero at first: */
	uint64_t stacks;     /* judged */
	uint64_t unknown;    /* a branch within the loop that it does not have, or not taken */
	uint64_t unasked;    /* a branch of a type that was not asked for */
	uint64_t missing;    /* one that was asked for is not there, or all of them */
	uint64_t disordered; /* the oldest first */
	uint64_t mistyped;   /* one with another type than the loop's, or with none */
	uint64_t to_kernel, to_user; /* a branch to where none was asked for */
	uint64_t from_kernel;	 /* user branches alone were asked for: a branch from the kernel */
	uint64_t calls, returns; /* that show the loop's system call, its return */
	uint64_t deepest;	 /* most branches of a stack */
	uint64_t branches;	 /* of all stacks */
};

void branch_tally_take(struct branch_tally *tally, const struct ring_sample *sample);

#endif
