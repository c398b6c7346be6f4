/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TREND_H
#define PMIPROOF_TREND_H

#include <time.h>

#include "history.h"
#include "plot.h"

/* A cell of a cost table over time: in all reports of a history that have it. */

/* In one report: the least and the greatest of its iterations. */
struct trend_point {
	int64_t id;
	time_t at;
	char *time, *cpu, *kernel; /* as struct history_point has them */
	double least, greatest;	   /* in the unit recorded */
	size_t line;		   /* of the plot */
};

struct trend {
	char *const
		*words; /* HYPOTHESIS TABLE ROW COLUMN, as the report names them; the caller's */
	struct trend_point *points; /* in the order of their runs */
	size_t n;
	char unit[16];
};

/*
 * Read it. A report whose time makes no sense is left out. Functions return 0 or -errno with err
 * set: -ENODATA when no report has it, -ENOTUNIQ when units differ. trend_free() in any case.
 */
int trend_read(struct trend *trend, struct history *history, char *const words[4], struct err *err);
void trend_free(struct trend *trend);

/*
 * Write gnuplot's script: values over the time of the run, a line for each CPU model and kernel,
 * or, of more than PLOT_CURVES, for each CPU model. Above the plot stand the kernels, where another
 * one begins. With `key` the plot has its title and legend, else only the shape does. -E2BIG when
 * there are more CPU models than lines. Free the shape in any case.
 */
int trend_script(struct trend *trend, bool key, FILE *script, struct plot_shape *shape,
		 struct err *err);

/* Forms to give it, all or nothing; -ENOENT when there is no gnuplot for the SVG. */
int trend_svg(struct trend *trend, FILE *out, struct err *err);
int trend_html(struct trend *trend, FILE *out, struct err *err);

#endif
