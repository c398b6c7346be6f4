// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "poll_signals.h"

Suite *suite(void);

static struct poll_signals take(const int *codes, size_t n)
{
	struct poll_signals signals = { 0 };

	for (size_t i = 0; i < n; i++)
		poll_signals_take(&signals, codes[i]);
	return signals;
}

START_TEST(hang_up_comes_last)
{
	static const int codes[] = { POLL_IN, POLL_IN, POLL_HUP };
	const struct poll_signals signals = take(codes, 3);

	ck_assert_uint_eq(signals.in, 2);
	ck_assert_uint_eq(signals.hup, 1);
	ck_assert_uint_eq(signals.other, 0);
	ck_assert_uint_eq(signals.after_hup, 0);
}
END_TEST

START_TEST(hang_up_too_early)
{
	static const int codes[] = { POLL_IN, POLL_HUP, POLL_IN };
	const struct poll_signals signals = take(codes, 3);

	ck_assert_uint_eq(signals.hup, 1);
	ck_assert_uint_eq(signals.after_hup, 1);
}
END_TEST

START_TEST(hang_up_twice)
{
	static const int codes[] = { POLL_HUP, POLL_HUP };
	const struct poll_signals signals = take(codes, 2);

	ck_assert_uint_eq(signals.hup, 2);
	ck_assert_uint_eq(signals.after_hup, 1);
}
END_TEST

/* SI_SIGIO stands for no code of the kernel's: the queue was full, or F_SETSIG was not used. */
START_TEST(neither)
{
	static const int codes[] = { SI_SIGIO, POLL_ERR };
	const struct poll_signals signals = take(codes, 2);

	ck_assert_uint_eq(signals.other, 2);
	ck_assert_uint_eq(signals.in + signals.hup + signals.after_hup, 0);
}
END_TEST

/* Signals of an event of this machine, of which every one has cpu-clock or refuses it. */
START_TEST(of_an_event)
{
	struct perf_event_attr attr = event_attr_cpu_clock(1000000);
	struct poll_signals signals = { 0 };
	struct event event;
	struct err err;

	attr.wakeup_events = 1;
	if (event_open_self(&event, &attr, &err))
		return;
	ck_assert_int_eq(poll_signals_watch(&signals, &event, &err), 0);
	ck_assert_int_eq(event_refresh(&event, 2, &err), 0);
	for (volatile unsigned long i = 0; !signals.hup && i < 4000000000UL; i++)
		;
	poll_signals_end();
	event_close(&event);
	ck_assert_uint_eq(signals.hup, 1);
	ck_assert_uint_le(signals.in, 1);
	ck_assert_uint_eq(signals.other, 0);
}
END_TEST

START_TEST(not_an_event)
{
	struct poll_signals signals = { 0 };
	const struct event event = EVENT_CLOSED;
	struct err err;

	ck_assert_int_eq(poll_signals_watch(&signals, &event, &err), -EBADF);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("poll_signals");
	TCase *tests = tcase_create("poll_signals");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, hang_up_comes_last);
	tcase_add_test(tests, hang_up_too_early);
	tcase_add_test(tests, hang_up_twice);
	tcase_add_test(tests, neither);
	tcase_add_test(tests, of_an_event);
	tcase_add_test(tests, not_an_event);
	suite_add_tcase(s, tests);
	return s;
}
