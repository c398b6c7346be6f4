// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static json_t *make_check(const char *name, const char *op, double value, double bound, int ok)
{
	json_t *check =
		json_pack("{s:s, s:s, s:f, s:b}", "name", name, "op", op, "bound", bound, "ok", ok);

	if (!isnan(value))
		json_object_set_new(check, "value", json_real(value));
	return check;
}

static const struct {
	const char *op;
	double value, bound, excess;
} excesses[] = {
	{ "<=", 150, 100, 0.5 },    { "<=", 90, 100, -0.1 }, { ">=", 25, 100, 0.75 },
	{ ">=", 125, 100, -0.25 },  { "==", 3, 4, 0.25 },    { "==", 5, 4, 0.25 },
	{ "==", 2, 0, 2 },	    { "<=", 2, 0, 2 },	     { ">=", -5, -10, -0.5 },
	{ "<=", NAN, 1, INFINITY },
};

START_TEST(measures_excess)
{
	json_t *check = make_check("c", excesses[_i].op, excesses[_i].value, excesses[_i].bound, 0);
	double excess = check_excess(check);

	if (isinf(excesses[_i].excess))
		ck_assert(isinf(excess) && excess > 0);
	else
		ck_assert_double_eq_tol(excess, excesses[_i].excess, 1e-12);
	json_decref(check);
}
END_TEST

/* Evaluations of one test in two iterations. */
static const struct evaluation {
	size_t execution;
	const char *name;
	double value, bound;
	int ok;
} evaluations[] = {
	{ 0, "held", 10, 100, 1 },    { 0, "failed", 500, 100, 1 }, /* claims to hold: still below
								       one that does not */
	{ 0, "held", 90, 100, 1 },    { 0, "failed", 101, 100, 0 }, { 1, "failed", 150, 100, 0 },
	{ 1, "failed", 150, 100, 0 }, { 1, "held", 20, 100, 1 },    { 1, "undefined", NAN, 100, 0 },
};

START_TEST(keeps_the_worst)
{
	struct report_execution executions[] = {
		{ .iter = 1, .checks = json_array() },
		{ .iter = 2, .checks = json_array() },
	};
	struct report_test test = { .executions = executions, .n_executions = 2 };
	struct check_summary *summaries;
	size_t n;

	for (size_t i = 0; i < COUNT(evaluations); i++) {
		const struct evaluation *e = &evaluations[i];

		json_array_append_new(executions[e->execution].checks,
				      make_check(e->name, "<=", e->value, e->bound, e->ok));
	}
	ck_assert_int_eq(check_summaries(&test, &summaries, &n), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(summaries[0].name, "held");
	ck_assert_uint_eq(summaries[0].evaluations, 3);
	ck_assert_uint_eq(summaries[0].failed, 0);
	ck_assert_ptr_eq(summaries[0].worst, json_array_get(executions[0].checks, 2));
	ck_assert_str_eq(summaries[1].name, "failed");
	ck_assert_uint_eq(summaries[1].evaluations, 4);
	ck_assert_uint_eq(summaries[1].failed, 3);
	ck_assert_uint_eq(summaries[1].iter, 2);
	/* The first of equals. */
	ck_assert_ptr_eq(summaries[1].worst, json_array_get(executions[1].checks, 0));
	ck_assert_str_eq(summaries[2].name, "undefined");
	ck_assert_uint_eq(summaries[2].failed, 1);
	free(summaries);
	json_decref(executions[0].checks);
	json_decref(executions[1].checks);
}
END_TEST

START_TEST(nothing_evaluated)
{
	struct report_test test = { 0 };
	struct check_summary *summaries;
	size_t n = 1;

	ck_assert_int_eq(check_summaries(&test, &summaries, &n), 0);
	ck_assert_uint_eq(n, 0);
	free(summaries);
}
END_TEST

static const struct {
	const char *op;
	double value, bound;
	int holds;
} figures[] = {
	{ "<=", 2, 2, 1 }, { "<=", 3, 2, 0 }, { ">=", 2, 2, 1 }, { ">=", 1, 2, 0 },
	{ "==", 2, 2, 1 }, { "==", 3, 2, 0 }, { "!=", 3, 2, 0 }, { "<=", NAN, 2, 0 },
};

/* Whatever is said of it. */
START_TEST(holds_by_its_figures)
{
	for (int said = 0; said < 2; said++) {
		json_t *check =
			make_check("c", figures[_i].op, figures[_i].value, figures[_i].bound, said);

		ck_assert_int_eq(check_holds(check), figures[_i].holds);
		json_object_del(check, "bound");
		ck_assert(!check_holds(check));
		json_decref(check);
	}
}
END_TEST

START_TEST(finds_the_closest)
{
	json_t *checks[] = { make_check("far", "<=", 1, 10, 1), make_check("equal", "==", 1, 1, 1),
			     make_check("near", ">=", 11, 10, 1) };
	struct check_summary summaries[3];

	for (size_t i = 0; i < 3; i++)
		summaries[i] = (struct check_summary){ .worst = checks[i],
						       .excess = check_excess(checks[i]) };
	ck_assert_ptr_eq(check_closest(summaries, 3), &summaries[2]);
	ck_assert_ptr_eq(check_closest(summaries, 2), &summaries[0]);
	ck_assert_ptr_null(check_closest(&summaries[1], 1));
	ck_assert_ptr_null(check_closest(summaries, 0));
	for (size_t i = 0; i < 3; i++)
		json_decref(checks[i]);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("checks");
	TCase *tc = tcase_create("checks");

	tcase_add_loop_test(tc, measures_excess, 0, COUNT(excesses));
	tcase_add_test(tc, keeps_the_worst);
	tcase_add_test(tc, nothing_evaluated);
	tcase_add_loop_test(tc, holds_by_its_figures, 0, (int)COUNT(figures));
	tcase_add_test(tc, finds_the_closest);
	suite_add_tcase(s, tc);
	return s;
}
