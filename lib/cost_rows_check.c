// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "cost_rows.h"

Suite *suite(void);

/* What `perf record` asks for with each (tools/perf/builtin-record.c, util/evsel.c; Linux 6.1). */
static const struct {
	const char *row;
	unsigned int freq;
	uint64_t period;
	uint64_t sample_type; /* beside IP, TID and PERIOD, and the user registers of dwarf */
} expected[] = {
	{ "default", 1, 4000, 0 },
	{ "-c 100000", 0, 100000, 0 },
	{ "-g", 1, 4000, PERF_SAMPLE_CALLCHAIN },
	{ "-g -c 100000", 0, 100000, PERF_SAMPLE_CALLCHAIN },
	{ "--call-graph lbr", 1, 4000, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK },
	{ "--call-graph lbr -c 100000", 0, 100000,
	  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK },
	{ "--call-graph dwarf", 1, 4000, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER },
	{ "--call-graph dwarf -c 100000", 0, 100000,
	  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER },
};

#define N (sizeof(expected) / sizeof(expected[0]))

START_TEST(each_row_asks_for_what_it_says)
{
	const uint64_t always = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;

	for (size_t i = 0; i < N; i++) {
		struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, 0);

		ck_assert_str_eq(cost_options[i].row, expected[i].row);
		cost_options_apply(&attr, &cost_options[i]);
		ck_assert_uint_eq(attr.freq, expected[i].freq);
		ck_assert_uint_eq(attr.sample_period, expected[i].period);
		ck_assert_uint_eq(attr.sample_type & ~(uint64_t)PERF_SAMPLE_REGS_USER,
				  always | expected[i].sample_type);
	}
	ck_assert_ptr_null(cost_options[N].row);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("cost_rows");
	TCase *tests = tcase_create("cost_rows");

	tcase_add_test(tests, each_row_asks_for_what_it_says);
	suite_add_tcase(all, tests);
	return all;
}
