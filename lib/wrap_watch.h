/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_WRAP_WATCH_H
#define PMIPROOF_WRAP_WATCH_H

#include <stdint.h>

#include "cycle_counter.h"
#include "storm.h"

/*
 * A storm that goes on beyond wraps of the counter that the kernel times handlers with. A wrap
 * matters only to a handler that is running just then. So, shortly before it, the watching thread,
 * which is to be pinned to the CPU that is sampled, keeps everybody else from it (SCHED_FIFO, where
 * permitted), and then lets the first event of the storm have its samples of a tick anew, which
 * come one after the other: disabling and enabling ends a throttling.
 */
struct wrap_watch {
	const struct cycle_counter *counter; /* NULL: this architecture has none that wraps */
	double hz;
};

/* Find this machine's counter. 0, also where there is none; -errno: its frequency is unknown. */
int wrap_watch_open(struct wrap_watch *watch, struct err *err);

/* How long a storm that begins now must last to see so many wraps and what follows from them. */
uint64_t wrap_watch_ns(const struct wrap_watch *watch, unsigned int wraps);

/* A storm's `look`, with the watch as its context. */
void wrap_watch_look(struct storm *storm, void *watch);

#endif
