/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FAMILY_H
#define PMIPROOF_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Processes by descent, for machines without cgroups: with PR_SET_CHILD_SUBREAPER set, whatever a
 * test leaves behind becomes a child of ours.
 */

/*
 * Up to `max` living (not zombie) descendants of `ancestor`, without `except` and its descendants
 * (0: no exception). Returns how many.
 */
size_t family_descendants(pid_t ancestor, pid_t except, pid_t *pids, size_t max);

/* Name of a process for a message ("comm"), "?" when it is gone. Returns name. */
const char *family_name(pid_t pid, char *name, size_t size);

/* State letter of a process as in proc(5) ('D' is an uninterruptible sleep), 0 when it is gone. */
char family_state(pid_t pid);

#endif
