// SPDX-License-Identifier: GPL-2.0-or-later
/* A test run alone: it has the machine for itself and leaves it as it was, however it ends. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fixtures/outcome.h"
#include "machine_lock.h"
#include "sysctl.h"

Suite *suite(void);

#define CHANGED "kernel.perf_event_mlock_kb"
#define NOBODY 65534

static const struct check checks[] = {
	{ "held", "one is at most two", "arithmetic", false },
	{ 0 },
};

static const char *const sysctls[] = { CHANGED, NULL };

static void pass(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "held", NULL, 1, 2, "1");
}

static int run_passing(struct run *run)
{
	pass(run);
	return 0;
}

/* Change the sysctl and wait to be ended. */
static int run_changing(struct run *run)
{
	char value[SYSCTL_VALUE_MAX];
	struct err err;
	long kb;

	if (sysctl_read_long(CHANGED, &kb, &err))
		return run_broken(run, "%s", err.text);
	snprintf(value, sizeof(value), "%ld", kb + 1);
	if (sysctl_write(CHANGED, value, &err))
		return run_broken(run, "%s", err.text);
	run_note(run, "changed");
	(void)fflush(stdout);
	for (;;)
		pause();
}

static int run_skipping(struct run *run)
{
	return run_skip(run, "no such thing");
}

static struct hypothesis planted(int (*run)(struct run *run))
{
	return (struct hypothesis){
		.name = "planted",
		.claim = "A planted claim.",
		.source = "this test",
		.budget_s = 5,
		.checks = checks,
		.run = run,
	};
}

static bool is_root(void)
{
	if (!geteuid())
		return true;
	puts("skipped: needs root");
	return false;
}

/* The lock, as soon as nobody else has it. */
static int take_lock(void)
{
	struct err err;
	int fd = -1;
	int result;

	for (int i = 0; i < 1200 && (result = machine_lock(&fd, &err)) == -EBUSY; i++)
		(void)usleep(100000);
	ck_assert_msg(!result, "%s", err.text);
	return fd;
}

START_TEST(one_run_at_a_time)
{
	const struct hypothesis h = planted(run_passing);
	static struct outcome outcome;
	struct outcome_child child;
	struct err err;
	int fd = take_lock(), second;

	if (fd < 0) {
		puts("skipped: a kernel without perf");
		return;
	}
	ck_assert_int_eq(machine_lock(&second, &err), -EBUSY);
	ck_assert_int_eq(second, -1);
	outcome_start(&child, &h, NULL);
	outcome_wait(&child, &outcome);
	outcome_exited(&outcome, 2);
	ck_assert_str_eq(outcome.out, "");
	ck_assert_ptr_nonnull(strstr(outcome.err, "another run is going on on this machine"));
	ck_assert_ptr_eq(strchr(outcome.err, '\n'), outcome.err + strlen(outcome.err) - 1);
	close(fd);
	if (!is_root())
		return;
	outcome_run(&h, NULL, &outcome);
	outcome_exited(&outcome, 0);
	/* And the lock is free again. */
	close(take_lock());
}
END_TEST

static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* Start a run that changed the sysctl, send it a signal, and see the sysctl put back. */
static void end_changing(int number, struct outcome *outcome)
{
	struct hypothesis h = planted(run_changing);
	struct outcome_child child;
	long before, after;
	int fd = take_lock();

	h.sysctls = sysctls;
	ck_assert_int_eq(sysctl_read_long(CHANGED, &before, NULL), 0);
	close(fd);
	outcome_start(&child, &h, NULL);
	ck_assert(outcome_says(&child, "changed"));
	ck_assert_int_eq(sysctl_read_long(CHANGED, &after, NULL), 0);
	ck_assert_int_eq(after, before + 1);
	kill(child.pid, number);
	outcome_wait(&child, outcome);
	ck_assert_int_eq(sysctl_read_long(CHANGED, &after, NULL), 0);
	ck_assert_int_eq(after, before);
}

START_TEST(ended_it_restores)
{
	static struct outcome outcome;

	if (!is_root())
		return;
	end_changing(ends[_i], &outcome);
	outcome_exited(&outcome, 1);
	ck_assert_ptr_nonnull(strstr(outcome.out, "# ended by signal"));
}
END_TEST

START_TEST(crashed_it_restores)
{
	static struct outcome outcome;

	if (!is_root())
		return;
	end_changing(crashes[_i], &outcome);
	ck_assert(WIFSIGNALED(outcome.status));
	ck_assert_int_eq(WTERMSIG(outcome.status), crashes[_i]);
}
END_TEST

START_TEST(ignored_signals_stay_ignored)
{
	struct hypothesis h = planted(run_changing);
	static struct outcome outcome;
	struct outcome_child child;

	if (!is_root())
		return;
	h.sysctls = sysctls;
	close(take_lock());
	signal(SIGHUP, SIG_IGN);
	outcome_start(&child, &h, NULL);
	ck_assert(outcome_says(&child, "changed"));
	kill(child.pid, SIGHUP);
	(void)usleep(50000);
	ck_assert_int_eq(waitpid(child.pid, NULL, WNOHANG), 0);
	kill(child.pid, SIGTERM);
	outcome_wait(&child, &outcome);
	outcome_exited(&outcome, 1);
}
END_TEST

/* Runs as somebody who may not read the kernel log, with the run function and its exit code. */
static const struct {
	int (*run)(struct run *run);
	int exit;
	const char *says;
} unreadable[] = {
	{ run_passing, 1, "kernel log not read" },
	{ run_skipping, 4, "SKIP" },
};

START_TEST(no_pass_without_the_kernel_log)
{
	const struct hypothesis h = planted(unreadable[_i].run);
	static struct outcome outcome;
	struct err err;
	struct klog klog;

	if (!is_root())
		return;
	ck_assert_int_eq(setuid(NOBODY), 0);
	if (!klog_open_live(&klog, &err)) {
		puts("skipped: everybody may read the kernel log here");
		return;
	}
	outcome_run(&h, NULL, &outcome);
	outcome_exited(&outcome, unreadable[_i].exit);
	ck_assert_ptr_nonnull(strstr(outcome.out, unreadable[_i].says));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("guard");
	TCase *tcase = tcase_create("guard");

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, one_run_at_a_time);
	tcase_add_loop_test(tcase, ended_it_restores, 0, sizeof(ends) / sizeof(ends[0]));
	tcase_add_loop_test(tcase, crashed_it_restores, 0, sizeof(crashes) / sizeof(crashes[0]));
	tcase_add_test(tcase, ignored_signals_stay_ignored);
	tcase_add_loop_test(tcase, no_pass_without_the_kernel_log, 0,
			    sizeof(unreadable) / sizeof(unreadable[0]));
	suite_add_tcase(s, tcase);
	return s;
}
