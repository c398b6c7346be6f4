// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare_plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_words.h"
#include "gnuplot.h"
#include "plot_parts.h"
#include "scale.h"
#include "stats.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of so few samples quantiles say less than the samples themselves. */
#define CIRCLES_MAX 12

/* Between the lines of one series and those of the next, in lines. */
#define GAP 0.6

/* What a plot is made of. */
struct source {
	const struct comparison *all;
	size_t first, end; /* series */
	size_t columns;	   /* as many as there are colours */
	/* Those that have samples, and their places among them. */
	bool shown[PLOT_CURVES];
	size_t place[PLOT_CURVES], n_shown;
	struct scale scale;
};

static bool is_few(const struct compare_side *side)
{
	return side->n <= CIRCLES_MAX;
}

/* A curve of very few steps shows less than the samples. */
static bool has_curves(const struct comparison *all, size_t first, size_t end)
{
	for (size_t c = 0; c < all->n_columns; c++)
		if (!is_few(&all->series[first].side[c]))
			return end == first + 1;
	return false;
}

/* Is any of the samples shown as a box, or as circles? */
static bool has_any(const struct comparison *all, size_t first, size_t end, bool few)
{
	for (size_t s = first; s < end; s++)
		for (size_t c = 0; c < all->n_columns; c++) {
			const struct compare_side *side = &all->series[s].side[c];

			if (side->n && is_few(side) == few)
				return true;
		}
	return false;
}

char *compare_plot_note(const struct comparison *all, size_t first, size_t end)
{
	bool curves = has_curves(all, first, end);
	char columns[64] = "";
	char *note;

	if (all->n_columns > PLOT_CURVES)
		snprintf(columns, sizeof(columns), " The first %d of %zu.", PLOT_CURVES,
			 all->n_columns);
	return asprintf(&note, "%s%s%s%s", curves ? "A curve that is further left is of less." : "",
			!curves && has_any(all, first, end, false)
				? "Box: the middle half of the samples, with the median; line: 1 % "
				  "to "
				  "99 %; dot: maximum. "
				: "",
			!curves && has_any(all, first, end, true)
				? "Of up to 12 samples each is a circle."
				: "",
			columns) < 0
		       ? NULL
		       : note;
}

static const char *axis_unit(const struct scale *scale)
{
	return strcmp(scale->unit, "1") != 0 ? scale->unit : "";
}

/* The columns, as colours. */
static int put_legend(const struct source *source, bool counted, struct plot_shape *shape)
{
	for (size_t c = 0; c < source->columns; c++) {
		char *name = compare_column_text(source->all, c);
		char count[32] = "";
		char *text = NULL;

		if (!source->shown[c]) {
			free(name);
			shape->legend[shape->n_legend++] = NULL;
			continue;
		}
		if (counted)
			snprintf(count, sizeof(count), ", n %zu",
				 source->all->series[source->first].side[c].n);
		if (name && asprintf(&text, "%c: %s%s", compare_letter(c), name, count) < 0)
			text = NULL;
		free(name);
		if (plot_add_legend(shape, text))
			return -ENOMEM;
	}
	return 0;
}

/* --- curves --- */

static int script_curves(const struct source *source, FILE *script, struct plot_shape *shape)
{
	const struct compare_series *series = &source->all->series[source->first];
	struct plot_range range = PLOT_NO_RANGE;
	const char *separator = "plot";
	double resolution = 0;

	for (size_t c = 0; c < source->columns; c++) {
		resolution = fmax(resolution, series->side[c].resolution);
		if (series->side[c].n)
			plot_curve(script, c, &series->side[c].samples, source->scale.factor,
				   &range);
	}
	plot_resolution(script, resolution / source->scale.factor, source->scale.unit, &range);
	plot_put_range(script, &range);
	fputs("set yrange [0:1]\nset ylabel 'share of the samples up to it'\n", script);
	shape->height = PLOT_CURVES_HEIGHT;
	if (plot_axis(script, 'x', series->name, axis_unit(&source->scale)))
		return -ENOMEM;
	for (size_t c = 0; c < source->columns; c++) {
		if (!series->side[c].n)
			continue;
		fprintf(script, "%s $d%zu using 1:2 with steps lt %zu", separator, c, c + 1);
		separator = ",";
	}
	putc('\n', script);
	return put_legend(source, true, shape);
}

/* --- boxes --- */

static double place_of(const struct source *source, size_t row, size_t column)
{
	return (double)row * ((double)source->n_shown + GAP) + (double)source->place[column];
}

/* The name of a line: at the first of a series also that of the series. */
static void put_name(const struct source *source, size_t row, size_t column, FILE *script,
		     struct plot_shape *shape)
{
	const struct compare_series *series = &source->all->series[source->first + row];
	const char *name = *series->row ? series->row : series->name;
	bool cut = strlen(name) > PLOT_LABEL_ROOM;
	char text[PLOT_LABEL_ROOM + 48], line[32];

	snprintf(line, sizeof(line), "%c, n %zu", compare_letter(column), series->side[column].n);
	if (source->place[column])
		snprintf(text, sizeof(text), "%s", line);
	else
		snprintf(text, sizeof(text), "%.*s%s   %s",
			 cut ? PLOT_LABEL_ROOM - 3 : PLOT_LABEL_ROOM, name, cut ? "..." : "", line);
	gnuplot_label(script, text);
	fprintf(script, " %.1f", place_of(source, row, column));
	shape->label_width = fmax(shape->label_width, plot_text_width(text));
}

