// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A test with `n` executions whose measures are JSON arrays of records. */
struct fixture {
	struct report_execution executions[3];
	struct report_test test;
	struct cost_table *tables;
	size_t n_tables;
};

static void make(struct fixture *f, const char *const *measures, size_t n)
{
	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < n; i++) {
		json_error_t error;

		f->executions[i].iter = (unsigned int)i + 1;
		f->executions[i].measures = json_loads(measures[i], 0, &error);
		ck_assert_msg(f->executions[i].measures != NULL, "%s", error.text);
	}
	f->test.executions = f->executions;
	f->test.n_executions = n;
	ck_assert_int_eq(cost_tables(&f->test, &f->tables, &f->n_tables), 0);
}

static void drop(struct fixture *f)
{
	cost_tables_free(f->tables, f->n_tables);
	for (size_t i = 0; i < COUNT(f->executions); i++)
		json_decref(f->executions[i].measures);
}

#define SERIES(row, unit, columns, stats)                                      \
	"{\"table\":\"t\",\"row\":\"" row "\",\"name\":\"s\",\"unit\":\"" unit \
	"\",\"n\":4,\"resolution\":40,\"columns\":\"" columns "\",\"stats\":{" stats "}}"
#define FIGURE(row, name, unit, value) \
	"{\"table\":\"t\",\"row\":\"" row "\",\"name\":\"" name "\",\"unit\":\"" unit "\"" value "}"

/* The only table there is to be. */
static const struct cost_table *only_table(const struct fixture *f)
{
	ck_assert_uint_eq(f->n_tables, 1);
	ck_assert_ptr_nonnull(f->tables);
	return f->tables;
}

static double value_at(const struct cost_table *table, size_t row, size_t column)
{
	double value;
	bool coarse;

	ck_assert(cost_value(&table->rows[row], &table->columns[column], &value, &coarse));
	return value;
}

START_TEST(one_table_per_series)
{
	static const char *const measures[] = {
		"[" SERIES("a", "ns", "n avg", "\"avg\":10") "," SERIES(
			"b", "ns", "n max",
			"\"max\":20,\"avg\":9") "," FIGURE("a", "share", "%",
							   ",\"value\":5") "," SERIES("a", "1",
										      "avg",
										      "\"avg\""
										      ":1") "]",
	};
	struct fixture f;

	make(&f, measures, 1);
	/* ns and counts do not share a table, nor do series and figures. */
	ck_assert_uint_eq(f.n_tables, 3);
	ck_assert_str_eq(f.tables[0].name, "s");
	/* Columns are what any row asked for; a row shows what it has. */
	ck_assert_uint_eq(f.tables[0].n_columns, 3);
	ck_assert_str_eq(f.tables[0].columns[0].name, "n");
	ck_assert_str_eq(f.tables[0].columns[1].name, "avg");
	ck_assert_str_eq(f.tables[0].columns[2].name, "max");
	ck_assert_double_eq(value_at(&f.tables[0], 0, 0), 4);
	ck_assert_double_eq(value_at(&f.tables[0], 1, 1), 9);
	ck_assert_double_eq(value_at(&f.tables[0], 1, 2), 20);
	ck_assert_ptr_null(f.tables[1].name);
	ck_assert_str_eq(f.tables[1].unit, "%");
	drop(&f);
}
END_TEST

START_TEST(absent_values_are_absent)
{
	static const char *const measures[] = {
		"[" SERIES("a", "ns", "avg nonsense", "") "," FIGURE("a", "share", "%", "") "]",
	};
	struct fixture f;
	double value;
	bool coarse;

	make(&f, measures, 1);
	ck_assert_uint_eq(f.n_tables, 2);
	for (size_t c = 0; c < 2; c++)
		ck_assert(!cost_value(&f.tables[0].rows[0], &f.tables[0].columns[c], &value,
				      &coarse));
	ck_assert(!cost_value(&f.tables[1].rows[0], &f.tables[1].columns[0], &value, &coarse));
	drop(&f);
}
END_TEST

