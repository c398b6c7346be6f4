/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_BURST_H
#define PMIPROOF_BURST_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "err.h"
#include "hypothesis.h"

/* What a moment of sampling did to a thread on one CPU. */
struct burst {
	uint64_t samples; /* lost ones included */
	double left;	  /* of what the thread did without sampling, 0 to 1: the rest went to it */
	double cost_ns;	  /* that rest, for each sample; NAN without samples */
};

/*
 * Sample `attr` on `cpu` for `ns`, or for 100 ticks of a clock that has no finer ones, beside a
 * thread that multiplies there, as SCHED_FIFO where permitted so that nobody else's work counts as
 * ours, and compare with what it does alone. Where samples leave no time to end it, the event stops
 * itself in the kernel when there are twice as many as fit into that time at one each 10 us: a
 * burst of 20 ms ends after 4000 samples.
 */
int burst_measure(struct burst *burst, const struct perf_event_attr *attr, int cpu, uint64_t ns,
		  struct err *err);

/* The same, of 20 ms, as a line of the table "burst". */
int burst_record(struct run *run, const char *row, struct burst *burst,
		 const struct perf_event_attr *attr, int cpu, struct err *err);

#endif
