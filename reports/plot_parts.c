// SPDX-License-Identifier: GPL-2.0-or-later
#include "plot_parts.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "text.h"
#include "unit.h"

#define LABEL_GAP 16 /* right of the names of rows, and a little left of them */

/* Points of a curve: more than there are dots across. */
#define CURVE_POINTS 400

#define ROW_HEIGHT 26
#define AXIS_HEIGHT 70

/* From which ratio of the greatest to the least value on a logarithmic axis shows more. */
#define LOG_RATIO 30

int plot_label(FILE *script, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = text_format(fmt, args);
	va_end(args);
	if (!text)
		return -ENOMEM;
	gnuplot_label(script, text);
	free(text);
	return 0;
}

double plot_text_width(const char *text)
{
	double width = 0;

	for (; *text; text++)
		if (strchr("mwMW@", *text))
			width += 13;
		else if (strchr(" .,:;|()[]-/iljtfrI", *text))
			width += 5.4;
		else
			width += *text >= 'A' && *text <= 'Z' ? 10.2 : 8.3;
	return width;
}

int plot_add_legend(struct plot_shape *shape, char *text)
{
	if (!text)
		return -ENOMEM;
	shape->legend[shape->n_legend++] = text;
	return 0;
}

void plot_shape_free(struct plot_shape *shape)
{
	for (size_t i = 0; i < shape->n_legend; i++)
		free(shape->legend[i]);
	shape->n_legend = 0;
}

int plot_axis(FILE *script, char axis, const char *what, const char *unit)
{
	bool percent = !strcmp(unit, "%");
	int result;

	fprintf(script, "set %clabel ", axis);
	result = *unit && !percent ? plot_label(script, "%s (%.12s)", what, unit)
				   : plot_label(script, "%s", what);
	/* Not in a label, as in those of tics it begins a format. */
	fputs(percent ? ".' (%)'\n" : "\n", script);
	return result;
}

void plot_extend(struct plot_range *range, double value)
{
	if (isnan(value))
		return;
	range->least = fmin(range->least, value);
	range->greatest = fmax(range->greatest, value);
}

static bool is_logarithmic(const struct plot_range *range)
{
	return range->least > 0 && range->greatest / range->least >= LOG_RATIO;
}

double plot_put_range(FILE *script, const struct plot_range *range)
{
	double greatest = range->greatest > 0 ? range->greatest : 1, least, most;

	if (is_logarithmic(range)) {
		fputs("set logscale x\n", script);
		least = range->least / 1.3;
		most = range->greatest * 1.3;
	} else if (range->least >= 0) {
		/* A mark at 0 is not to touch what stands left of the axis. */
		least = range->least > 0 ? 0 : -0.03 * greatest;
		most = 1.05 * greatest;
	} else {
		double room = 0.05 * (fmax(range->greatest, 0) - range->least);

		least = range->least - room;
		most = fmax(range->greatest, 0) + room;
	}
	fprintf(script, "set xrange [%.9g:%.9g]\n", least, most);
	return least;
}

void plot_style(FILE *script)
{
	fputs("set encoding utf8\n"
	      "set border lw 0.8\n"
	      "set tics nomirror\n"
	      "set grid lc rgb '#808080' lw 0.4\n"
	      "set datafile missing '?'\n"
	      "unset key\n"
	      "set linetype 1 lc rgb '#0077bb' lw 1.5\n"
	      "set linetype 2 lc rgb '#ee7733' lw 1.5\n"
	      "set linetype 3 lc rgb '#009988' lw 1.5\n"
	      "set linetype 4 lc rgb '#cc3311' lw 1.5\n"
	      "set linetype 5 lc rgb '#aa55cc' lw 1.5\n"
	      "set linetype 6 lc rgb '#33aadd' lw 1.5\n"
	      "set linetype 7 lc rgb '#998800' lw 1.5\n"
	      "set linetype 8 lc rgb '#ee3377' lw 1.5\n"
	      "set linetype cycle 8\n",
	      script);
}

void plot_rows(FILE *script, double rows, struct plot_shape *shape)
{
	fprintf(script, "set yrange [%.1f:-0.5]\nset lmargin at screen %.4f\n", rows - 0.5,
		(shape->label_width + LABEL_GAP) / PLOT_WIDTH);
	shape->height = (unsigned int)(AXIS_HEIGHT + ROW_HEIGHT * rows);
}

size_t plot_take_rows(size_t there, size_t most, struct plot_shape *shape)
{
	shape->rows = there < most ? there : most;
	shape->left_out = there - shape->rows;
	return shape->rows;
}

void plot_resolution(FILE *script, double resolution, const char *unit, struct plot_range *range)
{
	bool far = resolution < range->least / 10;
	char text[48];

	if (!(resolution > 0))
		return;
	unit_format(resolution, unit, text, sizeof(text));
	fputs("set label 1 ", script);
	plot_label(script,
		   far ? "clock resolution %s, left of the axis" : "dashed: clock resolution %s",
		   text);
	/* Where no curve is: at the right all have come up. */
	fputs(" at graph 0.99, graph 0.07 right\n", script);
	if (far)
		return;
	plot_extend(range, resolution);
	fprintf(script,
		"set arrow 1 from %.9g, graph 0 to %.9g, graph 1 nohead lc rgb '#909090' lw 2 "
		"dt 2\n",
		resolution, resolution);
}

void plot_curve(FILE *script, size_t number, const struct distribution *samples, double factor,
		struct plot_range *range)
{
	double all = (double)samples->total, seen = 0, shown = 0;

	fprintf(script, "$d%zu << EOD\n", number);
	for (size_t i = 0; i < samples->n_steps; i++) {
		double value = samples->steps[i].value / factor;

		seen += (double)samples->steps[i].count;
		if (!i)
			fprintf(script, "%.9g 0\n", value);
		if (i && i + 1 < samples->n_steps && seen - shown < all / CURVE_POINTS)
			continue;
		fprintf(script, "%.9g %.6f\n", value, seen / all);
		plot_extend(range, value);
		shown = seen;
	}
	fputs("EOD\n", script);
}
