/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_JANITOR_H
#define PMIPROOF_JANITOR_H

#include <sys/types.h>

#include "err.h"
#include "watchdog.h"

/*
 * A process that does nothing until the supervisor dies without having stopped it (killed, out of
 * memory, a bug): then it ends the tests of that supervisor and puts the machine back as it was
 * when the run began.
 */
struct janitor {
	pid_t pid;
	int pipe; /* open as long as the supervisor lives */
};

/*
 * Start it. `place`: of our cgroups, or -1. `sysctls`: names of what the tests may change, ends
 * with NULL. Returns 0 or -errno.
 */
int janitor_start(struct janitor *janitor, int place, const char *const *sysctls, struct err *err);

/*
 * Tell it of a watchdog that runs from now on, or is about to be opened, or with NULL that none
 * does any more: it is to be stopped once the machine is tidy. Should the machine hang until then,
 * that resets it.
 */
void janitor_watchdog(struct janitor *janitor, const struct watchdog_held *held);

/*
 * All is tidy: let it end, and wait for that. With a watchdog that cannot be stopped (`keep`, else
 * NULL) it does not end, but goes on feeding it; its pid is janitor->pid.
 */
void janitor_stop(struct janitor *janitor, const struct watchdog_held *keep);

#endif
