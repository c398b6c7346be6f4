/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MIRROR_H
#define PMIPROOF_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/*
 * Mirrors of a run: its journal and the kernel log, sent elsewhere as they are written (--mirror).
 * Each has a thread that reads the journal back from its file and the kernel log from /dev/kmsg, so
 * nothing that happens to it can hold up the run: it only falls behind. The journal waits for it on
 * the disk; the kernel log overwrites what is not read in time, and that is counted.
 * What is sent: docs/mirror.md.
 */
struct mirror;

struct mirrors {
	struct mirror **of;
	size_t n;
};

/* For tests; what mirrors_open() sets is for a run. */
struct mirror_times {
	int64_t retry_ms;   /* from a failed connection to the next attempt */
	int64_t give_up_ms; /* without a connection until it is given up */
	int64_t settle_ms;  /* mirrors_settle() waits so long */
	int64_t finish_ms;  /* mirrors_finish() waits so long */
};

/*
 * Open the destinations of --mirror. The texts must stay. With `resuming` one that cannot be opened
 * is tried again later, and a file is continued. On an error nothing is open.
 */
int mirrors_open(struct mirrors *mirrors, char *const *dests, size_t n, bool resuming,
		 struct err *err);

void mirrors_set_times(struct mirrors *mirrors, const struct mirror_times *times);

/*
 * Start to send the journal in `path`, which exists. The threads run on the processors that the
 * caller may run on, and take no signals.
 */
int mirrors_start(struct mirrors *mirrors, const char *path, struct err *err);

/* What has become of a mirror since the last look: true with a text, false when nothing new. */
bool mirrors_news(struct mirrors *mirrors, char *text, size_t size);

/* Wait a moment for those that are behind; what they lack is news then. */
void mirrors_settle(struct mirrors *mirrors);

/*
 * The journal is complete: send the rest of it, for a limited time, and end. Returns how many lost
 * something of it, with the first such as a text in `err`. Frees everything.
 */
size_t mirrors_finish(struct mirrors *mirrors, struct err *err);

#endif