static void put_names(const struct source *source, size_t rows, FILE *script,
		      struct plot_shape *shape)
{
	const char *separator = "set ytics (";

	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < source->columns; c++) {
			if (!source->shown[c])
				continue;
			fputs(separator, script);
			put_name(source, r, c, script, shape);
			separator = ", ";
		}
	fputs(")\n", script);
}

static void put_box(const struct source *source, size_t row, size_t column, FILE *script,
		    struct plot_range *range)
{
	static const double quantiles[] = { 0.01, 0.25, 0.5, 0.75, 0.99, 1 };
	const struct distribution *samples =
		&source->all->series[source->first + row].side[column].samples;

	fprintf(script, "%.1f", place_of(source, row, column));
	for (size_t q = 0; q < COUNT(quantiles); q++) {
		double value =
			stats_steps_quantile(samples->steps, samples->n_steps, quantiles[q]) /
			source->scale.factor;

		fprintf(script, " %.9g", value);
		plot_extend(range, value);
	}
	putc('\n', script);
}

static void put_circles(const struct source *source, size_t row, size_t column, FILE *script,
			struct plot_range *range)
{
	const struct distribution *samples =
		&source->all->series[source->first + row].side[column].samples;

	for (size_t i = 0; i < samples->n_steps; i++) {
		double value = samples->steps[i].value / source->scale.factor;

		for (size_t k = 0; k < samples->steps[i].count; k++)
			fprintf(script, "%.9g %.1f\n", value, place_of(source, row, column));
		plot_extend(range, value);
	}
}

/* A block of the data of a column: its boxes, or its circles. Returns whether it has any. */
static bool put_block(const struct source *source, size_t rows, size_t column, bool few,
		      FILE *script, struct plot_range *range)
{
	bool any = false;

	fprintf(script, "$%c%zu << EOD\n", few ? 'c' : 'b', column);
	for (size_t r = 0; r < rows; r++) {
		const struct compare_side *side =
			&source->all->series[source->first + r].side[column];

		if (!side->n || is_few(side) != few)
			continue;
		any = true;
		if (few)
			put_circles(source, r, column, script, range);
		else
			put_box(source, r, column, script, range);
	}
	fputs("EOD\n", script);
	return any;
}

/* How a block is drawn, `%1$zu` the column and `%2$zu` its colour. */
static const char box_style[] =
	"$b%1$zu using 2:1:($6-$2):(0) with vectors nohead lt %2$zu, \\\n"
	"$b%1$zu using 4:1:3:5:($1-0.3):($1+0.3) with boxxyerror fs transparent solid 0.3 border "
	"lt %2$zu lt %2$zu, \\\n"
	"$b%1$zu using 4:($1-0.3):(0):(0.6) with vectors nohead lt -1 lw 2.5, \\\n"
	"$b%1$zu using 7:1 with points pt 7 ps 0.5 lt %2$zu";
static const char circle_style[] = "$c%1$zu using 1:2 with points pt 6 ps 0.8 lt %2$zu";

static int script_boxes(const struct source *source, FILE *script, struct plot_shape *shape)
{
	size_t rows =
		plot_take_rows(source->end - source->first, PLOT_ROWS_MAX / source->n_shown, shape);
	const struct compare_series *series = &source->all->series[source->first];
	struct plot_range range = PLOT_NO_RANGE;
	bool boxes[PLOT_CURVES], circles[PLOT_CURVES];
	const char *separator = "plot ";

	for (size_t c = 0; c < source->columns; c++) {
		boxes[c] = put_block(source, rows, c, false, script, &range);
		circles[c] = put_block(source, rows, c, true, script, &range);
	}
	if (range.least > range.greatest)
		return -ENODATA;
	put_names(source, rows, script, shape);
	plot_put_range(script, &range);
	plot_rows(script, (double)rows * ((double)source->n_shown + GAP) - GAP, shape);
	if (plot_axis(script, 'x', series->name, axis_unit(&source->scale)))
		return -ENOMEM;
	for (size_t c = 0; c < source->columns; c++) {
		if (boxes[c]) {
			fputs(separator, script);
			fprintf(script, box_style, c, c + 1);
			separator = ", \\\n";
		}
		if (circles[c]) {
			fputs(separator, script);
			fprintf(script, circle_style, c, c + 1);
			separator = ", \\\n";
		}
	}
	putc('\n', script);
	return put_legend(source, false, shape);
}

int compare_plot_script(const struct comparison *all, size_t first, size_t end, FILE *script,
			struct plot_shape *shape)
{
	struct source source = {
		.all = all,
		.first = first,
		.end = end,
		.columns = all->n_columns < PLOT_CURVES ? all->n_columns : PLOT_CURVES,
		.scale = scale_of_series(all, first, end),
	};

	*shape = (struct plot_shape){ .width = PLOT_WIDTH };
	for (size_t c = 0; c < source.columns; c++) {
		source.shown[c] = compare_has(all, first, end, c);
		source.place[c] = source.n_shown;
		source.n_shown += source.shown[c];
	}
	if (!source.n_shown)
		return -ENODATA;
	plot_style(script);
	return has_curves(all, first, end) ? script_curves(&source, script, shape)
					   : script_boxes(&source, script, shape);
}
