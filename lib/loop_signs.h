/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LOOP_SIGNS_H
#define PMIPROOF_LOOP_SIGNS_H

#include <stdint.h>

/* What was seen while a thread sampled itself and another event counted beside it. */
struct loop_seen {
	uint64_t samples; /* in the ring */
	uint64_t lost;	  /* to a full ring */
	uint64_t periods; /* sum over the samples in the ring */
	uint64_t count;	  /* of the sampled event */
	double sibling;	  /* count of the other event ... */
	double sibling_expected;
	double interrupts;	  /* of the kind that overflows raise, on this CPU ... */
	double interrupts_before; /* and in a run of the same length without sampling */
};

/* Signs of a handler that went in circles, which need no message of the kernel. */
struct loop_signs {
	double periods;	  /* periods of all samples by count: 1 on a sound machine; NAN: no count */
	double sibling;	  /* count by what it must be; NAN: nothing to compare with */
	double extra;	  /* interrupts that are no sample's */
	double extra_max; /* so many may come from elsewhere */
};

/* A lost sample is taken to have the mean period. */
struct loop_signs loop_signs(const struct loop_seen *seen);

#endif
