/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TABLE_H
#define PMIPROOF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A table of text on a terminal. Cells and headings are escaped (text.h) when they are stored. */

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT,
	/*
	 * Left, and wrapped below itself when the table is wider than the terminal. For a last
	 * column with long text.
	 */
	TABLE_WRAP,
	/* As TABLE_WRAP, but below the others where beside them it would take too many lines. */
	TABLE_STACK,
};

enum table_style {
	TABLE_PLAIN,
	TABLE_BOLD,
	TABLE_GOOD,
	TABLE_BAD,
	TABLE_ODD, /* neither good nor bad: no conclusion */
};

struct table_column {
	const char *heading; /* copied */
	enum table_align align;
};

struct table;

/*
 * A table with these columns. The first `keys` of them name the line: when numbers do not fit side
 * by side, the rest goes into a further block, in which the keys are repeated.
 * NULL when memory ran out; every function below accepts that NULL.
 */
struct table *table_new(const struct table_column *columns, size_t n, size_t keys);

/* Start a new line of empty cells. */
void table_row(struct table *table);

/* Set a cell of the last line. */
void table_cell(struct table *table, size_t column, enum table_style style, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Print and free. indent: spaces before each line; width: columns of the terminal, 0 = unlimited.
 * Returns 0, or -ENOMEM when memory ran out at any time since table_new().
 */
int table_print(struct table *table, FILE *out, size_t indent, size_t width, bool colour);

/* Free one that is not printed. */
void table_free(struct table *table);

/* Write text in a style: with escape sequences if `colour`, else as it is. */
void table_styled(FILE *out, const char *text, enum table_style style, bool colour);

#endif
