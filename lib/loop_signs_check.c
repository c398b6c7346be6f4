// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>

#include "loop_signs.h"

Suite *suite(void);

/* A thousand samples of period 20011, and the rest of a period. */
static const struct loop_seen sound = {
	.samples = 1000,
	.periods = 20011000,
	.count = 20020000,
	.sibling = 2000100,
	.sibling_expected = 2000000,
	.interrupts = 1000,
};

START_TEST(sound_run)
{
	struct loop_signs signs = loop_signs(&sound);

	ck_assert_double_eq_tol(signs.periods, 20011000.0 / 20020000.0, 1e-9);
	ck_assert_double_eq_tol(signs.sibling, 1.00005, 1e-9);
	ck_assert_double_eq(signs.extra, 0);
	ck_assert_double_eq(signs.extra_max, 10);
}
END_TEST

/* Silent after a third: what is left counts on. */
START_TEST(silent_event)
{
	struct loop_seen seen = sound;

	seen.samples = 333;
	seen.periods = 333 * 20011;
	seen.interrupts = 333;
	ck_assert_double_eq_tol(loop_signs(&seen).periods, 0.333, 0.001);
}
END_TEST

START_TEST(no_sample_at_all)
{
	struct loop_seen seen = sound;

	seen.samples = 0;
	seen.periods = 0;
	ck_assert_double_eq(loop_signs(&seen).periods, 0);
	seen.count = 0;
	ck_assert(isnan(loop_signs(&seen).periods));
}
END_TEST

/* What the ring did not hold was taken all the same. */
START_TEST(lost_samples)
{
	struct loop_seen seen = sound;

	seen.samples = 600;
	seen.lost = 400;
	seen.periods = 600 * 20011;
	ck_assert_double_eq_tol(loop_signs(&seen).periods, 20011000.0 / 20020000.0, 1e-9);
	ck_assert_double_eq(loop_signs(&seen).extra, 0);
}
END_TEST

START_TEST(cleared_sibling)
{
	struct loop_seen seen = sound;

	seen.sibling = 0x1p47;
	ck_assert_double_gt(loop_signs(&seen).sibling, 1e7);
	seen.sibling_expected = 0;
	ck_assert(isnan(loop_signs(&seen).sibling));
}
END_TEST

/* A bit that comes back 150 times with an interrupt each; and a watchdog that is no storm. */
START_TEST(storm)
{
	struct loop_seen seen = sound;
	struct loop_signs signs;

	seen.interrupts = 1150;
	signs = loop_signs(&seen);
	ck_assert_double_gt(signs.extra, signs.extra_max);
	seen.interrupts = 1006;
	signs = loop_signs(&seen);
	ck_assert_double_le(signs.extra, signs.extra_max);
	/* Somebody else samples at the same rate all the time. */
	seen.interrupts = 2100;
	seen.interrupts_before = 1000;
	signs = loop_signs(&seen);
	ck_assert_double_le(signs.extra, signs.extra_max);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("loop_signs");
	TCase *tests = tcase_create("loop_signs");

	tcase_add_test(tests, sound_run);
	tcase_add_test(tests, silent_event);
	tcase_add_test(tests, no_sample_at_all);
	tcase_add_test(tests, lost_samples);
	tcase_add_test(tests, cleared_sibling);
	tcase_add_test(tests, storm);
	suite_add_tcase(all, tests);
	return all;
}
