// SPDX-License-Identifier: GPL-2.0-or-later
#include "cycles_alias.h"

#include <stdio.h>
#include <string.h>

/*
 * A threshold of 16 (bits 24 to 31), inverted (bit 23): no cycle retires that much, so that each
 * one counts. From intel_pebs_aliases_*() in arch/x86/events/intel/core.c.
 */
#define EACH_CYCLE (16ULL << 24 | 1ULL << 23)

/*
 * Event select and unit mask: Intel SDM 3B, chapter on performance-monitoring events, and
 * perfmon-events.intel.com, for each microarchitecture. PREC_DIST exists on Sandy Bridge, but only
 * with nothing else on the PMU, which the kernel does not offer.
 */
const struct cycles_alias cycles_aliases[] = {
	{ "UOPS_RETIRED.ALL", EACH_CYCLE | 0x01c2, " sandybridge ivybridge haswell broadwell " },
	{ "INST_RETIRED.ANY_P", EACH_CYCLE | 0x00c0, " nehalem westmere skylake " },
	{ "INST_RETIRED.PREC_DIST", EACH_CYCLE | 0x01c0, " ivybridge haswell broadwell skylake " },
	{ .name = NULL },
};

bool cycles_alias_applies(const struct cycles_alias *alias, const char *pmu)
{
	char name[80];

	snprintf(name, sizeof(name), " %s ", pmu);
	return strstr(alias->pmus, name) != NULL;
}
