/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CGROUP_H
#define PMIPROOF_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "err.h"

/* Every cgroup of ours is named <prefix><pid of the supervisor>-<number>. */
#define CGROUP_PREFIX "pmiproof-"

/*
 * A version 2 cgroup that holds one test and everything it starts, whatever session or parent that
 * gives itself.
 */
struct cgroup {
	int dir;       /* descriptor of its directory, -1: none */
	int parent;    /* descriptor of the directory it is in */
	char name[64]; /* of its directory */
};

/*
 * Where our cgroups go: the cgroup2 mount point of `mountinfo` (the text of /proc/self/mountinfo)
 * joined with our own place in it from `membership` (/proc/self/cgroup). -ENOENT when there is no
 * cgroup2.
 */
int cgroup_place(FILE *mountinfo, FILE *membership, char *path, size_t size, struct err *err);

/* The place of this process. */
int cgroup_own_place(char *path, size_t size, struct err *err);

/* Open the place of this process. Returns a descriptor or -errno. */
int cgroup_open_place(struct err *err);

/* Make a cgroup in `place`, which must stay open as long as it is used. */
int cgroup_create(struct cgroup *cgroup, int place, unsigned int number, struct err *err);

/* Open cgroup.procs for a child to join with; or -1 without a cgroup. */
int cgroup_open_procs(const struct cgroup *cgroup);

/* Up to `max` pids of processes in it, zombies excluded. Returns how many, 0 without a cgroup. */
size_t cgroup_pids(const struct cgroup *cgroup, pid_t *pids, size_t max);

/* SIGKILL all in it: cgroup.kill (since Linux 5.14), else one by one until none is left. */
void cgroup_kill(const struct cgroup *cgroup);

/* Kill all in it and remove it. -EBUSY when something in it does not die. */
int cgroup_destroy(struct cgroup *cgroup, struct err *err);

/*
 * Destroy the cgroups in `place` of the supervisor `pid`, or, with 0, those of supervisors that no
 * longer exist. Returns how many.
 */
size_t cgroup_remove_leftovers(int place, pid_t pid);

#endif
