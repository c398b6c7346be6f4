/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HOTPLUG_H
#define PMIPROOF_HOTPLUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* Text of a list of CPUs in the kernel's form, long enough for any machine. */
#define HOTPLUG_LIST_MAX 4096

/* May this CPU be taken offline? It has a file to do so, and it can be written. */
bool hotplug_may(int cpu);

/* Take a CPU offline or back. 0, or -errno: -ENOENT for one that cannot be (often CPU 0). */
int hotplug_set(int cpu, bool online, struct err *err);

/* The CPUs that are online, as the kernel writes the list; "" when that cannot be read. */
void hotplug_online(char list[HOTPLUG_LIST_MAX]);

/*
 * Take back online those CPUs that were in such a list and are not any more, and call did(cpu,
 * context) for each. All are tried; 0, or the first error. Nothing for an empty list.
 */
int hotplug_restore(const char *list, void (*did)(int cpu, void *context), void *context,
		    struct err *err);

/* What an event of a task or CPU should have seen of a loop of known length, and what it saw. */
struct hotplug_seen {
	uint64_t known; /* how often the event happened in the loop */
	uint64_t count;
	uint64_t samples; /* lost ones included */
	uint64_t period;
};

/*
 * How far off: the count in percent of what is known, or how much is missing of it where others may
 * have added to it; samples in those that the count implies.
 */
double hotplug_count_off(const struct hotplug_seen *seen);
double hotplug_count_short(const struct hotplug_seen *seen);
double hotplug_samples_off(const struct hotplug_seen *seen);

#endif
