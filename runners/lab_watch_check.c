// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_watch.h"

#include <check.h>
#include <string.h>

Suite *suite(void);

static void say(struct lab_watch *watch, const char *line, int64_t now)
{
	ck_assert_int_eq(lab_watch_line(watch, line, strlen(line), false), 0);
	lab_watch_heard(watch, now);
}

START_TEST(a_machine_must_come_up)
{
	struct lab_watch watch;

	lab_watch_begin(&watch, 1, 1000);
	ck_assert_int_eq(lab_watch_look(&watch, 1000 + 120000), LAB_ALIVE);
	ck_assert_int_eq(lab_watch_look(&watch, 1000 + 120001), LAB_NOT_UP);
	lab_watch_begin(&watch, 2, 1000);
	ck_assert_int_eq(lab_watch_look(&watch, 1000 + 240000), LAB_ALIVE);
	ck_assert_int_eq(lab_watch_look(&watch, 1000 + 240001), LAB_NOT_UP);
}
END_TEST

START_TEST(silence_is_death)
{
	struct lab_watch watch;

	lab_watch_begin(&watch, 1, 0);
	say(&watch, "up 1500", 5000);
	ck_assert_int_eq(lab_watch_look(&watch, 35000), LAB_ALIVE);
	ck_assert_int_eq(lab_watch_look(&watch, 35001), LAB_SILENT);
	say(&watch, "up 2500", 35001);
	ck_assert_int_eq(lab_watch_look(&watch, 65001), LAB_ALIVE);
	ck_assert_double_eq(lab_watch_silence_s(&watch), 30);
}
END_TEST

/* Its budget is told by the guest's clock: a slow host takes nothing from it. */
START_TEST(a_test_may_be_overdue)
{
	struct lab_watch watch;

	lab_watch_begin(&watch, 1, 0);
	say(&watch, "up 10000", 20000);
	lab_watch_test(&watch, 5);
	say(&watch, "up 75000", 900000);
	ck_assert_int_eq(lab_watch_look(&watch, 900000), LAB_ALIVE);
	say(&watch, "up 75001", 900000);
	ck_assert_int_eq(lab_watch_look(&watch, 900000), LAB_OVERDUE);
	lab_watch_test_over(&watch);
	ck_assert_int_eq(lab_watch_look(&watch, 900000), LAB_ALIVE);
}
END_TEST

START_TEST(the_end_is_no_death)
{
	struct lab_watch watch;

	lab_watch_begin(&watch, 1, 0);
	say(&watch, "up 1", 0);
	say(&watch, "exit 3", 0);
	ck_assert(watch.ended);
	ck_assert_int_eq(watch.code, 3);
	ck_assert_int_eq(lab_watch_look(&watch, 1000000), LAB_ALIVE);
}
END_TEST

START_TEST(other_lines_are_no_signs_of_life)
{
	static const char *const lines[] = { "",	 "up",	    "up x",	    "up -1",
					     "exit 256", "exit -1", "exit",	    "UP 5",
					     "e",	 "down 5",  "\xff\xfe up 5" };
	struct lab_watch watch;
	char zeros[60] = { 0 };

	lab_watch_begin(&watch, 1, 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		say(&watch, lines[i], 0);
	lab_watch_line(&watch, "up 5", 4, true);
	lab_watch_line(&watch, zeros, sizeof(zeros), false);
	lab_watch_line(&watch, NULL, 0, false);
	ck_assert(!watch.up && !watch.ended);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lab_watch");
	TCase *tc = tcase_create("watch");

	tcase_add_test(tc, a_machine_must_come_up);
	tcase_add_test(tc, silence_is_death);
	tcase_add_test(tc, a_test_may_be_overdue);
	tcase_add_test(tc, the_end_is_no_death);
	tcase_add_test(tc, other_lines_are_no_signs_of_life);
	suite_add_tcase(s, tc);
	return s;
}
