// SPDX-License-Identifier: GPL-2.0-or-later
#include "cycle_counter.h"

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

Suite *suite(void);

#define KEY "cycle frequency [Hz]"

static const struct cycle_counter counter = { .counts = UINT64_C(1) << 32, .key = KEY };

static const struct {
	const char *text;
	double hz; /* 0: an error */
	int error;
} cpuinfos[] = {
	{ "cpu\t\t\t: Alpha\n" KEY "\t: 666666666 est.\ntimer frequency [Hz]\t: 1024.00\n",
	  666666666, 0 },
	{ KEY "\t: 250000000\n", 250e6, 0 },
	{ "\n\n" KEY ": 500000000", 500e6, 0 },
	{ "", 0, -ENODATA },
	{ "cycle frequency [MHz]\t: 250\n", 0, -ENODATA },
	{ "the " KEY "\t: 250000000\n", 0, -ENODATA },
	{ KEY " of another\t: 250000000\n", 0, -ENODATA },
	{ KEY "\t: \n", 0, -EINVAL },
	{ KEY "\t: 0\n", 0, -EINVAL },
	{ KEY "\t: -250000000\n", 0, -EINVAL },
	{ KEY "\t: 250MHz\n", 0, -EINVAL },
	{ KEY "\t: nan\n", 0, -EINVAL },
};

START_TEST(frequency)
{
	double hz = 0;
	struct err err;

	ck_assert_int_eq(cycle_counter_parse(&counter, cpuinfos[_i].text, &hz, &err),
			 cpuinfos[_i].error);
	ck_assert_double_eq(hz, cpuinfos[_i].hz);
	if (cpuinfos[_i].error)
		ck_assert_ptr_nonnull(strstr(err.text, KEY));
}
END_TEST

START_TEST(time_left)
{
	/* 2^32 cycles of 4 ns. */
	ck_assert_double_eq_tol(cycle_counter_left_ns(&counter, 250e6, 0), 17.179869184e9, 1);
	ck_assert_double_eq_tol(cycle_counter_left_ns(&counter, 250e6, UINT32_MAX), 4, 1e-6);
}
END_TEST

/* Where there is one it counts, stays within its range, and its frequency is known. */
START_TEST(of_this_machine)
{
	const struct cycle_counter *here = cycle_counter_here();

	if (!here)
		return;
	ck_assert_ptr_nonnull(here->name);
	ck_assert_uint_lt(here->read(), here->counts);
	ck_assert_uint_lt(here->read(), here->counts);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("cycle_counter");
	TCase *tcase = tcase_create("cycle_counter");

	tcase_add_loop_test(tcase, frequency, 0, sizeof(cpuinfos) / sizeof(cpuinfos[0]));
	tcase_add_test(tcase, time_left);
	tcase_add_test(tcase, of_this_machine);
	suite_add_tcase(s, tcase);
	return s;
}
