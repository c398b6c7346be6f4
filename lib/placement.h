/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLACEMENT_H
#define PMIPROOF_PLACEMENT_H

#include <sched.h>

#include "cpus.h"
#include "err.h"

/* Where and how the calling thread ran before placement_pin(), to be put back. */
struct placement {
	struct cpus allowed;
	int policy;
	struct sched_param param;
};

/* Remember affinity and policy of the calling thread and pin it to `cpu`. 0, or -errno. */
int placement_pin(struct placement *placement, int cpu, struct err *err);

/*
 * Schedule the calling thread by `policy` (SCHED_OTHER, SCHED_FIFO, ...); priority is 0 where the
 * policy has none. 0, or -errno: -EPERM without the right to, -EINVAL for a priority it has not.
 */
int placement_policy(int policy, int priority, struct err *err);

/* Put back what was. All is tried; 0, or the first error. */
int placement_restore(const struct placement *placement, struct err *err);

/* Two CPUs for a thread to go back and forth between. */
struct migration {
	int cpu[2];
	unsigned int here; /* index of the one it is on */
};

/* Pin the calling thread to the other CPU of a struct migration. 0, or -errno. */
int placement_migrate(void *migration, struct err *err);

#endif
