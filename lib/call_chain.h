/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CALL_CHAIN_H
#define PMIPROOF_CALL_CHAIN_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Does a branch stack in call-stack mode show the calls that led to where a sample was taken? In
 * that mode a return takes off what its call put on, so that the stack is the chain of callers,
 * innermost first, however long ago they called.
 */

/* A call instruction and the first instruction of what it calls. */
struct call_site {
	uint64_t from, to;
};

/* Nested calls between functions that nothing else calls. */
struct call_chain {
	const struct call_site *calls; /* outermost first */
	size_t depth;
	uint64_t begin, end; /* code of all its functions */
	/* Where the deepest function is between its own entry and its return. */
	uint64_t stay_begin, stay_end;
};

enum chain_seen {
	CHAIN_ELSEWHERE,  /* not judged: the sample is not in the deepest function */
	CHAIN_COMPLETE,	  /* all calls of the chain, in order, and nothing of the other chain */
	CHAIN_INCOMPLETE, /* a call is missing, or something else stands in its place */
	CHAIN_FOREIGN,	  /* a branch of the other chain is there */
};

/*
 * Judge a stack of `nr` branches, innermost first, taken at `ip` by a task that runs `own` while
 * another one runs `other`. Complete is decided by the innermost own->depth branches; what called
 * the chain may follow or, where the hardware has no room for it, not.
 */
enum chain_seen call_chain_judge(const struct call_chain *own, const struct call_chain *other,
				 uint64_t ip, const struct perf_branch_entry *branches,
				 uint64_t nr);

#endif
