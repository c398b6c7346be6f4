// SPDX-License-Identifier: GPL-2.0-or-later
#include "errata.h"

#include <jansson.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "machine.h"

#define INSTRUCTIONS PERF_COUNT_HW_INSTRUCTIONS
#define BRANCHES PERF_COUNT_HW_BRANCH_INSTRUCTIONS

/*
 * Which errata Intel names for an event is in the key "Errata" of its event files, which the kernel
 * has in tools/perf/pmu-events/arch/x86 (6.1); the models are those of mapfile.csv there. How much
 * too much: an interrupt adds one, the return from it (V. Weaver, D. Terpstra, S. Moore,
 * "Non-Determinism and Overcount on Modern Hardware Performance Counter Implementations", ISPASS
 * 2013). What counts.c compares is a difference of the least of many short counts; two is an
 * interrupt more in all of the long ones, and one for the kernel's own.
 */
#define PER_INTERRUPT 2

#define INTEL "GenuineIntel"
#define HASWELL "tools/perf/pmu-events/arch/x86/haswell/pipeline.json, INST_RETIRED.ANY"
#define BROADWELL "tools/perf/pmu-events/arch/x86/broadwell/pipeline.json, INST_RETIRED.ANY_P"
#define SKYLAKE "tools/perf/pmu-events/arch/x86/skylake/pipeline.json, INST_RETIRED.ANY_P"
#define SKYLAKE_BRANCHES \
	"tools/perf/pmu-events/arch/x86/skylake/pipeline.json, BR_INST_RETIRED.ALL_BRANCHES"

static const struct erratum errata[] = {
	{ "HSD140", INTEL, 6, 0x3c, 0x3c, INSTRUCTIONS, PER_INTERRUPT, HASWELL },
	{ "HSD140", INTEL, 6, 0x3f, 0x3f, INSTRUCTIONS, PER_INTERRUPT, HASWELL },
	{ "HSD140", INTEL, 6, 0x45, 0x46, INSTRUCTIONS, PER_INTERRUPT, HASWELL },
	{ "BDM61", INTEL, 6, 0x3d, 0x3d, INSTRUCTIONS, PER_INTERRUPT, BROADWELL },
	{ "BDM61", INTEL, 6, 0x47, 0x47, INSTRUCTIONS, PER_INTERRUPT, BROADWELL },
	{ "BDM61", INTEL, 6, 0x4f, 0x4f, INSTRUCTIONS, PER_INTERRUPT, BROADWELL },
	{ "SKL091, SKL044", INTEL, 6, 0x4e, 0x4e, INSTRUCTIONS, PER_INTERRUPT, SKYLAKE },
	{ "SKL091, SKL044", INTEL, 6, 0x55, 0x55, INSTRUCTIONS, PER_INTERRUPT, SKYLAKE },
	{ "SKL091, SKL044", INTEL, 6, 0x5e, 0x5e, INSTRUCTIONS, PER_INTERRUPT, SKYLAKE },
	{ "SKL091, SKL044", INTEL, 6, 0x8e, 0x8e, INSTRUCTIONS, PER_INTERRUPT, SKYLAKE },
	{ "SKL091, SKL044", INTEL, 6, 0x9e, 0x9e, INSTRUCTIONS, PER_INTERRUPT, SKYLAKE },
	{ "SKL091, SKL044", INTEL, 6, 0xa5, 0xa6, INSTRUCTIONS, PER_INTERRUPT, SKYLAKE },
	{ "SKL091", INTEL, 6, 0x4e, 0x4e, BRANCHES, PER_INTERRUPT, SKYLAKE_BRANCHES },
	{ "SKL091", INTEL, 6, 0x55, 0x55, BRANCHES, PER_INTERRUPT, SKYLAKE_BRANCHES },
	{ "SKL091", INTEL, 6, 0x5e, 0x5e, BRANCHES, PER_INTERRUPT, SKYLAKE_BRANCHES },
	{ "SKL091", INTEL, 6, 0x8e, 0x8e, BRANCHES, PER_INTERRUPT, SKYLAKE_BRANCHES },
	{ "SKL091", INTEL, 6, 0x9e, 0x9e, BRANCHES, PER_INTERRUPT, SKYLAKE_BRANCHES },
	{ "SKL091", INTEL, 6, 0xa5, 0xa6, BRANCHES, PER_INTERRUPT, SKYLAKE_BRANCHES },
	/* Says that the count may be too high, not by how much. */
	{ "1291", "AuthenticAMD", 23, 0x30, 0x3f, INSTRUCTIONS, INFINITY,
	  "AMD Revision Guide for Family 17h Models 30h-3Fh: Certain Performance Counters For "
	  "Retire Based Events May Overcount" },
};

const struct erratum *errata_find(const char *vendor, int family, int model, uint64_t config)
{
	for (size_t i = 0; i < sizeof(errata) / sizeof(errata[0]); i++) {
		const struct erratum *row = &errata[i];

		if (row->config == config && row->family == family && row->model_first <= model &&
		    model <= row->model_last && !strcmp(row->vendor, vendor))
			return row;
	}
	return NULL;
}

const struct erratum *errata_here(uint64_t config)
{
	const struct erratum *found = NULL;
	const char *vendor = NULL;
	int family = 0, model = 0;
	struct err err;
	json_t *machine = machine_inventory("", false, &err);

	if (!json_unpack(machine, "{s:{s:s, s:i, s:i}}", "cpu", "vendor", &vendor, "family",
			 &family, "model", &model))
		found = errata_find(vendor, family, model, config);
	json_decref(machine);
	return found;
}
