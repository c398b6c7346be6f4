// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>

#include "distribution.h"

Suite *suite(void);

static struct distribution read_text(const char *text)
{
	json_t *measure = json_loads(text, 0, NULL);
	struct distribution distribution;

	ck_assert_ptr_nonnull(measure);
	ck_assert_int_eq(distribution_read(&distribution, measure), 0);
	json_decref(measure);
	return distribution;
}

/* 1, 2, 2, 2, 10: of five samples the first is a share of 0.2, the first four of 0.8. */
START_TEST(quantiles)
{
	static const char *const forms[] = {
		"{\"samples\":[10,2,1,2,2]}",
		"{\"histogram\":[[1,1],[2,3],[10,1]]}",
	};
	struct distribution d = read_text(forms[_i]);

	ck_assert_double_eq(d.total, 5);
	ck_assert_double_eq(distribution_quantile(&d, 0), 1);
	ck_assert_double_eq(distribution_quantile(&d, 0.2), 1);
	ck_assert_double_eq(distribution_quantile(&d, 0.21), 2);
	ck_assert_double_eq(distribution_quantile(&d, 0.8), 2);
	ck_assert_double_eq(distribution_quantile(&d, 0.81), 10);
	ck_assert_double_eq(distribution_quantile(&d, 1), 10);
	distribution_free(&d);
}
END_TEST

START_TEST(of_sorted_samples)
{
	static const double sorted[] = { 1, 2, 2, 2, 10 };
	struct distribution d;

	ck_assert_int_eq(distribution_of(&d, sorted, 5), 0);
	ck_assert_uint_eq(d.n_steps, 3);
	ck_assert_double_eq(d.total, 5);
	ck_assert_double_eq(d.steps[1].value, 2);
	ck_assert_double_eq(d.steps[1].count, 3);
	ck_assert_double_eq(distribution_quantile(&d, 0.8), 2);
	ck_assert_double_eq(distribution_quantile(&d, 0.81), 10);
	distribution_free(&d);
	ck_assert_int_eq(distribution_of(&d, sorted, 0), 0);
	ck_assert_uint_eq(d.n_steps, 0);
	distribution_free(&d);
}
END_TEST

START_TEST(nothing_to_show)
{
	static const char *const empty[] = {
		"{}",
		"{\"samples\":[]}",
		"{\"samples\":3}",
		"{\"samples\":[\"1\",null,{},[1]]}",
		"{\"histogram\":[[1,0],[1,-1],[\"1\",1],[1],[],1,null,[null,null]]}",
	};
	struct distribution d = read_text(empty[_i]);

	ck_assert_uint_eq(d.n_steps, 0);
	ck_assert_double_nan(distribution_quantile(&d, 0.5));
	distribution_free(&d);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("distribution");
	TCase *tc = tcase_create("distribution");

	tcase_add_loop_test(tc, quantiles, 0, 2);
	tcase_add_test(tc, of_sorted_samples);
	tcase_add_loop_test(tc, nothing_to_show, 0, 5);
	suite_add_tcase(s, tc);
	return s;
}