START_TEST(iterations_are_lines_below_each_other)
{
	static const char *const measures[] = {
		"[" SERIES("a", "ns", "avg", "\"avg\":1") "," SERIES("b", "ns", "avg",
								     "\"avg\":4") "]",
		"[" SERIES("a", "ns", "avg", "\"avg\":2") "," SERIES("b", "ns", "avg",
								     "\"avg\":5") "]",
		"[" SERIES("a", "ns", "avg", "\"avg\":3") "," SERIES("b", "ns", "avg",
								     "\"avg\":6") "]",
	};
	struct fixture f;

	make(&f, measures, 3);
	ck_assert_uint_eq(f.n_tables, 1);
	ck_assert_uint_eq(f.tables[0].n_rows, 6);
	for (size_t r = 0; r < 6; r++) {
		ck_assert_str_eq(f.tables[0].rows[r].label, r < 3 ? "a" : "b");
		ck_assert_uint_eq(f.tables[0].rows[r].iter, r % 3 + 1);
		ck_assert_double_eq(value_at(&f.tables[0], r, 0), (double)r + 1);
	}
	drop(&f);
}
END_TEST

START_TEST(figures_share_a_line_and_none_is_hidden)
{
	static const char *const measures[] = {
		"[" FIGURE("a", "x", "1", ",\"value\":1") "," FIGURE(
			"a", "y", "1",
			",\"value\":2") "," FIGURE("a", "x", "1",
						   ",\"value\":3") "," FIGURE("a", "x", "%",
									      ",\"value\":4") "]",
	};
	struct fixture f;

	make(&f, measures, 1);
	ck_assert_uint_eq(f.n_tables, 1);
	ck_assert_uint_eq(f.tables[0].n_columns, 3); /* x, y, and x in % */
	ck_assert_uint_eq(f.tables[0].n_rows, 2);
	ck_assert_double_eq(value_at(&f.tables[0], 0, 0), 1);
	ck_assert_double_eq(value_at(&f.tables[0], 0, 1), 2);
	ck_assert_double_eq(value_at(&f.tables[0], 1, 0), 3);
	drop(&f);
}
END_TEST

/* Three figures in one unit and how they are to be shown. */
static const struct {
	const char *unit, *values[3];
	const char *shown;
	double factor;
	int decimals;
} scales[] = {
	{ "ns", { "5", "450", "900" }, "ns", 1, 0 },	    /* whole numbers stay whole */
	{ "ns", { "5.5", "450", "900" }, "ns", 1, 2 },	    /* least 5.5 */
	{ "ns", { "900", "1500", "90000" }, "us", 1e3, 2 }, /* median 1.5 us, least 0.9 us */
	{ "ns", { "12500", "50000", "90000" }, "us", 1e3, 1 },
	{ "ns", { "0", "2000000", "9000000" }, "ms", 1e6, 0 }, /* zeros do not count: median 9 ms */
	{ "ns", { "50", "2000000", "9000000" }, "ms", 1e6, 3 },
	{ "us", { "2000000.5", "3000000", "4000000" }, "s", 1e6, 2 },
	{ "ms", { "0.5", "0.25", "0.125" }, "us", 1e-3, 0 }, /* 125, 250, 500 us */
	{ "s", { "0", "0", "0" }, "s", 1, 0 },
	{ "%", { "12.5", "99", "3.25" }, "%", 1, 2 },
	{ "1", { "1000000", "2", "3" }, "", 1, 0 },
};

/* A table that nobody could read is several, and none of it is lost. */
START_TEST(too_many_figures_make_a_further_table)
{
	const char *measures;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct fixture f;

	for (int i = 0; i < 150; i++)
		fprintf(out,
			"%c{\"table\":\"t\",\"row\":\"r%d\",\"name\":\"x%d\",\"unit\":\"1\","
			"\"value\":1}",
			i ? ',' : '[', i, i);
	/* One that is there already stays in its table. */
	fputs(",{\"table\":\"t\",\"row\":\"a\",\"name\":\"x3\",\"unit\":\"1\",\"value\":1}]", out);
	fclose(out);
	measures = text;
	make(&f, &measures, 1);
	ck_assert_uint_eq(f.n_tables, 3);
	ck_assert_uint_eq(f.tables[0].n_columns, 64);
	ck_assert_uint_eq(f.tables[0].n_rows, 65);
	ck_assert_uint_eq(f.tables[1].n_columns, 64);
	ck_assert_uint_eq(f.tables[2].n_columns, 150 - 128);
	drop(&f);
	free(text);
}
END_TEST

