// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define GAP 2	    /* spaces between columns */
#define WRAP_MIN 24 /* columns a wrapped cell is given at least */
#define LINES_MAX 2 /* lines that a stacked cell may take beside the others */
#define BELOW 4	    /* spaces that a cell below the others is indented by */

struct cell {
	char *text; /* escaped; NULL: empty */
	enum table_style style;
};

struct column {
	char *heading; /* escaped */
	enum table_align align;
};

struct table {
	struct column *columns;
	size_t n_columns;
	size_t keys;
	struct cell *cells; /* row by row */
	size_t n_rows;
	bool failed; /* memory ran out */
};

/* Select Graphic Rendition sequences (ECMA-48); the colours every terminal theme keeps readable. */
static const char *const styles[] = {
	[TABLE_PLAIN] = "",	    [TABLE_BOLD] = "\033[1m", [TABLE_GOOD] = "\033[32m",
	[TABLE_BAD] = "\033[1;31m", [TABLE_ODD] = "\033[33m",
};

struct table *table_new(const struct table_column *columns, size_t n, size_t keys)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->columns = calloc(n, sizeof(*table->columns));
	if (!table->columns) {
		free(table);
		return NULL;
	}
	table->n_columns = n;
	table->keys = keys;
	for (size_t c = 0; c < n; c++) {
		table->columns[c].align = columns[c].align;
		table->columns[c].heading = text_escape(columns[c].heading, (size_t)-1);
		table->failed |= !table->columns[c].heading;
	}
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
		free(table->cells[i].text);
	free(table->cells);
	for (size_t c = 0; c < table->n_columns; c++)
		free(table->columns[c].heading);
	free(table->columns);
	free(table);
}

void table_row(struct table *table)
{
	struct cell *cells;

	if (!table || table->failed)
		return;
	cells = reallocarray(table->cells, table->n_rows + 1, table->n_columns * sizeof(*cells));
	if (!cells) {
		table->failed = true;
		return;
	}
	table->cells = cells;
	memset(&cells[table->n_rows * table->n_columns], 0, table->n_columns * sizeof(*cells));
	table->n_rows++;
}

void table_cell(struct table *table, size_t column, enum table_style style, const char *fmt, ...)
{
	struct cell *cell;
	va_list args;
	char *text;

	if (!table || table->failed || !table->n_rows || column >= table->n_columns)
		return;
	va_start(args, fmt);
	text = text_format(fmt, args);
	va_end(args);
	if (!text) {
		table->failed = true;
		return;
	}
	cell = &table->cells[(table->n_rows - 1) * table->n_columns + column];
	free(cell->text);
	cell->text = text_escape(text, (size_t)-1);
	cell->style = style;
	table->failed = !cell->text;
	free(text);
}

void table_styled(FILE *out, const char *text, enum table_style style, bool colour)
{
	if (!colour || style == TABLE_PLAIN)
		fputs(text, out);
	else
		fprintf(out, "%s%s\033[0m", styles[style], text);
}

static const struct cell *cell_at(const struct table *table, size_t row, size_t column)
{
	return &table->cells[row * table->n_columns + column];
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = text_columns(table->columns[column].heading);

	for (size_t row = 0; row < table->n_rows; row++) {
		const char *text = cell_at(table, row, column)->text;
		size_t columns = text ? text_columns(text) : 0;

		width = columns > width ? columns : width;
	}
	return width;
}

static bool is_wrapped(const struct column *column)
{
	return column->align == TABLE_WRAP || column->align == TABLE_STACK;
}

/* Which columns a block shows: the keys and [first, last). */
struct block {
	size_t first, last;
};

static bool in_block(const struct table *table, const struct block *block, size_t column)
{
	return column < table->keys || (column >= block->first && column < block->last);
}

/* Lines that text takes as a paragraph of `width` columns. */
static size_t paragraph_lines(const char *text, size_t width)
{
	size_t lines = 1;
	size_t column = 0;

	for (size_t length; *text; text += length) {
		size_t columns = 0;

		text += strspn(text, " ");
		length = strcspn(text, " ");
		for (size_t i = 0; i < length; i++)
			columns += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (column && column + 1 + columns > width) {
			lines++;
			column = 0;
		}
		column += columns + (column > 0);
	}
	return lines;
}

/* Is there a cell to be stacked, beside the others of this block, that would be too high? */
static bool is_too_high(const struct table *table, const struct block *block, const size_t *widths,
			size_t indent, size_t width)
{
	size_t start = indent;

	for (size_t c = 0; width && c < block->last; c++) {
		if (!in_block(table, block, c))
			continue;
		for (size_t row = 0; table->columns[c].align == TABLE_STACK && row < table->n_rows;
		     row++) {
			const char *text = cell_at(table, row, c)->text;

			if (text &&
			    (start >= width || paragraph_lines(text, width - start) > LINES_MAX))
				return true;
		}
		start += widths[c] + GAP;
	}
	return false;
}

