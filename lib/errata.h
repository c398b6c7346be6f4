/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ERRATA_H
#define PMIPROOF_ERRATA_H

#include <stdint.h>

/*
 * A generic event that a CPU does not count exactly, by its maker's own list of errata. Emulated
 * CPUs of these models count exactly: look here only once a count is wrong.
 */
struct erratum {
	const char *id; /* as in the maker's specification update or revision guide */
	const char *vendor;
	int family;
	int model_first, model_last;
	uint64_t config; /* PERF_COUNT_HW_* */
	double most;	 /* counts too many that it explains, INFINITY: no limit is documented */
	const char *source;
};

/* The row for this event on such a CPU, or NULL. */
const struct erratum *errata_find(const char *vendor, int family, int model, uint64_t config);

/* The row for this event on the CPU we run on, or NULL. Reads the inventory: takes milliseconds. */
const struct erratum *errata_here(uint64_t config);

#endif