/* One that comes again begins a new line; lines of one label stay together. */
START_TEST(repeated_figures_stay_together)
{
	static const char *const measures[] = {
		"[" FIGURE("a", "x", "1", ",\"value\":1") "," FIGURE(
			"b", "x", "1",
			",\"value\":2") "," FIGURE("a", "x", "1",
						   ",\"value\":3") "," FIGURE("a", "y", "1",
									      ",\"value\":4") "]",
	};
	struct fixture f;

	make(&f, measures, 1);
	ck_assert_uint_eq(only_table(&f)->n_rows, 3);
	ck_assert_double_eq(value_at(f.tables, 0, 0), 1);
	ck_assert_double_eq(value_at(f.tables, 1, 0), 3);
	ck_assert_double_eq(value_at(f.tables, 1, 1), 4); /* y was measured with the second x */
	ck_assert_str_eq(f.tables[0].rows[2].label, "b");
	drop(&f);
}
END_TEST

/* By name and unit of the series; of the same name and another unit it is none. */
START_TEST(siblings_are_series_of_another_name)
{
	static const struct {
		const char *table, *name, *unit;
		bool has_sibling;
	} series[] = {
		{ "t", "x", "ns", true },  { "t", "x", "1", true },  { "t", "y", "ns", true },
		{ "u", "x", "ns", false }, { "u", "x", "1", false }, { "", "", "", false },
		{ "", "", "ns", false },
	};
	json_t *all = json_array();
	const char *text;
	struct fixture f;

	for (size_t i = 0; i < COUNT(series); i++)
		json_array_append_new(all,
				      json_pack("{ss ss ss ss si s{}}", "table", series[i].table,
						"row", "r", "name", series[i].name, "unit",
						series[i].unit, "n", 1, "stats"));
	text = json_dumps(all, 0);
	json_decref(all);
	make(&f, &text, 1);
	ck_assert_uint_eq(f.n_tables, COUNT(series));
	for (size_t i = 0; i < COUNT(series); i++)
		ck_assert_msg(f.tables[i].has_sibling == series[i].has_sibling, "%zu", i);
	drop(&f);
	free((char *)text);
}
END_TEST

/* What differs from measure to measure. */
static const struct {
	const char *what;
	bool table, row, name, series;
	size_t n_tables;
} floods[] = {
#define FLOOD 150000
	{ "tables", .table = true, .n_tables = FLOOD },
	{ "tables of series", .table = true, .series = true, .n_tables = FLOOD },
	{ "rows", .row = true, .n_tables = 1 },
	{ "figures", .name = true, .n_tables = (FLOOD + 63) / 64 },
	{ "figures, each in a row", .name = true, .row = true, .n_tables = (FLOOD + 63) / 64 },
	{ "series", .name = true, .series = true, .n_tables = FLOOD },
	{ "nothing, of a figure", .n_tables = 1 },
	{ "nothing, of a series", .series = true, .n_tables = 1 },
};

/*
 * Measures by the hundred thousand, as a hostile journal has them. The time limit of this test is
 * what catches a search through all that came before, which takes ten times that.
 */
START_TEST(floods_are_sorted_out)
{
	json_t *all = json_array();
	struct fixture f = { .test.n_executions = 1 };
	size_t rows = 0;

	for (int i = 0; i < FLOOD; i++) {
		char text[32];
		json_t *measure = json_object();

		snprintf(text, sizeof(text), "%d", i);
#define TEXT(differs) json_string((differs) ? text : "x")
		json_object_set_new(measure, "table", TEXT(floods[_i].table));
		json_object_set_new(measure, "row", TEXT(floods[_i].row));
		json_object_set_new(measure, "name", TEXT(floods[_i].name));
		json_object_set_new(measure, "unit", json_string("ns"));
		if (floods[_i].series)
			json_object_set_new(measure, "n", json_integer(1));
		json_array_append_new(all, measure);
	}
	f.executions[0] = (struct report_execution){ .iter = 1, .measures = all };
	f.test.executions = f.executions;
	ck_assert_int_eq(cost_tables(&f.test, &f.tables, &f.n_tables), 0);
	ck_assert_msg(f.n_tables == floods[_i].n_tables, "%s: %zu tables", floods[_i].what,
		      f.n_tables);
	for (size_t t = 0; t < f.n_tables; t++)
		rows += f.tables[t].n_rows;
	ck_assert_uint_eq(rows, floods[_i].name && !floods[_i].row && !floods[_i].series
					? f.n_tables
					: FLOOD);
	drop(&f);
}
END_TEST

