// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/*
 * Figures of one table: more go to a further one of the same name, so that what a journal makes up
 * stays a table that can be shown.
 */
#define FIGURES_MAX 64

#define DEFAULT_COLUMNS "n min avg p50 p99 max" /* as lib/hypothesis.h promises */

/* Units of time and how many of the smallest one each is. */
static const struct {
	const char *name;
	double ns;
} times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

#define N_TIMES (sizeof(times) / sizeof(times[0]))

/* A figure that is not a number has no "value" either, so it is "n" that tells. */
static bool is_series(const json_t *measure)
{
	return json_object_get(measure, "n");
}

static bool is_figure(const json_t *measure, const char *name, const char *unit)
{
	return !strcmp(record_text(measure, "name"), name) &&
	       !strcmp(record_text(measure, "unit"), unit);
}

/* Is there room for a figure of this name? */
static bool takes_figure(const struct cost_table *table, const json_t *measure)
{
	if (table->n_columns < FIGURES_MAX)
		return true;
	for (size_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->columns[i].name, record_text(measure, "name")) &&
		    !strcmp(table->columns[i].unit, record_text(measure, "unit")))
			return true;
	return false;
}

static struct cost_table *find_table(struct cost_table **tables, size_t *n_tables,
				     const json_t *measure)
{
	const char *name = is_series(measure) ? record_text(measure, "name") : NULL;
	const char *unit = record_text(measure, "unit");
	struct cost_table *larger;

	for (size_t i = 0; i < *n_tables; i++) {
		const struct cost_table *t = &(*tables)[i];

		if (strcmp(t->table, record_text(measure, "table")) != 0 || !t->name != !name)
			continue;
		if (name ? !strcmp(t->name, name) && !strcmp(t->unit, unit)
			 : takes_figure(t, measure))
			return &(*tables)[i];
	}
	larger = reallocarray(*tables, *n_tables + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	*tables = larger;
	larger += (*n_tables)++;
	*larger = (struct cost_table){
		.table = record_text(measure, "table"),
		.name = name,
		.unit = unit,
		.labels = json_object(),
	};
	return larger->labels ? larger : NULL;
}

static int add_column(struct cost_table *table, const char *name, size_t length, const char *unit)
{
	struct cost_column *columns;

	for (size_t i = 0; i < table->n_columns; i++)
		if (!strncmp(table->columns[i].name, name, length) &&
		    !table->columns[i].name[length] && !strcmp(table->columns[i].unit, unit))
			return 0;
	columns = reallocarray(table->columns, table->n_columns + 1, sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	table->columns = columns;
	columns += table->n_columns;
	*columns = (struct cost_column){ .name = strndup(name, length), .unit = unit };
	if (!columns->name)
		return -ENOMEM;
	table->n_columns++;
	return 0;
}

static int add_columns(struct cost_table *table, const json_t *measure)
{
	const char *unit = record_text(measure, "unit");
	const char *names = record_text(measure, "columns");
	size_t length;

	if (!is_series(measure))
		return add_column(table, record_text(measure, "name"),
				  strlen(record_text(measure, "name")), unit);
	for (names = *names ? names : DEFAULT_COLUMNS; *names; names += length) {
		int result;

		names += strspn(names, " ");
		length = strcspn(names, " ");
		/* A number of samples has no unit, whatever the samples are in. */
		result = length ? add_column(table, names, length,
					     length == 1 && *names == 'n' ? "1" : unit)
				: 0;
		if (result)
			return result;
	}
	return 0;
}

/* Does the row have no figure of that name and unit yet? A series fills a row. */
static bool has_room(const struct cost_row *row, const json_t *measure)
{
	for (size_t i = 0; i < row->n_measures; i++)
		if (is_series(measure) || is_figure(row->measures[i], record_text(measure, "name"),
						    record_text(measure, "unit")))
			return false;
	return true;
}

/* The row to add a measure to; a new one goes below the last of the same label. */
static struct cost_row *find_row(struct cost_table *table, const json_t *measure, unsigned int iter)
{
	const char *label = record_text(measure, "row");
	size_t at = table->n_rows;
	bool placed = false;
	struct cost_row *rows;

	for (size_t i = json_object_get(table->labels, label) ? table->n_rows : 0; i-- > 0;) {
		struct cost_row *row = &table->rows[i];

		if (strcmp(row->label, label) != 0)
			continue;
		if (row->iter == iter && has_room(row, measure))
			return row;
		if (!placed)
			at = i + 1;
		placed = true;
	}
	rows = reallocarray(table->rows, table->n_rows + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	table->rows = rows;
	if (json_object_set_new(table->labels, label, json_true()))
		return NULL;
	memmove(&rows[at + 1], &rows[at], (table->n_rows - at) * sizeof(*rows));
	table->n_rows++;
	rows[at] = (struct cost_row){ .label = label, .iter = iter };
	return &rows[at];
}

static int add_measure(struct cost_table *table, json_t *measure, unsigned int iter)
{
	struct cost_row *row = find_row(table, measure, iter);
	json_t **measures;
	double resolution = json_number_value(json_object_get(measure, "resolution"));

	if (!row)
		return -ENOMEM;
	measures = reallocarray(row->measures, row->n_measures + 1, sizeof(json_t *));
	if (!measures)
		return -ENOMEM;
	row->measures = measures;
	measures[row->n_measures++] = measure;
	if (resolution > 0 && (table->resolution_min <= 0 || resolution < table->resolution_min))
		table->resolution_min = resolution;
	if (resolution > table->resolution_max)
		table->resolution_max = resolution;
	return add_columns(table, measure);
}

bool cost_value(const struct cost_row *row, const struct cost_column *column, double *value,
		bool *coarse)
{
	*coarse = false;
	for (size_t i = 0; i < row->n_measures; i++) {
		const json_t *measure = row->measures[i];
		const json_t *number;
		double resolution;

		if (!is_series(measure) && !is_figure(measure, column->name, column->unit))
			continue;
		number = is_series(measure)
				 ? json_object_get(json_object_get(measure, "stats"), column->name)
				 : json_object_get(measure, "value");
		if (is_series(measure) && !strcmp(column->name, "n"))
			number = json_object_get(measure, "n");
		if (!json_is_number(number))
			return false;
		*value = json_number_value(number);
		resolution = json_number_value(json_object_get(measure, "resolution"));
		*coarse = resolution > 0 && fabs(*value) <= resolution &&
			  strcmp(column->name, "n") != 0 && strcmp(column->name, "stddev") != 0;
		return true;
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Magnitudes of all non-zero values of one unit, ascending, without those that the clock could not
 * resolve unless `with_coarse`. Returns how many.
 */
static size_t collect(const struct cost_table *table, const char *unit, bool with_coarse,
		      double *values)
{
	size_t n = 0;

	for (size_t r = 0; r < table->n_rows; r++) {
		for (size_t c = 0; c < table->n_columns; c++) {
			double value;
			bool coarse;

			if (!strcmp(table->columns[c].unit, unit) &&
			    cost_value(&table->rows[r], &table->columns[c], &value, &coarse) &&
			    (with_coarse || !coarse) && fabs(value) > 0)
				values[n++] = fabs(value);
		}
	}
	qsort(values, n, sizeof(*values), compare);
	return n;
}

/* Two significant digits at least for the least value, and none behind the point for integers. */
static int pick_decimals(const double *values, size_t n, double factor)
{
	bool whole = true;
	double least = n ? values[0] / factor : 0;

	for (size_t i = 0; i < n; i++)
		whole &= values[i] / factor == trunc(values[i] / factor);
	if (whole || least >= 100)
		return 0;
	if (least >= 10)
		return 1;
	return least >= 0.1 ? 2 : 3;
}

/*
 * One unit for all of a table, so that lines and columns compare at a glance: the largest in which
 * the median of the values is at least 1.
 */
static void pick_scale(const struct cost_table *table, struct cost_column *column, double *values)
{
	size_t n = collect(table, column->unit, false, values);
	size_t from = N_TIMES;

	if (!n)
		n = collect(table, column->unit, true, values);
	column->factor = 1;
	column->shown_unit = strcmp(column->unit, "1") != 0 ? column->unit : "";
	for (size_t i = 0; i < N_TIMES; i++)
		if (!strcmp(times[i].name, column->unit))
			from = i;
	for (size_t i = 0; n && from < N_TIMES && i < N_TIMES; i++) {
		double step = times[i].ns / times[from].ns;

		if (i && values[n / 2] < step)
			break;
		column->factor = step;
		column->shown_unit = times[i].name;
	}
	column->decimals = pick_decimals(values, n, column->factor);
}

static int scale_table(struct cost_table *table)
{
	double *values = calloc(table->n_rows * table->n_columns + 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	table->unit = NULL;
	for (size_t c = 0; c < table->n_columns; c++)
		pick_scale(table, &table->columns[c], values);
	free(values);
	for (size_t c = 0; c < table->n_columns; c++) {
		const char *unit = table->columns[c].shown_unit;

		if (!strcmp(table->columns[c].name, "n"))
			continue;
		if (table->unit && strcmp(table->unit, unit) != 0) {
			table->unit = NULL;
			break;
		}
		table->unit = unit;
	}
	return 0;
}

int cost_tables(const struct report_test *test, struct cost_table **tables, size_t *n_tables)
{
	int result = 0;

	*tables = NULL;
	*n_tables = 0;
	for (size_t e = 0; !result && e < test->n_executions; e++) {
		const struct report_execution *execution = &test->executions[e];
		json_t *measure;
		size_t i;

		json_array_foreach(execution->measures, i, measure)
		{
			struct cost_table *table = find_table(tables, n_tables, measure);

			result = table ? add_measure(table, measure, execution->iter) : -ENOMEM;
			if (result)
				break;
		}
	}
	for (size_t t = 0; !result && t < *n_tables; t++)
		result = scale_table(&(*tables)[t]);
	if (result)
		cost_tables_free(*tables, *n_tables);
	return result;
}

void cost_tables_free(struct cost_table *tables, size_t n_tables)
{
	for (size_t t = 0; t < n_tables; t++) {
		for (size_t c = 0; c < tables[t].n_columns; c++)
			free(tables[t].columns[c].name);
		for (size_t r = 0; r < tables[t].n_rows; r++)
			free(tables[t].rows[r].measures);
		json_decref(tables[t].labels);
		free(tables[t].columns);
		free(tables[t].rows);
	}
	free(tables);
}
