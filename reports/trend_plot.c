// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "plot_parts.h"
#include "trend.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HEIGHT 420
#define KEY_HEIGHT 16 /* of a line of the legend, below the plot */

/* Room at the ends of the axis, as a share of it; and its least length, for a single report. */
#define MARGIN 0.04
#define SPAN_MIN 3600.0

/*
 * Names of kernels stand at an angle of 45 degrees, in letters of 11 where others are 13: so many
 * find room beside each other.
 */
#define KERNELS_MAX 24
#define KERNEL_ROOM 24 /* characters */
#define SLANT (0.7071 * 11 / 13)

#define AXIS_WIDTH 640 /* about, without what stands left of it */
#define TITLE_HEIGHT 30
#define DAY 86400.0

/* Lines of a plot: what each is of, and how many reports are on it. */
struct lines {
	char *name[PLOT_CURVES];
	size_t n[PLOT_CURVES];
	size_t count;
};

static char *line_name(const struct trend_point *point, bool kernels)
{
	char *name;

	return asprintf(&name, "%s%s%s", point->cpu, kernels ? ", " : "",
			kernels ? point->kernel : "") < 0
		       ? NULL
		       : name;
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->name[i]);
	*lines = (struct lines){ 0 };
}

/* Put a point on its line, which takes the name over. */
static int put_on_line(struct lines *lines, struct trend_point *point, char *name)
{
	size_t i = 0;

	if (!name)
		return -ENOMEM;
	while (i < lines->count && strcmp(lines->name[i], name) != 0)
		i++;
	if (i == PLOT_CURVES || i < lines->count) {
		free(name);
		if (i == PLOT_CURVES)
			return -E2BIG;
	} else {
		lines->name[lines->count++] = name;
	}
	lines->n[i]++;
	point->line = i;
	return 0;
}

static int find_lines(struct trend *trend, bool kernels, struct lines *lines)
{
	int result = 0;

	*lines = (struct lines){ 0 };
	for (size_t i = 0; !result && i < trend->n; i++)
		result = put_on_line(lines, &trend->points[i],
				     line_name(&trend->points[i], kernels));
	if (result)
		free_lines(lines);
	return result;
}

/* Figures are recorded in ns; shown in the largest unit in which the least is not below 1. */
static double shown_unit(const struct trend *trend, const char **unit)
{
	static const struct {
		const char *name;
		double ns;
	} times[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 } };
	double least = INFINITY;

	*unit = strcmp(trend->unit, "1") != 0 ? trend->unit : "";
	for (size_t i = 0; i < trend->n; i++)
		least = fmin(least, trend->points[i].least);
	for (size_t t = 0; !strcmp(trend->unit, "ns") && t < COUNT(times); t++) {
		if (least < times[t].ns)
			continue;
		*unit = times[t].name;
		return times[t].ns;
	}
	return 1;
}

static void put_data(FILE *script, const struct trend *trend, size_t lines, double factor)
{
	for (size_t l = 0; l < lines; l++) {
		fprintf(script, "$line%zu << END\n", l);
		for (size_t i = 0; i < trend->n; i++) {
			const struct trend_point *point = &trend->points[i];

			if (point->line == l)
				fprintf(script, "%lld %.17g %.17g %.17g\n", (long long)point->at,
					(point->least / 2 + point->greatest / 2) / factor,
					point->least / factor, point->greatest / factor);
		}
		fputs("END\n", script);
	}
}

/* How far the names of kernels go beyond the plot, above and to the right. */
struct overhang {
	double above, right;
};

/*
 * Where another kernel begins; a tic without its name where the one before is too close. gnuplot
 * would leave several times the room that names need above, and none at the right.
 */
static void put_kernels(FILE *script, const struct trend *trend, double span, struct overhang *over)
{
	const char *separator = "set x2tics (";
	const char *last = NULL;
	double free_from = -INFINITY;
	double end = (double)trend->points[0].at + (1 + MARGIN) * span;

	for (size_t i = 0; i < trend->n; i++) {
		const struct trend_point *point = &trend->points[i];
		bool room = (double)point->at >= free_from;
		char name[KERNEL_ROOM + 1];
		double length;

		if (last && !strcmp(last, point->kernel))
			continue;
		last = point->kernel;
		fputs(separator, script);
		separator = ", ";
		snprintf(name, sizeof(name), "%s", room ? point->kernel : "");
		gnuplot_label(script, name);
		fprintf(script, " %lld", (long long)point->at);
		if (room)
			free_from = (double)point->at + span / KERNELS_MAX;
		length = plot_text_width(name) * SLANT;
		over->above = fmax(over->above, length);
		over->right =
			fmax(over->right, length - (end - (double)point->at) / span * AXIS_WIDTH);
	}
	fputs(") rotate by 45 left font \",11\"\n", script);
}

