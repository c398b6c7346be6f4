// SPDX-License-Identifier: GPL-2.0-or-later
#include "precise.h"

#include <check.h>
#include <math.h>

Suite *suite(void);

#define BEGIN 0x400000

/* Instructions of 3, 1, 4 and 5 bytes; the first is not of the block; the second does not count. */
static const uint32_t starts[] = { 0, 3, 4, 8, 13 };
/* Before those of the four, what would be taken for them if an index below 0 were used. */
static const uint32_t afters[] = { 0, 0, 1, 1, 2, 0 };
static const struct counted_code code = {
	.layout = { BEGIN, starts, 4 },
	.after = afters + 2,
	.per_round = 3,
	.first = 1,
};

static const struct {
	uint64_t address;
	long found;
} addresses[] = {
	{ BEGIN, 0 },
	{ BEGIN + 1, CODE_ASTRAY },
	{ BEGIN + 3, 1 },
	{ BEGIN + 4, 2 },
	{ BEGIN + 7, CODE_ASTRAY },
	{ BEGIN + 8, 3 },
	{ BEGIN + 12, CODE_ASTRAY },
	{ BEGIN + 13, CODE_OUTSIDE },
	{ BEGIN - 1, CODE_OUTSIDE },
	{ 0, CODE_OUTSIDE },
	{ UINT64_MAX, CODE_OUTSIDE },
	{ BEGIN + (1ULL << 32) + 3, CODE_OUTSIDE }, /* equal in its lower half */
};

#define N_ADDRESSES ((int)(sizeof(addresses) / sizeof(addresses[0])))

START_TEST(instruction_of_an_address)
{
	ck_assert_int_eq(code_find(&code.layout, addresses[_i].address), addresses[_i].found);
}
END_TEST

START_TEST(least_to_mean)
{
	static const uint64_t even[] = { 7, 7, 7 }, hole[] = { 0, 5, 7 }, half[] = { 1, 3, 2 },
			      none[] = { 0, 0, 0 };

	ck_assert_double_eq(histogram_least_to_mean(even, 3), 1);
	ck_assert_double_eq(histogram_least_to_mean(hole, 3), 0);
	ck_assert_double_eq(histogram_least_to_mean(half, 3), 0.5);
	ck_assert(isnan(histogram_least_to_mean(none, 3)));
	ck_assert(isnan(histogram_least_to_mean(even, 0)));
}
END_TEST

/* The two listings of the patch that proposed PREC_DIST for cycles:pp, in hundredths of a percent:
 * the ten sqrtps, without the jump. */
START_TEST(least_to_mean_of_the_listings)
{
	static const uint64_t uops[] = { 14, 913, 1158, 1151, 627, 1038, 1220, 1274, 540, 1014 };
	static const uint64_t prec_dist[] = { 951,  1174, 1184, 605,  1046,
					      1225, 1218, 526,	1013, 1043 };

	/* 14 / 894.9 and 526 / 998.5, by hand */
	ck_assert_double_eq_tol(histogram_least_to_mean(uops, 10), 0.01564, 0.00001);
	ck_assert_double_eq_tol(histogram_least_to_mean(prec_dist, 10), 0.52679, 0.00001);
}
END_TEST

START_TEST(distance)
{
	static const uint64_t a[] = { 1, 1, 0, 0 }, twice[] = { 20, 20, 0, 0 },
			      apart[] = { 0, 0, 3, 1 }, quarter[] = { 1, 2, 1, 0 },
			      none[] = { 0, 0, 0, 0 };

	ck_assert_double_eq(histogram_distance(a, twice, 4), 0);
	ck_assert_double_eq(histogram_distance(a, apart, 4), 1);
	ck_assert_double_eq(histogram_distance(a, quarter, 4), 0.25);
	ck_assert_double_eq(histogram_distance(quarter, a, 4), 0.25);
	ck_assert(isnan(histogram_distance(a, none, 4)));
	ck_assert(isnan(histogram_distance(none, a, 4)));
}
END_TEST

