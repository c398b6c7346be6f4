/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COST_H
#define PMIPROOF_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

/*
 * Cost tables: the "measure" records of a hypothesis, put side by side. Series of the same table,
 * name and unit make one table with the statistics they ask for as columns; single figures of the
 * same table make another with their names as columns. Repetitions stay visible: every iteration
 * has its own line, below the others of the same row.
 */

struct cost_column {
	char *name;	  /* of the statistic or figure, as recorded */
	const char *unit; /* as recorded; "1" for counts */
	/* How the column is shown: values of one unit within one table share these. */
	const char *shown_unit; /* "us"; "" for counts */
	double factor;		/* shown = recorded / factor */
	int decimals;
};

struct cost_row {
	const char *label;
	unsigned int iter;
	json_t **measures; /* one series, or the figures of this row */
	size_t n_measures;
	size_t group, place; /* rows of the same label have one group; the order they came in */
};

struct cost_table {
	const char *table;
	const char *name; /* of the series; NULL for a table of figures */
	bool has_sibling; /* there is a series of another name in a table of the same one */
	const char *unit; /* shown unit if all columns but "n" share one, else NULL */
	double resolution_min, resolution_max; /* of the clocks, in the recorded unit; 0: exact */
	struct cost_column *columns;
	size_t n_columns;
	struct cost_row *rows;
	size_t n_rows;
	json_t *last; /* object: label -> index of the last such row, while the table is made */
};

/*
 * Tables of all executions of a test, in the order their first record was written. The strings
 * and records are the report's; free with cost_tables_free(). Returns 0 or -ENOMEM.
 */
int cost_tables(const struct report_test *test, struct cost_table **tables, size_t *n_tables);

void cost_tables_free(struct cost_table *tables, size_t n_tables);

/*
 * Recorded value of a cell; false when there is none. *coarse: not above the resolution of the
 * clock, so that little more than its order of magnitude is known (never set for "n" and
 * "stddev").
 */
bool cost_value(const struct cost_row *row, const struct cost_column *column, double *value,
		bool *coarse);

#endif
