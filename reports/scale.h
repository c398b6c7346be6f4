/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SCALE_H
#define PMIPROOF_SCALE_H

#include "compare.h"

/* How the figures of one table of a comparison are shown, so that they compare at a glance. */
struct scale {
	const char *unit; /* shown; as recorded but for times */
	double factor;	  /* shown = recorded / factor */
	int decimals;	  /* -1: four significant digits, where the figures are too far apart */
};

/*
 * For the series from first up to end, which have one unit: the largest unit of time in which no
 * median is below 1, and enough digits for the least.
 */
struct scale scale_of_series(const struct comparison *all, size_t first, size_t end);

/* A recorded figure as text, without its unit; "-" for what is not finite. Returns text. */
const char *scale_text(const struct scale *scale, double value, char *text, size_t size);

#endif
