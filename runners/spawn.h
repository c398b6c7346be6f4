/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SPAWN_H
#define PMIPROOF_SPAWN_H

#include <sys/types.h>

#include "cpus.h"
#include "err.h"

/*
 * How to start a test binary: in a session of its own (so that a Ctrl-C at the terminal reaches
 * only us), dying with us (PDEATHSIG), standard input empty, no core file, default signal handling,
 * and the first victim when memory runs out.
 */
struct spawn {
	char *const *argv;	 /* argv[0] is the path; NULL-terminated */
	int out;		 /* becomes standard output; -1: /dev/null */
	int err;		 /* becomes standard error; -1: /dev/null */
	int record;		 /* becomes the record descriptor, or -1 */
	int cgroup;		 /* descriptor of a cgroup.procs to join, or -1 */
	const struct cpus *cpus; /* CPUs it may run on; NULL: ours */
};

/*
 * Start it. Returns the pid or -errno of fork(). A failed exec shows as exit status 127 with the
 * error on `err`.
 */
pid_t spawn(const struct spawn *how, struct err *err);

#endif
