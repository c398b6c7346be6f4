/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_OVERFLOW_SAMPLER_H
#define PMIPROOF_OVERFLOW_SAMPLER_H

#include <stddef.h>

#include "drain.h"
#include "event.h"
#include "overflows.h"

/* One of several events with which a thread samples itself, and what became of its overflows. */
struct overflow_subject {
	struct perf_event_attr attr; /* with a fixed period; the rest is set by overflow_sample() */
	/* Results: */
	struct drained drained;
	struct overflows overflows;
	struct event_count count;
	struct event event; /* closed on return */
};

/* What is done meanwhile. */
struct overflow_work {
	unsigned int parts;			     /* the rings are read after each */
	unsigned int pages;			     /* of each ring */
	int (*part)(void *context, struct err *err); /* 0, or -errno, which ends it */
	void *context;
};

/*
 * Sample the calling thread with n events at once, one group, while the work is done: they start
 * and stop together, so that those which count the same overflow at the same instruction. Returns
 * 0, or -errno as of event_open_self(), event_drain() and work->part(); nothing stays open. Events
 * that the PMU has no room for have a count with `running` 0.
 */
int overflow_sample(struct overflow_subject *subjects, size_t n, const struct overflow_work *work,
		    struct err *err);

#endif
