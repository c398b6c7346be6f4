// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interrupts.h"

Suite *suite(void);

/* x86, with CPU 1 offline; ERR and MIS are one number for the machine. */
static const char x86[] =
	"            CPU0       CPU2       CPU3       \n"
	"   0:         35          0          0   IO-APIC    2-edge      timer\n"
	"  24:          7          8          9   PCI-MSI 65536-edge      eth0, NMI\n"
	" NMI:         12         13 4294967295   Non-maskable interrupts\n"
	" PMI:          1          2          3   Performance monitoring interrupts\n"
	" ERR:          4\n";

/* arm64, a shared per-CPU interrupt; and one with an interrupt for each CPU's PMU. */
static const char arm_percpu[] = "           CPU0       CPU1       \n"
				 " 11:       1000       2000     GICv3  26 Level     arch_timer\n"
				 " 14:         41         43     GICv3  23 Level     arm-pmu\n"
				 "IPI0:        5          6       Rescheduling interrupts\n"
				 "Err:          0\n";

static const char arm_each[] = "           CPU0       CPU1       \n"
			       " 30:         17          0     GICv2  34 Level     arm-pmu\n"
			       " 31:          1         19     GICv2  35 Level     arm-pmu\n"
			       " 32:          0          0     GICv2  36 Level     not-arm-pmu\n";

/* s390 has labels of other forms, and rows that go on with brackets. */
static const char s390[] = "                    CPU0       CPU1       \n"
			   "EXT:                 10         11 \n"
			   "CLK:                  5          6   [EXT] Clock Comparator\n"
			   "CMC:                  7          8   [EXT] CPU-Measurement: Counter\n";

static const struct {
	const char *text, *row;
	int cpu, result;
	uint32_t count;
} rows[] = {
	{ x86, "NMI", 0, 0, 12 },
	{ x86, "NMI", 2, 0, 13 },
	{ x86, "NMI", 3, 0, 4294967295U },
	{ x86, "PMI", 3, 0, 3 },
	{ x86, "NMI", 1, -ENODEV, 0 },
	{ x86, "ERR", 0, 0, 4 },
	{ x86, "ERR", 2, -ENODEV, 0 },
	{ x86, "SPU", 0, -ENOENT, 0 },
	/* The device with that name at the end of its line is none of the rows "NMI". */
	{ x86, "timer", 0, 0, 35 },
	/* The last word of a row that has a label of its own is no name. */
	{ x86, "interrupts", 0, -ENOENT, 0 },
	{ arm_percpu, "arm-pmu", 1, 0, 43 },
	{ arm_each, "arm-pmu", 0, 0, 18 },
	{ arm_each, "arm-pmu", 1, 0, 19 },
	{ s390, "CMC", 1, 0, 8 },
	{ "", "NMI", 0, -EBADMSG, 0 },
	{ "\n NMI: 1\n", "NMI", 0, -EBADMSG, 0 },
	{ " NMI: 1 2\n", "NMI", 0, -EBADMSG, 0 },
	{ "  CPUs\n NMI: 1\n", "NMI", 0, -EBADMSG, 0 },
	{ "  CPU0x\n NMI: 1\n", "NMI", 0, -EBADMSG, 0 },
	{ "  CPU0\n NMI: 1", "NMI", 0, 0, 1 },
	{ "  CPU0\n NMI: 5\n 24: 7 PCI-MSI NMI\n", "NMI", 0, 0, 5 },
	{ "  CPU0\n NMI: -1\n", "NMI", 0, -ENODEV, 0 },
	{ "  CPU0\n NMI: 1x\n", "NMI", 0, -ENODEV, 0 },
	{ "  CPU0\n NMI:\n", "NMI", 0, -ENODEV, 0 },
	{ "  CPU0\n NMI 1\n:\n\n", "NMI", 0, -ENOENT, 0 },
	{ "  CPU0\n 7:\n 8: \n", "arm-pmu", 0, -ENOENT, 0 },
};

START_TEST(saved_text)
{
	FILE *file = fmemopen((char *)(uintptr_t)rows[_i].text, strlen(rows[_i].text) + 1, "r");
	uint32_t count = 77;
	struct err err;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(interrupts_parse(file, rows[_i].row, rows[_i].cpu, &count, &err),
			 rows[_i].result);
	ck_assert_uint_eq(count, rows[_i].result ? 77 : rows[_i].count);
	fclose(file);
}
END_TEST

/* 1024 CPUs: a line longer than any buffer one would think of. */
START_TEST(many_cpus)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	FILE *file;
	uint32_t count;
	struct err err;

	fputs("           ", out);
	for (int cpu = 0; cpu < 1024; cpu++)
		fprintf(out, "CPU%-8d", cpu);
	fputs("\n NMI:", out);
	for (int cpu = 0; cpu < 1024; cpu++)
		fprintf(out, " %10d", 3 * cpu);
	fputs("   Non-maskable interrupts\n", out);
	fclose(out);
	file = fmemopen(text, size, "r");
	ck_assert_int_eq(interrupts_parse(file, "NMI", 1023, &count, &err), 0);
	ck_assert_uint_eq(count, 3069);
	fclose(file);
	free(text);
}
END_TEST

START_TEST(wraps_around)
{
	ck_assert_uint_eq(interrupts_since(4294967290U, 4), 10);
	ck_assert_uint_eq(interrupts_since(4, 4), 0);
}
END_TEST

START_TEST(this_machine)
{
	uint32_t count;
	struct err err;
	int result = interrupts_read("no such row", 0, &count, &err);

	ck_assert_int_eq(result, -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/proc/interrupts"));
}
END_TEST

/* All CPUs at once are no less than one after the other before, and no more than after. */
START_TEST(total_of_this_machine)
{
	uint32_t total, before = 0, after = 0, one;
	struct cpus cpus;
	struct err err;

	ck_assert_int_eq(cpus_allowed(&cpus, &err), 0);
	for (size_t i = 0; i < cpus.n; i++) {
		ck_assert_msg(!interrupts_read("LOC", cpus.cpu[i], &one, &err), "%s", err.text);
		before += one;
	}
	ck_assert_msg(!interrupts_total("LOC", &cpus, &total, &err), "%s", err.text);
	for (size_t i = 0; i < cpus.n; i++) {
		ck_assert_msg(!interrupts_read("LOC", cpus.cpu[i], &one, &err), "%s", err.text);
		after += one;
	}
	ck_assert_uint_le(interrupts_since(before, total), interrupts_since(before, after));
	ck_assert_int_eq(interrupts_total("NOSUCH", &cpus, &total, &err), -ENOENT);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("interrupts");
	TCase *tests = tcase_create("interrupts");

	tcase_add_loop_test(tests, saved_text, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tests, many_cpus);
	tcase_add_test(tests, wraps_around);
	tcase_add_test(tests, this_machine);
	tcase_add_test(tests, total_of_this_machine);
	suite_add_tcase(all, tests);
	return all;
}
