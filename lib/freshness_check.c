// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "freshness.h"

Suite *suite(void);

/* Five regions of 0x100 bytes from 0x1000 on. */
static const struct code_regions five = { .begin = 0x1000, .size = 0x100, .n = 5 };

#define IN(region) (0x1000 + 0x100ULL * (region) + 0x10)
#define OUT 0x9000ULL
#define BRANCH(f, t) ((struct perf_branch_entry){ .from = (f), .to = (t) })

static enum freshness judge1(uint64_t ip, uint64_t from, uint64_t to)
{
	const struct perf_branch_entry branch = BRANCH(from, to);

	return freshness_judge(&five, ip, &branch, 1);
}

START_TEST(regions_by_address)
{
	ck_assert_int_eq(freshness_region(&five, 0x0fff), -1);
	ck_assert_int_eq(freshness_region(&five, 0x1000), 0);
	ck_assert_int_eq(freshness_region(&five, 0x10ff), 0);
	ck_assert_int_eq(freshness_region(&five, 0x1100), 1);
	ck_assert_int_eq(freshness_region(&five, 0x14ff), 4);
	ck_assert_int_eq(freshness_region(&five, 0x1500), -1);
	ck_assert_int_eq(freshness_region(&five, UINT64_MAX), -1);
	ck_assert_int_eq(freshness_region(&five, 0), -1);
}
END_TEST

/* Every pair of regions: only the sample's own and the one before are fresh. */
START_TEST(own_and_predecessor)
{
	for (int here = 0; here < 5; here++)
		for (int branch = 0; branch < 5; branch++) {
			bool fresh = branch == here || branch == (here + 4) % 5;

			ck_assert_int_eq(judge1(IN(here), IN(branch), IN(branch)),
					 fresh ? FRESHNESS_FRESH : FRESHNESS_STALE);
		}
}
END_TEST

/* Into a region: of that one. Out of one: of that one. From one into another: of where it led. */
START_TEST(region_of_a_branch)
{
	ck_assert_int_eq(judge1(IN(2), OUT, IN(2)), FRESHNESS_FRESH);
	ck_assert_int_eq(judge1(IN(2), IN(1), OUT), FRESHNESS_FRESH);
	ck_assert_int_eq(judge1(IN(2), OUT, IN(3)), FRESHNESS_STALE);
	ck_assert_int_eq(judge1(IN(2), IN(4), IN(2)), FRESHNESS_FRESH);
	ck_assert_int_eq(judge1(IN(2), IN(2), IN(4)), FRESHNESS_STALE);
}
END_TEST

START_TEST(elsewhere_and_empty)
{
	ck_assert_int_eq(judge1(OUT, IN(2), IN(2)), FRESHNESS_ELSEWHERE);
	ck_assert_int_eq(freshness_judge(&five, OUT, NULL, 0), FRESHNESS_ELSEWHERE);
	ck_assert_int_eq(freshness_judge(&five, IN(0), NULL, 0), FRESHNESS_EMPTY);
	/* Branches, but of nowhere that we know: from before the first visit. */
	ck_assert_int_eq(judge1(IN(0), OUT, OUT), FRESHNESS_STALE);
}
END_TEST

/* Only the newest in a region counts, whatever is between and behind it. */
START_TEST(newest_decides)
{
	struct perf_branch_entry stack[] = {
		BRANCH(OUT, OUT),
		BRANCH(OUT, OUT + 8),
		BRANCH(IN(3), IN(3)),
		BRANCH(IN(0), IN(0)),
	};

	ck_assert_int_eq(freshness_judge(&five, IN(3), stack, 4), FRESHNESS_FRESH);
	ck_assert_int_eq(freshness_judge(&five, IN(0), stack, 4), FRESHNESS_STALE);
	/* The mutation that hides it. */
	stack[2] = BRANCH(OUT, OUT);
	ck_assert_int_eq(freshness_judge(&five, IN(3), stack, 4), FRESHNESS_STALE);
	ck_assert_int_eq(freshness_judge(&five, IN(0), stack, 4), FRESHNESS_FRESH);
}
END_TEST

static void take(struct freshness_tally *tally, uint64_t ip, const struct perf_branch_entry *branch,
		 uint64_t nr)
{
	const struct ring_sample sample = { .ip = ip, .branches = branch, .branch_nr = nr };

	freshness_take(tally, &sample);
}

/* A walk through all regions, twice: fresh, and each noticed when paired but the neighbours. */
START_TEST(tally_of_a_sound_walk)
{
	struct freshness_tally tally = { .regions = &five };

	/* Two on each time: 0 2 4 1 3 0 ... */
	for (uint64_t i = 0; i < 10; i++) {
		const struct perf_branch_entry branch = BRANCH(OUT + i, IN(i * 2 % 5));

		take(&tally, IN(i * 2 % 5), &branch, 1);
	}
	ck_assert_uint_eq(tally.judged, 10);
	ck_assert_uint_eq(tally.stale + tally.empty + tally.repeated + tally.elsewhere, 0);
	ck_assert_uint_eq(tally.paired, 9);
	ck_assert_uint_eq(tally.noticed, 9);
}
END_TEST

