// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "gnuplot.h"
#include "plot_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define BARS_HEIGHT 400

static bool is_repeated(const struct cost_table *cost)
{
	for (size_t r = 1; r < cost->n_rows; r++)
		if (cost->rows[r].iter != cost->rows[0].iter)
			return true;
	return false;
}

/* How a row is called: with its iteration where there are several, and n if it is known. */
static char *row_name(const struct cost_table *cost, const struct cost_row *row, size_t most,
		      double n)
{
	bool cut = strlen(row->label) > most;
	char iter[32] = "", count[32] = "";
	char *name;

	if (is_repeated(cost))
		snprintf(iter, sizeof(iter), " (%u)", row->iter);
	if (!isnan(n))
		snprintf(count, sizeof(count), ", n %.0f", n);
	return asprintf(&name, "%.*s%s%s%s", (int)(cut ? most - 3 : most), row->label,
			cut ? "..." : "", iter, count) < 0
		       ? NULL
		       : name;
}

static int put_row_label(FILE *script, const struct cost_table *cost, const struct cost_row *row,
			 double n, struct plot_shape *shape)
{
	char *name = row_name(cost, row, PLOT_LABEL_ROOM, n);

	if (!name)
		return -ENOMEM;
	gnuplot_label(script, name);
	shape->label_width = fmax(shape->label_width, plot_text_width(name));
	free(name);
	return 0;
}

/* How the samples of a series are shown: as its statistics are. */
static const struct cost_column *sample_column(const struct cost_table *cost)
{
	for (size_t c = 0; c < cost->n_columns; c++)
		if (strcmp(cost->columns[c].name, "n") != 0)
			return &cost->columns[c];
	return NULL;
}

/* Returns whether there was anything to show, or -ENOMEM. */
static int put_box(FILE *script, const struct cost_table *cost, size_t row, double factor,
		   struct plot_range *range, struct plot_shape *shape)
{
	static const double quantiles[] = { 0.01, 0.25, 0.5, 0.75, 0.99, 1 };
	struct distribution samples;
	int result = distribution_read(&samples, cost->rows[row].measures[0]);

	if (result)
		return result;
	if (samples.n_steps) {
		fprintf(script, "%zu", row);
		for (size_t q = 0; q < COUNT(quantiles); q++) {
			double value = distribution_quantile(&samples, quantiles[q]) / factor;

			fprintf(script, " %.9g", value);
			plot_extend(range, value);
		}
		putc(' ', script);
		result =
			put_row_label(script, cost, &cost->rows[row], (double)samples.total, shape);
		putc('\n', script);
	}
	result = result ? result : samples.n_steps > 0;
	distribution_free(&samples);
	return result;
}

static int script_boxes(const struct plot_spec *spec, const struct cost_table *cost, FILE *script,
			struct plot_shape *shape)
{
	const struct cost_column *column = sample_column(cost);
	size_t rows = plot_take_rows(cost->n_rows, PLOT_ROWS_MAX, shape);
	struct plot_range range = PLOT_NO_RANGE;
	size_t shown = 0;

	if (!column)
		return -ENODATA;
	fputs("$d << EOD\n", script);
	for (size_t r = 0; r < rows; r++) {
		int result = put_box(script, cost, r, column->factor, &range, shape);

		if (result < 0)
			return result;
		shown += (size_t)result;
	}
	fputs("EOD\n", script);
	if (!shown)
		return -ENODATA;
	plot_put_range(script, &range);
	plot_rows(script, (double)rows, shape);
	if (plot_axis(script, 'x', spec->axis, column->shown_unit))
		return -ENOMEM;
	fputs("plot $d using 2:1:($6-$2):(0) with vectors nohead lt 1, \\\n"
	      "$d using 4:1:3:5:($1-0.3):($1+0.3) with boxxyerror fs transparent solid 0.3 "
	      "border lt 1 lt 1, \\\n"
	      "$d using 4:($1-0.3):(0):(0.6) with vectors nohead lt 2 lw 2.5, \\\n"
	      "$d using 7:1:yticlabels(8) with points pt 7 ps 0.5 lt 4\n",
	      script);
	return 0;
}

/* A curve for a row. Returns as put_box(). */
static int put_curve(FILE *script, const struct cost_table *cost, size_t row, double factor,
		     struct plot_range *range)
{
	struct distribution samples;
	int result = distribution_read(&samples, cost->rows[row].measures[0]);

	if (result)
		return result;
	plot_curve(script, row, &samples, factor, range);
	result = samples.n_steps > 0;
	distribution_free(&samples);
	return result;
}

static int put_curves(FILE *script, const struct cost_table *cost, struct plot_shape *shape)
{
	const char *separator = "plot";

	for (size_t r = 0; r < shape->rows; r++) {
		const struct cost_row *row = &cost->rows[r];
		const json_t *n = json_object_get(row->measures[0], "n");

		fprintf(script, "%s $d%zu using 1:2 with steps lt %zu", separator, r, r + 1);
		if (plot_add_legend(shape,
				    row_name(cost, row, strlen(row->label), json_number_value(n))))
			return -ENOMEM;
		separator = ",";
	}
	putc('\n', script);
	return 0;
}

