// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the inventory that need no machine: lists of CPUs, and what CPUID says. */
#include "machine_parts.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

Suite *suite(void);

START_TEST(cpu_lists_are_counted)
{
	static const struct {
		const char *text;
		long count;
	} lists[] = {
		{ "0", 1 },
		{ "0-3", 4 },
		{ "0,2-3,8", 4 },
		{ "0-4095", 4096 },
		{ "", -EINVAL },
		{ "0-", -EINVAL },
		{ "3-1", -EINVAL },
		{ "1,1", -EINVAL },
		{ "2,1", -EINVAL },
		{ "0,", -EINVAL },
		{ ",0", -EINVAL },
		{ "a", -EINVAL },
		{ "-1", -EINVAL },
		{ "0-3:2", -EINVAL },
		{ "0 1", -EINVAL },
		{ "0--1", -EINVAL },
		{ "99999999999999999999", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		ck_assert_msg(machine_cpu_list_count(lists[i].text) == lists[i].count, "%s",
			      lists[i].text);
}
END_TEST

START_TEST(cpu_lists_are_written)
{
	struct machine_cpu_list list = { 0 };
	static const long cpus[] = { 0, 2, 3, 4, 8, 9, 4095 };

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		ck_assert(machine_cpu_list_add(&list, cpus[i]));
	ck_assert_str_eq(list.text, "0,2-4,8-9,4095");
	ck_assert_uint_eq(list.count, 7);
	machine_cpu_list_free(&list);
}
END_TEST

/* A CPU's CPUID leaves. Ends with an all-zero row. */
struct leaf {
	uint32_t leaf;
	struct machine_cpuid regs;
};

static struct machine_cpuid read_table(uint32_t leaf, uint32_t subleaf, const void *context)
{
	ck_assert_uint_eq(subleaf, 0);
	for (const struct leaf *row = context; row->leaf || row->regs.ebx; row++)
		if (row->leaf == leaf)
			return row->regs;
	ck_abort_msg("leaf %#x is above the maximum", leaf);
	return (struct machine_cpuid){ 0 };
}

/* "GenuineIntel" and "AuthenticAMD" as EBX, EDX, ECX of leaf 0. */
#define INTEL(max)                                              \
	{                                                       \
		0,                                              \
		{                                               \
			max, 0x756e6547, 0x6c65746e, 0x49656e69 \
		}                                               \
	}
#define AMD(max)                                                \
	{                                                       \
		0,                                              \
		{                                               \
			max, 0x68747541, 0x444d4163, 0x69746e65 \
		}                                               \
	}

/* Skylake-SP, as cpuid(1) prints it: version 4, 4 x 48 bit, 8 events, 3 fixed x 48 bit. */
static const struct leaf skylake[] = {
	INTEL(0x16),
	{ 7, { 0, 0, 0, 0xbc000400 } },
	{ 0xa, { 0x08300404, 0, 0, 0x603 } },
	{ 0 },
};

/* Alder Lake P-core: version 5, 8 counters, 4 fixed, topdown slots, hybrid. */
static const struct leaf alder_lake[] = {
	INTEL(0x20),
	{ 7, { 2, 0, 0, 0xfc18c410 } },
	{ 0xa, { 0x07300805, 0, 0xf, 0x8604 } },
	{ 0 },
};

/* A VM: the hypervisor hides the PMU. */
static const struct leaf hidden[] = { INTEL(0xd), { 7, { 0 } }, { 0xa, { 0 } }, { 0 } };

/* Before Core: no leaf 0xA at all. */
static const struct leaf old[] = { INTEL(2), { 0 } };

/* Zen 4: 6 core counters, 16-deep LBR, 16 DF and 12 UMC counters (EBX 0x30000 x 4 | 0x4106). */
static const struct leaf zen4[] = {
	AMD(0x10),
	{ 0x80000000, { 0x80000028, 0, 0, 0 } },
	{ 0x80000001, { 0, 0, 0x75c237ff, 0 } },
	{ 0x8000001b, { 0xbff, 0, 0, 0 } },
	{ 0x80000022, { 7, 12u << 16 | 16u << 10 | 16u << 4 | 6u, 0, 0 } },
	{ 0 },
};

/* K8: neither extended counters nor IBS. */
static const struct leaf k8[] = {
	AMD(1),
	{ 0x80000000, { 0x80000018, 0, 0, 0 } },
	{ 0x80000001, { 0, 0, 0, 0 } },
	{ 0 },
};

static const struct {
	const struct leaf *leaves;
	const char *json;
} cpuids[] = {
	{ skylake, "{\"perfmon\":{\"version\":4,\"gp_counters\":4,\"gp_width\":48,\"events\":8,"
		   "\"events_missing\":\"0x0\",\"fixed_counters\":3,\"fixed_width\":48},"
		   "\"hybrid\":false}" },
	{ alder_lake, "{\"perfmon\":{\"version\":5,\"gp_counters\":8,\"gp_width\":48,\"events\":7,"
		      "\"events_missing\":\"0x0\",\"fixed_counters\":4,\"fixed_width\":48,"
		      "\"fixed_mask\":\"0xf\"},\"hybrid\":true}" },
	{ hidden, "{\"perfmon\":{\"version\":0},\"hybrid\":false}" },
	{ old, "{}" },
	{ zen4, "{\"perfctr_core\":true,\"perfctr_nb\":true,\"ibs\":\"0xbff\",\"amd_perfmon\":{"
		"\"features\":\"0x7\",\"perfmon_v2\":true,\"lbr\":true,\"lbr_freeze\":true,"
		"\"core_counters\":6,\"lbr_depth\":16,\"df_counters\":16,\"umc_counters\":12}}" },
	{ k8, "{\"perfctr_core\":false,\"perfctr_nb\":false}" },
};

START_TEST(cpuid_pmu_leaves)
{
	struct machine m = { .root = "" };
	json_t *got = machine_cpuid_pmu(&m, read_table, cpuids[_i].leaves);
	json_t *want = json_loads(cpuids[_i].json, 0, NULL);
	char *text = json_dumps(got, 0);

	ck_assert_ptr_nonnull(want);
	ck_assert_msg(json_equal(got, want), "%s, not %s", text, cpuids[_i].json);
	free(text);
	json_decref(want);
	json_decref(got);
}
END_TEST

START_TEST(cpuid_hypervisor_leaf)
{
	/* "KVMKVMKVM\0\0\0" */
	static const struct leaf kvm[] = {
		{ 1, { 0, 0, 0x80000000, 0 } },
		{ 0x40000000, { 0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d } },
		{ 0 },
	};
	/* The leaf must not be read without the flag: it then holds what the last leaf does. */
	static const struct leaf bare[] = { { 1, { 0, 0, 0x7fffffff, 0 } }, { 0 } };
	struct machine m = { .root = "" };
	json_t *got = machine_cpuid_hypervisor(&m, read_table, kvm);

	ck_assert(json_is_true(json_object_get(got, "present")));
	ck_assert_str_eq(json_string_value(json_object_get(got, "signature")), "KVMKVMKVM");
	ck_assert_str_eq(json_string_value(json_object_get(got, "type")), "kvm");
	json_decref(got);
	got = machine_cpuid_hypervisor(&m, read_table, bare);
	ck_assert(json_is_false(json_object_get(got, "present")));
	ck_assert_uint_eq(json_object_size(got), 1);
	json_decref(got);
}
END_TEST

/* 0x33c5: LBR format 5, PEBS trap, PEBS format 3, SMM freeze, full-width writes (Skylake). */
START_TEST(perf_capabilities_msr)
{
	struct machine m = { .root = "" };
	json_t *got = machine_perf_capabilities(&m, 0x33c5);
	json_t *want = json_loads("{\"raw\":\"0x33c5\",\"lbr_format\":5,\"pebs_trap\":true,"
				  "\"pebs_format\":3,\"smm_freeze\":true,\"full_width_write\":true,"
				  "\"pebs_baseline\":false}",
				  0, NULL);

	ck_assert(json_equal(got, want));
	json_decref(want);
	json_decref(got);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("machine_parts");
	TCase *parts = tcase_create("parts");

	tcase_add_test(parts, cpu_lists_are_counted);
	tcase_add_test(parts, cpu_lists_are_written);
	tcase_add_loop_test(parts, cpuid_pmu_leaves, 0, (int)(sizeof(cpuids) / sizeof(cpuids[0])));
	tcase_add_test(parts, cpuid_hypervisor_leaf);
	tcase_add_test(parts, perf_capabilities_msr);
	suite_add_tcase(s, parts);
	return s;
}
