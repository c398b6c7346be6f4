/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GAP_SAMPLER_H
#define PMIPROOF_GAP_SAMPLER_H

#include <stddef.h>

#include "drain.h"
#include "event.h"
#include "gaps.h"

/* One of several events with which a thread samples itself, and the gaps between its samples. */
struct gap_subject {
	struct perf_event_attr attr; /* with a fixed period; the rest is set by gap_sample() */
	/* Results: */
	struct drained drained;
	struct gaps gaps;
	struct event_count count;
	struct event event; /* closed on return */
};

/* What is done meanwhile. */
struct gap_work {
	unsigned int parts; /* the rings are read after each */
	unsigned int pages; /* of each ring: must hold the samples of a part */
	int (*part)(void *context, struct err *err); /* 0, or -errno, which ends it */
	void *context;
};

/*
 * Sample the calling thread with n events at once while the work is done. Returns 0, or -errno as
 * of event_open_self(), event_drain() and work->part(); nothing stays open.
 */
int gap_sample(struct gap_subject *subjects, size_t n, const struct gap_work *work,
	       struct err *err);

#endif
