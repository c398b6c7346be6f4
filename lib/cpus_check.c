// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cpus.h"

Suite *suite(void);

/* Lists and the CPUs they mean; in the kernel's form unless `formatted` differs. */
static const struct {
	const char *text;
	size_t n;
	int cpu[8];
	const char *formatted;
} good[] = {
	{ "0", 1, { 0 }, NULL },
	{ "0-3,8,10-12", 8, { 0, 1, 2, 3, 8, 10, 11, 12 }, NULL },
	{ "0-1", 2, { 0, 1 }, NULL },
	{ "0,2,4", 3, { 0, 2, 4 }, NULL },
	{ "4095", 1, { 4095 }, NULL },
	{ "4094-4095", 2, { 4094, 4095 }, NULL },
	{ "63-64", 2, { 63, 64 }, NULL },
	{ "8,0-1", 3, { 0, 1, 8 }, "0-1,8" },
	{ "1,1,0-2", 3, { 0, 1, 2 }, "0-2" },
	{ "5-5", 1, { 5 }, "5" },
	{ "007", 1, { 7 }, "7" },
};

START_TEST(parse_good)
{
	struct cpus cpus;
	struct err err;
	char text[64];

	ck_assert_int_eq(cpus_parse(&cpus, good[_i].text, NULL, &err), 0);
	ck_assert_uint_eq(cpus.n, good[_i].n);
	for (size_t i = 0; i < cpus.n; i++)
		ck_assert_int_eq(cpus.cpu[i], good[_i].cpu[i]);
	ck_assert_ptr_eq(cpus_format(&cpus, text, sizeof(text)), text);
	ck_assert_str_eq(text, good[_i].formatted ? good[_i].formatted : good[_i].text);
}
END_TEST

static const struct {
	const char *text;
	int result;
} bad[] = {
	{ "", -EINVAL },
	{ " ", -EINVAL },
	{ ",", -EINVAL },
	{ "0,", -EINVAL },
	{ ",0", -EINVAL },
	{ "0,,1", -EINVAL },
	{ "-", -EINVAL },
	{ "-1", -EINVAL },
	{ "0-", -EINVAL },
	{ "3-0", -EINVAL },
	{ "3-2", -EINVAL },
	{ "0-1-2", -EINVAL },
	{ "0 ", -EINVAL },
	{ " 0", -EINVAL },
	{ "0\n", -EINVAL },
	{ "+0", -EINVAL },
	{ "0x1", -EINVAL },
	{ "a", -EINVAL },
	{ "all", -EINVAL },
	{ "0-3:1/2", -EINVAL },
	{ "!0", -EINVAL },
	{ "1.5", -EINVAL },
	{ "4096", -ERANGE },
	{ "0-4096", -ERANGE },
	{ "2147483648", -ERANGE },
	{ "0,4294967296", -ERANGE },
	{ "18446744073709551616", -ERANGE },
};

START_TEST(parse_bad)
{
	struct cpus cpus = { .n = 1, .cpu = { 77 } };
	struct err err = { "" };

	ck_assert_int_eq(cpus_parse(&cpus, bad[_i].text, NULL, &err), bad[_i].result);
	ck_assert_ptr_nonnull(strstr(err.text, bad[_i].text));
	ck_assert_uint_eq(cpus.n, 1);
	ck_assert_int_eq(cpus.cpu[0], 77);
}
END_TEST

START_TEST(parse_allowed)
{
	struct cpus allowed, cpus = { .n = 0 };
	struct err err;

	ck_assert_int_eq(cpus_parse(&allowed, "0-1,4", NULL, &err), 0);
	ck_assert_int_eq(cpus_parse(&cpus, "1,4", &allowed, &err), 0);
	ck_assert_uint_eq(cpus.n, 2);
	ck_assert_int_eq(cpus_parse(&cpus, "0-4", &allowed, &err), -ENODEV);
	ck_assert_ptr_nonnull(strstr(err.text, "CPU 2"));
	ck_assert_uint_eq(cpus.n, 2);
}
END_TEST

