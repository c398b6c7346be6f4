// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/*
 * Columns of one table, so that what a journal makes up can be shown. More figures go to a further
 * table of the same name; a series does not have that many statistics.
 */
#define COLUMNS_MAX 64

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

/*
 * Where what came before was put, by keys: a journal may hold a million measures, and neither its
 * tables nor the columns and rows of one are to be searched for each.
 */
struct places {
	struct cost_table **tables;
	size_t *n_tables;
	json_t *by_key; /* object: text of key_of() -> index of a table */
};

/*
 * What decides about the table: of a series its name and unit; of a figure too, where it has a
 * column already, else (`open`) its table alone. Of texts from outside their lengths keep two
 * keys apart. New, or NULL.
 */
static char *key_of(const json_t *measure, bool open)
{
	const char *table = record_text(measure, "table");
	const char *name = open ? "" : record_text(measure, "name");
	char *key;

	return asprintf(&key, "%c %zu %zu %s%s%s",
			is_series(measure) ? 's'
			: open		   ? 'o'
					   : 'f',
			strlen(table), strlen(name), table, name,
			open ? "" : record_text(measure, "unit")) < 0
		       ? NULL
		       : key;
}

/* Of the table with that key, or NULL. */
static struct cost_table *get_table(const struct places *places, const char *key)
{
	const json_t *index = json_object_get(places->by_key, key);

	return index ? &(*places->tables)[json_integer_value(index)] : NULL;
}

static int put_table(const struct places *places, const char *key, const struct cost_table *table)
{
	return json_object_set_new(places->by_key, key, json_integer(table - *places->tables))
		       ? -ENOMEM
		       : 0;
}

/* Room for one more than `n`, kept in powers of two: not each that comes moves all before it. */
static void *grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : reallocarray(array, n ? 2 * n : 1, size);
}

static struct cost_table *new_table(const struct places *places, const json_t *measure)
{
	struct cost_table *larger = grow(*places->tables, *places->n_tables, sizeof(*larger));

	if (!larger)
		return NULL;
	*places->tables = larger;
	larger += (*places->n_tables)++;
	*larger = (struct cost_table){
		.table = record_text(measure, "table"),
		.name = is_series(measure) ? record_text(measure, "name") : NULL,
		.unit = record_text(measure, "unit"),
		.last = json_object(),
	};
	return larger->last ? larger : NULL;
}

/*
 * The table of a measure, and whether it has a column for it already. A figure without one goes to
 * the last table of its name, while that has room.
 */
static struct cost_table *find_table(const struct places *places, const json_t *measure,
				     bool *has_column)
{
	char *key = key_of(measure, false), *open = key_of(measure, true);
	struct cost_table *table = key && open ? get_table(places, key) : NULL;

	*has_column = table && !is_series(measure);
	if (!table && key && open) {
		table = is_series(measure) ? NULL : get_table(places, open);
		if (!table || table->n_columns >= COLUMNS_MAX)
			table = new_table(places, measure);
		if (table && (put_table(places, key, table) ||
			      (!is_series(measure) && put_table(places, open, table))))
			table = NULL;
	}
	free(key);
	free(open);
	return table;
}