static int script_curves(const struct plot_spec *spec, const struct cost_table *cost, FILE *script,
			 struct plot_shape *shape)
{
	const struct cost_column *column = sample_column(cost);
	size_t rows = plot_take_rows(cost->n_rows, PLOT_CURVES, shape);
	struct plot_range range = PLOT_NO_RANGE;
	size_t shown = 0;

	if (!column)
		return -ENODATA;
	for (size_t r = 0; r < rows; r++) {
		int result = put_curve(script, cost, r, column->factor, &range);

		if (result < 0)
			return result;
		shown += (size_t)result;
	}
	if (!shown)
		return -ENODATA;
	plot_resolution(script, cost->resolution_max / column->factor, column->shown_unit, &range);
	plot_put_range(script, &range);
	fputs("set yrange [0:1]\nset ylabel 'share of the samples up to it'\n", script);
	shape->height = PLOT_CURVES_HEIGHT;
	if (plot_axis(script, 'x', spec->axis, column->shown_unit))
		return -ENOMEM;
	return put_curves(script, cost, shape);
}

/* A figure as shown; NAN when there is none. */
static double shown_value(const struct cost_table *cost, const struct cost_row *row,
			  const char *name)
{
	const struct cost_column *column = plot_column(cost, name);
	double value;
	bool coarse;

	return column && cost_value(row, column, &value, &coarse) ? value / column->factor : NAN;
}

/* The same as recorded. */
static double recorded_value(const struct cost_table *cost, const struct cost_row *row,
			     const char *name)
{
	const struct cost_column *column = plot_column(cost, name);
	double value;
	bool coarse;

	return column && cost_value(row, column, &value, &coarse) ? value : NAN;
}

static void put_value(FILE *script, double value)
{
	if (isfinite(value))
		fprintf(script, " %.9g", value);
	else
		fputs(" ?", script);
}

/* Of the row of that name in the first iteration that a table has. */
static double find_value(const struct cost_table *cost, const char *label, const char *name)
{
	for (size_t r = 0; r < cost->n_rows; r++)
		if (!strcmp(cost->rows[r].label, label))
			return shown_value(cost, &cost->rows[r], name);
	return NAN;
}

/* Sum over the rows of the first iteration. */
static double sum_values(const struct cost_table *cost, const char *name)
{
	double sum = 0;

	for (size_t r = 0; r < cost->n_rows; r++) {
		double value = recorded_value(cost, &cost->rows[r], name);

		if (cost->rows[r].iter == cost->rows[0].iter && !isnan(value))
			sum += value;
	}
	return sum;
}

/* The tables that share a plot of bars. Returns how many. */
static size_t find_group(const struct plot_spec *spec, const struct cost_table *tables, size_t n,
			 size_t index, const struct cost_table *group[PLOT_CURVES])
{
	size_t found = 0;

	for (size_t t = index; t < n && found < PLOT_CURVES; t++)
		if (!tables[t].name &&
		    !strncmp(tables[t].table, spec->table, strlen(spec->table)) &&
		    plot_column(&tables[t], spec->columns[0]))
			group[found++] = &tables[t];
	return found;
}

static int put_bars(const struct plot_spec *spec, const struct cost_table *const *group, size_t n,
		    FILE *script, struct plot_shape *shape)
{
	const char *separator = "plot";

	for (size_t g = 0; g < n; g++) {
		char *name;

		fprintf(script, "%s $d using %zu:xticlabels(1) lt %zu", separator, g + 2, g + 1);
		if (asprintf(&name, "%s, n %.0f", group[g]->table + strlen(spec->table),
			     sum_values(group[g], spec->count)) < 0)
			name = NULL;
		if (plot_add_legend(shape, name))
			return -ENOMEM;
		separator = ",";
	}
	putc('\n', script);
	return 0;
}

static int script_bars(const struct plot_spec *spec, const struct cost_table *tables, size_t n,
		       size_t index, FILE *script, struct plot_shape *shape)
{
	const struct cost_table *group[PLOT_CURVES];
	const struct cost_table *first = &tables[index];
	size_t n_group = find_group(spec, tables, n, index, group);
	size_t rows = plot_take_rows(first->n_rows, PLOT_ROWS_MAX, shape);

	fputs("$d << EOD\n", script);
	for (size_t r = 0; r < rows; r++) {
		if (first->rows[r].iter != first->rows[0].iter)
			continue;
		if (plot_label(script, "%.24s", first->rows[r].label))
			return -ENOMEM;
		for (size_t g = 0; g < n_group; g++)
			put_value(script,
				  find_value(group[g], first->rows[r].label, spec->columns[0]));
		putc('\n', script);
	}
	fputs("EOD\n"
	      "set style data histogram\nset style histogram clustered gap 1\n"
	      "set style fill solid 0.85 noborder\nset yrange [0:*]\nunset grid\n"
	      "set grid ytics lc rgb '#808080' lw 0.4\nset xtics rotate by 45 right\n",
	      script);
	shape->height = BARS_HEIGHT;
	if (plot_axis(script, 'y', spec->axis, plot_column(first, spec->columns[0])->shown_unit))
		return -ENOMEM;
	return put_bars(spec, group, n_group, script, shape);
}

