// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "text.h"

Suite *suite(void);

#define JOURNALS "fixtures/journals/"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a hypothesis of a journal is plotted as: all scripts and legends, one after the other. */
struct plotted {
	char *text;
	size_t plots, nothing;
};

/* In one line, whatever is in it. */
static void put_legend(FILE *out, const char *legend)
{
	fputs("legend: ", out);
	text_put(out, legend, (size_t)-1);
	putc('\n', out);
}

static void plot_table(struct plotted *plotted, const struct cost_table *tables, size_t n,
		       size_t index, FILE *out)
{
	for (const struct plot_spec *spec = plot_specs; spec->table; spec++) {
		struct plot_shape shape = { 0 };
		int result;

		if (!plot_fits(spec, tables, n, index))
			continue;
		result = plot_script(spec, tables, n, index, out, &shape);
		ck_assert(result == 0 || result == -ENODATA);
		plotted->plots += !result;
		plotted->nothing += result == -ENODATA;
		if (!result)
			ck_assert_uint_gt(shape.height, 0);
		for (size_t i = 0; i < shape.n_legend; i++)
			put_legend(out, shape.legend[i]);
		if (shape.left_out)
			fprintf(out, "left out: %zu\n", shape.left_out);
		plot_shape_free(&shape);
	}
}

static struct plotted plot_journal(const char *journal, const char *name)
{
	struct plotted plotted = { 0 };
	struct report report;
	struct err err;
	size_t size;
	FILE *out = open_memstream(&plotted.text, &size);

	ck_assert_msg(!report_read(&report, journal, &err), "%s", err.text);
	for (size_t t = 0; t < report.n_tests; t++) {
		struct cost_table *tables;
		size_t n;

		if (*name && strcmp(report.tests[t].name, name) != 0)
			continue;
		ck_assert_int_eq(cost_tables(&report.tests[t], &tables, &n), 0);
		for (size_t i = 0; i < n; i++)
			plot_table(&plotted, tables, n, i, out);
		cost_tables_free(tables, n);
	}
	report_free(&report);
	fclose(out);
	return plotted;
}

/* By hand from plots.jsonl. */
static const struct {
	const char *test;
	size_t plots;
	const char *lines[8];
} expected[] = {
	/* 2000 2000 2000 2010 2020 2040 2100 9000 ns: of 8, the 1st, 2nd, 4th, 6th, 8th, 8th. */
	{ "nmi_cost",
	  1,
	  { "\n0 2 2 2.01 2.04 9 9 \"default, n 8\"\n", "\n1 4 4 4.2 4.6 19 19 \"-g, n 8\"\n",
	    "\nset xlabel \"time of a PMI (us)\"\n", "\nset xrange [0:19.95]\n" } },
	{ "irq_latency",
	  1,
	  { "\n0.4 0\n0.4 0.125000\n0.9 0.250000\n1.2 0.375000\n5 0.500000\n52 0.625000\n",
	    "\n8 1.000000\nEOD\n", "set logscale x\n", "from 0.08, graph 0 to 0.08, graph 1 ",
	    "\"dashed: clock resolution 80 ns\"", "\nset xlabel \"latency (us)\"\n",
	    "legend: fifo, idle forbidden, n 8\n" } },
	/* 40, 2 and 38 of 80 samples; 0, 0 and 80. */
	{ "prec_dist",
	  1,
	  { "\"sqrtps 1\" 50 0\n\"sqrtps 2\" 2.5 0\n\"jmp\" 47.5 100\n",
	    "\nset ylabel \"share of the samples\".' (%)'\n", "legend: cycles:pp, n 80\n",
	    "legend: branches:pp, n 80\n" } },
	/* 1000 and 999 events in 2 s; the last limit was not read. */
	{ "short_period",
	  3,
	  { "\n0 \"cycles, 17, task, n 7000\" ? ? 500 499.5\n", "\nset xlabel \"events (1/s)\"\n",
	    "\n1 \"instructions, 17, task\" 2000 24000 100000 50000 20000 20000 ?\n",
	    "\nset xlabel \"kernel.perf_event_max_sample_rate (1/s)\"\n",
	    "legend: before\nlegend: at 1/4\nlegend: at 2/4\nlegend: at 3/4\nlegend: after\n",
	    "\n0 \"cycles, 17, task\" ? ? 320 1024 1000 960\n" } },
	/* 25 of 1000, 5 of 1000, 5 of 500. */
	{ "lbr_stale",
	  1,
	  { "\n0 \"every 10007 cycles, n 1000\" ? ? 2.5 0 0.5\n",
	    "\n1 \"4 kHz, n 500\" ? ? 0 0 1\n",
	    "\nset xlabel \"share of the stacks judged\".' (%)'\n" } },
};

START_TEST(data)
{
	struct plotted plotted = plot_journal(JOURNALS "plots.jsonl", expected[_i].test);

	ck_assert_uint_eq(plotted.plots, expected[_i].plots);
	for (size_t i = 0; i < COUNT(expected[_i].lines) && expected[_i].lines[i]; i++)
		ck_assert_msg(strstr(plotted.text, expected[_i].lines[i]) != NULL, "no %s in\n%s",
			      expected[_i].lines[i], plotted.text);
	free(plotted.text);
}
END_TEST

