// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "rate_limit.h"

Suite *suite(void);

static const struct {
	struct rate_limit limit;
	double most;
} limits[] = {
	{ { 1024, 1024 }, 3072 },
	/* Lowered or raised meanwhile: what was right at any time is within it. */
	{ { 100000, 25000 }, 102048 },
	{ { 4096, 100000 }, 102048 },
};

START_TEST(most_within_the_limit)
{
	ck_assert_double_eq(rate_limit_most(&limits[_i].limit), limits[_i].most);
}
END_TEST

START_TEST(asked_for)
{
	ck_assert_double_eq(rate_limit_asked(1), 1e5);
	ck_assert_double_eq(rate_limit_asked(10000), 1e5);
	ck_assert_double_eq(rate_limit_asked(1000000), 1000);
}
END_TEST

/* A 3 GHz CPU asked for no more than 0.7 of the usual limit: 70000/s. */
static const struct {
	double per_second;
	long allowed;
	uint64_t period;
} periods[] = {
	{ 1, 100000, 20011 },	{ 1.4e9, 100000, 20011 },  { 1.41e9, 100000, 50021 },
	{ 3e9, 100000, 50021 }, { 3.6e9, 100000, 100003 }, { 3e9, 25000, 200003 },
	{ 3e9, 10000, 400009 }, { 3e9, 1, 400009 },	   { 0, 100000, 20011 },
};

START_TEST(period_within_the_limit)
{
	ck_assert_uint_eq(rate_limit_period(periods[_i].per_second, periods[_i].allowed),
			  periods[_i].period);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("rate_limit");
	TCase *tcase = tcase_create("rate_limit");

	tcase_add_loop_test(tcase, most_within_the_limit, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_test(tcase, asked_for);
	tcase_add_loop_test(tcase, period_within_the_limit, 0,
			    sizeof(periods) / sizeof(periods[0]));
	suite_add_tcase(s, tcase);
	return s;
}
