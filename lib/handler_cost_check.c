// SPDX-License-Identifier: GPL-2.0-or-later
/* The arithmetic, on spans and samples made by hand. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "handler_cost.h"

Suite *suite(void);

/* Two CPUs over 1000 ns; on the first, spans of 100, 50 and 30 ns, of which two took samples. */
struct made {
	struct handler_span span[2][3];
	uint64_t times[2];
	struct handler_cpu handler[2];
	struct sampler_cpu sampled[2];
	struct handler_cost cost;
};

static void make(struct made *made, enum handler_kind kind)
{
	*made = (struct made){
		.span = { { { 1000, 100 }, { 1500, 50 }, { 1700, 30 } }, { { 1100, 10 } } },
		.times = { 1050, 1720 },
		.handler = { { .cpu = 4, .n = 3 }, { .cpu = 6, .n = 1 } },
		.sampled = { { .samples = 2, .lost = 2, .times_n = 2 }, { .lost = 1 } },
	};
	for (int i = 0; i < 2; i++)
		made->handler[i].span = made->span[i];
	made->sampled[0].times = made->times;
	made->cost.time = (struct handler_time){ .kind = kind, .cpu = made->handler, .n = 2 };
	made->cost.sampler =
		(struct sampler){ .cpu = made->sampled, .n = 2, .start_ns = 1000, .end_ns = 2000 };
}

START_TEST(timer_interrupts_with_a_sample)
{
	struct handler_cost_samples samples;
	struct made made;
	double *all;
	size_t n;

	make(&made, HANDLER_TIMER);
	samples = handler_cost_match(&made.cost);
	ck_assert_double_eq(samples.taken, 2);
	ck_assert_double_eq(samples.lost, 3);
	ck_assert_double_eq(samples.matched, 2);
	all = handler_cost_lengths(&made.cost, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_double_eq(all[0], 100);
	ck_assert_double_eq(all[1], 30);
	free(all);
	/* (100 + 30) ns of 1000, and once more for the as many samples that were lost. */
	ck_assert_double_eq_tol(handler_cost_share(&made.cost, 0), 26, 1e-9);
	ck_assert_double_eq(handler_cost_share(&made.cost, 1), 0);
}
END_TEST

START_TEST(nmi_handlers_are_all_of_sampling)
{
	struct handler_cost_samples samples;
	struct made made;
	double *all;
	size_t n;

	make(&made, HANDLER_NMI);
	samples = handler_cost_match(&made.cost);
	ck_assert_double_eq(samples.taken, 2);
	all = handler_cost_lengths(&made.cost, &n);
	ck_assert_uint_eq(n, 4);
	free(all);
	/* A handler whose sample was lost is traced all the same: nothing is added for it. */
	ck_assert_double_eq_tol(handler_cost_share(&made.cost, 0), 18, 1e-9);
	ck_assert_double_eq_tol(handler_cost_share(&made.cost, 1), 1, 1e-9);
}
END_TEST

START_TEST(difference_of_medians)
{
	const struct stats base = { .p50 = 100, .p50_low = 90, .p50_high = 120 };
	const struct stats with = { .p50 = 130, .p50_low = 110, .p50_high = 150 };
	const struct stats few = { .p50 = 130, .p50_low = NAN, .p50_high = NAN };
	struct handler_cost_added added = handler_cost_added(&with, &base);

	/* Least: the lowest of the one against the highest of the other. */
	ck_assert_double_eq(added.p50, 30);
	ck_assert_double_eq(added.low, -10);
	ck_assert_double_eq(added.high, 60);
	added = handler_cost_added(&few, &base);
	ck_assert_double_eq(added.p50, 30);
	ck_assert_double_nan(added.low);
	ck_assert_double_nan(added.high);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("handler_cost");
	TCase *tcase = tcase_create("handler_cost");

	tcase_add_test(tcase, timer_interrupts_with_a_sample);
	tcase_add_test(tcase, nmi_handlers_are_all_of_sampling);
	tcase_add_test(tcase, difference_of_medians);
	suite_add_tcase(s, tcase);
	return s;
}