START_TEST(parse_all)
{
	struct cpus cpus;
	char text[16];

	ck_assert_int_eq(cpus_parse(&cpus, "0-4095", NULL, NULL), 0);
	ck_assert_uint_eq(cpus.n, CPUS_MAX);
	ck_assert_str_eq(cpus_format(&cpus, text, sizeof(text)), "0-4095");
}
END_TEST

START_TEST(format_small)
{
	struct cpus cpus;
	char text[16];

	ck_assert_int_eq(cpus_parse(&cpus, "0,2,4,6,8", NULL, NULL), 0);
	ck_assert_str_eq(cpus_format(&cpus, text, 10), "0,2,4,6,8");
	ck_assert_str_eq(cpus_format(&cpus, text, 9), "0,2,4...");
	ck_assert_str_eq(cpus_format(&cpus, text, 4), "...");
	ck_assert_str_eq(cpus_format(&cpus, text, 1), "");
	text[0] = 'x';
	cpus_format(&cpus, text, 0);
	ck_assert_int_eq(text[0], 'x');
	cpus.n = 0;
	ck_assert_str_eq(cpus_format(&cpus, text, sizeof(text)), "");
}
END_TEST

/* The kernel says the same in /proc/self/status, by another way. */
START_TEST(allowed_as_in_proc)
{
	struct cpus cpus;
	struct err err;
	char line[4096], text[4096], expected[4096] = "";
	FILE *file = fopen("/proc/thread-self/status", "re");

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Cpus_allowed_list: %4095s", expected) == 1)
			break;
	fclose(file);
	ck_assert_str_ne(expected, "");
	ck_assert_int_eq(cpus_allowed(&cpus, &err), 0);
	ck_assert_str_eq(cpus_format(&cpus, text, sizeof(text)), expected);
}
END_TEST

START_TEST(pin_and_unpin)
{
	struct cpus before, now;
	struct err err;

	ck_assert_int_eq(cpus_allowed(&before, &err), 0);
	for (size_t i = 0; i < before.n; i++) {
		ck_assert_int_eq(cpus_pin(before.cpu[i], &err), 0);
		ck_assert_int_eq(sched_getcpu(), before.cpu[i]);
		ck_assert_int_eq(cpus_allowed(&now, &err), 0);
		ck_assert_uint_eq(now.n, 1);
		ck_assert_int_eq(now.cpu[0], before.cpu[i]);
	}
	ck_assert_int_eq(cpus_unpin(&before, &err), 0);
	ck_assert_int_eq(cpus_allowed(&now, &err), 0);
	ck_assert_uint_eq(now.n, before.n);
	ck_assert_mem_eq(now.cpu, before.cpu, before.n * sizeof(before.cpu[0]));
}
END_TEST

START_TEST(pin_refuses)
{
	static const int none[] = { -1, CPUS_MAX, CPUS_MAX - 1 };
	struct cpus before, now, empty = { .n = 0 };
	struct cpus one_too_many = { .n = 2 };
	struct err err;

	ck_assert_int_eq(cpus_allowed(&before, &err), 0);
	if (before.cpu[before.n - 1] == CPUS_MAX - 1)
		return; /* a machine so large that the last one exists */
	ck_assert_int_eq(cpus_pin(none[_i], &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "EINVAL"));
	ck_assert_int_eq(cpus_unpin(&empty, &err), -EINVAL);
	one_too_many.cpu[0] = before.cpu[0];
	one_too_many.cpu[1] = none[0];
	ck_assert_int_eq(cpus_unpin(&one_too_many, &err), -EINVAL);
	ck_assert_int_eq(cpus_allowed(&now, &err), 0);
	ck_assert_uint_eq(now.n, before.n);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("cpus");
	TCase *lists = tcase_create("lists");
	TCase *affinity = tcase_create("affinity");

	tcase_add_loop_test(lists, parse_good, 0, (int)(sizeof(good) / sizeof(good[0])));
	tcase_add_loop_test(lists, parse_bad, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(lists, parse_allowed);
	tcase_add_test(lists, parse_all);
	tcase_add_test(lists, format_small);
	tcase_add_test(affinity, allowed_as_in_proc);
	tcase_add_test(affinity, pin_and_unpin);
	tcase_add_loop_test(affinity, pin_refuses, 0, 3);
	suite_add_tcase(s, lists);
	suite_add_tcase(s, affinity);
	return s;
}
