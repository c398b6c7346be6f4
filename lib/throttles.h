/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_THROTTLES_H
#define PMIPROOF_THROTTLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "ring.h"

/* Pauses that are kept; further ones are not. */
#define THROTTLES_PAUSES_MAX 256

/*
 * What must hold of an event that overflows faster than kernel.perf_event_max_sample_rate allows.
 * In each tick the kernel lets it have as many samples as the limit has per tick, rounded up
 * (max_samples_per_tick), and stops it with the last of them until the next tick: a THROTTLE
 * record, that sample, nothing, and an UNTHROTTLE record (kernel/events/core.c).
 */
struct throttle_rule {
	uint64_t id;		/* of the event, which is its stream id, too */
	uint64_t tick_ns;	/* 1 / HZ */
	uint64_t least, most;	/* samples with which it is stopped; alike where HZ is known */
	uint64_t after, before; /* times that no record can be beyond */
};

/*
 * The records of one such event, in their order, and what is wrong with them. All counts begin at
 * 0; `rule` is the caller's.
 */
struct throttles {
	struct throttle_rule rule;
	/* Results: */
	uint64_t samples, lost;
	uint64_t throttled, unthrottled;
	uint64_t unpaired;	  /* THROTTLE while throttled, UNTHROTTLE while not */
	uint64_t wrong_id;	  /* records with another id or stream id */
	uint64_t wrong_time;	  /* that are out of order, or beyond the rule's times */
	uint64_t while_throttled; /* samples that came though it was stopped */
	uint64_t judged;	  /* stretches up to a THROTTLE in which no sample was lost, ... */
	uint64_t few, many;	  /* ... with fewer or more samples than the rule has */
	uint64_t fewest, most;	  /* samples in any of them */
	uint64_t pauses;	  /* from a THROTTLE to the first sample after its own */
	uint64_t pause_ns[THROTTLES_PAUSES_MAX];
	/* Where it stands: */
	bool is_throttled;
	bool last_comes;       /* the sample with which it was stopped is still to come */
	bool is_silent;	       /* none has come since */
	uint64_t stopped;      /* time of the last THROTTLE */
	uint64_t started;      /* time of the last UNTHROTTLE, or of the start */
	uint64_t stretch;      /* samples since then */
	uint64_t lost_seen;    /* `lost` then */
	uint64_t time;	       /* of the last record */
	bool time_of_throttle; /* which was a THROTTLE or UNTHROTTLE */
};

/* max_samples_per_tick of a limit in samples per second. */
uint64_t throttles_per_tick(uint64_t limit, unsigned int hz);

/*
 * The rule of an event: of a kernel with this HZ, or with 0, where it is not known, of any with HZ
 * of 100 to 1024. Times are to be set by the caller.
 */
struct throttle_rule throttle_rule(uint64_t id, uint64_t limit, unsigned int hz);

/* HZ of the running kernel as its configuration says, or 0. */
unsigned int throttles_hz(void);

/* The next record of the event. Times are those of the rule's clock. */
void throttles_sample(struct throttles *throttles, uint64_t time);
void throttles_lost(struct throttles *throttles, uint64_t lost);
void throttles_stop(struct throttles *throttles, const struct ring_throttle *record);
void throttles_start(struct throttles *throttles, const struct ring_throttle *record);

/*
 * A pause in ticks, such that a quarter of them are no longer: ticks that come late make the others
 * longer. When there is no sample since ten ticks before `end`, that. NAN: none.
 */
double throttles_pause(const struct throttles *throttles, uint64_t end);

/*
 * Read the ring of an event, with PERF_SAMPLE_TIME among its sample_type, to where its end is now.
 * -EBADMSG for a corrupt ring.
 */
int throttles_drain(struct throttles *throttles, struct event *event, struct err *err);

#endif