static void put_axes(FILE *script, const struct trend *trend, double title,
		     const struct plot_shape *shape)
{
	struct overhang over = { 0, 0 };
	double first = (double)trend->points[0].at;
	double last = (double)trend->points[trend->n - 1].at;
	double span = fmax(last - first, SPAN_MIN);
	double least = 0;

	for (size_t i = 0; i < trend->n; i++)
		least = fmin(least, trend->points[i].least);
	fprintf(script, "set xrange [%.0f:%.0f]\nset x2range [%.0f:%.0f]\n", first - MARGIN * span,
		first + (1 + MARGIN) * span, first - MARGIN * span, first + (1 + MARGIN) * span);
	fprintf(script, "set xtics time format \"%s\"\nset xlabel \"time of the run (UTC)\"\n",
		span < 4 * DAY ? "%m-%d\\n%H:%M" : "%m-%d\\n%Y");
	fputs("unset grid\nset grid ytics x2tics lc rgb '#808080' lw 0.4\n", script);
	put_kernels(script, trend, span, &over);
	fprintf(script, "set tmargin at screen %.4f\nset rmargin at screen %.4f\n",
		1 - (over.above + title + KEY_HEIGHT) / shape->height,
		1 - (over.right + KEY_HEIGHT) / shape->width);
	fputs(least < 0 ? "" : "set yrange [0:*]\n", script);
}

static int put_plot(FILE *script, const struct lines *lines, bool key, struct plot_shape *shape)
{
	int result = 0;

	fputs("plot ", script);
	for (size_t l = 0; !result && l < lines->count; l++) {
		char *legend;

		if (asprintf(&legend, "%s (n = %zu)", lines->name[l], lines->n[l]) < 0)
			return -ENOMEM;
		fprintf(script, "%s$line%zu using 1:2:3:4 with yerrorlines lt %zu pt 7 ps 0.5 ",
			l ? ", " : "", l, l + 1);
		fputs(key ? "title " : "notitle", script);
		if (key)
			gnuplot_label(script, legend);
		result = plot_add_legend(shape, legend);
	}
	putc('\n', script);
	return result;
}

/* A label, as gnuplot would put a title where it takes names of kernels to end. */
static int put_title(FILE *script, const struct trend *trend)
{
	int result;

	fputs("set key below left reverse Left maxcols 1\nset label ", script);
	result = plot_label(script, "%s, %s, %s (n = %zu reports)", trend->words[0],
			    trend->words[1], trend->words[2], trend->n);
	fputs(" at screen 0.5, screen 0.96 center\n", script);
	return result;
}

int trend_script(struct trend *trend, bool key, FILE *script, struct plot_shape *shape,
		 struct err *err)
{
	struct lines lines;
	const char *unit;
	double factor = shown_unit(trend, &unit);
	int result = find_lines(trend, true, &lines);

	if (result == -E2BIG)
		result = find_lines(trend, false, &lines);
	if (result == -E2BIG)
		return err_plain(err, E2BIG, "more than %d CPU models for a plot", PLOT_CURVES);
	if (result)
		return err_set(err, -result, "plot");
	shape->width = PLOT_WIDTH;
	shape->height = HEIGHT + (key ? KEY_HEIGHT * (unsigned int)lines.count : 0);
	plot_style(script);
	put_axes(script, trend, key ? TITLE_HEIGHT : 0, shape);
	if (key)
		result = put_title(script, trend);
	if (!result)
		result = plot_axis(script, 'y', trend->words[3], unit);
	put_data(script, trend, lines.count, factor);
	if (!result)
		result = put_plot(script, &lines, key, shape);
	free_lines(&lines);
	return result ? err_set(err, -result, "plot") : 0;
}

/* As a file of its own: gnuplot_svg() gives what stands within a document. */
static int put_file(FILE *out, const char *inner, struct err *err)
{
	static const char tag[] = "<svg";

	if (strncmp(inner, tag, strlen(tag)) != 0)
		return err_plain(err, EIO, "gnuplot drew nothing");
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\""
		" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
		" style=\"background: white; color: black\"%s\n",
		inner + strlen(tag));
	return 0;
}

int trend_svg(struct trend *trend, FILE *out, struct err *err)
{
	struct plot_shape shape = { 0 };
	char *script = NULL, *inner = NULL;
	size_t size;
	FILE *text = open_memstream(&script, &size);
	int result;

	if (!text)
		return err_set(err, ENOMEM, "plot");
	result = trend_script(trend, true, text, &shape, err);
	if (fclose(text) && !result)
		result = err_set(err, ENOMEM, "plot");
	if (!result)
		result = gnuplot_svg(script, "trend", shape.width, shape.height, &inner, err);
	if (!result)
		result = put_file(out, inner, err);
	plot_shape_free(&shape);
	free(script);
	free(inner);
	return result;
}
