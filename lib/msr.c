// SPDX-License-Identifier: GPL-2.0-or-later
#include "msr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/*
 * Intel: Software Developer's Manual, volume 4 (model-specific registers); which models have which
 * LBR registers: volume 3B, "Last branch, interrupt and exception recording". x2APIC: volume 3A,
 * "Local APIC register address space". AMD: Architecture Programmer's Manual, volume 2,
 * "Performance optimization", and the PPRs of families 15h, 17h and 19h.
 */
const struct msr_range msr_ranges[] = {
	{ 0x040, 8, 1, MSR_LBR_FROM, "LBR_FROM" }, /* Core, Atom */
	{ 0x060, 8, 1, MSR_LBR_TO, "LBR_TO" },
	{ 0x0c1, 8, 1, MSR_COUNTER, "PMC" },
	{ 0x186, 8, 1, MSR_SELECT, "PERFEVTSEL" },
	{ 0x1a6, 2, 1, MSR_SELECT, "OFFCORE_RSP" },
	{ 0x1c8, 1, 1, MSR_LBR_SELECT, "LBR_SELECT" },
	{ 0x1c9, 1, 1, MSR_LBR_TOS, "LBR_TOS" },
	{ 0x1d9, 1, 1, MSR_DEBUGCTL, "DEBUGCTL" },
	{ 0x309, 7, 1, MSR_COUNTER, "FIXED_CTR" },
	{ 0x329, 1, 1, MSR_COUNTER, "PERF_METRICS" },
	{ 0x38d, 1, 1, MSR_SELECT, "FIXED_CTR_CTRL" },
	{ 0x38e, 1, 1, MSR_GLOBAL_STATUS, "GLOBAL_STATUS" },
	{ 0x38f, 1, 1, MSR_GLOBAL_CTRL, "GLOBAL_CTRL" },
	{ 0x390, 1, 1, MSR_GLOBAL_ACK, "GLOBAL_STATUS_RESET" }, /* OVF_CTRL before version 4 */
	{ 0x3f1, 1, 1, MSR_PEBS_ENABLE, "PEBS_ENABLE" },
	{ 0x3f2, 1, 1, MSR_SELECT, "PEBS_DATA_CFG" },
	{ 0x3f6, 1, 1, MSR_SELECT, "PEBS_LD_LAT" },
	{ 0x3f7, 1, 1, MSR_SELECT, "PEBS_FRONTEND" },
	{ 0x4c1, 8, 1, MSR_COUNTER, "A_PMC" }, /* full-width writes */
	{ 0x600, 1, 1, MSR_DS_AREA, "DS_AREA" },
	{ 0x680, 32, 1, MSR_LBR_FROM, "LBR_FROM" }, /* Nehalem and later */
	{ 0x6c0, 32, 1, MSR_LBR_TO, "LBR_TO" },
	{ 0x834, 1, 1, MSR_LVTPC, "X2APIC_LVTPC" },
	{ 0xdc0, 32, 1, MSR_LBR_INFO, "LBR_INFO" },   /* Skylake and later */
	{ 0x1200, 32, 1, MSR_LBR_INFO, "ALBR_INFO" }, /* architectural LBR */
	{ 0x14ce, 1, 1, MSR_LBR_SELECT, "ALBR_CTL" },
	{ 0x14cf, 1, 1, MSR_LBR_DEPTH, "ALBR_DEPTH" },
	{ 0x1500, 32, 1, MSR_LBR_FROM, "ALBR_FROM" },
	{ 0x1600, 32, 1, MSR_LBR_TO, "ALBR_TO" },
	{ 0x1900, 16, 4, MSR_COUNTER, "PMC_GP_CTR" }, /* architectural perfmon 6 */
	{ 0x1901, 16, 4, MSR_SELECT, "PMC_GP_CFG_A" },
	{ 0x1980, 8, 4, MSR_COUNTER, "PMC_FX_CTR" },
	{ 0xc000010e, 1, 1, MSR_LBR_SELECT, "AMD_LBR_SELECT" },
	{ 0xc000010f, 1, 1, MSR_DEBUGCTL, "AMD_DBG_EXTN_CFG" },
	{ 0xc0000300, 1, 1, MSR_GLOBAL_STATUS, "AMD_GLOBAL_STATUS" },
	{ 0xc0000301, 1, 1, MSR_GLOBAL_CTRL, "AMD_GLOBAL_CTL" },
	{ 0xc0000302, 1, 1, MSR_GLOBAL_ACK, "AMD_GLOBAL_STATUS_CLR" },
	{ 0xc0010000, 4, 1, MSR_SELECT, "AMD_EVNTSEL" },
	{ 0xc0010004, 4, 1, MSR_COUNTER, "AMD_PERFCTR" },
	{ 0xc0010200, 6, 2, MSR_SELECT, "AMD_PERF_CTL" },
	{ 0xc0010201, 6, 2, MSR_COUNTER, "AMD_PERF_CTR" },
	{ 0xc0010300, 16, 2, MSR_LBR_FROM, "AMD_LBR_FROM" },
	{ 0xc0010301, 16, 2, MSR_LBR_TO, "AMD_LBR_TO" },
	{ .name = NULL },
};

static const struct msr_range *find_range(uint32_t msr)
{
	for (const struct msr_range *range = msr_ranges; range->name; range++) {
		uint32_t offset = msr - range->first;

		if (msr >= range->first && offset % range->stride == 0 &&
		    offset / range->stride < range->count)
			return range;
	}
	return NULL;
}

enum msr_kind msr_kind(uint32_t msr)
{
	const struct msr_range *range = find_range(msr);

	return range ? range->kind : MSR_OTHER;
}

const char *msr_name(uint32_t msr, char *text, size_t size)
{
	const struct msr_range *range = find_range(msr);

	if (!range)
		snprintf(text, size, "0x%" PRIx32, msr);
	else if (range->count == 1)
		snprintf(text, size, "%s", range->name);
	else
		snprintf(text, size, "%s_%" PRIu32, range->name,
			 (msr - range->first) / range->stride);
	return text;
}

int msr_filter(unsigned int kinds, char *text, size_t size)
{
	size_t used = 0;

	if (size)
		text[0] = '\0';
	for (const struct msr_range *range = msr_ranges; range->name; range++) {
		int added;

		if (!(kinds & MSR_BIT(range->kind)))
			continue;
		added = snprintf(text + used, size - used,
				 "%s(msr>=0x%" PRIx32 " && msr<=0x%" PRIx32 ")", used ? " || " : "",
				 range->first, range->first + (range->count - 1) * range->stride);
		if (added < 0 || (size_t)added >= size - used)
			return -ENOSPC;
		used += (size_t)added;
	}
	return (int)used;
}
