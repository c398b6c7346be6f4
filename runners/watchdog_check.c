// SPDX-License-Identifier: GPL-2.0-or-later
#include "watchdog.h"

#include <check.h>
#include <errno.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/fake_watchdog.h"

Suite *suite(void);

#define TREES "fixtures/sysfs/watchdog-"
#define USUAL (WDIOF_SETTIMEOUT | WDIOF_MAGICCLOSE | WDIOF_KEEPALIVEPING)

/* What the tests change; `found` is what sysfs would say of them. */
static struct fake_watchdog fakes[4];
static struct watchdog found[WATCHDOG_MAX];
static struct watchdog_held held;
static struct err err;

static void make(void)
{
	memset(fakes, 0, sizeof(fakes));
	fakes[0] = (struct fake_watchdog){ .path = "/dev/watchdog0",
					   .identity = "iTCO_wdt",
					   .options = USUAL,
					   .timeout = 30,
					   .least = 2,
					   .most = 613 };
	fake_watchdogs = fakes;
	err.text[0] = '\0';
	memset(found, 0, sizeof(found));
	found[0] = (struct watchdog){ .path = "/dev/watchdog0",
				      .identity = "iTCO_wdt",
				      .driver = "iTCO_wdt",
				      .kind = WATCHDOG_HARDWARE,
				      .timeout_s = 30,
				      .min_timeout_s = 2,
				      .max_timeout_s = 613 };
}

static int open_it(bool named)
{
	return watchdog_open(&held, found, &fake_watchdog_ops, named, &err);
}

START_TEST(opened_fed_and_stopped)
{
	ck_assert_int_eq(open_it(false), 0);
	ck_assert(fakes[0].running);
	ck_assert_int_eq(held.timeout_s, WATCHDOG_TIMEOUT_S);
	ck_assert_int_eq(fakes[0].timeout, WATCHDOG_TIMEOUT_S);
	ck_assert_int_eq(held.pretimeout_s, 0);
	/* Opening it has fed it. */
	ck_assert_uint_eq(fakes[0].fed, 1);
	ck_assert_int_eq(watchdog_feed(&held, &err), 0);
	ck_assert_uint_eq(fakes[0].fed, 2);
	ck_assert(!fakes[0].may_stop);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert(!fakes[0].running && !fakes[0].open);
	/* As found. */
	ck_assert_int_eq(fakes[0].timeout, 30);
	ck_assert_int_eq(held.fd, -1);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
}
END_TEST

/* ipmi_watchdog: no flags at all, and it starts when it is first fed. */
START_TEST(a_device_that_says_nothing_of_itself)
{
	fakes[0].options = 0;
	fakes[0].unsaid = USUAL | WDIOF_PRETIMEOUT;
	fakes[0].lazy = true;
	fakes[0].timeout = 10;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert(fakes[0].running);
	ck_assert_int_eq(held.timeout_s, WATCHDOG_TIMEOUT_S);
	ck_assert_int_eq(held.pretimeout_s, 10);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert(!fakes[0].running);
	ck_assert_int_eq(fakes[0].timeout, 10);
	ck_assert_int_eq(fakes[0].pretimeout, 0);
}
END_TEST

/* Its descriptor is closed, and nobody said that it may stop: it goes on. */
START_TEST(let_go_it_goes_on)
{
	ck_assert_int_eq(open_it(false), 0);
	watchdog_let_go(&held);
	ck_assert(fakes[0].running && !fakes[0].open);
	/* Whoever comes next can stop it, and knows what it was like before. */
	ck_assert_int_eq(watchdog_take_over(&held, &err), 0);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert(!fakes[0].running);
	ck_assert_int_eq(fakes[0].timeout, 30);
}
END_TEST

START_TEST(a_device_that_rounds)
{
	fakes[0].granule = 37;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_int_eq(held.timeout_s, 74);
}
END_TEST

/* IB700: 30 s at most; without sysfs that is only found by trying. */
START_TEST(a_device_with_less)
{
	fakes[0].most = 30;
	found[0].max_timeout_s = _i ? 30 : -1;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_int_le(held.timeout_s, 30);
	ck_assert_int_ge(held.timeout_s, 20);
}
END_TEST

START_TEST(a_device_with_more)
{
	fakes[0].least = 120;
	found[0].min_timeout_s = 120;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_int_eq(held.timeout_s, 120);
}
END_TEST

