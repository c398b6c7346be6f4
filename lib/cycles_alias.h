/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CYCLES_ALIAS_H
#define PMIPROOF_CYCLES_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Precise events that count each cycle, as raw encodings (PERF_TYPE_RAW). cycles itself cannot be
 * sampled precisely on Intel CPUs before PEBS baseline (Ice Lake), so that for cycles:pp the kernel
 * takes one of these instead.
 */
struct cycles_alias {
	const char *name; /* as Intel documents the event without the inverted threshold */
	uint64_t config;
	const char *pmus; /* names of PMUs where the encoding means that, each between spaces */
};

/* All of them, ending with a NULL name. */
extern const struct cycles_alias cycles_aliases[];

/* Does the encoding mean this event on a PMU of that name (its caps/pmu_name in sysfs)? */
bool cycles_alias_applies(const struct cycles_alias *alias, const char *pmu);

#endif
