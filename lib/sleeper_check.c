// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sleeper.h"

Suite *suite(void);

static void post(int fd)
{
	const uint64_t one = 1;

	ck_assert_int_eq(write(fd, &one, sizeof(one)), sizeof(one));
}

/* An eventfd stays readable; an empty one does not. */
START_TEST(woken_by_what_comes)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct sleeper sleeper;
	unsigned int wakes, hangups;
	struct err err;

	ck_assert_msg(!sleeper_start(&sleeper, fd, &err), "%s", err.text);
	ck_assert(sleeper_asleep(&sleeper));
	ck_assert_uint_eq(sleeper.wakes, 0);
	post(fd);
	ck_assert(sleeper_woken(&sleeper, 1, &wakes, &hangups));
	ck_assert_uint_ge(wakes, 1);
	ck_assert_uint_eq(hangups, 0);
	sleeper_stop(&sleeper);
	sleeper_stop(&sleeper);
	close(fd);
}
END_TEST

START_TEST(a_hang_up_ends_it)
{
	struct sleeper sleeper;
	unsigned int wakes, hangups;
	struct err err;
	int fd[2];

	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_msg(!sleeper_start(&sleeper, fd[0], &err), "%s", err.text);
	ck_assert(sleeper_asleep(&sleeper));
	close(fd[1]);
	ck_assert(sleeper_woken(&sleeper, 1, &wakes, &hangups));
	ck_assert_uint_eq(wakes, 0);
	ck_assert_uint_eq(hangups, 1);
	ck_assert(sleeper_asleep(&sleeper));
	sleeper_stop(&sleeper);
	close(fd[0]);
}
END_TEST

START_TEST(nothing_comes)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct sleeper sleeper;
	unsigned int wakes = 7;
	struct err err;

	ck_assert_int_eq(sleeper_start(&sleeper, fd, &err), 0);
	ck_assert(!sleeper_woken(&sleeper, 1, &wakes, NULL));
	ck_assert_uint_eq(wakes, 0);
	sleeper_stop(&sleeper);
	close(fd);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("sleeper");
	TCase *tests = tcase_create("sleeper");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, woken_by_what_comes);
	tcase_add_test(tests, a_hang_up_ends_it);
	tcase_add_test(tests, nothing_comes);
	suite_add_tcase(all, tests);
	return all;
}
