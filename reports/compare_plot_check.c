// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/small_report.h"
#include "compare_plot.h"

Suite *suite(void);

#define DIR "/tmp/compare-plot-check"

/* The script of the only table of two or three reports with one series each. */
struct plotted {
	struct plot_shape shape;
	char *script;
	char *note;
	int result;
};

static struct plotted plot(const struct comparison *all)
{
	struct plotted plotted = { .result = 0 };
	size_t size;
	FILE *out = open_memstream(&plotted.script, &size);

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_gt(all->n_series, 0);
	plotted.note = compare_plot_note(all, 0, all->n_series);
	plotted.result = compare_plot_script(all, 0, all->n_series, out, &plotted.shape);
	fclose(out);
	return plotted;
}

static struct plotted plot_reports(const struct small_report *reports, size_t n)
{
	char *paths[] = { (char *)DIR "-a", (char *)DIR "-b", (char *)DIR "-c" };
	const struct compare_request request = { .paths = paths, .n = n };
	struct err err = { .text = "" };
	struct comparison all;
	struct plotted plotted;

	for (size_t i = 0; i < n; i++)
		small_report_write(&reports[i], paths[i]);
	ck_assert_msg(!compare_read(&all, &request, &err), "%s", err.text);
	for (size_t i = 0; i < n; i++)
		small_report_remove(paths[i]);
	plotted = plot(&all);
	comparison_free(&all);
	return plotted;
}

static void end(struct plotted *plotted)
{
	plot_shape_free(&plotted->shape);
	free(plotted->script);
	free(plotted->note);
}

static void has(const struct plotted *plotted, const char *part)
{
	ck_assert_msg(strstr(plotted->script, part) != NULL, "no '%s' in %.3000s", part,
		      plotted->script);
}

/* Four samples each, one of them twice: a circle for each, on lines 0 and 1. */
START_TEST(circles)
{
	static const struct small_report reports[] = {
		{ .samples = "1,2,2,3" },
		{ .samples = "5,6,7,8" },
	};
	struct plotted plotted = plot_reports(reports, 2);

	ck_assert_int_eq(plotted.result, 0);
	has(&plotted, "$c0 << EOD\n1 0.0\n2 0.0\n2 0.0\n3 0.0\nEOD\n");
	has(&plotted, "$c1 << EOD\n5 1.0\n6 1.0\n7 1.0\n8 1.0\nEOD\n");
	has(&plotted, "set ytics (\"r   A, n 4\" 0.0, \"B, n 4\" 1.0)\n");
	has(&plotted, "set xlabel \"s (ns)\"\n");
	/* No line for what there is none of. */
	ck_assert_ptr_null(strstr(plotted.script, "$b0 using"));
	has(&plotted, "plot $c0 using 1:2 with points pt 6 ps 0.8 lt 1, \\\n$c1 using");
	ck_assert_uint_eq(plotted.shape.n_legend, 2);
	ck_assert_str_eq(plotted.shape.legend[0], "A: " DIR "-a");
	ck_assert_str_eq(plotted.note, "Of up to 12 samples each is a circle.");
	end(&plotted);
}
END_TEST

/* More than twelve of one series: the share of the samples up to each value. */
START_TEST(curves)
{
	static const struct small_report reports[] = {
		{ .samples = "1,1,1,1,1,1,1,1,1,1,1,1,5,5,5,5" },
		{ .samples = "4,8" },
		{ .machine = "\"emulated\":false" }, /* no samples */
	};
	struct plotted plotted = plot_reports(reports, 3);

	ck_assert_int_eq(plotted.result, 0);
	/* 12 of 16, then all; 1 of 2, then all */
	has(&plotted, "$d0 << EOD\n1 0\n1 0.750000\n5 1.000000\nEOD\n");
	has(&plotted, "$d1 << EOD\n4 0\n4 0.500000\n8 1.000000\nEOD\n");
	has(&plotted, "dashed: clock resolution 1 ns");
	has(&plotted, "plot $d0 using 1:2 with steps lt 1, $d1 using 1:2 with steps lt 2\n");
	has(&plotted, "set xlabel \"s (ns)\"\n");
	ck_assert_str_eq(plotted.shape.legend[0], "A: " DIR "-a, n 16");
	ck_assert_str_eq(plotted.shape.legend[1], "B: " DIR "-b, n 2");
	ck_assert_ptr_null(plotted.shape.legend[2]);
	end(&plotted);
}
END_TEST

