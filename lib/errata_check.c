// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <linux/perf_event.h>
#include <math.h>

#include "errata.h"

Suite *suite(void);

#define INSTRUCTIONS PERF_COUNT_HW_INSTRUCTIONS
#define BRANCHES PERF_COUNT_HW_BRANCH_INSTRUCTIONS

static const struct {
	const char *vendor;
	int family, model;
	uint64_t config;
	const char *id; /* NULL: exact, as far as its maker says */
} cpus[] = {
	{ "GenuineIntel", 6, 0x45, INSTRUCTIONS, "HSD140" },
	{ "GenuineIntel", 6, 0x45, BRANCHES, NULL },
	{ "GenuineIntel", 6, 0x5e, INSTRUCTIONS, "SKL091, SKL044" },
	{ "GenuineIntel", 6, 0x5e, BRANCHES, "SKL091" },
	{ "GenuineIntel", 6, 0x5e, PERF_COUNT_HW_CPU_CYCLES, NULL },
	{ "GenuineIntel", 6, 0x3a, INSTRUCTIONS, NULL }, /* Ivy Bridge */
	{ "GenuineIntel", 15, 0x3c, INSTRUCTIONS, NULL },
	{ "AuthenticAMD", 6, 0x3c, INSTRUCTIONS, NULL },
	{ "AuthenticAMD", 23, 0x31, INSTRUCTIONS, "1291" },
	{ "AuthenticAMD", 23, 0x71, INSTRUCTIONS, NULL },
};

START_TEST(rows)
{
	const struct erratum *found =
		errata_find(cpus[_i].vendor, cpus[_i].family, cpus[_i].model, cpus[_i].config);

	if (!cpus[_i].id) {
		ck_assert_ptr_null(found);
		return;
	}
	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found->id, cpus[_i].id);
	ck_assert(found->most >= 1);
	ck_assert_str_ne(found->source, "");
}
END_TEST

START_TEST(this_machine)
{
	const struct erratum *here = errata_here(INSTRUCTIONS);

	if (here)
		ck_assert_uint_eq(here->config, INSTRUCTIONS);
	ck_assert_ptr_null(errata_here(PERF_COUNT_HW_MAX));
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("errata");
	TCase *tests = tcase_create("errata");

	tcase_add_loop_test(tests, rows, 0, sizeof(cpus) / sizeof(cpus[0]));
	tcase_add_test(tests, this_machine);
	suite_add_tcase(all, tests);
	return all;
}