static int add_column(struct cost_table *table, const char *name, size_t length, const char *unit)
{
	struct cost_column *columns;

	for (size_t i = 0; i < table->n_columns; i++)
		if (!strncmp(table->columns[i].name, name, length) &&
		    !table->columns[i].name[length] && !strcmp(table->columns[i].unit, unit))
			return 0;
	if (table->n_columns >= COLUMNS_MAX)
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

/*
 * The row to add a measure to: the last of its label, or a new one where that has such a figure, or
 * is of another iteration.
 */
static struct cost_row *find_row(struct cost_table *table, const json_t *measure, unsigned int iter)
{
	const char *label = record_text(measure, "row");
	const json_t *last = json_object_get(table->last, label);
	struct cost_row *row = last ? &table->rows[json_integer_value(last)] : NULL;
	size_t group = row ? row->group : json_object_size(table->last);
	struct cost_row *rows;

	if (row && row->iter == iter && has_room(row, measure))
		return row;
	rows = grow(table->rows, table->n_rows, sizeof(*rows));
	if (!rows)
		return NULL;
	table->rows = rows;
	if (json_object_set_new(table->last, label, json_integer((json_int_t)table->n_rows)))
		return NULL;
	rows[table->n_rows] = (struct cost_row){
		.label = label, .iter = iter, .group = group, .place = table->n_rows
	};
	return &rows[table->n_rows++];
}

/* Below each other what has the same label, else as it came. */
static int compare_rows(const void *a, const void *b)
{
	const struct cost_row *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int add_measure(struct cost_table *table, json_t *measure, unsigned int iter,
		       bool has_column)
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
	return has_column ? 0 : add_columns(table, measure);
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

/* A column before that one, of the same unit; NULL where there is none. */
static const struct cost_column *find_unit(const struct cost_table *table, size_t column)
{
	for (size_t c = 0; c < column; c++)
		if (!strcmp(table->columns[c].unit, table->columns[column].unit))
			return &table->columns[c];
	return NULL;
}

static int scale_table(struct cost_table *table)
{
	double *values = calloc(table->n_rows * table->n_columns + 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	table->unit = NULL;
	for (size_t c = 0; c < table->n_columns; c++) {
		struct cost_column *column = &table->columns[c];
		const struct cost_column *same = find_unit(table, c);

		if (!same) {
			pick_scale(table, column, values);
			continue;
		}
		column->shown_unit = same->shown_unit;
		column->factor = same->factor;
		column->decimals = same->decimals;
	}
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

static int add_measures(const struct places *places, const struct report_execution *execution)
{
	json_t *measure;
	size_t i;

	json_array_foreach(execution->measures, i, measure)
	{
		bool has_column;
		struct cost_table *table = find_table(places, measure, &has_column);
		int result =
			table ? add_measure(table, measure, execution->iter, has_column) : -ENOMEM;

		if (result)
			return result;
	}
	return 0;
}

/* The first table of series of that name; of none, itself is that from now on. */
static struct cost_table *first_of_name(json_t *firsts, struct cost_table *tables, size_t t)
{
	const json_t *index = json_object_get(firsts, tables[t].table);

	if (index)
		return &tables[json_integer_value(index)];
	return json_object_set_new(firsts, tables[t].table, json_integer((json_int_t)t))
		       ? NULL
		       : &tables[t];
}

/* Series that the name of their table does not tell apart. */
static int find_siblings(struct cost_table *tables, size_t n)
{
	json_t *firsts = json_object();
	int result = firsts ? 0 : -ENOMEM;

	for (size_t t = 0; !result && t < n; t++) {
		struct cost_table *first;

		if (!tables[t].name)
			continue;
		first = first_of_name(firsts, tables, t);
		if (!first)
			result = -ENOMEM;
		else if (strcmp(first->name, tables[t].name) != 0)
			first->has_sibling = true;
	}
	for (size_t t = 0; !result && t < n; t++)
		if (tables[t].name)
			tables[t].has_sibling = first_of_name(firsts, tables, t)->has_sibling;
	json_decref(firsts);
	return result;
}

int cost_tables(const struct report_test *test, struct cost_table **tables, size_t *n_tables)
{
	const struct places places = { tables, n_tables, json_object() };
	int result = places.by_key ? 0 : -ENOMEM;

	*tables = NULL;
	*n_tables = 0;
	for (size_t e = 0; !result && e < test->n_executions; e++)
		result = add_measures(&places, &test->executions[e]);
	json_decref(places.by_key);
	if (!result)
		result = find_siblings(*tables, *n_tables);
	for (size_t t = 0; !result && t < *n_tables; t++) {
		struct cost_table *table = &(*tables)[t];

		if (table->n_rows)
			qsort(table->rows, table->n_rows, sizeof(*table->rows), compare_rows);
		result = scale_table(table);
	}
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
		json_decref(tables[t].last);
		free(tables[t].columns);
		free(tables[t].rows);
	}
	free(tables);
}
