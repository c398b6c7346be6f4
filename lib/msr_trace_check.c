// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdio.h>

#include "msr_trace.h"

Suite *suite(void);

#define CTRL 0x38f
#define STATUS 0x38e
#define ACK 0x390

/*
 * Two tasks' accesses and three NMIs: one that interrupted a task, one right after it that was not
 * the handler's, and one of which the first access was taken just before its computed start.
 */
static struct msr_access accesses[] = {
	{ 1000, 0x7, CTRL, MSR_WRITE },
	{ 1500, 0x3, 0x3f1, MSR_WRITE },
	/* Handler from 5000 to 6000. */
	{ 5100, 0, CTRL, MSR_WRITE },
	{ 5200, 1, STATUS, MSR_READ },
	{ 5300, 1, ACK, MSR_WRITE },
	{ 5400, 0x70000000f, CTRL, MSR_WRITE },
	{ 6000, 1000, 1, MSR_PMI },
	{ 6500, 300, 0, MSR_PMI },
	{ 8000, 5, CTRL, MSR_WRITE },
	/* From 9000 to 9500. */
	{ 8950, 4, STATUS, MSR_READ },
	{ 9100, 0, 0, MSR_RDPMC },
	{ 9500, 500, 1, MSR_PMI },
	{ 9600, 0, ACK, MSR_WRITE },
};

static const struct msr_log whole = {
	.access = accesses,
	.n = sizeof(accesses) / sizeof(accesses[0]),
};

START_TEST(each_handler_gets_its_accesses)
{
	struct msr_pmi_cursor cursor = { 0 };
	struct msr_pmi pmi;

	ck_assert(msr_pmi_next(&whole, &cursor, &pmi));
	ck_assert_ptr_eq(pmi.access, &accesses[2]);
	ck_assert_uint_eq(pmi.n, 4);
	ck_assert_uint_eq(pmi.handled, 1);
	/* The state before it, not the one it left. */
	ck_assert(pmi.ctrl_known && pmi.pebs_known);
	ck_assert_uint_eq(pmi.ctrl, 0x7);
	ck_assert_uint_eq(pmi.pebs, 0x3);

	ck_assert(msr_pmi_next(&whole, &cursor, &pmi));
	ck_assert_uint_eq(pmi.n, 0);
	ck_assert_uint_eq(pmi.handled, 0);
	ck_assert_uint_eq(pmi.ctrl, 0x70000000f);

	/* The write at 8000 is of what was interrupted; the read at 8950 is within the slack. */
	ck_assert(msr_pmi_next(&whole, &cursor, &pmi));
	ck_assert_ptr_eq(pmi.access, &accesses[9]);
	ck_assert_uint_eq(pmi.n, 2);
	ck_assert(pmi.ctrl_known);
	ck_assert_uint_eq(pmi.ctrl, 5);

	ck_assert(!msr_pmi_next(&whole, &cursor, &pmi));
}
END_TEST

/*
 * Handlers whose end was noted so late that their computed start is behind their accesses: what
 * they must have done tells where they began.
 */
START_TEST(start_that_is_too_late)
{
	static struct msr_access late[] = {
		/* A task programs a counter, and is interrupted before it enables it again. */
		{ 1000, 0, CTRL, MSR_WRITE },
		{ 1010, 9, 0x186, MSR_WRITE },
		{ 1500, 0x400, 0x834, MSR_WRITE },
		{ 1600, 0, CTRL, MSR_WRITE },
		{ 1700, 1, STATUS, MSR_READ },
		{ 1800, 1, ACK, MSR_WRITE },
		{ 1900, 0, STATUS, MSR_READ },
		{ 9000, 500, 1, MSR_PMI },
		{ 9100, 7, CTRL, MSR_WRITE },
		/* Frozen counters: nothing is disabled, and what the task enabled is the task's. */
		{ 9200, 1, STATUS, MSR_READ },
		{ 9300, 1, ACK, MSR_WRITE },
		{ 12000, 100, 1, MSR_PMI },
		/* No status at all: only the time tells. */
		{ 12100, 0, CTRL, MSR_WRITE },
		{ 12500, 7, CTRL, MSR_WRITE },
		{ 12700, 300, 1, MSR_PMI },
	};
	const struct msr_log log = { .access = late, .n = sizeof(late) / sizeof(late[0]) };
	struct msr_pmi_cursor cursor = { 0 };
	struct msr_pmi pmi;

	ck_assert(msr_pmi_next(&log, &cursor, &pmi));
	ck_assert_ptr_eq(pmi.access, &late[2]);
	ck_assert_uint_eq(pmi.n, 5);
	ck_assert(pmi.ctrl_known);
	ck_assert_uint_eq(pmi.ctrl, 0);

	ck_assert(msr_pmi_next(&log, &cursor, &pmi));
	ck_assert_ptr_eq(pmi.access, &late[9]);
	ck_assert_uint_eq(pmi.n, 2);
	ck_assert_uint_eq(pmi.ctrl, 7);

	ck_assert(msr_pmi_next(&log, &cursor, &pmi));
	ck_assert_ptr_eq(pmi.access, &late[13]);
	ck_assert_uint_eq(pmi.n, 1);
	ck_assert(!msr_pmi_next(&log, &cursor, &pmi));
}
END_TEST

START_TEST(state_is_unknown_at_first)
{
	const struct msr_log log = { .access = accesses + 2, .n = 5 };
	struct msr_pmi_cursor cursor = { 0 };
	struct msr_pmi pmi;

	ck_assert(msr_pmi_next(&log, &cursor, &pmi));
	ck_assert(!pmi.ctrl_known && !pmi.pebs_known);
	ck_assert_uint_eq(pmi.n, 4);
}
END_TEST

