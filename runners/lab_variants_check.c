// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_variants.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite(void);

static const char table[] = "# SPDX-License-Identifier: GPL-2.0-or-later\n"
			    "\n"
			    "freeze\t\tpatch\tx86\tcounters are frozen\n"
			    "no-rate-limit mutant any no limit\n"
			    "broken line\n"
			    "last old any the end";

/* A file with the table, to be removed. */
static const char *write_table(void)
{
	static char path[] = "/tmp/lab-variants-XXXXXX";
	int fd;

	strcpy(path, "/tmp/lab-variants-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, table, strlen(table)), (ssize_t)strlen(table));
	close(fd);
	return path;
}

START_TEST(a_table_is_read)
{
	static const struct lab_variant expected[] = {
		{ "freeze", "patch", "x86", "counters are frozen" },
		{ "no-rate-limit", "mutant", "any", "no limit" },
		{ "last", "old", "any", "the end" },
	};
	const char *path = write_table();
	FILE *file = fopen(path, "re");
	struct lab_variant variant;

	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		ck_assert(lab_variants_next(file, &variant));
		ck_assert_str_eq(variant.name, expected[i].name);
		ck_assert_str_eq(variant.kind, expected[i].kind);
		ck_assert_str_eq(variant.arch, expected[i].arch);
		ck_assert_str_eq(variant.what, expected[i].what);
	}
	ck_assert(!lab_variants_next(file, &variant));
	/* Read from the beginning again. */
	ck_assert(lab_variants_know(file, "freeze"));
	ck_assert(lab_variants_know(file, "last"));
	ck_assert(!lab_variants_know(file, "free"));
	ck_assert(!lab_variants_know(file, "freeze,last"));
	fclose(file);
	unlink(path);
}
END_TEST

START_TEST(names_are_collected)
{
	char list[64] = "", small[8] = "";
	struct err err;

	ck_assert_int_eq(lab_variants_add(list, sizeof(list), "freeze", &err), 0);
	ck_assert_int_eq(lab_variants_add(list, sizeof(list), "free,lbr-ctx-id", &err), 0);
	ck_assert_str_eq(list, "freeze,free,lbr-ctx-id");
	ck_assert_int_eq(lab_variants_add(small, sizeof(small), "freezer", &err), -E2BIG);
	ck_assert_int_eq(lab_variants_add(small, sizeof(small), "freeze", &err), 0);
}
END_TEST

START_TEST(what_can_be_no_name_is_refused)
{
	static const struct {
		const char *before, *text, *why;
	} cases[] = {
		{ "", "", "not a name" },
		{ "", ",", "not a name" },
		{ "", "freeze,", "not a name" },
		{ "", "freeze,,x", "not a name" },
		{ "", "Freeze", "not a name" },
		{ "", "freeze quiet", "not a name" },
		{ "", "freeze=1", "not a name" },
		{ "freeze", "freeze", "given twice" },
		{ "", "x,freeze,x", "given twice" },
		{ "freeze", "plain", "without others" },
		{ "plain", "freeze", "without others" },
		{ "", "plain,freeze", "without others" },
		{ "plain", "plain", "given twice" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char list[64];
		struct err err;

		strcpy(list, cases[i].before);
		ck_assert_int_eq(lab_variants_add(list, sizeof(list), cases[i].text, &err),
				 -EINVAL);
		ck_assert_msg(strstr(err.text, cases[i].why), "%s: %s", cases[i].text, err.text);
		ck_assert_str_eq(list, cases[i].before);
	}
}
END_TEST

START_TEST(a_list_is_checked_against_the_table)
{
	const char *path = write_table();
	struct err err;

	ck_assert_int_eq(lab_variants_check("freeze", path, &err), 0);
	ck_assert_int_eq(lab_variants_check("last,no-rate-limit", path, &err), 0);
	ck_assert_int_eq(lab_variants_check("plain", path, &err), 0);
	ck_assert_int_eq(lab_variants_check("freeze,frozen", path, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "--variant frozen:"));
	ck_assert_int_eq(lab_variants_check("fre", path, &err), -EINVAL);
	ck_assert_int_eq(lab_variants_check("broken", path, &err), -EINVAL);
	unlink(path);
	ck_assert_int_eq(lab_variants_check("freeze", path, &err), -ENOENT);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lab_variants");
	TCase *tc = tcase_create("variants");

	tcase_add_test(tc, a_table_is_read);
	tcase_add_test(tc, names_are_collected);
	tcase_add_test(tc, what_can_be_no_name_is_refused);
	tcase_add_test(tc, a_list_is_checked_against_the_table);
	suite_add_tcase(s, tc);
	return s;
}
