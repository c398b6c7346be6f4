// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <math.h>

#include "distribution.h"
#include "model.h"

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

	ck_assert_uint_eq(d.total, 5);
	ck_assert_double_eq(distribution_quantile(&d, 0), 1);
	ck_assert_double_eq(distribution_quantile(&d, 0.2), 1);
	ck_assert_double_eq(distribution_quantile(&d, 0.21), 2);
	ck_assert_double_eq(distribution_quantile(&d, 0.8), 2);
	ck_assert_double_eq(distribution_quantile(&d, 0.81), 10);
	ck_assert_double_eq(distribution_quantile(&d, 1), 10);
	distribution_free(&d);
}
END_TEST

/* 2 of 1, 9 of 2 and 1 of 10, put together from several records. */
START_TEST(one_step_for_each_value)
{
	struct distribution d = { 0 };
	json_t *samples = json_pack("{s:[i,f]}", "samples", 10, 2.0);
	json_t *histogram = json_pack("{s:[[i,i],[i,i]]}", "histogram", 1, 2, 2, 4);

	ck_assert_int_eq(distribution_add_measure(&d, samples), 0);
	ck_assert_int_eq(distribution_add_measure(&d, histogram), 0);
	ck_assert_int_eq(distribution_add(&d, 2, 4), 0);
	json_decref(samples);
	json_decref(histogram);
	distribution_finish(&d);
	ck_assert_uint_eq(d.n_steps, 3);
	ck_assert_uint_eq(d.total, 12);
	ck_assert_double_eq(d.steps[1].value, 2);
	ck_assert_uint_eq(d.steps[1].count, 9);
	ck_assert_double_eq(distribution_quantile(&d, 11.0 / 12), 2);
	ck_assert_double_eq(distribution_quantile(&d, 0.92), 10);
	distribution_free(&d);
	distribution_finish(&d);
	ck_assert_uint_eq(d.n_steps, 0);
}
END_TEST

/* What it takes is of the size of the text. */
START_TEST(very_many_samples)
{
	struct distribution d = read_text("{\"histogram\":[[1,60000000],[2,40000000]]}");

	ck_assert_uint_eq(d.total, REPORT_SAMPLES_MAX);
	ck_assert_uint_eq(d.n_steps, 2);
	ck_assert_uint_le(d.room, 4);
	ck_assert_int_eq(distribution_add(&d, 3, 1), -EBADMSG);
	distribution_free(&d);
}
END_TEST

/* No report that was read has one of these. */
START_TEST(histograms_that_make_no_sense)
{
	static const char *const absurd[] = {
		"[[1,9000000000000000000],[2,9000000000000000000]]",
		"[[1,60000000],[2,40000001]]",
		"[[1,4294967297]]",
		"[[1,0]]",
		"[[1,-1]]",
		"[[1,2.5]]",
		"[[\"1\",1]]",
		"[[1]]",
		"[[]]",
		"[5]",
	};

	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		json_t *histogram = json_loads(absurd[i], 0, NULL);
		json_t *measure = json_pack("{s:o}", "histogram", histogram);
		struct distribution d;

		ck_assert_ptr_nonnull(measure);
		ck_assert_int_eq(distribution_read(&d, measure), -EBADMSG);
		ck_assert_ptr_null(d.steps);
		json_decref(measure);
	}
}
END_TEST

START_TEST(nothing_to_show)
{
	static const char *const empty[] = {
		"{}",
		"{\"samples\":[]}",
		"{\"samples\":3}",
		"{\"samples\":[\"1\",null,{},[1]]}",
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
	tcase_add_test(tc, one_step_for_each_value);
	tcase_add_test(tc, very_many_samples);
	tcase_add_test(tc, histograms_that_make_no_sense);
	tcase_add_loop_test(tc, nothing_to_show, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
