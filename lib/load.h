/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LOAD_H
#define PMIPROOF_LOAD_H

#include <sys/types.h>

#include "cpus.h"
#include "err.h"

/* Background load: a stress-ng in a process group of its own, which dies with its parent. */
struct load {
	pid_t pid; /* 0: none */
};

/*
 * Start stress-ng with one worker of each of CPU, cache, pipe and timer stressors per CPU in
 * `cpus`, pinned there. Returns when the workers run. -ENOENT when stress-ng is not installed.
 */
int load_start(struct load *load, const struct cpus *cpus, struct err *err);

/* End it and wait for it. Safe when none runs. */
void load_stop(struct load *load);

#endif