START_TEST(a_fixed_timeout)
{
	fakes[0].options &= ~(unsigned)WDIOF_SETTIMEOUT;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_int_eq(held.timeout_s, 30);
}
END_TEST

/* A machine that is only busy must not be reset. */
START_TEST(too_short_to_work_with)
{
	fakes[0].options &= ~(unsigned)WDIOF_SETTIMEOUT;
	fakes[0].timeout = _i ? WATCHDOG_TIMEOUT_MIN_S - 1 : 0;
	ck_assert_int_ne(open_it(true), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "less than the 10 s"));
	ck_assert(!fakes[0].running && !fakes[0].open);
}
END_TEST

START_TEST(a_pretimeout)
{
	fakes[0].options |= WDIOF_PRETIMEOUT;
	fakes[0].pretimeout = 3;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_int_eq(held.pretimeout_s, 10);
	ck_assert_int_eq(fakes[0].pretimeout, 10);
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert_int_eq(fakes[0].pretimeout, 3);
}
END_TEST

/* hpwdt has 9 s or none; another one so much that feeding would come too late for it. */
START_TEST(a_pretimeout_of_its_own)
{
	fakes[0].options |= WDIOF_PRETIMEOUT;
	fakes[0].pretimeout_fixed = _i ? 40 : 9;
	ck_assert_int_eq(open_it(false) == 0, _i == 0);
	if (_i) {
		ck_assert_ptr_nonnull(strstr(err.text, "insists on a pretimeout of 40 s"));
		ck_assert(!fakes[0].running);
	} else {
		ck_assert_int_eq(held.pretimeout_s, 9);
	}
}
END_TEST

static void give_governor(const char *governor)
{
	fakes[0].options |= WDIOF_PRETIMEOUT;
	snprintf(fakes[0].governor, sizeof(fakes[0].governor), "%s", governor);
	snprintf(found[0].governor, sizeof(found[0].governor), "%s", governor);
}

START_TEST(a_pretimeout_panics)
{
	give_governor("noop");
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_str_eq(fakes[0].governor, "noop");
	ck_assert(watchdog_panic_at_pretimeout(&held));
	ck_assert_str_eq(fakes[0].governor, "panic");
	ck_assert_str_eq(held.device.governor, "panic");
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert_str_eq(fakes[0].governor, "noop");
	ck_assert(!fakes[0].running);
}
END_TEST

/* The module is not there: it stays what it was, and the caller knows. */
START_TEST(a_pretimeout_that_cannot_panic)
{
	give_governor("noop");
	fakes[0].no_panic = true;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert(!watchdog_panic_at_pretimeout(&held));
	ck_assert_str_eq(held.device.governor, "noop");
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert_str_eq(fakes[0].governor, "noop");
}
END_TEST

/* No module of a governor is loaded but that one: it stays, without a pretimeout that asks it. */
START_TEST(a_first_governor)
{
	give_governor("x");
	found[0].governor[0] = '\0';
	ck_assert_int_eq(open_it(false), 0);
	ck_assert(watchdog_panic_at_pretimeout(&held));
	ck_assert_str_eq(fakes[0].governor, "panic");
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
	ck_assert_int_eq(fakes[0].pretimeout, 0);
}
END_TEST

/* None, and one that panics already: nothing is written. */
START_TEST(no_governor_to_set)
{
	give_governor(_i ? "panic" : "noop");
	if (!_i)
		fakes[0].options &= ~(unsigned)WDIOF_PRETIMEOUT;
	ck_assert_int_eq(open_it(false), 0);
	fakes[0].no_panic = true;
	ck_assert(watchdog_panic_at_pretimeout(&held));
	ck_assert_str_eq(held.governor_before, "");
	ck_assert_int_eq(watchdog_stop(&held, &err), 0);
}
END_TEST

/* Only the open device says what it is: it is left as it was, unless a person named it. */
START_TEST(software_found_out_when_open)
{
	found[0].identity[0] = found[0].driver[0] = '\0';
	found[0].kind = WATCHDOG_UNKNOWN;
	fakes[0].identity = "Software Watchdog";
	ck_assert_int_eq(open_it(false), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(err.text, "is a timer of the kernel"));
	ck_assert(!fakes[0].running);
	ck_assert_int_eq(fakes[0].timeout_while_open, 0);
	ck_assert_int_eq(open_it(true), 0);
	ck_assert_int_eq(held.device.kind, WATCHDOG_SOFTWARE);
}
END_TEST

