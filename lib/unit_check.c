// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

Suite *suite(void);

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

START_TEST(parse_accepts)
{
	static const struct {
		const char *text, *unit;
		double value;
	} cases[] = {
		{ "50us", "ns", 50000 },   { "1.5ms", "us", 1500 }, { "2s", "ns", 2e9 },
		{ "250ns", "us", 0.25 },   { "3 ms", "s", 0.003 },  { "7ns", "ns", 7 },
		{ "1e3us", "ms", 1 },	   { ".5s", "ms", 500 },    { "12", "ns", 12 },
		{ "0", "ns", 0 },	   { "25%", "%", 25 },	    { "25 %", "%", 25 },
		{ "0.5", "%", 0.5 },	   { "3", "1", 3 },	    { "0.75", "1", 0.75 },
		{ "8 pages", "pages", 8 },
	};
	struct err err;

	for (size_t i = 0; i < N_OF(cases); i++) {
		double value = -1;

		ck_assert_msg(!unit_parse(cases[i].text, cases[i].unit, &value, &err), "%s",
			      cases[i].text);
		ck_assert_double_eq_tol(value, cases[i].value, cases[i].value * 1e-12 + 1e-12);
	}
}
END_TEST

START_TEST(parse_refuses)
{
	static const struct {
		const char *text, *unit;
	} cases[] = {
		{ "", "ns" },	     { "us", "ns" },	 { "-1us", "ns" },    { "+1us", "ns" },
		{ " 1us", "ns" },    { "1us ", "ns" },	 { "1  us", "ns" },   { "1\tus", "ns" },
		{ "inf", "ns" },     { "nan", "ns" },	 { "0x10", "1" },     { "0X1p3", "1" },
		{ "1e999", "1" },    { "1e308s", "ns" }, { "1e-400s", "ns" }, { "50%", "ns" },
		{ "50us", "%" },     { "50us", "1" },	 { "3 1", "1" },      { "1,5ms", "ns" },
		{ "1.5.2ms", "ns" }, { "1e", "ns" },	 { "50US", "ns" },    { "50us2", "ns" },
		{ ".", "ns" },	     { ".us", "ns" },	 { "50min", "ns" },   { "3pages", "ns" },
		{ "3us", "pages" },  { "5%%", "%" },	 { "1 ", "ns" },
	};
	struct err err;

	for (size_t i = 0; i < N_OF(cases); i++) {
		double value = 42;

		err.text[0] = '\0';
		ck_assert_msg(unit_parse(cases[i].text, cases[i].unit, &value, &err) == -EINVAL,
			      "\"%s\" in %s", cases[i].text, cases[i].unit);
		ck_assert_double_eq(value, 42);
		/* The message shows what was given. */
		ck_assert_ptr_nonnull(strstr(err.text, cases[i].text));
		ck_assert_ptr_null(strchr(err.text, '\n'));
	}
}
END_TEST

START_TEST(count_within_its_range)
{
	static const char *const bad[] = {
		"",  " 5", "5 ",  "-5",	 "+5",	"5.0",
		"2", "11", "0x5", "5us", "abc", "99999999999999999999999"
	};
	struct err err;
	size_t value = 42;

	for (size_t i = 0; i < N_OF(bad); i++) {
		ck_assert_int_eq(unit_parse_count(bad[i], 3, 10, &value, &err), -EINVAL);
		ck_assert_uint_eq(value, 42);
		ck_assert_ptr_nonnull(strstr(err.text, "from 3 to 10"));
	}
	ck_assert_int_eq(unit_parse_count("3", 3, 10, &value, &err), 0);
	ck_assert_uint_eq(value, 3);
	ck_assert_int_eq(unit_parse_count("10", 3, 10, &value, &err), 0);
	ck_assert_uint_eq(value, 10);
	ck_assert_int_eq(unit_parse_count("18446744073709551615", 0, SIZE_MAX, &value, &err), 0);
	ck_assert_uint_eq(value, SIZE_MAX);
	ck_assert_int_eq(unit_parse_count("18446744073709551616", 0, SIZE_MAX, &value, &err),
			 -EINVAL);
}
END_TEST

START_TEST(format_for_people)
{
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {
		{ 6700, "ns", "6.7 us" },
		{ 6.7, "us", "6.7 us" },
		{ 0.5, "ns", "0.5 ns" },
		{ 0.02, "us", "20 ns" },
		{ 0, "ns", "0 ns" },
		{ 0, "s", "0 ns" },
		{ 999, "ns", "999 ns" },
		{ 999.94, "ns", "999.9 ns" },
		/* Rounds to a fourth digit before the point: the next unit. */
		{ 999.96, "ns", "1 us" },
		{ 999999, "ns", "1 ms" },
		{ 1234567, "ns", "1.235 ms" },
		{ 90, "s", "90 s" },
		{ 123456, "s", "123456 s" },
		{ -2500, "ns", "-2.5 us" },
		{ 12, "%", "12 %" },
		{ 12.3456, "%", "12.35 %" },
		{ 42, "1", "42" },
		{ 1234567, "1", "1234567" },
		{ 0.123456, "1", "0.1235" },
		{ 1e20, "1", "1e+20" },
		{ 8, "pages", "8 pages" },
		{ NAN, "ns", "-" },
		{ NAN, "1", "-" },
		{ INFINITY, "ns", "inf ns" },
		{ -INFINITY, "%", "-inf %" },
	};
	char text[32];

	for (size_t i = 0; i < N_OF(cases); i++) {
		const char *got = unit_format(cases[i].value, cases[i].unit, text, sizeof(text));

		ck_assert_ptr_eq(got, text);
		ck_assert_str_eq(got, cases[i].text);
	}
}
END_TEST

START_TEST(format_cuts_to_fit)
{
	char text[8] = "#######";

	unit_format(1234567, "ns", text, 5);
	ck_assert_str_eq(text, "1.23");
	ck_assert_int_eq(text[5], '#');
}
END_TEST

START_TEST(what_is_formatted_can_be_parsed)
{
	static const double values[] = { 0, 1, 12.5, 999, 1250, 6.7e6, 3e9 };
	struct err err;
	char text[32];

	for (size_t i = 0; i < N_OF(values); i++) {
		double value;

		unit_format(values[i], "ns", text, sizeof(text));
		ck_assert_int_eq(unit_parse(text, "ns", &value, &err), 0);
		ck_assert_double_eq_tol(value, values[i], values[i] * 1e-9 + 1e-9);
	}
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("unit");
	TCase *tc = tcase_create("unit");

	tcase_add_test(tc, parse_accepts);
	tcase_add_test(tc, parse_refuses);
	tcase_add_test(tc, count_within_its_range);
	tcase_add_test(tc, format_for_people);
	tcase_add_test(tc, format_cuts_to_fit);
	tcase_add_test(tc, what_is_formatted_can_be_parsed);
	suite_add_tcase(s, tc);
	return s;
}