/* A sound record of each instruction: round 10, the counter as it is when it has ended. */
static const struct record {
	uint64_t ip, counter;
} sound[] = {
	{ BEGIN, 31 },
	{ BEGIN + 3, 34 },
	{ BEGIN + 4, 38 },
	{ BEGIN + 8, 42 },
};

START_TEST(sound_records)
{
	struct exactness exactness = { 0 };

	for (size_t i = 0; i < 4; i++)
		exactness_add(&exactness, &code, sound[i].ip, true, sound[i].counter);
	exactness_add(&exactness, &code, BEGIN + 100, true, 7); /* elsewhere */
	ck_assert_uint_eq(exactness.seen, 4);
	ck_assert_uint_eq(exactness.inside, 3);
	ck_assert_uint_eq(exactness.exact, 3);
	ck_assert_uint_eq(exactness.named, 4);
	ck_assert_uint_eq(exactness.fits, 4);
	ck_assert_uint_eq(exactness.repeated, 0);
}
END_TEST

/* The address of the next instruction, as the PEBS record of the first formats has it. */
START_TEST(off_by_one_is_noticed)
{
	struct exactness exactness = { 0 };

	exactness_add(&exactness, &code, BEGIN + 4, true, 34);
	exactness_add(&exactness, &code, BEGIN + 8, true, 38);
	exactness_add(&exactness, &code, BEGIN, true, 42);
	ck_assert_uint_eq(exactness.named, 3);
	ck_assert_uint_eq(exactness.fits, 0);
}
END_TEST

/* Which the kernel rightly does not call exact. */
START_TEST(off_by_one_that_is_said)
{
	struct exactness exactness = { 0 };

	exactness_add(&exactness, &code, BEGIN + 4, false, 34);
	exactness_add(&exactness, &code, BEGIN + 8, false, 38);
	ck_assert_uint_eq(exactness.inside, 2);
	ck_assert_uint_eq(exactness.exact, 0);
	ck_assert_uint_eq(exactness.named, 0);
	ck_assert_uint_eq(exactness.fits, 0);
}
END_TEST

START_TEST(no_instruction_is_noticed)
{
	struct exactness exactness = { 0 };

	exactness_add(&exactness, &code, BEGIN + 9, true, 42);
	ck_assert_uint_eq(exactness.exact, 1);
	ck_assert_uint_eq(exactness.fits, 0);
}
END_TEST

START_TEST(repeated_record_is_noticed)
{
	struct exactness exactness = { 0 };

	for (size_t i = 0; i < 4; i++)
		exactness_add(&exactness, &code, sound[i].ip, true, sound[i].counter);
	exactness_add(&exactness, &code, sound[3].ip, true, sound[3].counter);
	ck_assert_uint_eq(exactness.repeated, 1);
	exactness_add(&exactness, &code, sound[0].ip, true, sound[0].counter);
	ck_assert_uint_eq(exactness.repeated, 2);
	exactness_add(&exactness, &code, sound[1].ip, true, 94);
	ck_assert_uint_eq(exactness.repeated, 2);
}
END_TEST

/* The counter may begin at 0. */
START_TEST(first_record_is_new)
{
	struct exactness exactness = { 0 };

	exactness_add(&exactness, &code, BEGIN + 8, true, 0);
	ck_assert_uint_eq(exactness.repeated, 0);
	exactness_add(&exactness, &code, BEGIN + 8, true, 0);
	ck_assert_uint_eq(exactness.repeated, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("precise");
	TCase *tcase = tcase_create("precise");

	tcase_add_loop_test(tcase, instruction_of_an_address, 0, N_ADDRESSES);
	tcase_add_test(tcase, least_to_mean);
	tcase_add_test(tcase, least_to_mean_of_the_listings);
	tcase_add_test(tcase, distance);
	tcase_add_test(tcase, sound_records);
	tcase_add_test(tcase, off_by_one_is_noticed);
	tcase_add_test(tcase, off_by_one_that_is_said);
	tcase_add_test(tcase, no_instruction_is_noticed);
	tcase_add_test(tcase, repeated_record_is_noticed);
	tcase_add_test(tcase, first_record_is_new);
	suite_add_tcase(s, tcase);
	return s;
}
