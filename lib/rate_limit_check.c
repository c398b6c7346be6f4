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

Suite *suite(void)
{
	Suite *s = suite_create("rate_limit");
	TCase *tcase = tcase_create("rate_limit");

	tcase_add_loop_test(tcase, most_within_the_limit, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_test(tcase, asked_for);
	suite_add_tcase(s, tcase);
	return s;
}
