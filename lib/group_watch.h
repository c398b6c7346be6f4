/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GROUP_WATCH_H
#define PMIPROOF_GROUP_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "ring.h"

#define GROUP_MAX 8

/*
 * Watches what samples of a group's leader say of all members (PERF_SAMPLE_READ with
 * PERF_FORMAT_GROUP and PERF_FORMAT_ID), while a steady loop runs. Pure functions.
 */
struct group_watch {
	size_t n;		 /* members, the leader included */
	uint64_t id[GROUP_MAX];	 /* in the order in which they were opened */
	double ratio[GROUP_MAX]; /* events of a member for each of the leader */
	uint64_t period;	 /* of the leader */
	/* Results, to be zero at first. Samples ... */
	uint64_t samples;
	uint64_t misnumbered; /* ... with another number of members */
	uint64_t misnamed;    /* ... with other ids, or in another order */
	uint64_t backwards;   /* ... with a value or time smaller than before */
	uint64_t off_period;  /* ... at which the leader had not counted its period as often */
	uint64_t off_ratio;   /* ... since the last of which a member has counted otherwise */
	uint64_t off_time;    /* ... with more time running than enabled */
	uint64_t value[GROUP_MAX], enabled, running; /* of the newest */
};

/* What a sample says, or read(2). */
struct group_read {
	uint64_t nr; /* of members */
	uint64_t enabled, running;
	struct ring_read member[GROUP_MAX]; /* the first of them */
};

/* Take the next sample, of which none may be missing. */
void group_watch_take(struct group_watch *watch, const struct group_read *read);

#endif