START_TEST(one_unit_per_table)
{
	char text[512];
	const char *measures[] = { text };
	struct fixture f;

	snprintf(text, sizeof(text),
		 "[{\"table\":\"t\",\"row\":\"a\",\"name\":\"x\",\"unit\":\"%s\",\"value\":%s},"
		 "{\"table\":\"t\",\"row\":\"b\",\"name\":\"x\",\"unit\":\"%s\",\"value\":%s},"
		 "{\"table\":\"t\",\"row\":\"b\",\"name\":\"y\",\"unit\":\"%s\",\"value\":%s}]",
		 scales[_i].unit, scales[_i].values[0], scales[_i].unit, scales[_i].values[1],
		 scales[_i].unit, scales[_i].values[2]);
	make(&f, measures, 1);
	for (size_t c = 0; c < 2; c++) {
		const struct cost_column *column = &only_table(&f)->columns[c];

		ck_assert_str_eq(column->shown_unit, scales[_i].shown);
		ck_assert_double_eq_tol(column->factor, scales[_i].factor,
					scales[_i].factor * 1e-9);
		ck_assert_int_eq(column->decimals, scales[_i].decimals);
	}
	ck_assert_str_eq(only_table(&f)->unit, scales[_i].shown);
	drop(&f);
}
END_TEST

START_TEST(mixed_units_are_named_per_column)
{
	static const char *const measures[] = {
		"[" FIGURE("a", "x", "1", ",\"value\":0.5") "," FIGURE("a", "y", "ns",
								       ",\"value\":2000") "]",
	};
	struct fixture f;

	make(&f, measures, 1);
	ck_assert_ptr_null(only_table(&f)->unit);
	ck_assert_str_eq(only_table(&f)->columns[1].shown_unit, "us");
	drop(&f);
}
END_TEST

START_TEST(marks_what_the_clock_cannot_resolve)
{
	static const char *const measures[] = {
		"[" SERIES("a", "ns", "n min avg stddev max",
			   "\"min\":-40,\"avg\":40,\"stddev\":1,\"max\":41") "]",
	};
	static const bool coarse_columns[] = { false, true, true, false, false };
	struct fixture f;

	make(&f, measures, 1);
	ck_assert_uint_eq(only_table(&f)->n_columns, COUNT(coarse_columns));
	for (size_t c = 0; c < COUNT(coarse_columns); c++) {
		double value;
		bool coarse;

		ck_assert(cost_value(&only_table(&f)->rows[0], &only_table(&f)->columns[c], &value,
				     &coarse));
		ck_assert_int_eq(coarse, coarse_columns[c]);
	}
	ck_assert_double_eq(only_table(&f)->resolution_max, 40);
	drop(&f);
}
END_TEST

START_TEST(nothing_measured)
{
	struct fixture f;

	make(&f, NULL, 0);
	ck_assert_uint_eq(f.n_tables, 0);
	drop(&f);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("cost");
	TCase *tc = tcase_create("cost");
	TCase *many = tcase_create("many");

	tcase_add_test(tc, one_table_per_series);
	tcase_add_test(tc, absent_values_are_absent);
	tcase_add_test(tc, iterations_are_lines_below_each_other);
	tcase_add_test(tc, figures_share_a_line_and_none_is_hidden);
	tcase_add_test(tc, too_many_figures_make_a_further_table);
	tcase_add_loop_test(tc, one_unit_per_table, 0, COUNT(scales));
	tcase_add_test(tc, mixed_units_are_named_per_column);
	tcase_add_test(tc, marks_what_the_clock_cannot_resolve);
	tcase_add_test(tc, nothing_measured);
	tcase_add_test(tc, repeated_figures_stay_together);
	tcase_add_test(tc, siblings_are_series_of_another_name);
	tcase_add_loop_test(many, floods_are_sorted_out, 0, COUNT(floods));
	tcase_set_timeout(many, 120);
	suite_add_tcase(s, many);
	suite_add_tcase(s, tc);
	return s;
}
