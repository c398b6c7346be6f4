/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GRACE_PERIOD_H
#define PMIPROOF_GRACE_PERIOD_H

#include "err.h"
#include "event.h"

/*
 * A way to wait for RCU from outside the kernel. An event that was taken off a ring may be put onto
 * one again only after a grace period, for which perf waits (ring_buffer_attach() and
 * cond_synchronize_rcu(), since Linux 4.0). membarrier(MEMBARRIER_CMD_GLOBAL) waits for one as
 * well, but not on a machine with one CPU, and not at all with nohz_full.
 */
struct grace_period {
	struct event ring;  /* a dummy event, with a ring */
	struct event moved; /* another, which is put onto that ring and taken off it */
};

/* Open both for the calling thread, and put one onto the other's ring. -errno; nothing stays open.
 */
int grace_period_open(struct grace_period *grace, struct err *err);

/*
 * Wait until a grace period that began after this call has ended; on a kernel before 6.1 with one
 * CPU, where synchronize_rcu() has nothing to wait for, return at once. 0, or -errno.
 */
int grace_period_wait(struct grace_period *grace, struct err *err);

void grace_period_close(struct grace_period *grace);

#endif
