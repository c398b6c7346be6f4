/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HISTORY_PLOT_H
#define PMIPROOF_HISTORY_PLOT_H

#include "history.h"

/*
 * A cell of a cost table over time, as the text of an SVG file: a line for each CPU model and
 * kernel, from the least to the greatest of the iterations of each report. words: HYPOTHESIS TABLE
 * ROW COLUMN. Returns 0 with *svg new, or -errno: -ENODATA when no report has it, -ENOENT when
 * there is no gnuplot, -E2BIG when there are too many CPU models and kernels for a plot.
 */
int history_plot(struct history *history, char *const words[4], char **svg, struct err *err);

#endif
