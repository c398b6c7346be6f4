/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLOT_H
#define PMIPROOF_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cost.h"

/* Plots of cost tables. Which table is plotted, and how, is data: plot_specs. */

enum plot_kind {
	PLOT_BOXES,  /* series: a line per row with quantiles as box and whiskers */
	PLOT_ECDF,   /* series: share of the samples up to a value, a curve per row */
	PLOT_BARS,   /* one figure: a group of bars per row, a bar per table of a common prefix */
	PLOT_POINTS, /* figures: a line per row, a mark per column */
};

#define PLOT_COLUMNS 5

struct plot_spec {
	enum plot_kind kind;
	const char *table; /* name of the table, or what it begins with for bars */
	const char *title;
	const char *axis; /* what the values are, without unit */
	/* Of a table of figures: those that are shown, and the one that is n. */
	const char *columns[PLOT_COLUMNS + 1];
	const char *count;
	/* Shown is 100 times the figure by that one ("%"), or, where `rate`, the figure by it. */
	const char *per;
	bool rate;
	const char *low, *high; /* figures that bound the others, shown as a band */
	const char *note;	/* for the caption */
};

/* The last has no table. */
extern const struct plot_spec plot_specs[];

/* Does it show this table, maybe with others? For bars that is the first of the tables only. */
bool plot_fits(const struct plot_spec *spec, const struct cost_table *tables, size_t n,
	       size_t index);

/* The column of that name, which may be NULL, or NULL. */
const struct cost_column *plot_column(const struct cost_table *cost, const char *name);

#define PLOT_CURVES 8 /* curves or bars: as many as there are colours */

/* What came out of a plot's data. */
struct plot_shape {
	unsigned int width, height;
	size_t rows, left_out; /* drawn, and there too, but too many */
	double label_width;    /* of the widest one beside the rows */
	/*
	 * What stands for what, in the order of the colours, as a machine calls it; NULL for a
	 * colour that is not used. The plot has no room for it.
	 */
	char *legend[PLOT_CURVES];
	size_t n_legend;
	bool marks; /* the legend is of marks: circle, square, triangle, diamond, dot */
	bool band;  /* there is a grey band */
};

void plot_shape_free(struct plot_shape *shape);

/*
 * Write gnuplot's script for tables[index] that the plot fits. Returns 0, -ENODATA when there is
 * nothing to show, or -ENOMEM. Free the shape in any case.
 */
int plot_script(const struct plot_spec *spec, const struct cost_table *tables, size_t n,
		size_t index, FILE *script, struct plot_shape *shape);

#endif
