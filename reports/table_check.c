// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct table_column numbers[] = {
	{ "row", TABLE_LEFT },
	{ "n", TABLE_RIGHT },
	{ "average", TABLE_RIGHT },
	{ "max", TABLE_RIGHT },
};

static struct table *number_table(void)
{
	struct table *table = table_new(numbers, COUNT(numbers), 1);

	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "first");
	table_cell(table, 1, TABLE_PLAIN, "%d", 5);
	table_cell(table, 2, TABLE_PLAIN, "1.5");
	table_cell(table, 3, TABLE_BAD, "1000");
	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "b");
	table_cell(table, 1, TABLE_PLAIN, "100");
	return table;
}

/* Prints the table, compares, and frees. */
static void expect(struct table *table, size_t indent, size_t width, bool colour, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(table_print(table, out, indent, width, colour), 0);
	fclose(out);
	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(aligns)
{
	/* Blanks at the end of a line are not written. */
	expect(number_table(), 2, 0, false,
	       "  row      n  average   max\n"
	       "  first    5      1.5  1000\n"
	       "  b      100\n");
}
END_TEST

START_TEST(folds_columns)
{
	/* 2 + 5 + 2 + 3 + 2 + 7 = 21 columns; "max" would need 27. */
	expect(number_table(), 2, 26, false,
	       "  row      n  average\n"
	       "  first    5      1.5\n"
	       "  b      100\n"
	       "  row     max\n"
	       "  first  1000\n"
	       "  b\n");
	expect(number_table(), 2, 27, false,
	       "  row      n  average   max\n"
	       "  first    5      1.5  1000\n"
	       "  b      100\n");
}
END_TEST

START_TEST(prints_something_however_narrow)
{
	expect(number_table(), 0, 1, false,
	       "row      n\nfirst    5\nb      100\n"
	       "row    average\nfirst      1.5\nb\n"
	       "row     max\nfirst  1000\nb\n");
}
END_TEST

START_TEST(colours_only_the_text)
{
	expect(number_table(), 0, 0, true,
	       "\033[1mrow\033[0m      \033[1mn\033[0m  \033[1maverage\033[0m   \033[1mmax\033[0m\n"
	       "first    5      1.5  \033[1;31m1000\033[0m\n"
	       "b      100\n");
}
END_TEST

static const struct table_column texts[] = {
	{ "key", TABLE_LEFT },
	{ "text", TABLE_WRAP },
};

static struct table *text_table(void)
{
	struct table *table = table_new(texts, COUNT(texts), 1);

	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "a");
	table_cell(table, 1, TABLE_PLAIN, "twelve chars and some more that follow");
	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "b");
	return table;
}

START_TEST(wraps_last_column)
{
	expect(text_table(), 0, 30, false,
	       "key  text\n"
	       "a    twelve chars and some\n"
	       "     more that follow\n"
	       "b\n");
	expect(text_table(), 0, 0, false,
	       "key  text\n"
	       "a    twelve chars and some more that follow\n"
	       "b\n");
}
END_TEST

START_TEST(wraps_below_without_room)
{
	/* At 28 columns less than 24 are left beside the key, so the text goes below it. */
	expect(text_table(), 0, 28, false,
	       "key\n"
	       "a\n"
	       "    twelve chars and some\n"
	       "    more that follow\n"
	       "b\n");
}
END_TEST

/* Of a column that may go below, all does, its heading too, once one cell needs three lines. */
START_TEST(stacks_what_would_be_high)
{
	static const struct table_column columns[] = {
		{ "key", TABLE_LEFT },
		{ "text", TABLE_STACK },
	};

	for (int three = 0; three < 2; three++) {
		struct table *table = table_new(columns, COUNT(columns), 1);

		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "a");
		table_cell(table, 1, TABLE_PLAIN, "twelve chars and some more that follow%s",
			   three ? " and then more" : "");
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "b");
		table_cell(table, 1, TABLE_PLAIN, "short");
		/* 25 columns beside the key: "twelve chars and some", "more that follow and then",
		 * "more". */
		expect(table, 0, 30, false,
		       three ? "key\n"
			       "    text\n"
			       "a\n"
			       "    twelve chars and some more\n"
			       "    that follow and then more\n"
			       "b\n"
			       "    short\n"
			     : "key  text\n"
			       "a    twelve chars and some\n"
			       "     more that follow\n"
			       "b    short\n");
	}
}
END_TEST

START_TEST(escapes_cells)
{
	struct table *table = table_new(texts, COUNT(texts), 1);

	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "%s", "\033[31m");
	table_cell(table, 1, TABLE_PLAIN, "%s", "x\ny");
	expect(table, 0, 0, true,
	       "\033[1mkey\033[0m       \033[1mtext\033[0m\n"
	       "\\x1b[31m  x\\ny\n");
}
END_TEST

START_TEST(escapes_headings)
{
	char unit[] = "n [\033\xc2\x9b]";
	const struct table_column columns[] = { { "key", TABLE_LEFT }, { unit, TABLE_RIGHT } };
	struct table *table = table_new(columns, COUNT(columns), 1);

	/* The table has its own. */
	memset(unit, '-', strlen(unit));
	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "a");
	table_cell(table, 1, TABLE_PLAIN, "1");
	expect(table, 0, 0, false,
	       "key  n [\\x1b\\x9b]\n"
	       "a               1\n");
}
END_TEST

START_TEST(last_text_of_a_cell_counts)
{
	struct table *table = table_new(texts, COUNT(texts), 1);

	/* Without a line, and beyond the last column, there is no cell to set. */
	table_cell(table, 0, TABLE_PLAIN, "nowhere");
	table_row(table);
	table_cell(table, 2, TABLE_PLAIN, "nowhere");
	table_cell(table, 0, TABLE_PLAIN, "old");
	table_cell(table, 0, TABLE_PLAIN, "new");
	expect(table, 0, 0, false, "key  text\nnew\n");
}
END_TEST

START_TEST(reports_missing_memory)
{
	table_row(NULL);
	table_cell(NULL, 0, TABLE_PLAIN, "x");
	ck_assert_int_lt(table_print(NULL, stdout, 0, 0, false), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("table");
	TCase *tc = tcase_create("table");

	tcase_add_test(tc, aligns);
	tcase_add_test(tc, folds_columns);
	tcase_add_test(tc, prints_something_however_narrow);
	tcase_add_test(tc, colours_only_the_text);
	tcase_add_test(tc, wraps_last_column);
	tcase_add_test(tc, wraps_below_without_room);
	tcase_add_test(tc, stacks_what_would_be_high);
	tcase_add_test(tc, escapes_cells);
	tcase_add_test(tc, escapes_headings);
	tcase_add_test(tc, last_text_of_a_cell_counts);
	tcase_add_test(tc, reports_missing_memory);
	suite_add_tcase(s, tc);
	return s;
}