/* A comparison of `rows` series of `columns` reports, each of 101 samples: 0, 1, ... 100. */
static void make(struct comparison *all, size_t rows, size_t columns)
{
	comparison_begin(all, false);
	for (size_t c = 0; c < columns; c++) {
		char name[16];

		snprintf(name, sizeof(name), "report %zu", c);
		ck_assert_int_eq(comparison_add_column(all, name), (int)c);
		comparison_add_machine(all, c, NULL, NULL);
	}
	for (size_t r = 0; r < rows; r++) {
		char name[80];
		long series;

		snprintf(name, sizeof(name), "%zu \"; system(\"x\") a name beyond what is shown",
			 r);
		series = comparison_find_series(all, "h", "t", name, "time", "cycles");
		ck_assert_int_eq(series, (long)r);
		for (size_t c = 0; c < columns; c++)
			for (int i = 0; i <= 100; i++)
				ck_assert_int_eq(comparison_add_value(all, r, c, i, 0), 0);
	}
	ck_assert_int_eq(comparison_finish(all), 0);
}

/* Of 0..100 the quantiles are their own percentages. */
START_TEST(boxes)
{
	struct comparison all;
	struct plotted plotted;

	make(&all, 2, 2);
	plotted = plot(&all);
	ck_assert_int_eq(plotted.result, 0);
	has(&plotted, "$b0 << EOD\n0.0 1 25 50 75 99 100\n2.6 1 25 50 75 99 100\nEOD\n");
	has(&plotted, "$b1 << EOD\n1.0 1 25 50 75 99 100\n3.6 1 25 50 75 99 100\nEOD\n");
	ck_assert_ptr_null(strstr(plotted.note, "circle"));
	/* What a machine calls it is no command. */
	has(&plotted,
	    "(\"0 _; system(_x_) a name beyond what i...   A, n 101\" 0.0, \"B, n 101\" 1.0");
	has(&plotted, "set xlabel \"time (cycles)\"\n");
	end(&plotted);
	comparison_free(&all);
}
END_TEST

/* As many as can be told apart: 32 lines, 8 colours. */
START_TEST(too_many)
{
	struct comparison all;
	struct plotted plotted;

	make(&all, 50, 10);
	plotted = plot(&all);
	ck_assert_int_eq(plotted.result, 0);
	ck_assert_uint_eq(plotted.shape.rows, 4);
	ck_assert_uint_eq(plotted.shape.left_out, 46);
	ck_assert_uint_eq(plotted.shape.n_legend, 8);
	ck_assert_ptr_null(strstr(plotted.script, "$b8"));
	ck_assert_ptr_nonnull(strstr(plotted.note, "The first 8 of 10"));
	end(&plotted);
	comparison_free(&all);
}
END_TEST

START_TEST(nothing_to_show)
{
	static const struct small_report reports[] = { { .samples = "" }, { .samples = "" } };
	struct plotted plotted = plot_reports(reports, 2);

	ck_assert_int_eq(plotted.result, -ENODATA);
	end(&plotted);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("compare_plot");
	TCase *tc = tcase_create("compare_plot");

	tcase_add_test(tc, circles);
	tcase_add_test(tc, curves);
	tcase_add_test(tc, boxes);
	tcase_add_test(tc, too_many);
	tcase_add_test(tc, nothing_to_show);
	suite_add_tcase(s, tc);
	return s;
}
