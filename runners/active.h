/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ACTIVE_H
#define PMIPROOF_ACTIVE_H

#include <stddef.h>

/*
 * A link that names the report of the run that has changed this machine and not put it back yet, so
 * that the next run finds what a dead one left. It is where a restart removes it, as that puts the
 * machine back. Without permission to make it there is none: nothing else depends on it.
 */
#define ACTIVE_LINK "/run/pmiproof-active"

void active_set(const char *dir);

/* Its report directory, or "" when there is none. Returns dir. */
const char *active_get(char *dir, size_t size);

/* The machine is as it was found. `dir` NULL: whoever changed it; else only that report's link. */
void active_clear(const char *dir);

#endif