/* Where a line of output stands: blanks are written only once something follows them. */
struct line {
	FILE *out;
	size_t column;	/* written so far */
	size_t pending; /* blanks owed */
	size_t width;
	bool colour;
	bool stack; /* wrapped cells go below the others */
};

static void put_cell(struct line *line, const char *text, enum table_style style,
		     enum table_align align, size_t width)
{
	size_t columns = text_columns(text);
	size_t pad = columns < width ? width - columns : 0;

	if (align == TABLE_RIGHT)
		line->pending += pad;
	if (columns) {
		fprintf(line->out, "%*s", (int)line->pending, "");
		table_styled(line->out, text, style, line->colour);
		line->column += line->pending + columns;
		line->pending = 0;
	}
	if (align != TABLE_RIGHT)
		line->pending += pad;
}

static size_t longest_word(const char *text)
{
	size_t longest = 0;

	for (size_t length; *text; text += length) {
		text += strspn(text, " ");
		length = strcspn(text, " ");
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Can a cell be wrapped from here on, without lines of a word each or beyond the terminal? */
static bool has_room(const struct line *line, const char *text)
{
	size_t longest = longest_word(text);
	size_t needed = longest > WRAP_MIN ? longest : WRAP_MIN;

	return !line->width || line->column + line->pending + needed <= line->width;
}

/* The last cell of a line, as a paragraph beside or, when there is no room, below the others. */
static void put_wrapped(struct line *line, const char *text, size_t indent)
{
	size_t start = line->column + line->pending;

	if (*text &&
	    (line->stack || (start + text_columns(text) > line->width && !has_room(line, text)))) {
		start = indent + BELOW;
		fprintf(line->out, "\n%*s", (int)start, "");
	} else if (*text) {
		fprintf(line->out, "%*s", (int)line->pending, "");
	}
	text_wrap(line->out, text, start, start, line->width);
}

/* Begin the line below for what does not go beside. */
static void put_below(struct line *line, size_t indent)
{
	fputc('\n', line->out);
	line->column = 0;
	line->pending = indent + BELOW;
}

static void put_line(const struct table *table, const struct block *block, const size_t *widths,
		     struct line line, size_t row)
{
	size_t indent = line.pending;
	bool heading = row == (size_t)-1;

	for (size_t c = 0; c < block->last; c++) {
		const struct column *column = &table->columns[c];
		const struct cell *cell = heading ? NULL : cell_at(table, row, c);
		const char *text = heading ? column->heading : cell->text;
		enum table_style style = heading ? TABLE_BOLD : cell->style;

		if (!in_block(table, block, c))
			continue;
		if (c)
			line.pending += GAP;
		if (is_wrapped(column) && heading && line.stack)
			put_below(&line, indent);
		else if (is_wrapped(column) && heading && !has_room(&line, text))
			break;
		if (is_wrapped(column) && !heading) {
			put_wrapped(&line, text ? text : "", indent);
			return;
		}
		put_cell(&line, text ? text : "", style, column->align, widths[c]);
	}
	fputc('\n', line.out);
}

/* As many columns from block->first on as fit into width, at least one. */
static void fit_block(const struct table *table, struct block *block, const size_t *widths,
		      size_t indent, size_t width)
{
	size_t used = indent;

	for (size_t c = 0; c < table->keys; c++)
		used += widths[c] + GAP;
	for (block->last = block->first; block->last < table->n_columns; block->last++) {
		/* A wrapped column can always be made to fit. */
		if (is_wrapped(&table->columns[block->last]))
			continue;
		used += widths[block->last];
		if (width && used > width && block->last > block->first)
			break;
		used += GAP;
	}
}

int table_print(struct table *table, FILE *out, size_t indent, size_t width, bool colour)
{
	struct line line = { .out = out, .pending = indent, .width = width, .colour = colour };
	struct block block;
	size_t *widths;

	if (!table)
		return -ENOMEM;
	widths = calloc(table->n_columns, sizeof(*widths));
	if (!widths || table->failed) {
		free(widths);
		table_free(table);
		return -ENOMEM;
	}
	for (size_t c = 0; c < table->n_columns; c++)
		widths[c] = column_width(table, c);
	block.first = table->keys;
	do {
		fit_block(table, &block, widths, indent, width);
		line.stack = is_too_high(table, &block, widths, indent, width);
		put_line(table, &block, widths, line, (size_t)-1);
		for (size_t row = 0; row < table->n_rows; row++)
			put_line(table, &block, widths, line, row);
		block.first = block.last;
	} while (block.first < table->n_columns);
	free(widths);
	table_free(table);
	return 0;
}
