/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LOAD_H
#define PMIPROOF_LOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "cpus.h"
#include "err.h"

/*
 * Background load: a stress-ng in a session and process group of its own, with a keeper process
 * that ends all of it when the thread that started it dies, however it dies.
 */
struct load {
	pid_t pid; /* of the keeper, also the session of all its processes; 0: none */
};

/*
 * Start stress-ng with one worker of each of CPU, cache, pipe and timer stressors per CPU in
 * `cpus`, pinned there. Returns when the workers run. -ENOENT when stress-ng is not installed,
 * -ECHILD when it ended at once, -ETIMEDOUT when its workers did not appear. The load runs as
 * SCHED_OTHER whatever the caller's policy is.
 */
int load_start(struct load *load, const struct cpus *cpus, struct err *err);

/* Does it still run? What was measured beside a load that ended was not measured under load. */
bool load_running(const struct load *load);

/* End it and wait for it. Safe when none runs. */
void load_stop(struct load *load);

#endif
