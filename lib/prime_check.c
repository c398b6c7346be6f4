// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "prime.h"

Suite *suite(void);

static const struct {
	uint64_t least, prime;
} primes[] = {
	{ 0, 2 },
	{ 2, 2 },
	{ 3, 3 },
	{ 4, 5 },
	{ 8, 11 },
	{ 25, 29 },
	{ 20000, 20011 },
	{ 100000, 100003 },
	{ 90, 97 },
	{ 999984, 1000003 },
	{ 10000000000, 10000000019 },
};

START_TEST(known_primes)
{
	ck_assert_uint_eq(prime_from(primes[_i].least), primes[_i].prime);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("prime");
	TCase *tests = tcase_create("prime");

	tcase_add_loop_test(tests, known_primes, 0, sizeof(primes) / sizeof(primes[0]));
	suite_add_tcase(all, tests);
	return all;
}