/* All that a machine says is in a label, where only harmless characters are. */
START_TEST(hostile)
{
	static const char *const bad[] = { "\"\n\"", "`", "touch hostile.tmp\"", "$(", "<script",
					   "%s",     "@", "\nEOD\n\nEOD" };
	struct plotted plotted = plot_journal(JOURNALS "hostile-markup.jsonl", "");
	char *rest = NULL;

	ck_assert_uint_eq(plotted.plots, 3);
	ck_assert_uint_eq(plotted.nothing, 1); /* shares of nothing */
	for (char *line = strtok_r(plotted.text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!strncmp(line, "legend: ", 8))
			continue;
		for (size_t i = 0; i < COUNT(bad); i++)
			ck_assert_msg(!strstr(line, bad[i]), "%s in %s", bad[i], line);
	}
	free(plotted.text);
}
END_TEST

START_TEST(other_tables_have_none)
{
	static const char *const journals[] = { "verdicts", "emulated", "repeat", "hostile",
						"unknown" };
	char path[128];
	struct plotted plotted;

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journals[_i]);
	plotted = plot_journal(path, "");
	ck_assert_uint_eq(plotted.plots + plotted.nothing, 0);
	free(plotted.text);
}
END_TEST

/* More rows than there is room for, of two iterations, with long names: 40 characters each. */
START_TEST(many_rows)
{
	char *text;
	json_t *measures = json_array();
	struct report_execution executions[2] = { { .iter = 1, .measures = measures },
						  { .iter = 2, .measures = measures } };
	struct report_test test = { "t", NULL, executions, 2 };
	struct cost_table *tables;
	struct plotted plotted = { 0 };
	size_t n, size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 50; i++) {
		char row[80];

		snprintf(row, sizeof(row), "%d and a name that is longer than there is room for",
			 i);
		json_array_append_new(measures,
				      json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:{s:i}, s:[i, i]}",
						"table", "RCU grace period", "name", "x", "unit",
						"ms", "row", row, "n", 2, "resolution", 0, "stats",
						"max", 2, "samples", 1, 2));
	}
	ck_assert_int_eq(cost_tables(&test, &tables, &n), 0);
	ck_assert_uint_eq(n, 1);
	plot_table(&plotted, tables, n, 0, out);
	fclose(out);
	ck_assert_uint_eq(plotted.plots, 1);
	ck_assert_ptr_nonnull(strstr(text, "left out: 68\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "\"0 and a name that is longer than ther... (2), n 2\"\n"));
	ck_assert_ptr_null(strstr(text, "\n32 "));
	cost_tables_free(tables, n);
	json_decref(measures);
	free(text);
}
END_TEST

/*
 * A lower bound below 0 bounds nothing: it neither takes the marks' axis from them (100000 down to
 * 2000 is for a logarithmic one) nor makes the band vanish. Nor is a mark to lie on the frame.
 */
START_TEST(band_from_below_the_axis)
{
	static const struct {
		const char *column;
		double value;
	} limit[] = { { "before", 100000 }, { "at 1/4", 8000 }, { "at 2/4", 4000 },
		      { "at 3/4", 2000 },   { "after", 2000 },	{ "at least", -61.2 },
		      { "at most", 12000 } };
	char *text;
	json_t *measures = json_array();
	struct report_execution execution = { .iter = 1, .measures = measures };
	struct report_test test = { "t", NULL, &execution, 1 };
	struct cost_table *tables;
	struct plotted plotted = { 0 };
	size_t n, size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++)
		json_array_append_new(measures,
				      json_pack("{s:s, s:s, s:s, s:s, s:f}", "table", "limit",
						"row", "r", "name", limit[i].column, "unit", "1/s",
						"value", limit[i].value));
	ck_assert_int_eq(cost_tables(&test, &tables, &n), 0);
	plot_table(&plotted, tables, n, 0, out);
	fclose(out);
	ck_assert_uint_eq(plotted.plots, 1);
	ck_assert_ptr_nonnull(strstr(text, "set logscale x\nset xrange [1538.46154:130000]\n"));
	ck_assert_ptr_nonnull(strstr(text, "left = 1538.46154\n"));
	ck_assert_ptr_nonnull(strstr(text, "(left > $3 ? left : $3):1:"));
	cost_tables_free(tables, n);
	json_decref(measures);
	free(text);
}
END_TEST

START_TEST(specs_say_units_and_n)
{
	for (const struct plot_spec *spec = plot_specs; spec->table; spec++) {
		bool figures = spec->kind == PLOT_BARS || spec->kind == PLOT_POINTS;

		ck_assert_ptr_nonnull(spec->title);
		ck_assert_ptr_nonnull(spec->axis);
		ck_assert_int_eq(!!spec->columns[0], figures);
		/* That of a series is in the record. */
		if (figures && !spec->count)
			ck_assert_ptr_nonnull(strstr(spec->note, "n 1"));
	}
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("plot");
	TCase *tc = tcase_create("plot");

	tcase_add_loop_test(tc, data, 0, COUNT(expected));
	tcase_add_test(tc, hostile);
	tcase_add_loop_test(tc, other_tables_have_none, 0, 5);
	tcase_add_test(tc, many_rows);
	tcase_add_test(tc, band_from_below_the_axis);
	tcase_add_test(tc, specs_say_units_and_n);
	suite_add_tcase(s, tc);
	return s;
}
