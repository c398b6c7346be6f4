/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLOT_PARTS_H
#define PMIPROOF_PLOT_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "distribution.h"
#include "plot.h"

/* Parts of scripts for gnuplot. Functions that return an int return 0 or -ENOMEM. */

#define PLOT_ROWS_MAX 32   /* what can be told apart in one plot */
#define PLOT_LABEL_ROOM 40 /* characters of a row's name beside a plot */
#define PLOT_WIDTH 760
#define PLOT_CURVES_HEIGHT 360

/* A quoted label put together from text of a machine. */
int plot_label(FILE *script, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * About how wide text is, at most, in the widest font that "sans-serif" is (DejaVu Sans). gnuplot
 * takes all characters to be as wide as the widest, and would leave half of a plot to labels.
 */
double plot_text_width(const char *text);

/* Add a line to the legend; takes over the new text, which may be NULL. */
int plot_add_legend(struct plot_shape *shape, char *text);

/* What is on an axis, and its unit. */
int plot_axis(FILE *script, char axis, const char *what, const char *unit);

/* Least and greatest of what is shown; begin with PLOT_NO_RANGE. */
struct plot_range {
	double least, greatest;
};

#define PLOT_NO_RANGE               \
	{                           \
		INFINITY, -INFINITY \
	}

void plot_extend(struct plot_range *range, double value); /* a NAN changes nothing */

/* Values on the axis; logarithmic where that shows more. Returns where it begins. */
double plot_put_range(FILE *script, const struct plot_range *range);

/* What all plots have: goes first. */
void plot_style(FILE *script);

/* So many rows one below the other, the first on top, beside names as wide as the shape says. */
void plot_rows(FILE *script, double rows, struct plot_shape *shape);

/* How many of the rows are drawn; sets them in the shape. */
size_t plot_take_rows(size_t there, size_t most, struct plot_shape *shape);

/* The steps of a curve, or as many of them as can be seen, as the data block "$dNUMBER". */
void plot_curve(FILE *script, size_t number, const struct distribution *samples, double factor,
		struct plot_range *range);

/*
 * Where the clock's smallest step is on the axis of curves, in the unit shown; 0: nothing. One that
 * is small against all that was measured would push it together; then it is only told.
 */
void plot_resolution(FILE *script, double resolution, const char *unit, struct plot_range *range);

#endif
