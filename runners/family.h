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

/*
 * Up to `max` living processes that were started with `name`=`pid` in their environment, whoever
 * their parent is now. Returns how many.
 */
size_t family_marked(const char *name, pid_t pid, pid_t *pids, size_t max);

#endif
