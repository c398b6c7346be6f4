// SPDX-License-Identifier: GPL-2.0-or-later
#include "branch_leak.h"

#include <check.h>
#include <string.h>

Suite *suite(void);

enum { OBSERVER = 7, VICTIM = 8 };

/* A watch over made-up addresses. */
static struct leak_watch watch_at(void)
{
	return (struct leak_watch){
		.observer = OBSERVER,
		.victim = { 0x1000, 0x1020 },
		.own = { 0x2000, 0x2020 },
		.sled = { 0x3000, 0x3190 },
	};
}

/* A branch inside the observer's region, and one between places of no interest. */
#define OWN                    \
	{                      \
		0x2005, 0x200a \
	}
#define ELSEWHERE              \
	{                      \
		0x5000, 0x6000 \
	}

static const struct {
	const char *what;
	uint32_t tid;
	uint64_t ip;
	uint64_t nr;
	struct {
		uint64_t from, to;
	} branch[3];
	bool sled, own, leaky, seen;
} rows[] = {
	{ "empty stack", OBSERVER, 0x3000, 0, { { 0 } }, true, false, false, false },
	{ "own branches", OBSERVER, 0x2008, 2, { OWN, OWN }, false, true, false, false },
	{ "own, in the sled", OBSERVER, 0x318f, 2, { ELSEWHERE, OWN }, true, true, false, false },
	{ "behind the sled", OBSERVER, 0x3190, 1, { ELSEWHERE }, false, false, false, false },
	{ "before the sled", OBSERVER, 0x2fff, 1, { ELSEWHERE }, false, false, false, false },
	{ "inside", OBSERVER, 0x3001, 1, { { 0x1000, 0x101f } }, true, false, true, false },
	{ "from", OBSERVER, 0x3001, 1, { { 0x101f, 0x5000 } }, true, false, true, false },
	{ "to", OBSERVER, 0x3001, 1, { { 0x5000, 0x1000 } }, true, false, true, false },
	{ "oldest entry",
	  OBSERVER,
	  0x4000,
	  3,
	  { OWN, OWN, { 0x1005, 0x100a } },
	  false,
	  true,
	  true,
	  false },
	{ "next to it",
	  OBSERVER,
	  0x3001,
	  2,
	  { { 0xfff, 0x1020 }, { 0x1020, 0xfff } },
	  true,
	  false,
	  false,
	  false },
	{ "entries beyond the stack",
	  OBSERVER,
	  0x3001,
	  1,
	  { OWN, { 0x1005, 0x100a } },
	  true,
	  true,
	  false,
	  false },
	{ "the victim's own",
	  VICTIM,
	  0x1008,
	  1,
	  { { 0x1005, 0x100a } },
	  false,
	  false,
	  false,
	  true },
	{ "a victim elsewhere", VICTIM, 0x3001, 1, { ELSEWHERE }, false, false, false, false },
	{ "the observer's with the victim",
	  VICTIM,
	  0x3001,
	  1,
	  { OWN },
	  false,
	  false,
	  false,
	  false },
};

START_TEST(one_sample)
{
	struct leak_watch watch = watch_at();
	struct perf_branch_entry entries[3];
	struct ring_sample sample = { .tid = rows[_i].tid, .ip = rows[_i].ip };

	memset(entries, 0, sizeof(entries));
	for (int i = 0; i < 3; i++) {
		entries[i].from = rows[_i].branch[i].from;
		entries[i].to = rows[_i].branch[i].to;
	}
	sample.branches = entries;
	sample.branch_nr = rows[_i].nr;
	leak_watch_take(&watch, &sample);
	ck_assert_msg(watch.samples == (rows[_i].tid == OBSERVER), "%s", rows[_i].what);
	ck_assert_msg(watch.in_sled == rows[_i].sled, "%s", rows[_i].what);
	ck_assert_msg(watch.own_seen == rows[_i].own, "%s", rows[_i].what);
	ck_assert_msg(watch.leaky == rows[_i].leaky, "%s", rows[_i].what);
	ck_assert_msg(watch.leaky_in_sled == (rows[_i].leaky && rows[_i].sled), "%s",
		      rows[_i].what);
	ck_assert_msg(watch.victim_seen == rows[_i].seen, "%s", rows[_i].what);
}
END_TEST

/* A stack with several of the victim's branches is one leaky sample; samples add up. */
START_TEST(samples_add_up)
{
	const struct perf_branch_entry leak[2] = { { .from = 0x1001, .to = 0x1002 },
						   { .from = 0x1003, .to = 0x1004 } };
	const struct ring_sample sample = {
		.tid = OBSERVER, .ip = 0x3005, .branches = leak, .branch_nr = 2
	};
	struct leak_watch watch = watch_at();

	for (int i = 0; i < 3; i++)
		leak_watch_take(&watch, &sample);
	ck_assert_uint_eq(watch.samples, 3);
	ck_assert_uint_eq(watch.in_sled, 3);
	ck_assert_uint_eq(watch.leaky, 3);
}
END_TEST

START_TEST(power)
{
	struct leak_watch watch = { .in_sled = 2000 };

	ck_assert_double_eq(leak_watch_power(&watch, 500, 500), 2000);
	ck_assert_double_eq(leak_watch_power(&watch, 250, 500), 1000);
	ck_assert_double_eq(leak_watch_power(&watch, 0, 500), 0);
	ck_assert_double_eq(leak_watch_power(&watch, 0, 0), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("branch_leak");
	TCase *tcase = tcase_create("branch_leak");

	tcase_add_loop_test(tcase, one_sample, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, samples_add_up);
	tcase_add_test(tcase, power);
	suite_add_tcase(s, tcase);
	return s;
}
