/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MSR_H
#define PMIPROOF_MSR_H

#include <stddef.h>
#include <stdint.h>

/* What a model-specific register is to the handling of PMIs. */
enum msr_kind {
	MSR_OTHER,
	MSR_GLOBAL_CTRL,   /* which counters run */
	MSR_GLOBAL_STATUS, /* which have overflowed */
	MSR_GLOBAL_ACK,	   /* writing clears bits of the status, and unfreezes */
	MSR_PEBS_ENABLE,   /* which counters write precise records */
	MSR_DS_AREA,	   /* where to */
	MSR_COUNTER,	   /* the counters themselves */
	MSR_SELECT,	   /* what they count: event selects, fixed-counter control, offcore */
	MSR_DEBUGCTL,	   /* LBR and its freezing on or off */
	MSR_LBR_FROM,
	MSR_LBR_TO,
	MSR_LBR_INFO,
	MSR_LBR_TOS,	/* which entry is the newest */
	MSR_LBR_SELECT, /* which branches are recorded */
	MSR_LBR_DEPTH,	/* architectural LBR: writing clears all entries */
	MSR_LVTPC,	/* of the local APIC; a register only in x2APIC mode */
};

/* For sets of kinds. */
#define MSR_BIT(kind) (1U << (kind))
#define MSR_ENTRIES (MSR_BIT(MSR_LBR_FROM) | MSR_BIT(MSR_LBR_TO) | MSR_BIT(MSR_LBR_INFO))
#define MSR_BRANCHES                                                                            \
	(MSR_ENTRIES | MSR_BIT(MSR_DEBUGCTL) | MSR_BIT(MSR_LBR_TOS) | MSR_BIT(MSR_LBR_SELECT) | \
	 MSR_BIT(MSR_LBR_DEPTH))
/* All that a PMI handler may have to do with. */
#define MSR_PMU (~MSR_BIT(MSR_OTHER))

/* Registers first, first + stride, ... (count of them) of one kind. */
struct msr_range {
	uint32_t first, count, stride;
	enum msr_kind kind;
	const char *name; /* with the number of the register where there are several */
};

/* All ranges, which do not overlap; ends with a NULL name. */
extern const struct msr_range msr_ranges[];

enum msr_kind msr_kind(uint32_t msr);

/* Its name ("LBR_FROM_3"), or its number in hexadecimal where it has none. Returns text. */
const char *msr_name(uint32_t msr, char *text, size_t size);

/*
 * The tracepoints' filter for registers of the given kinds: "(msr>=0x38e && msr<=0x38e) || ...".
 * Returns its length, or -ENOSPC.
 */
int msr_filter(unsigned int kinds, char *text, size_t size);

#endif
