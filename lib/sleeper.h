/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SLEEPER_H
#define PMIPROOF_SLEEPER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "err.h"

/*
 * How long to wait for a wake-up before it is taken for lost: nothing that is right depends on it.
 * Far above what a busy host or hypervisor delays one.
 */
#define SLEEPER_LIMIT_MS 2000

/* A thread that sleeps in poll(2) on a descriptor, and counts what wakes it. */
struct sleeper {
	int fd;
	int stop; /* an eventfd(2) */
	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* of the rest */
	pthread_cond_t changed;
	pid_t tid;
	unsigned int rounds;  /* times that it was about to sleep */
	unsigned int wakes;   /* POLLIN */
	unsigned int hangups; /* POLLHUP, which ends it: 0 or 1 */
};

/* Start it; `fd` is only polled, never read. 0 or -errno; sleeper_stop() in any case. */
int sleeper_start(struct sleeper *sleeper, int fd, struct err *err);

/*
 * Wait until it sleeps in poll(), or has ended: only then does what comes next have to wake it.
 * False after SLEEPER_LIMIT_MS.
 */
bool sleeper_asleep(struct sleeper *sleeper);

/*
 * Wait until it was woken so many times, wakes and hang-ups together, from its start. False when it
 * was not within SLEEPER_LIMIT_MS. What came is put into the other two, which may be NULL.
 */
bool sleeper_woken(struct sleeper *sleeper, unsigned int times, unsigned int *wakes,
		   unsigned int *hangups);

/* End it; safe on a zeroed one. The counts stay. */
void sleeper_stop(struct sleeper *sleeper);

#endif
