/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SURROUNDINGS_H
#define PMIPROOF_SURROUNDINGS_H

#include <jansson.h>
#include <stddef.h>

#include "err.h"
#include "hotplug.h"
#include "judge.h"
#include "klog.h"
#include "sysctl.h"

/*
 * What is looked at before and after each test: sysctls (those it declares and those that a test
 * of the kernel's PMU code could touch), the CPUs that are online, taint flags, and whether lockdep
 * is alive.
 */
struct surroundings {
	struct sysctl_saved *saved; /* the declared ones, then the watched ones */
	size_t n_declared, n;
	long taint;		       /* -errno: not readable */
	int lockdep;		       /* as machine_lockdep() */
	char online[HOTPLUG_LIST_MAX]; /* CPUs */
};

/* `declared` ends with NULL and must outlive it. Returns 0 or -errno. */
int surroundings_save(struct surroundings *before, const char *const *declared, struct err *err);

/*
 * Put sysctls back as they were before, and CPUs that were online. The names of those that had to
 * be are added to the array `restored`; one that was not declared, or cannot be put back, and a CPU
 * that was left offline, make broken.
 */
void surroundings_restore(const struct surroundings *before, json_t *restored, struct judge *judge);

/*
 * New taint flags and a lockdep that turned itself off. `tally` says whether lockdep gave up for
 * want of space, which is no finding.
 */
void surroundings_judge(const struct surroundings *before, const struct klog_tally *tally,
			struct judge *judge);

/* Judge a change of taint flags; for the test of this file and surroundings_judge(). */
void surroundings_judge_taint(unsigned long before, unsigned long after, struct judge *judge);

void surroundings_free(struct surroundings *before);

/*
 * Let messages that the kernel gives once per boot come again. Returns 0 or -errno: debugfs is not
 * mounted, or this kernel cannot.
 */
int surroundings_rearm_warnings(struct err *err);

#endif
