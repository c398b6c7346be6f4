// SPDX-License-Identifier: GPL-2.0-or-later
#include "figure.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cost.h"

/* Add what a cell holds. */
static int take_cell(const struct cost_row *row, const struct cost_column *column,
		     struct figure *figure, size_t *n)
{
	double value;
	bool coarse;

	if (!cost_value(row, column, &value, &coarse))
		return 0;
	if (*n && strcmp(figure->unit, column->unit) != 0)
		return -ENOTUNIQ;
	snprintf(figure->unit, sizeof(figure->unit), "%s", column->unit);
	figure->least = fmin(figure->least, value);
	figure->greatest = fmax(figure->greatest, value);
	++*n;
	return 0;
}

static int take_table(const struct cost_table *table, const char *row, const char *column,
		      struct figure *figure, size_t *n)
{
	int result = 0;

	for (size_t r = 0; r < table->n_rows; r++)
		for (size_t c = 0; !result && c < table->n_columns; c++)
			if (!strcmp(table->rows[r].label, row) &&
			    !strcmp(table->columns[c].name, column))
				result = take_cell(&table->rows[r], &table->columns[c], figure, n);
	return result;
}

int figure_find(const struct report_test *test, const char *table, const char *row,
		const char *column, struct figure *figure)
{
	struct cost_table *tables;
	size_t n_tables, n = 0;
	int result = cost_tables(test, &tables, &n_tables);

	if (result)
		return result;
	*figure = (struct figure){ .least = INFINITY, .greatest = -INFINITY };
	for (size_t t = 0; !result && t < n_tables; t++)
		if (!strcmp(tables[t].table, table))
			result = take_table(&tables[t], row, column, figure, &n);
	cost_tables_free(tables, n_tables);
	if (!result && (!n || n < test->n_executions))
		result = -ENOENT;
	return result;
}
