/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FIGURE_H
#define PMIPROOF_FIGURE_H

#include "model.h"

/* A cell of a cost table (cost.h), over all iterations. */
struct figure {
	double least, greatest;
	char unit[16]; /* as recorded */
};

/*
 * Look up the figure of a test. -ENOENT when there is none of these names, or not in each of its
 * executions; -ENOTUNIQ when the names fit figures of several units; -ENOMEM.
 */
int figure_find(const struct report_test *test, const char *table, const char *row,
		const char *column, struct figure *figure);

#endif
