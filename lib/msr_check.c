// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "msr.h"

Suite *suite(void);

/* Numbers and names as in Linux' msr-index.h (MSR_LBR_NHM_FROM + 31, MSR_F15H_PERF_CTR5, ...). */
static const struct {
	uint32_t msr;
	enum msr_kind kind;
	const char *name;
} known[] = {
	{ 0x38f, MSR_GLOBAL_CTRL, "GLOBAL_CTRL" },
	{ 0x38e, MSR_GLOBAL_STATUS, "GLOBAL_STATUS" },
	{ 0x390, MSR_GLOBAL_ACK, "GLOBAL_STATUS_RESET" },
	{ 0x3f1, MSR_PEBS_ENABLE, "PEBS_ENABLE" },
	{ 0x600, MSR_DS_AREA, "DS_AREA" },
	{ 0x1d9, MSR_DEBUGCTL, "DEBUGCTL" },
	{ 0x0c1, MSR_COUNTER, "PMC_0" },
	{ 0x4c8, MSR_COUNTER, "A_PMC_7" },
	{ 0x30a, MSR_COUNTER, "FIXED_CTR_1" },
	{ 0x186, MSR_SELECT, "PERFEVTSEL_0" },
	{ 0x1a7, MSR_SELECT, "OFFCORE_RSP_1" },
	{ 0x680, MSR_LBR_FROM, "LBR_FROM_0" },
	{ 0x69f, MSR_LBR_FROM, "LBR_FROM_31" },
	{ 0x6df, MSR_LBR_TO, "LBR_TO_31" },
	{ 0xddf, MSR_LBR_INFO, "LBR_INFO_31" },
	{ 0x1c9, MSR_LBR_TOS, "LBR_TOS" },
	{ 0x1c8, MSR_LBR_SELECT, "LBR_SELECT" },
	{ 0x14cf, MSR_LBR_DEPTH, "ALBR_DEPTH" },
	{ 0x834, MSR_LVTPC, "X2APIC_LVTPC" },
	{ 0xc001020b, MSR_COUNTER, "AMD_PERF_CTR_5" },
	{ 0xc001020a, MSR_SELECT, "AMD_PERF_CTL_5" },
	{ 0xc0010303, MSR_LBR_TO, "AMD_LBR_TO_1" },
	/* Neighbours of ranges, and what has nothing to do with the PMU. */
	{ 0x6a0, MSR_OTHER, "0x6a0" },
	{ 0x048, MSR_OTHER, "0x48" },
	{ 0x391, MSR_OTHER, "0x391" },
	{ 0xc001020c, MSR_OTHER, "0xc001020c" },
	{ 0x6e0, MSR_OTHER, "0x6e0" },
	{ 0x830, MSR_OTHER, "0x830" },
};

START_TEST(kinds_and_names)
{
	char text[64];

	ck_assert_int_eq(msr_kind(known[_i].msr), known[_i].kind);
	ck_assert_str_eq(msr_name(known[_i].msr, text, sizeof(text)), known[_i].name);
}
END_TEST

/* A register in two ranges would have the kind of whichever comes first. */
START_TEST(ranges_are_disjoint)
{
	for (const struct msr_range *a = msr_ranges; a->name; a++)
		for (uint32_t i = 0; i < a->count; i++)
			for (const struct msr_range *b = a + 1; b->name; b++)
				for (uint32_t j = 0; j < b->count; j++)
					ck_assert_uint_ne(a->first + i * a->stride,
							  b->first + j * b->stride);
}
END_TEST

START_TEST(filters)
{
	char text[64];

	ck_assert_int_eq(msr_filter(MSR_BIT(MSR_DS_AREA), text, sizeof(text)), 26);
	ck_assert_str_eq(text, "(msr>=0x600 && msr<=0x600)");
}
END_TEST

START_TEST(filter_joins_ranges)
{
	char text[128];

	ck_assert_int_gt(msr_filter(MSR_BIT(MSR_GLOBAL_STATUS), text, sizeof(text)), 0);
	ck_assert_str_eq(text, "(msr>=0x38e && msr<=0x38e) || "
			       "(msr>=0xc0000300 && msr<=0xc0000300)");
	/* The last of six registers two apart. */
	ck_assert_int_gt(msr_filter(MSR_BIT(MSR_OTHER), text, sizeof(text)), -1);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(filter_that_does_not_fit)
{
	char text[40];
	char whole[4096];

	ck_assert_int_eq(msr_filter(MSR_PMU, text, sizeof(text)), -ENOSPC);
	/* The kernel takes filters of up to a page. */
	ck_assert_int_gt(msr_filter(MSR_PMU, whole, sizeof(whole)), 0);
	ck_assert_ptr_nonnull(strstr(whole, "(msr>=0xc0010200 && msr<=0xc001020a)"));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("msr");
	TCase *tcase = tcase_create("msr");

	tcase_add_loop_test(tcase, kinds_and_names, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_test(tcase, ranges_are_disjoint);
	tcase_add_test(tcase, filters);
	tcase_add_test(tcase, filter_joins_ranges);
	tcase_add_test(tcase, filter_that_does_not_fit);
	suite_add_tcase(s, tcase);
	return s;
}
