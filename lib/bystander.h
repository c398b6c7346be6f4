/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_BYSTANDER_H
#define PMIPROOF_BYSTANDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"
#include "err.h"
#include "grace_period.h"

/*
 * What must go on while something is stressed: workers on each CPU, and RCU. Their progress while
 * it is stressed is compared with that over another time of theirs, or in another run of the same
 * length.
 */
enum bystander_kind {
	BYSTANDER_COMPUTES, /* a round is 1000 multiplications */
	BYSTANDER_FILES,    /* opens and closes a directory: each leaves RCU something to free */
	BYSTANDER_KINDS,
};

struct bystander_worker {
	enum bystander_kind kind;
	int cpu;
	pid_t tid;
	volatile bool *stop;
	uint64_t rounds; /* read with bystanders_rounds() while it works */
	pthread_t thread;
	bool started;
};

struct bystanders {
	volatile bool stop;
	struct bystander_worker *worker; /* `kinds` for each CPU, CPUs in the order of cpus */
	size_t n;
	size_t kinds;
	bool rcu; /* grace periods are measured */
	struct grace_period grace;
	pthread_t rcu_thread;
	bool rcu_started;
	double *grace_ns;     /* latency of each grace period */
	uint64_t grace_total; /* those beyond BYSTANDER_GRACE_MAX are only counted */
};

#define BYSTANDER_GRACE_MAX 65536

/* What kinds of workers there are ("computes"); never NULL. */
const char *bystander_kind_name(enum bystander_kind kind);

/*
 * Start the first `kinds` (1 or more) kinds of workers on each CPU, pinned, and a thread that waits
 * for one RCU grace period after the other (lib/grace_period.h). Where it cannot, `rcu` is false.
 * Returns when all run.
 */
int bystanders_start(struct bystanders *all, const struct cpus *cpus, size_t kinds,
		     struct err *err);

/* The worker of that kind on CPU number `cpu` of the list. */
const struct bystander_worker *bystanders_worker(const struct bystanders *all, size_t cpu,
						 enum bystander_kind kind);

/*
 * What they did over a time in which they worked, in units per second. Arrays are the lap's own:
 * rate has one for each worker, in their order.
 */
struct bystander_lap {
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t *rounds;	   /* at the start */
	double *rate;
	uint64_t grace_from, grace_to; /* grace periods before and at the end */
	double grace_rate;
};

/* Begin a lap, end it, free it. -ENOMEM; a lap that did not begin may be freed. */
int bystander_lap_start(struct bystander_lap *lap, const struct bystanders *all, struct err *err);
void bystander_lap_end(struct bystander_lap *lap, const struct bystanders *all);
void bystander_lap_free(struct bystander_lap *lap);

/*
 * The least of what workers of a kind did on CPUs number from..to-1 of the list, in % of what they
 * did in the lap `alone`.
 */
double bystander_lap_left(const struct bystander_lap *lap, const struct bystander_lap *alone,
			  const struct bystanders *all, enum bystander_kind kind, size_t from,
			  size_t to);

/* End them and wait; the figures stay readable. */
void bystanders_stop(struct bystanders *all);
void bystanders_free(struct bystanders *all);

#endif
