// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite(void);

/* Lines are their own numbers from 0, so what was kept can be told. */
struct kept {
	unsigned long n;
	unsigned long first_after_gap;
	unsigned long omitted;
	unsigned long last;
	int refuse;
};

static int keep(void *context, const char *text, size_t len, unsigned long omitted)
{
	struct kept *kept = context;
	char copy[32];

	ck_assert_uint_lt(len, sizeof(copy));
	memcpy(copy, text, len);
	copy[len] = '\0';
	kept->n++;
	kept->last = strtoul(copy, NULL, 10);
	if (omitted) {
		ck_assert_uint_eq(kept->omitted, 0);
		kept->omitted = omitted;
		kept->first_after_gap = kept->last;
	}
	return kept->refuse;
}

static struct kept after(unsigned long lines)
{
	struct kept kept = { 0 };
	struct output output;

	output_init(&output, keep, &kept);
	for (unsigned long i = 0; i < lines; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "%lu", i);

		ck_assert_int_eq(output_add(&output, text, (size_t)len), 0);
	}
	ck_assert_int_eq(output_finish(&output), 0);
	output_free(&output);
	return kept;
}

START_TEST(all_of_little)
{
	struct kept kept = after(0);

	ck_assert_uint_eq(kept.n, 0);
	kept = after(1);
	ck_assert_uint_eq(kept.n, 1);
	kept = after(OUTPUT_HEAD + OUTPUT_TAIL);
	ck_assert_uint_eq(kept.n, OUTPUT_HEAD + OUTPUT_TAIL);
	ck_assert_uint_eq(kept.omitted, 0);
	ck_assert_uint_eq(kept.last, OUTPUT_HEAD + OUTPUT_TAIL - 1);
}
END_TEST

START_TEST(ends_of_a_flood)
{
	struct kept kept = after(OUTPUT_HEAD + OUTPUT_TAIL + 1);

	ck_assert_uint_eq(kept.n, OUTPUT_HEAD + OUTPUT_TAIL);
	ck_assert_uint_eq(kept.omitted, 1);
	ck_assert_uint_eq(kept.first_after_gap, OUTPUT_HEAD + 1);
	kept = after(100000);
	ck_assert_uint_eq(kept.n, OUTPUT_HEAD + OUTPUT_TAIL);
	ck_assert_uint_eq(kept.omitted, 100000 - OUTPUT_HEAD - OUTPUT_TAIL);
	ck_assert_uint_eq(kept.first_after_gap, 100000 - OUTPUT_TAIL);
	ck_assert_uint_eq(kept.last, 99999);
}
END_TEST

START_TEST(errors_are_passed_on)
{
	struct kept kept = { .refuse = -EIO };
	struct output output;

	output_init(&output, keep, &kept);
	ck_assert_int_eq(output_add(&output, "1", 1), -EIO);
	output_free(&output);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("output");
	TCase *c = tcase_create("output");

	tcase_add_test(c, all_of_little);
	tcase_add_test(c, ends_of_a_flood);
	tcase_add_test(c, errors_are_passed_on);
	suite_add_tcase(s, c);
	return s;
}
