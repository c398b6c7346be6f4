/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GAPS_H
#define PMIPROOF_GAPS_H

#include <stdint.h>

/*
 * Finds stretches of a sampled event's own count without a sample: overflows that reached no
 * handler. What passes while the event does not count is none: time does not matter here.
 */

/* Where the count stood at a sample or at the end, and what the ring had told until then. */
struct gap_mark {
	uint64_t count;
	uint64_t lost;	   /* samples lost to a full ring */
	uint64_t pauses;   /* UNTHROTTLE records */
	uint64_t switches; /* SWITCH records */
};

/* Gaps of one kind. */
struct gap_kind {
	uint64_t n;
	uint64_t longest; /* in counts */
};

struct gaps {
	struct gap_mark last;
	struct gap_mark since;	  /* the same, or a later look since which there was no switch */
	struct gap_kind running;  /* between two samples without a context switch in between */
	struct gap_kind switched; /* with one or more */
	uint64_t excluded;  /* samples were lost in it, or the event was throttled: not judged */
	uint64_t backwards; /* the count was smaller than before, which it can never be */
};

/*
 * Take the next mark, in order: each sample, and at last the final count. All zero is where an
 * event starts. A count that went backwards is no gap; the next one is measured from it.
 */
void gaps_add(struct gaps *gaps, const struct gap_mark *mark);

/*
 * A look in between, at a count up to which all samples have been added: the gap so far. Without
 * looks a gap that ends with a switch would hide that it was too long before. What follows a switch
 * is put down to it.
 */
void gaps_look(struct gaps *gaps, const struct gap_mark *mark);

#endif
