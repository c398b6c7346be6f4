/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GUARD_H
#define PMIPROOF_GUARD_H

#include <signal.h>

#include "err.h"
#include "klog.h"
#include "run.h"
#include "sysctl.h"

#define GUARD_SIGNALS 11

/*
 * What a test needs from outside and, run alone, must do itself: it has the machine for itself, the
 * kernel log is read, sysctls are put back, also by a crash, and the usual ending signals end it
 * with its state told. Under a supervisor only the last is done here.
 */
struct guard {
	struct run *run;
	bool alone;
	int lock; /* that no other run is going on; -1: none */
	struct klog klog;
	bool klog_open;
	struct err klog_err; /* why not, when it is not open */
	struct sysctl_saved *saved;
	size_t n_saved;
	struct sigaction actions[GUARD_SIGNALS]; /* what there was before */
};

/*
 * Start guarding a run; one at a time in a process. -errno with err when nothing may be started:
 * -EBUSY while another run is going on.
 */
int guard_start(struct guard *guard, struct run *run, struct err *err);

/*
 * Read what the kernel logged, restore, and stop guarding. Returns what the kernel log makes of the
 * verdict (PASS when there is nothing to say, BROKEN when it could not be read, or SKIP if so has
 * the run) with why.
 */
enum verdict guard_finish(struct guard *guard, struct err *why);

#endif