/* A walk of one region at a time has no power: each stack fits the next sample. */
START_TEST(tally_without_power)
{
	struct freshness_tally tally = { .regions = &five };

	for (uint64_t i = 0; i < 10; i++) {
		const struct perf_branch_entry branch = BRANCH(OUT, IN(i % 5));

		take(&tally, IN(i % 5), &branch, 1);
	}
	ck_assert_uint_eq(tally.paired, 9);
	ck_assert_uint_eq(tally.noticed, 0);
}
END_TEST

/* Records that stay frozen: the walk goes on, the stack does not. */
START_TEST(tally_of_frozen_records)
{
	const struct perf_branch_entry frozen = BRANCH(OUT, IN(0));
	struct freshness_tally tally = { .regions = &five };

	for (uint64_t i = 0; i < 10; i++)
		take(&tally, IN(i * 2 % 5), &frozen, 1);
	ck_assert_uint_eq(tally.judged, 10);
	ck_assert_uint_eq(tally.stale, 6); /* regions 2, 3 and 4, twice each */
	ck_assert_uint_eq(tally.noticed, 6);
}
END_TEST

START_TEST(tally_drops_repetitions)
{
	struct perf_branch_entry stack[2] = { BRANCH(OUT, IN(3)), BRANCH(IN(2), OUT) };
	struct freshness_tally tally = { .regions = &five };

	take(&tally, IN(0), stack, 2);
	take(&tally, IN(0), stack, 2);
	ck_assert_uint_eq(tally.judged, 1);
	ck_assert_uint_eq(tally.repeated, 1);
	/* Another address, another length, another branch: each is news. */
	take(&tally, IN(0) + 1, stack, 2);
	take(&tally, IN(0) + 1, stack, 1);
	stack[0].from++;
	take(&tally, IN(0) + 1, stack, 1);
	ck_assert_uint_eq(tally.judged, 4);
	ck_assert_uint_eq(tally.stale, 4);
	ck_assert_uint_eq(tally.repeated, 1);
}
END_TEST

/* An empty stack is never a repetition, counts as a hit, and is no stack to pair the next with. */
START_TEST(tally_of_empty_stacks)
{
	const struct perf_branch_entry branch = BRANCH(OUT, IN(0));
	struct freshness_tally tally = { .regions = &five };

	take(&tally, IN(0), NULL, 0);
	take(&tally, IN(0), NULL, 0);
	ck_assert_uint_eq(tally.judged, 2);
	ck_assert_uint_eq(tally.empty, 2);
	ck_assert_uint_eq(tally.stale, 0);
	take(&tally, IN(0), &branch, 1);
	ck_assert_uint_eq(tally.paired, 0);
	take(&tally, OUT, &branch, 1);
	ck_assert_uint_eq(tally.paired, 0);
	ck_assert_uint_eq(tally.elsewhere, 1);
}
END_TEST

START_TEST(tally_of_deep_stacks)
{
	struct perf_branch_entry stack[FRESHNESS_DEPTH + 8];
	struct freshness_tally tally = { .regions = &five };

	for (size_t i = 0; i < FRESHNESS_DEPTH + 8; i++)
		stack[i] = BRANCH(OUT, IN(1));
	take(&tally, IN(1), stack, FRESHNESS_DEPTH + 8);
	ck_assert_uint_eq(tally.last_nr, FRESHNESS_DEPTH);
	take(&tally, IN(1), stack, FRESHNESS_DEPTH + 8);
	ck_assert_uint_eq(tally.repeated, 1);
	ck_assert_uint_eq(tally.stale, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("freshness");
	TCase *judge = tcase_create("judge");
	TCase *tally = tcase_create("tally");

	tcase_add_test(judge, regions_by_address);
	tcase_add_test(judge, own_and_predecessor);
	tcase_add_test(judge, region_of_a_branch);
	tcase_add_test(judge, elsewhere_and_empty);
	tcase_add_test(judge, newest_decides);
	tcase_add_test(tally, tally_of_a_sound_walk);
	tcase_add_test(tally, tally_without_power);
	tcase_add_test(tally, tally_of_frozen_records);
	tcase_add_test(tally, tally_drops_repetitions);
	tcase_add_test(tally, tally_of_empty_stacks);
	tcase_add_test(tally, tally_of_deep_stacks);
	suite_add_tcase(s, judge);
	suite_add_tcase(s, tally);
	return s;
}
