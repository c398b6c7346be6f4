/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_VITALS_H
#define PMIPROOF_VITALS_H

#include <limits.h>
#include <sched.h>

#include "cpus.h"
#include "err.h"
#include "feeder.h"

#define VITALS_MAX 3

/*
 * The vital signs of a machine: what must work for a run to go on. Each is a call that only comes
 * back when it does.
 */
struct vitals {
	struct feeder_sign signs[VITALS_MAX]; /* those that can be had on this kernel */
	size_t n;
	struct cpus cpus;
	cpu_set_t *here, *one; /* CPUs of the feeding thread, and room for one of them */
	size_t set_size;
	int disk; /* descriptor of the file that is written, -1: none */
	char path[PATH_MAX];
	struct err missing; /* why a sign is not there, as a note; empty: all are */
};

/*
 * Make ready: threads on `cpus`, RCU, and the disk that the directory `dir` is on. -errno when not
 * even a file can be made there.
 */
int vitals_open(struct vitals *vitals, const struct cpus *cpus, const char *dir, struct err *err);

void vitals_close(struct vitals *vitals);

/* Remove from a report what a reset has left there. */
void vitals_remove_leftover(const char *dir);

#endif