/* ipmi_watchdog is loaded and has no BMC: /dev/watchdog is another name of softdog's. */
START_TEST(software_behind_a_wrong_guess)
{
	snprintf(found[0].path, sizeof(found[0].path), "/dev/watchdog");
	snprintf(found[0].identity, sizeof(found[0].identity), "IPMI");
	snprintf(found[0].driver, sizeof(found[0].driver), "ipmi_watchdog");
	fakes[0].path = "/dev/watchdog";
	fakes[0].identity = "Software Watchdog";
	ck_assert_int_eq(open_it(false), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(err.text, "is a timer of the kernel"));
	ck_assert(!fakes[0].running);
	fakes[0].identity = "IPMI";
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_str_eq(held.device.driver, "ipmi_watchdog");
}
END_TEST

START_TEST(an_alarm_found_out_when_open)
{
	fakes[0].options |= WDIOF_ALARMONLY;
	ck_assert_int_eq(open_it(false), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(err.text, "resets nothing"));
	ck_assert(!fakes[0].running);
}
END_TEST

START_TEST(boot_status_of_the_device)
{
	found[0].boot_status = -1;
	fakes[0].boot_status = WDIOF_CARDRESET;
	ck_assert_int_eq(open_it(false), 0);
	ck_assert_int_eq(held.device.boot_status, WDIOF_CARDRESET);
}
END_TEST

START_TEST(what_cannot_be_stopped_says_so)
{
	found[0].nowayout = 1;
	fakes[0].nowayout = true;
	ck_assert_int_eq(open_it(true), 0);
	ck_assert_int_eq(watchdog_stop(&held, &err), -EPERM);
	ck_assert_ptr_nonnull(strstr(err.text, "nowayout"));
	ck_assert(fakes[0].running && !fakes[0].open);
}
END_TEST

START_TEST(a_device_that_went_away)
{
	ck_assert_int_eq(open_it(false), 0);
	fakes[0].broken = true;
	ck_assert_int_eq(watchdog_feed(&held, &err), -ENODEV);
	ck_assert_int_eq(watchdog_stop(&held, &err), -ENODEV);
	ck_assert(!fakes[0].open);
}
END_TEST

/* A tree with one device, and nobody who holds it. */
static const char *make_tree(const char *state, int nowayout)
{
	static char root[] = "/tmp/watchdog-XXXXXX";
	char command[512];

	strcpy(root + sizeof(root) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(
		command, sizeof(command),
		"mkdir -p %s/sys/class/watchdog/watchdog0 && cd %s/sys/class/watchdog/watchdog0 && "
		"echo %s >state && echo %d >nowayout && echo iTCO_wdt >identity",
		root, root, state, nowayout);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a name of our own */
	return root;
}

static int stop_abandoned(const char *root)
{
	json_t *record = json_pack("{s:s, s:i, s:i, s:i, s:s}", "device", "/dev/watchdog0",
				   "timeout_before_s", 30, "pretimeout_s", 10,
				   "pretimeout_before_s", 0, "governor_before", "noop");
	int result = watchdog_stop_abandoned(record, root, &fake_watchdog_ops, &err);
	char command[64];

	json_decref(record);
	if (strncmp(root, "/tmp/", 5) != 0)
		return result;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a name of our own */
	return result;
}

START_TEST(abandoned_it_is_stopped)
{
	give_governor("noop");
	ck_assert_int_eq(open_it(false), 0);
	ck_assert(watchdog_panic_at_pretimeout(&held));
	watchdog_let_go(&held);
	ck_assert_int_eq(stop_abandoned(make_tree("active", 0)), 1);
	ck_assert(!fakes[0].running && !fakes[0].open);
	ck_assert_int_eq(fakes[0].timeout, 30);
	ck_assert_int_eq(fakes[0].pretimeout, 0);
	ck_assert_str_eq(fakes[0].governor, "noop");
}
END_TEST

/* It does not run, or somebody feeds it. */
START_TEST(what_is_not_abandoned_is_left_alone)
{
	ck_assert_int_eq(stop_abandoned(make_tree("inactive", 0)), 0);
	ck_assert_int_eq(stop_abandoned(TREES "systemd"), 0);
	ck_assert_uint_eq(fakes[0].opened, 0);
	fakes[0].busy = true;
	ck_assert_int_eq(stop_abandoned(make_tree("active", 0)), 0);
}
END_TEST

START_TEST(abandoned_for_ever)
{
	ck_assert_int_eq(stop_abandoned(make_tree("active", 1)), -EPERM);
	ck_assert_ptr_nonnull(strstr(err.text, "unless something feeds it"));
	ck_assert_uint_eq(fakes[0].opened, 0);
}
END_TEST

static int acquire(const char *wish, const char *root)
{
	size_t n = 0;

	while (found[n].path[0])
		n++;
	return watchdog_acquire(&held, found, n, wish, root, &fake_watchdog_ops, NULL, &err);
}

START_TEST(no_device)
{
	found[0].path[0] = '\0';
	ck_assert_int_eq(acquire(NULL, TREES "itco"), -ENODEV);
	ck_assert_str_eq(err.text,
			 "no hardware watchdog: load the driver of one (iTCO_wdt, sp5100_tco, "
			 "ipmi_watchdog, ...), name one with --watchdog DEVICE, or say --watchdog "
			 "none if somebody else resets this machine");
	ck_assert_int_eq(held.fd, -1);
	ck_assert_int_eq(acquire("/dev/watchdog7", TREES "itco"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "open /dev/watchdog7: ENOENT"));
}
END_TEST

/* The fixture tree says who: systemd, of which it is known how to get it to let go. */
START_TEST(held_by_systemd)
{
	fakes[0].busy = true;
	ck_assert_int_eq(acquire(_i ? "/dev/watchdog0" : NULL, TREES "systemd"), -EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/watchdog0 (iTCO_wdt) is held by systemd (pid "
					       "1): set RuntimeWatchdogSec=off"));
	ck_assert_ptr_nonnull(strstr(err.text, "--watchdog none"));
	ck_assert_ptr_null(strchr(err.text, '\n'));
	ck_assert(!fakes[0].running);
}
END_TEST

START_TEST(held_by_nobody_seen)
{
	fakes[0].busy = true;
	ck_assert_int_eq(acquire(NULL, TREES "itco"), -EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, "somebody who cannot be seen"));
}
END_TEST

