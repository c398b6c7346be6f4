/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_DRAIN_H
#define PMIPROOF_DRAIN_H

#include <stdint.h>

#include "err.h"
#include "event.h"

/* What the records of a ring say, added up. */
struct drained {
	uint64_t samples;
	uint64_t lost;			     /* as told by LOST records */
	uint64_t lost_records, lost_foreign; /* LOST records, and those with another event's id */
	uint64_t throttled, unthrottled;
	uint64_t switches; /* in or out: SWITCH records, with attr.context_switch */
};

/* `misc` is that of the record's header: PERF_RECORD_MISC_EXACT_IP, _USER, ... */
typedef void (*sample_handler)(const struct ring_sample *sample, uint16_t misc, void *context);

/*
 * Read a mapped event's ring to where its end is now: count into *drained (which is added to) and
 * hand each sample to `handle` (NULL: count only), in their order. -EBADMSG for a corrupt ring,
 * -EOPNOTSUPP as of ring_parse_sample().
 */
int event_drain(struct event *event, struct drained *drained, sample_handler handle, void *context,
		struct err *err);

/*
 * Sampling of the calling thread by itself while it does some work: the usual experiment. The
 * event is opened (for this thread on any CPU), enabled, work(context) called `parts` times with
 * the ring read after each, disabled, read and closed.
 */
struct self_sampling {
	struct perf_event_attr attr;
	unsigned int pages; /* of the ring: must hold the samples of a part */
	unsigned int parts;
	void (*work)(void *context);
	sample_handler handle; /* NULL: count only */
	void *context;
	/* Results: */
	struct drained drained;
	struct event_count count;
};

/* Returns 0, or -errno as of event_open_self() and event_drain(); nothing stays open. */
int self_sample(struct self_sampling *sampling, struct err *err);

#endif
