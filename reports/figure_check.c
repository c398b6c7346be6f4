// SPDX-License-Identifier: GPL-2.0-or-later
#include "figure.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

Suite *suite(void);

static json_t *figure_of(const char *table, const char *row, const char *name, const char *unit,
			 double value)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:f}", "table", table, "row", row, "name", name,
			 "unit", unit, "value", value);
}

static json_t *series_of(const char *table, const char *row, const char *unit, double p50)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:{s:f}}", "table", table, "row", row,
			 "name", "time", "unit", unit, "n", 7, "columns", "n p50", "stats", "p50",
			 p50);
}

/* Two iterations of a test with these measures, which are taken over. */
struct fixture {
	struct report_execution executions[2];
	struct report_test test;
};

static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){ .test = { .name = "h", .n_executions = 2 } };
	fixture->test.executions = fixture->executions;
	for (unsigned int i = 0; i < 2; i++) {
		fixture->executions[i].iter = i + 1;
		fixture->executions[i].measures = json_array();
	}
}

static void end(struct fixture *fixture)
{
	json_decref(fixture->executions[0].measures);
	json_decref(fixture->executions[1].measures);
}

START_TEST(over_iterations)
{
	struct fixture fixture;
	struct figure figure;

	begin(&fixture);
	for (unsigned int i = 0; i < 2; i++) {
		json_t *measures = fixture.executions[i].measures;

		json_array_append_new(measures, figure_of("t", "r", "c", "1", 5 - i));
		json_array_append_new(measures, figure_of("t", "other", "c", "1", 100));
		json_array_append_new(measures, figure_of("other", "r", "c", "1", 100));
		json_array_append_new(measures, series_of("s", "r", "ns", 20 + i));
	}
	ck_assert_int_eq(figure_find(&fixture.test, "t", "r", "c", &figure), 0);
	ck_assert_double_eq(figure.least, 4);
	ck_assert_double_eq(figure.greatest, 5);
	ck_assert_str_eq(figure.unit, "1");
	ck_assert_int_eq(figure_find(&fixture.test, "s", "r", "p50", &figure), 0);
	ck_assert_double_eq(figure.least, 20);
	ck_assert_double_eq(figure.greatest, 21);
	ck_assert_str_eq(figure.unit, "ns");
	ck_assert_int_eq(figure_find(&fixture.test, "s", "r", "n", &figure), 0);
	ck_assert_double_eq(figure.greatest, 7);
	ck_assert_int_eq(figure_find(&fixture.test, "s", "r", "p99", &figure), -ENOENT);
	ck_assert_int_eq(figure_find(&fixture.test, "t", "r", "d", &figure), -ENOENT);
	end(&fixture);
}
END_TEST

/* One iteration that lacks it is as good as none that has it; two units are two figures. */
START_TEST(missing_and_ambiguous)
{
	struct fixture fixture;
	struct figure figure;

	begin(&fixture);
	json_array_append_new(fixture.executions[0].measures, figure_of("t", "r", "c", "1", 1));
	json_array_append_new(fixture.executions[0].measures, series_of("s", "r", "ns", 1));
	json_array_append_new(fixture.executions[1].measures, series_of("s", "r", "us", 1));
	ck_assert_int_eq(figure_find(&fixture.test, "t", "r", "c", &figure), -ENOENT);
	ck_assert_int_eq(figure_find(&fixture.test, "s", "r", "p50", &figure), -ENOTUNIQ);
	end(&fixture);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("figure");
	TCase *tcase = tcase_create("figure");

	tcase_add_test(tcase, over_iterations);
	tcase_add_test(tcase, missing_and_ambiguous);
	suite_add_tcase(suite, tcase);
	return suite;
}