START_TEST(no_handler_at_all)
{
	const struct msr_log log = { .access = accesses, .n = 2 };
	const struct msr_log empty = { .n = 0 };
	struct msr_pmi_cursor cursor = { 0 };
	struct msr_pmi pmi;

	ck_assert(!msr_pmi_next(&log, &cursor, &pmi));
	ck_assert(!msr_pmi_next(&empty, &cursor, &pmi));
}
END_TEST

START_TEST(counts_of_accesses)
{
	static struct msr_access lbr[] = {
		{ 1, 0, 0x680, MSR_WRITE },
		{ 2, 0, 0x6c0, MSR_WRITE },
		{ 3, 0, 0x680, MSR_WRITE },
		{ 4, 0, 0x681, MSR_READ },
		{ 5, 0, 0x1c9, MSR_READ },
		/* A counter whose number is that of a register, and a handler that returned one. */
		{ 6, 0, 0x40, MSR_RDPMC },
		{ 7, 9, 0x41, MSR_PMI },
	};
	const struct msr_log log = { .access = lbr, .n = sizeof(lbr) / sizeof(lbr[0]) };

	ck_assert_uint_eq(msr_count(&log, MSR_WRITE, MSR_ENTRIES), 3);
	ck_assert_uint_eq(msr_count(&log, MSR_READ, MSR_ENTRIES), 1);
	ck_assert_uint_eq(msr_count(&log, MSR_READ, MSR_BRANCHES), 2);
	ck_assert_uint_eq(msr_count(&log, MSR_WRITE, MSR_BIT(MSR_LBR_TO)), 1);
	ck_assert_uint_eq(msr_registers(&log, MSR_ENTRIES), 3);
	ck_assert_uint_eq(msr_registers(&log, MSR_BIT(MSR_COUNTER)), 0);
}
END_TEST

/* Append accesses to `n` entries of 3 registers each (Skylake's). */
static void add_entries(struct msr_log *log, uint32_t n, enum msr_op op)
{
	static const uint32_t first[] = { 0x680, 0x6c0, 0xdc0 };

	for (uint32_t i = 0; i < n; i++)
		for (size_t j = 0; j < 3; j++)
			log->access[log->n++] =
				(struct msr_access){ .msr = first[j] + i, .op = op };
}

START_TEST(clearings)
{
	static struct msr_access space[1024];
	struct msr_log log = { .access = space };

	ck_assert_double_eq(msr_lbr_clearings(&log), 0);
	/* Read by a PMI, but never cleared. */
	add_entries(&log, 32, MSR_READ);
	ck_assert_double_eq(msr_lbr_clearings(&log), 0);
	add_entries(&log, 32, MSR_WRITE);
	add_entries(&log, 32, MSR_WRITE);
	ck_assert_double_eq(msr_lbr_clearings(&log), 2);
	/* Half of the entries are half a clearing. */
	add_entries(&log, 16, MSR_WRITE);
	ck_assert_double_eq(msr_lbr_clearings(&log), 2.5);
	/* What selects and enables them clears nothing. */
	space[log.n++] = (struct msr_access){ .msr = 0x1c8, .op = MSR_WRITE };
	space[log.n++] = (struct msr_access){ .msr = 0x1d9, .op = MSR_WRITE };
	ck_assert_double_eq(msr_lbr_clearings(&log), 2.5);
}
END_TEST

START_TEST(clearing_at_once)
{
	static struct msr_access depth[] = {
		{ 1, 32, 0x14cf, MSR_WRITE },
		{ 2, 0, 0x14cf, MSR_READ },
		{ 3, 0, 0x1500, MSR_READ },
		{ 4, 32, 0x14cf, MSR_WRITE },
	};
	const struct msr_log log = { .access = depth, .n = 4 };

	ck_assert_double_eq(msr_lbr_clearings(&log), 2);
}
END_TEST

/* Where there are tracepoints: a session opens, records and ends. */
START_TEST(session)
{
	const struct cpus cpus = { .n = 1, .cpu = { 0 } };
	struct msr_trace trace;
	struct err err;

	if (msr_trace_open(&trace, &cpus, MSR_PMU, true, 1000, &err)) {
		printf("skipped: %s\n", err.text);
		msr_trace_close(&trace);
		return;
	}
	ck_assert_msg(!msr_trace_start(&trace, &err), "%s", err.text);
	ck_assert_msg(!msr_trace_stop(&trace, &err), "%s", err.text);
	for (size_t i = 0; i < trace.log[0].n; i++)
		ck_assert_int_ne(trace.log[0].access[i].op == MSR_WRITE
					 ? (int)msr_kind(trace.log[0].access[i].msr)
					 : -1,
				 MSR_OTHER);
	msr_trace_close(&trace);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("msr_trace");
	TCase *tcase = tcase_create("msr_trace");

	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, each_handler_gets_its_accesses);
	tcase_add_test(tcase, start_that_is_too_late);
	tcase_add_test(tcase, state_is_unknown_at_first);
	tcase_add_test(tcase, no_handler_at_all);
	tcase_add_test(tcase, counts_of_accesses);
	tcase_add_test(tcase, clearings);
	tcase_add_test(tcase, clearing_at_once);
	tcase_add_test(tcase, session);
	suite_add_tcase(s, tcase);
	return s;
}
