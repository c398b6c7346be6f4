// SPDX-License-Identifier: GPL-2.0-or-later
#include "escalate.h"

#include <string.h>

/*
 * By default what means that the machine hangs. An unknown NMI is a finding that the machine goes
 * on after, and a hung task (120 s) is later than the watchdog: only for those that ask for it.
 */
const struct escalate_kind escalate_kinds[] = {
	{ ESCALATE_RCU_STALL, "rcu-stall", KLOG_RCU_STALL, true },
	{ ESCALATE_SOFT_LOCKUP, "soft-lockup", KLOG_SOFT_LOCKUP, true },
	{ ESCALATE_HARD_LOCKUP, "hard-lockup", KLOG_HARD_LOCKUP, true },
	{ ESCALATE_UNKNOWN_NMI, "unknown-nmi", KLOG_UNKNOWN_NMI, false },
	{ ESCALATE_HUNG_TASK, "hung-task", KLOG_HUNG_TASK, false },
	{ 0 },
};

static bool allows(const struct klog_allow *klog, enum klog_class class)
{
	for (; klog && klog->class != KLOG_NONE; klog++)
		if (klog->class == class && klog->max)
			return true;
	return false;
}

unsigned int escalate_resolve(unsigned int declared, bool may_hang, const struct klog_allow *klog)
{
	unsigned int bits = 0;

	if (declared != ESCALATE_DEFAULT)
		return declared & ~(unsigned int)ESCALATE_NOTHING;
	for (const struct escalate_kind *kind = escalate_kinds; may_hang && kind->name; kind++)
		if (kind->by_default && !allows(klog, kind->class))
			bits |= kind->bit;
	return bits;
}

unsigned int escalate_parse(const char *name)
{
	for (const struct escalate_kind *kind = escalate_kinds; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind->bit;
	return 0;
}
