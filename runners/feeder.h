/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FEEDER_H
#define PMIPROOF_FEEDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* A vital sign: `take` returns 0 when it was there; when it is not, it does not return. */
struct feeder_sign {
	const char *name; /* "rcu" */
	const char *how;  /* what is done, for the journal */
	int (*take)(void *context, struct err *err);
	void *context;
};

#define FEEDER_SIGNS_MAX 8

/* What taking one has brought. */
struct feeder_taken {
	int result;  /* of take() */
	int64_t end; /* clock_ms() when it came back */
};

/*
 * May the watchdog be fed now? Only when all signs were there, each taken at most `most_ms` ago: a
 * disk that takes a minute makes what was learnt of the scheduler before it worthless.
 */
bool feeder_may_feed(const struct feeder_taken *taken, size_t n, int64_t now, int64_t most_ms);

/*
 * How often the signs are taken: a quarter of the timeout. The round itself may take as long, or
 * what it began with is too old; so half of the timeout is the most that passes between two
 * feedings of a machine that works, and the other half is there to say what does not.
 */
int64_t feeder_interval_ms(int timeout_s);

/* Who is fed, and how. */
struct feeder_eater {
	int (*feed)(void *context, struct err *err);
	void *context;
	int timeout_s;
	const char *name; /* of the device, for notes */
};

/*
 * A thread of the ordinary scheduling class that takes the signs, again and again, and feeds after
 * each time that all were there. Nobody else feeds.
 */
struct feeder {
	struct feeder_eater eater;
	const struct feeder_sign *signs;
	size_t n;
	int64_t interval_ms;
	pthread_t thread;
	int wake; /* eventfd: end */
	/* Between the thread and feeder_look(). */
	atomic_int at;		  /* the sign that is being taken, from 0; -1: none */
	_Atomic int64_t last_fed; /* clock_ms(); that of the start before the first time */
	atomic_uint fed;	  /* how often */
	atomic_bool failed;	  /* `failure` holds something not yet told */
	struct err failure;
	/* Of feeder_look(). */
	bool late;
};

/*
 * Start it. `signs` and what the eater names must outlive it. -errno: nothing runs.
 */
int feeder_start(struct feeder *feeder, const struct feeder_eater *eater,
		 const struct feeder_sign *signs, size_t n, struct err *err);

/*
 * To be called now and then by another thread. True when there is something to note down: that
 * feeding is overdue, and for which sign; that it goes on; that a sign or feeding failed.
 */
bool feeder_look(struct feeder *feeder, int64_t now, struct err *note);

/* Ask it to end; feeder_ended() says when it has, which a sign that does not come back prevents. */
void feeder_ask_to_end(struct feeder *feeder);

/* Wait up to `wait_ms` for its end. True: it has ended, and all that it used may be freed. */
bool feeder_ended(struct feeder *feeder, long wait_ms);

#endif
