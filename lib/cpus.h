/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CPUS_H
#define PMIPROOF_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

#define CPUS_MAX 4096

/* An ascending list of CPU numbers. */
struct cpus {
	size_t n;
	int cpu[CPUS_MAX];
};

/*
 * The CPUs the calling thread may run on (sched_getaffinity through libnuma): those of the process
 * as long as it has pinned nothing.
 */
int cpus_allowed(struct cpus *cpus, struct err *err);

/*
 * Parse a list in the kernel's form ("0-3,8,10-12"). -EINVAL for anything else, -ERANGE for a CPU
 * that is not below CPUS_MAX, -ENODEV for one this process may not run on (only with `allowed`).
 * Order and repetition do not matter. On an error cpus is as it was.
 */
int cpus_parse(struct cpus *cpus, const char *text, const struct cpus *allowed, struct err *err);

/* Write the list in the kernel's form; one that does not fit ends in "...". Returns text. */
const char *cpus_format(const struct cpus *cpus, char *text, size_t size);

/*
 * Pin the calling thread to one CPU; it runs there on return. The affinity it had, as from
 * cpus_allowed(), can be put back with cpus_unpin(). -EINVAL when it may not run there.
 */
int cpus_pin(int cpu, struct err *err);

/* Let the calling thread run on all of `cpus`. */
int cpus_unpin(const struct cpus *cpus, struct err *err);

#endif
