// SPDX-License-Identifier: GPL-2.0-or-later
#include "execution.h"

#include <check.h>

Suite *suite(void);

/* State letters of proc(5), and whether that is the end so long after SIGKILL. */
static const struct {
	char state;
	int64_t ms;
	bool stuck;
} states[] = {
	{ 'D', 0, false },     { 'D', 9000, false },  { 'D', 11000, true }, { 'S', 11000, true },
	{ 'R', 11000, false }, { 'R', 50000, false }, { 'R', 61000, true }, { 'Z', 0, false },
	{ 'Z', 50000, false }, { 'Z', 61000, true },  { 0, 50000, false },
};

START_TEST(gives_up_on_what_hangs)
{
	ck_assert_int_eq(execution_is_stuck(states[_i].state, states[_i].ms), states[_i].stuck);
}
END_TEST

START_TEST(grants_quiet_at_least_half_a_minute)
{
	ck_assert_int_eq(execution_inactivity_ms(1), 30000);
	ck_assert_int_eq(execution_inactivity_ms(60), 30000);
	ck_assert_int_eq(execution_inactivity_ms(200), 100000);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("execution");
	TCase *c = tcase_create("execution");

	tcase_add_loop_test(c, gives_up_on_what_hangs, 0, sizeof(states) / sizeof(states[0]));
	tcase_add_test(c, grants_quiet_at_least_half_a_minute);
	suite_add_tcase(s, c);
	return s;
}
