/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ESCALATE_H
#define PMIPROOF_ESCALATE_H

#include <stdbool.h>

#include "klog.h"

/*
 * What the kernel is to answer with a panic, and so with a dump and a reboot, while a hypothesis
 * runs that may hang the machine: what it notices itself is over sooner, and leaves more to read,
 * than what a watchdog has to end.
 */
enum escalate {
	ESCALATE_DEFAULT = 0, /* see escalate_resolve() */
	ESCALATE_RCU_STALL = 1 << 0,
	ESCALATE_SOFT_LOCKUP = 1 << 1,
	ESCALATE_HARD_LOCKUP = 1 << 2,
	ESCALATE_UNKNOWN_NMI = 1 << 3,
	ESCALATE_HUNG_TASK = 1 << 4,
	ESCALATE_NOTHING = 1 << 5, /* instead of the default */
};

/* A kind of trouble that can be escalated. */
struct escalate_kind {
	enum escalate bit;
	const char *name;      /* as in records, "rcu-stall" */
	enum klog_class class; /* of the messages about it */
	bool by_default;       /* of what may hang */
};

/* Ends with a row of zeros. */
extern const struct escalate_kind escalate_kinds[];

/*
 * What a hypothesis gets that declared `declared`. The default: stalls and lockups, but none that
 * it may rightly cause according to `klog` (NULL: nothing), and nothing at all unless it
 * `may_hang`.
 */
unsigned int escalate_resolve(unsigned int declared, bool may_hang, const struct klog_allow *klog);

/* The bit of a name, or 0. */
unsigned int escalate_parse(const char *name);

#endif
