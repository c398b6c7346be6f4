// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of a watchdog when its supervisor dies; the rest is for the test of the command. */
#include "janitor.h"

#include <check.h>
#include <errno.h>
#include <linux/watchdog.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fixtures/fake_watchdog.h"
#include "clock.h"
#include "process.h"

Suite *suite(void);

static const char *const no_sysctls[] = { NULL };
static struct watchdog_held held;
static struct janitor janitor;
static struct err err;

/* Shared with the janitor, which is another process. */
static struct fake_watchdog *fake;

static void make(void)
{
	const struct watchdog device = { .path = "/dev/watchdog0",
					 .identity = "iTCO_wdt",
					 .governor = "noop",
					 .kind = WATCHDOG_HARDWARE };

	fake = mmap(NULL, 2 * sizeof(*fake), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	ck_assert_ptr_ne(fake, MAP_FAILED);
	*fake = (struct fake_watchdog){ .path = "/dev/watchdog0",
					.identity = "iTCO_wdt",
					.options = WDIOF_SETTIMEOUT | WDIOF_MAGICCLOSE,
					.unsaid = WDIOF_PRETIMEOUT,
					.governor = "noop",
					.timeout = 30 };
	fake_watchdogs = fake;
	ck_assert_int_eq(janitor_start(&janitor, -1, no_sysctls, &err), 0);
	ck_assert_int_eq(watchdog_open(&held, &device, &fake_watchdog_ops, true, &err), 0);
	ck_assert(watchdog_panic_at_pretimeout(&held));
	ck_assert_str_eq(fake->governor, "panic");
}

static void await_janitor(void)
{
	int status;

	ck_assert_int_eq(waitpid(janitor.pid, &status, 0), janitor.pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The supervisor is gone, as far as the janitor can tell. */
static void die(void)
{
	close(janitor.pipe);
	await_janitor();
}

START_TEST(one_that_runs_is_stopped)
{
	janitor_watchdog(&janitor, &held);
	watchdog_let_go(&held);
	ck_assert(fake->running);
	die();
	ck_assert(!fake->running && !fake->open);
	ck_assert_uint_eq(fake->opened, 2);
	ck_assert_int_eq(fake->timeout, 30);
	ck_assert_int_eq(fake->pretimeout, 0);
	ck_assert_str_eq(fake->governor, "noop");
}
END_TEST

/* Killed right after it was opened: what was said before that is enough to put it back. */
START_TEST(one_that_was_about_to_be_opened)
{
	struct watchdog_held intended = {
		.ops = held.ops, .device = held.device, .fd = -1, .timeout_before_s = 30
	};

	janitor_watchdog(&janitor, &intended);
	watchdog_let_go(&held);
	ck_assert_int_eq(fake->timeout, WATCHDOG_TIMEOUT_S);
	die();
	ck_assert(!fake->running && !fake->open);
	ck_assert_int_eq(fake->timeout, 30);
}
END_TEST

/* A process that is being killed may close it last: it is not given up at once. */
START_TEST(one_that_is_still_open_is_waited_for)
{
	janitor_watchdog(&janitor, &held);
	close(janitor.pipe);
	clock_sleep_ms(200);
	ck_assert_uint_eq(fake->opened, 1);
	watchdog_let_go(&held);
	await_janitor();
	ck_assert(!fake->running);
	ck_assert_uint_eq(fake->opened, 2);
}
END_TEST

START_TEST(one_that_was_stopped_is_left_alone)
{
	janitor_watchdog(&janitor, &held);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	janitor_watchdog(&janitor, NULL);
	die();
	ck_assert_uint_eq(fake->opened, 1);
}
END_TEST

START_TEST(the_end_of_a_run)
{
	janitor_watchdog(&janitor, &held);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	janitor_watchdog(&janitor, NULL);
	janitor_stop(&janitor, NULL);
	ck_assert_int_eq(waitpid(janitor.pid, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_uint_eq(fake->opened, 1);
}
END_TEST

static void wait_for_meals(unsigned int least)
{
	int64_t until = clock_ms() + 20000;

	while (*(volatile unsigned int *)&fake->fed < least && clock_ms() < until)
		clock_sleep_ms(10);
	ck_assert_uint_ge(fake->fed, least);
}

/* It cannot be stopped: a process stays that feeds it, whether the run ended well or not. */
START_TEST(one_that_cannot_be_stopped_is_fed)
{
	struct process process;

	held.device.nowayout = 1;
	held.timeout_s = 1;
	fake->nowayout = true;
	janitor_watchdog(&janitor, &held);
	watchdog_let_go(&held);
	if (_i)
		close(janitor.pipe);
	else
		janitor_stop(&janitor, &held);
	/* One was when it was opened. */
	wait_for_meals(4);
	ck_assert(fake->running && fake->open);
	ck_assert_str_eq(fake->governor, "noop");
	ck_assert_int_eq(process_read(janitor.pid, &process), 0);
	ck_assert_str_eq(process.name, WATCHDOG_KEEPER);
	kill(janitor.pid, SIGKILL);
	waitpid(janitor.pid, NULL, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("janitor");
	TCase *t = tcase_create("janitor");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, make, NULL);
	tcase_add_test(t, one_that_runs_is_stopped);
	tcase_add_test(t, one_that_was_about_to_be_opened);
	tcase_add_test(t, one_that_is_still_open_is_waited_for);
	tcase_add_test(t, one_that_was_stopped_is_left_alone);
	tcase_add_test(t, the_end_of_a_run);
	tcase_add_loop_test(t, one_that_cannot_be_stopped_is_fed, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