static void add_second(const char *identity, enum watchdog_kind kind)
{
	fakes[1] = fakes[0];
	fakes[1].path = "/dev/watchdog1";
	fakes[1].identity = identity;
	fakes[1].busy = false;
	found[1] = found[0];
	snprintf(found[1].path, sizeof(found[1].path), "/dev/watchdog1");
	snprintf(found[1].identity, sizeof(found[1].identity), "%s", identity);
	found[1].driver[0] = '\0';
	found[1].kind = kind;
}

START_TEST(the_next_one_is_tried)
{
	fakes[0].busy = true;
	add_second("IPMI", WATCHDOG_HARDWARE);
	ck_assert_int_eq(acquire(NULL, TREES "systemd"), 0);
	ck_assert_str_eq(held.device.path, "/dev/watchdog1");
	ck_assert(fakes[1].running && !fakes[0].running);
}
END_TEST

/* Never silently: not even where nothing else is left. */
START_TEST(software_is_not_a_substitute)
{
	fakes[0].busy = true;
	add_second("Software Watchdog", WATCHDOG_SOFTWARE);
	ck_assert_int_eq(acquire(NULL, TREES "systemd"), -EBUSY);
	ck_assert_uint_eq(fakes[1].opened, 0);
	ck_assert_int_eq(acquire("/dev/watchdog1", TREES "systemd"), 0);
	ck_assert(fakes[1].running);
}
END_TEST

START_TEST(software_alone)
{
	found[0].kind = WATCHDOG_SOFTWARE;
	snprintf(found[0].identity, sizeof(found[0].identity), "Software Watchdog");
	ck_assert_int_eq(acquire(NULL, TREES "softdog"), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(err.text, "no hardware watchdog: /dev/watchdog0 (Software "
					       "Watchdog) is a timer of the kernel"));
	ck_assert_uint_eq(fakes[0].opened, 0);
}
END_TEST

START_TEST(nowayout_only_when_named)
{
	found[0].nowayout = 1;
	ck_assert_int_ne(acquire(NULL, TREES "nowayout"), 0);
	ck_assert_uint_eq(fakes[0].opened, 0);
	ck_assert_int_eq(acquire("/dev/watchdog0", TREES "nowayout"), 0);
}
END_TEST

