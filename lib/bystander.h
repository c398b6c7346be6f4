/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_BYSTANDER_H
#define PMIPROOF_BYSTANDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpus.h"
#include "err.h"

/*
 * What must go on while something is stressed: a worker on each CPU, and RCU. Their progress in a
 * stressed run is compared with that in a control run of the same length.
 */
struct bystander_worker {
	int cpu;
	volatile bool *stop;
	uint64_t rounds; /* 1000 multiplications each */
	pthread_t thread;
	bool started;
};

struct bystanders {
	volatile bool stop;
	struct bystander_worker *worker; /* as many as cpus->n, in that order */
	size_t n;
	bool rcu; /* grace periods are measured: MEMBARRIER_CMD_GLOBAL is there */
	pthread_t rcu_thread;
	bool rcu_started;
	double *grace_ns; /* latency of each grace period */
	size_t grace_n;	  /* at most BYSTANDER_GRACE_MAX are kept */
	uint64_t grace_total;
};

#define BYSTANDER_GRACE_MAX 65536

/*
 * Start a pinned worker per CPU and a thread that waits for one RCU grace period after the other
 * through membarrier(MEMBARRIER_CMD_GLOBAL), which is synchronize_rcu()
 * (kernel/sched/membarrier.c). Where the kernel refuses that (nohz_full), `rcu` is false.
 */
int bystanders_start(struct bystanders *all, const struct cpus *cpus, struct err *err);

/* End them and wait; the figures stay readable. */
void bystanders_stop(struct bystanders *all);
void bystanders_free(struct bystanders *all);

#endif
