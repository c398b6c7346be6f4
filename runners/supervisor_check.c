// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run does when a process cannot be killed; the rest is for the test of the command. */
#include "supervisor.h"

#include <check.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite(void);

static pid_t start_sleep(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pause();
	_exit(0);
}

START_TEST(nothing_is_stuck)
{
	struct supervisor supervisor = { 0 };

	ck_assert(!supervisor_is_stuck(&supervisor));
}
END_TEST

/* One that only took longer to die: then the run goes on. */
START_TEST(until_it_is_gone)
{
	struct supervisor supervisor = { .stuck = start_sleep() };

	ck_assert(supervisor_is_stuck(&supervisor));
	ck_assert(supervisor_is_stuck(&supervisor));
	kill(supervisor.stuck, SIGKILL);
	while (supervisor_is_stuck(&supervisor))
		usleep(1000);
	ck_assert_int_eq(supervisor.stuck, 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

/* It is gone, and what it had started is not. */
START_TEST(until_its_children_are_gone)
{
	pid_t child = start_sleep();
	struct supervisor supervisor = { .stuck = start_sleep() };
	pid_t parent = supervisor.stuck;

	kill(parent, SIGKILL);
	ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
	ck_assert(supervisor_is_stuck(&supervisor));
	ck_assert_int_eq(supervisor.stuck, parent);
	kill(child, SIGKILL);
	while (supervisor_is_stuck(&supervisor))
		usleep(1000);
	waitpid(child, NULL, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("supervisor");
	TCase *t = tcase_create("stuck");

	tcase_add_test(t, nothing_is_stuck);
	tcase_add_test(t, until_it_is_gone);
	tcase_add_test(t, until_its_children_are_gone);
	suite_add_tcase(s, t);
	return s;
}