START_TEST(another_name_of_the_first)
{
	ck_assert_int_eq(acquire("/dev/watchdog", TREES "itco"), 0);
	ck_assert_str_eq(held.device.path, "/dev/watchdog0");
}
END_TEST

static void expect_json(json_t *object, const char *expected)
{
	json_t *wanted = json_loads(expected, 0, NULL);

	ck_assert_ptr_nonnull(wanted);
	ck_assert_msg(json_equal(object, wanted), "%s", json_dumps(object, 0));
	json_decref(wanted);
	json_decref(object);
}

START_TEST(records)
{
	ck_assert_uint_eq(watchdog_find(TREES "itco", found, WATCHDOG_MAX), 2);
	expect_json(watchdog_record(&found[0], NULL, "found"),
		    "{\"type\": \"watchdog\", \"state\": \"found\", \"device\": \"/dev/watchdog1\","
		    "\"identity\": \"iTCO_wdt\", \"driver\": \"iTCO_wdt\", \"kind\": \"hardware\","
		    "\"nowayout\": false, \"bootstatus\": [\"card-reset\"], \"timeout_s\": 30}");
	make();
	found[0].nowayout = found[0].boot_status = -1;
	give_governor("noop");
	ck_assert_int_eq(open_it(false), 0);
	ck_assert(watchdog_panic_at_pretimeout(&held));
	expect_json(watchdog_record(&held.device, &held, "held"),
		    "{\"type\": \"watchdog\", \"state\": \"held\", \"device\": \"/dev/watchdog0\","
		    "\"identity\": \"iTCO_wdt\", \"driver\": \"iTCO_wdt\", \"kind\": \"hardware\","
		    "\"bootstatus\": [], \"timeout_s\": 60, \"timeout_before_s\": 30, "
		    "\"pretimeout_s\": 10, \"pretimeout_before_s\": 0,"
		    "\"governor\": \"panic\", \"governor_before\": \"noop\"}");
}
END_TEST

static void add_device_tests(TCase *device)
{
	tcase_add_test(device, opened_fed_and_stopped);
	tcase_add_test(device, a_device_that_says_nothing_of_itself);
	tcase_add_test(device, let_go_it_goes_on);
	tcase_add_test(device, a_device_that_rounds);
	tcase_add_loop_test(device, a_device_with_less, 0, 2);
	tcase_add_test(device, a_device_with_more);
	tcase_add_test(device, a_fixed_timeout);
	tcase_add_loop_test(device, too_short_to_work_with, 0, 2);
	tcase_add_test(device, a_pretimeout);
	tcase_add_loop_test(device, a_pretimeout_of_its_own, 0, 2);
	tcase_add_test(device, a_pretimeout_panics);
	tcase_add_test(device, a_pretimeout_that_cannot_panic);
	tcase_add_test(device, a_first_governor);
	tcase_add_loop_test(device, no_governor_to_set, 0, 2);
	tcase_add_test(device, software_found_out_when_open);
	tcase_add_test(device, software_behind_a_wrong_guess);
	tcase_add_test(device, an_alarm_found_out_when_open);
	tcase_add_test(device, boot_status_of_the_device);
	tcase_add_test(device, what_cannot_be_stopped_says_so);
	tcase_add_test(device, a_device_that_went_away);
}

static void add_choice_tests(TCase *choice)
{
	tcase_add_test(choice, abandoned_it_is_stopped);
	tcase_add_test(choice, what_is_not_abandoned_is_left_alone);
	tcase_add_test(choice, abandoned_for_ever);
	tcase_add_test(choice, no_device);
	tcase_add_loop_test(choice, held_by_systemd, 0, 2);
	tcase_add_test(choice, held_by_nobody_seen);
	tcase_add_test(choice, the_next_one_is_tried);
	tcase_add_test(choice, software_is_not_a_substitute);
	tcase_add_test(choice, software_alone);
	tcase_add_test(choice, nowayout_only_when_named);
	tcase_add_test(choice, another_name_of_the_first);
	tcase_add_test(choice, records);
}

Suite *suite(void)
{
	Suite *s = suite_create("watchdog");
	TCase *device = tcase_create("device");
	TCase *choice = tcase_create("choice");

	tcase_add_checked_fixture(device, make, NULL);
	tcase_add_checked_fixture(choice, make, NULL);
	tcase_set_timeout(choice, 60);
	add_device_tests(device);
	add_choice_tests(choice);
	suite_add_tcase(s, device);
	suite_add_tcase(s, choice);
	return s;
}
