// SPDX-License-Identifier: GPL-2.0-or-later
#include "process.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite(void);

/* Wait until a child of ours is a zombie, and leave it one. */
static void await_end(pid_t pid)
{
	siginfo_t info;

	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(a_zombie_is_not_alive)
{
	struct process process;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	ck_assert(process_is_alive(pid));
	kill(pid, SIGKILL);
	await_end(pid);
	/* Its pid is still taken: kill() alone would not tell. */
	ck_assert_int_eq(kill(pid, 0), 0);
	ck_assert_int_eq(process_read(pid, &process), 0);
	ck_assert_int_eq(process.state, 'Z');
	ck_assert(!process_is_alive(pid));
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(process_read(pid, &process), -ESRCH);
	ck_assert(!process_is_alive(pid));
}
END_TEST

/* The name ends at the last parenthesis of the line. */
START_TEST(names_may_look_like_anything)
{
	struct process process;

	prctl(PR_SET_NAME, "a) Z 1 (b");
	ck_assert_int_eq(process_read(getpid(), &process), 0);
	ck_assert_str_eq(process.name, "a) Z 1 (b");
	ck_assert_int_eq(process.state, 'R');
	ck_assert_int_eq(process.parent, getppid());
	ck_assert(process_is_alive(getpid()));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("process");
	TCase *c = tcase_create("process");

	tcase_add_test(c, a_zombie_is_not_alive);
	tcase_add_test(c, names_may_look_like_anything);
	suite_add_tcase(s, c);
	return s;
}
