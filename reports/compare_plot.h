/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_PLOT_H
#define PMIPROOF_COMPARE_PLOT_H

#include "compare.h"
#include "plot.h"

/*
 * Write gnuplot's script for the series from first up to end, which make one table: the samples of
 * all columns on one axis. Of one series it is a curve per column, the share of the samples up to a
 * value; of several a box per series and column, or, of few samples, a circle for each. Returns 0,
 * -ENODATA when there is nothing to show, or -ENOMEM. Free the shape in any case.
 */
int compare_plot_script(const struct comparison *all, size_t first, size_t end, FILE *script,
			struct plot_shape *shape);

/* What the caption is to say of it: new text, NULL when memory ran out. */
char *compare_plot_note(const struct comparison *all, size_t first, size_t end);

#endif
