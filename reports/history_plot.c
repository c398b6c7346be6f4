// SPDX-License-Identifier: GPL-2.0-or-later
#include "history_plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gnuplot.h"

/* What can be told apart in one plot. */
#define LINES_MAX 32

#define WIDTH 900
#define HEIGHT 420
#define LINE_HEIGHT 16 /* of the legend, below the plot */

/* What has been seen of the points: their lines, each a block of data. */
struct lines {
	struct line {
		char *name;
		char *text; /* of data */
		size_t size;
		FILE *data;
	} line[LINES_MAX];
	size_t n;
	size_t points;
	char unit[16];
};

static int find_line(struct lines *lines, const struct history_point *point, struct line **found)
{
	char *name;

	if (asprintf(&name, "%s, %s", point->cpu, point->kernel) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < lines->n; i++) {
		*found = &lines->line[i];
		if (strcmp((*found)->name, name) != 0)
			continue;
		free(name);
		return 0;
	}
	if (lines->n == LINES_MAX) {
		free(name);
		return -E2BIG;
	}
	*found = &lines->line[lines->n];
	(*found)->data = open_memstream(&(*found)->text, &(*found)->size);
	if (!(*found)->data) {
		free(name);
		return -ENOMEM;
	}
	(*found)->name = name;
	lines->n++;
	return 0;
}

/* A time that makes no sense has no place on the axis. */
static int add_point(const struct history_point *point, void *context)
{
	struct lines *lines = context;
	struct tm utc = { 0 };
	struct line *line;
	int result;

	if (!strptime(point->time, "%Y-%m-%dT%H:%M:%S", &utc))
		return 0;
	if (lines->points && strcmp(lines->unit, point->unit) != 0)
		return -ENOTUNIQ;
	snprintf(lines->unit, sizeof(lines->unit), "%s", point->unit);
	result = find_line(lines, point, &line);
	if (result)
		return result;
	fprintf(line->data, "%lld %.17g %.17g %.17g\n", (long long)timegm(&utc),
		(point->least + point->greatest) / 2, point->least, point->greatest);
	lines->points++;
	return 0;
}

static void put_title(FILE *script, const struct lines *lines, char *const words[4])
{
	char text[256];

	snprintf(text, sizeof(text), "%s, %s, %s (n = %zu reports)", words[0], words[1], words[2],
		 lines->points);
	fputs("set title ", script);
	gnuplot_label(script, text);
	snprintf(text, sizeof(text), strcmp(lines->unit, "1") != 0 ? "%s [%s]" : "%s", words[3],
		 lines->unit);
	fputs("\nset ylabel ", script);
	gnuplot_label(script, text);
	fputs("\nset xlabel \"time of the run (UTC)\"\n", script);
}

static void put_lines(FILE *script, const struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		fprintf(script, "$line%zu << END\n%sEND\n", i, lines->line[i].text);
	fputs("plot ", script);
	for (size_t i = 0; i < lines->n; i++) {
		fprintf(script, "%s$line%zu using 1:2:3:4 with yerrorlines pt 7 ps 0.4 title ",
			i ? ", " : "", i);
		gnuplot_label(script, lines->line[i].name);
	}
	putc('\n', script);
}

/* As a file of its own: gnuplot_svg() gives what stands within a document. */
static char *make_file(const char *inner)
{
	static const char tag[] = "<svg";
	char *file;

	if (strncmp(inner, tag, strlen(tag)) != 0)
		return NULL;
	return asprintf(&file,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<svg xmlns=\"http://www.w3.org/2000/svg\""
			" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
			" style=\"background: white; color: black\"%s\n",
			inner + strlen(tag)) < 0
		       ? NULL
		       : file;
}

static int draw(const struct lines *lines, char *const words[4], char **svg, struct err *err)
{
	char *script = NULL, *inner = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);
	int result;

	if (!out)
		return err_set(err, ENOMEM, "plot");
	put_title(out, lines, words);
	fputs("set xdata time\nset timefmt \"%s\"\nset format x \"%Y-%m-%d\\n%H:%M\"\n"
	      "set key below left reverse Left maxcols 1\nset grid\nset yrange [0:*]\n",
	      out);
	put_lines(out, lines);
	if (fclose(out)) {
		free(script);
		return err_set(err, ENOMEM, "plot");
	}
	result = gnuplot_svg(script, "trend", WIDTH, HEIGHT + LINE_HEIGHT * (unsigned int)lines->n,
			     &inner, err);
	free(script);
	if (result)
		return result;
	*svg = make_file(inner);
	free(inner);
	return *svg ? 0 : err_set(err, ENOMEM, "plot");
}

int history_plot(struct history *history, char *const words[4], char **svg, struct err *err)
{
	struct lines lines = { 0 };
	int result = history_trend(history, words[0], words[1], words[2], words[3], add_point,
				   &lines, err);
	int closed = 0;

	for (size_t i = 0; i < lines.n; i++)
		closed |= fclose(lines.line[i].data);
	if (result == -E2BIG)
		err_plain(err, E2BIG, "more than %d CPU models and kernels for a plot", LINES_MAX);
	else if (result == -ENOTUNIQ)
		err_plain(err, ENOTUNIQ, "the figures are of several units");
	else if (!result && closed)
		result = err_set(err, ENOMEM, "plot");
	else if (!result && !lines.points)
		result = err_plain(err, ENODATA, "no report has a figure of these names");
	if (!result)
		result = draw(&lines, words, svg, err);
	for (size_t i = 0; i < lines.n; i++) {
		free(lines.line[i].name);
		free(lines.line[i].text);
	}
	return result;
}