/* What is shown for a figure: itself, or its share or rate. */
static double point_value(const struct plot_spec *spec, const struct cost_table *cost,
			  const struct cost_row *row, const char *name)
{
	double value = recorded_value(cost, row, name);
	double per = spec->per ? recorded_value(cost, row, spec->per) : NAN;

	if (!spec->per)
		return shown_value(cost, row, name);
	return per > 0 ? (spec->rate ? 1 : 100) * value / per : NAN;
}

static const char *point_unit(const struct plot_spec *spec, const struct cost_table *cost,
			      char *unit, size_t size)
{
	if (!spec->per)
		return plot_column(cost, spec->columns[0])->shown_unit;
	if (!spec->rate)
		return "%";
	snprintf(unit, size, "1/%s", plot_column(cost, spec->per)->unit);
	return unit;
}

/* A line: its place, the ends of the band, then what the columns say. */
static int put_point_row(const struct plot_spec *spec, const struct cost_table *cost, size_t row,
			 FILE *script, struct plot_range *range, struct plot_shape *shape)
{
	const struct cost_row *r = &cost->rows[row];
	double low = shown_value(cost, r, spec->low), high = shown_value(cost, r, spec->high);
	int result;

	fprintf(script, "%zu ", row);
	result = put_row_label(script, cost, r,
			       spec->count ? recorded_value(cost, r, spec->count) : NAN, shape);
	put_value(script, low);
	put_value(script, high);
	/* A limit at or below 0 limits nothing: the band begins where the axis does. */
	plot_extend(range, low > 0 ? low : NAN);
	plot_extend(range, high);
	for (size_t c = 0; spec->columns[c]; c++) {
		double value = point_value(spec, cost, r, spec->columns[c]);

		put_value(script, value);
		plot_extend(range, value);
	}
	putc('\n', script);
	return result;
}

/* Marks of one place lie within each other. A band may begin left of the axis: there it is cut. */
static int put_points(const struct plot_spec *spec, double left, FILE *script,
		      struct plot_shape *shape)
{
	static const struct {
		unsigned int type;
		double size;
	} marks[PLOT_COLUMNS] = { { 6, 1.3 }, { 4, 1 }, { 8, 0.9 }, { 12, 0.8 }, { 7, 0.4 } };

	if (spec->low)
		fprintf(script,
			"left = %.9g\nplot $d using (left > $3 ? left : $3):1:"
			"($4 - (left > $3 ? left : $3)):(0) with vectors nohead "
			"lc rgb '#909090' lw 6, \\\n",
			left);
	else
		fputs("plot ", script);
	for (size_t c = 0; spec->columns[c]; c++) {
		fprintf(script, "%s$d using %zu:1%s with points lt %zu pt %u ps %g", c ? ", " : "",
			c + 5, c ? "" : ":yticlabels(2)", c + 1, marks[c].type, marks[c].size);
		if (plot_add_legend(shape, strdup(spec->columns[c])))
			return -ENOMEM;
	}
	putc('\n', script);
	shape->marks = true;
	shape->band = spec->low;
	return 0;
}

static int script_points(const struct plot_spec *spec, const struct cost_table *cost, FILE *script,
			 struct plot_shape *shape)
{
	size_t rows = plot_take_rows(cost->n_rows, PLOT_ROWS_MAX, shape);
	struct plot_range range = PLOT_NO_RANGE;
	char unit[32];
	double left;

	fputs("$d << EOD\n", script);
	for (size_t r = 0; r < rows; r++)
		if (put_point_row(spec, cost, r, script, &range, shape))
			return -ENOMEM;
	fputs("EOD\n", script);
	if (range.least > range.greatest)
		return -ENODATA;
	left = plot_put_range(script, &range);
	plot_rows(script, (double)rows, shape);
	if (plot_axis(script, 'x', spec->axis, point_unit(spec, cost, unit, sizeof(unit))))
		return -ENOMEM;
	return put_points(spec, left, script, shape);
}

int plot_script(const struct plot_spec *spec, const struct cost_table *tables, size_t n,
		size_t index, FILE *script, struct plot_shape *shape)
{
	*shape = (struct plot_shape){ .width = PLOT_WIDTH };
	plot_style(script);
	switch (spec->kind) {
	case PLOT_BOXES:
		return script_boxes(spec, &tables[index], script, shape);
	case PLOT_ECDF:
		return script_curves(spec, &tables[index], script, shape);
	case PLOT_BARS:
		return script_bars(spec, tables, n, index, script, shape);
	case PLOT_POINTS:
		return script_points(spec, &tables[index], script, shape);
	}
	return -ENODATA;
}
