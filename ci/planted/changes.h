/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLANTED_CHANGES_H
#define PMIPROOF_PLANTED_CHANGES_H

#include "planted.h"
#include "sysctl.h"

/* What the planted tests that change a sysctl change: nothing here depends on its value. */
#define PLANTED_SYSCTL "kernel.perf_event_mlock_kb"

/* For `.sysctls` of those that declare it. */
#define PLANTED_SYSCTLS ((const char *const[]){ PLANTED_SYSCTL, NULL })

/* Pass, and then change it. False with the run broken when that cannot be done. */
static inline bool planted_change(struct run *run)
{
	struct err err;

	planted_pass(run);
	if (!sysctl_write(PLANTED_SYSCTL, "517", &err))
		return true;
	run_broken(run, "%s", err.text);
	return false;
}

#endif
