/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_POLL_SIGNALS_H
#define PMIPROOF_POLL_SIGNALS_H

#include <stdint.h>

#include "err.h"
#include "event.h"

/*
 * What the signals of an event said (si_code): POLL_IN at an overflow, POLL_HUP at the one that
 * used up the count of PERF_EVENT_IOC_REFRESH. All zero at first. Fields are written by a signal
 * handler.
 */
struct poll_signals {
	volatile uint64_t in;
	volatile uint64_t hup;
	volatile uint64_t other;     /* neither */
	volatile uint64_t after_hup; /* of any kind, after the first POLL_HUP */
};

/* Take the next one. Safe in a signal handler. */
void poll_signals_take(struct poll_signals *signals, int code);

/*
 * Count the signals of `event` in `signals` from now on, which come to the calling thread one by
 * one (a real-time signal). One event at a time in a process. -errno.
 */
int poll_signals_watch(struct poll_signals *signals, const struct event *event, struct err *err);

/* No more: signals that still come are ignored. */
void poll_signals_end(void);

#endif
