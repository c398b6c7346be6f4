// SPDX-License-Identifier: GPL-2.0-or-later
/* With watchdogs that are none; escalation is for the test of the command, as it sets sysctls. */
#include "hazard.h"

#include <check.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fixtures/fake_watchdog.h"
#include "clock.h"

Suite *suite(void);

static char dir[] = "/tmp/hazard-XXXXXX";
static struct fake_watchdog fakes[2];
static struct hazard_options options;
static struct journal journal;
static struct janitor janitor;
static int told; /* other end of the janitor's pipe */
static struct cpus cpus;
static struct hazard hazard;
static struct suite_test test = { .name = (char[]){ "stops" }, .danger = DANGER_MAY_HANG };
static const struct planned planned = { .test = &test, .iter = 1 };
static struct err err;

static void make_hazard(void)
{
	hazard = (struct hazard){ .options = &options,
				  .ops = &fake_watchdog_ops,
				  .journal = &journal,
				  .janitor = &janitor,
				  .cpus = &cpus,
				  .dir = dir };
	ck_assert_int_eq(hazard_begin(&hazard, &err), 0);
	hazard.found[0] = (struct watchdog){ .path = "/dev/watchdog0",
					     .identity = "i6300ESB timer",
					     .kind = WATCHDOG_HARDWARE,
					     .timeout_s = 30 };
	hazard.n_found = 1;
}

static void make(void)
{
	int ends[2];

	snprintf(dir, sizeof(dir), "/tmp/hazard-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	memset(fakes, 0, sizeof(fakes));
	fakes[0] = (struct fake_watchdog){ .path = "/dev/watchdog0",
					   .identity = "i6300ESB timer",
					   .options = WDIOF_SETTIMEOUT | WDIOF_MAGICCLOSE,
					   .timeout = 30 };
	fake_watchdogs = fakes;
	options = (struct hazard_options){ 0 };
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	told = ends[0];
	janitor.pipe = ends[1];
	ck_assert_int_eq(cpus_allowed(&cpus, &err), 0);
	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	make_hazard();
}

static void drop(void)
{
	char path[64];

	journal_close(&journal);
	close(told);
	close(janitor.pipe);
	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, dir);
	unlink(path);
	/* Nothing else may be left there. */
	ck_assert_int_eq(rmdir(dir), 0);
}

/* How many records have a value at a key; the last of them in *last, if not NULL. */
static size_t recorded(const char *key, const char *part, json_t **last)
{
	struct journal_reader reader;
	json_t *record;
	size_t n = 0;

	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	while (journal_next(&reader, &record, &err) > 0) {
		const char *text = json_string_value(json_object_get(record, key));

		if (!text || !strstr(text, part)) {
			json_decref(record);
			continue;
		}
		if (last && n)
			json_decref(*last);
		if (last)
			*last = record;
		else
			json_decref(record);
		n++;
	}
	journal_finish(&reader);
	return n;
}

/* How many messages the janitor got since. */
static int messages(void)
{
	char room[4096];
	int n = 0;

	/* One holds a struct watchdog_held, and little else. */
	ssize_t size = read(told, room, sizeof(room));

	if (size > 0)
		n = (int)(size / (ssize_t)sizeof(struct watchdog_held));
	return n;
}

START_TEST(held_while_it_runs)
{
	int64_t until = clock_ms() + 20000;
	json_t *record;

	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert(fakes[0].running);
	ck_assert_uint_eq(recorded("state", "held", &record), 1);
	ck_assert_str_eq(json_string_value(json_object_get(record, "test")), "stops");
	ck_assert_int_eq(json_integer_value(json_object_get(record, "timeout_s")), 60);
	ck_assert_uint_ge(json_array_size(json_object_get(record, "vital_signs")), 2);
	json_decref(record);
	/* That it is about to be opened, and that it runs. */
	ck_assert_int_eq(messages(), 2);
	while (!atomic_load(&hazard.feeder.fed) && clock_ms() < until)
		clock_sleep_ms(5);
	ck_assert_uint_ge(atomic_load(&hazard.feeder.fed), 1);
	ck_assert(!hazard_look(&hazard, clock_ms(), &err));

	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
	ck_assert(!fakes[0].running && !fakes[0].open);
	ck_assert_int_eq(fakes[0].timeout, 30);
	ck_assert_int_eq(messages(), 1);
	ck_assert_uint_eq(recorded("type", "note", NULL), 0);
	ck_assert_ptr_null(hazard_end(&hazard));
}
END_TEST

static int told_when_opened;

static int open_told(const char *path)
{
	told_when_opened = messages();
	return fake_watchdog_ops.open(path);
}

/* Killed while it opens the device, a supervisor leaves a janitor that knows of it. */
START_TEST(the_janitor_is_told_first)
{
	struct watchdog_ops ops = fake_watchdog_ops;

	ops.open = open_told;
	hazard.ops = &ops;
	options.watchdog = _i ? "/dev/watchdog0" : NULL;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert_int_eq(told_when_opened, 1);
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
}
END_TEST

static unsigned int looks, fed_before;

/* Asked three times, it holds no longer; nobody feeds meanwhile. */
static bool holds(void *context)
{
	(void)context;
	if (!looks)
		fed_before = fakes[0].fed;
	ck_assert_uint_eq(fakes[0].fed, fed_before);
	ck_assert(fakes[0].running && fakes[0].open && !hazard.feeding);
	return ++looks <= 3;
}

static const struct hazard_reason reason = { .text = "process 7 cannot be killed", .holds = holds };

START_TEST(not_fed_until_the_reason_is_gone)
{
	json_t *last;

	looks = 0;
	ck_assert(!hazard_may_reset(&hazard));
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert(hazard_may_reset(&hazard));
	ck_assert_int_eq(hazard_reset(&hazard, &planned, &reason, &err), 0);
	ck_assert_uint_eq(looks, 4);
	ck_assert_uint_eq(recorded("text", "is not fed any more, as process 7 cannot", NULL), 1);
	ck_assert_uint_eq(recorded("text", "no reason any more", &last), 1);
	json_decref(last);
	ck_assert(hazard.feeding);
	ck_assert_uint_gt(fakes[0].fed, fed_before);
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
	ck_assert(!fakes[0].running);
}
END_TEST

/* A watchdog that resets nothing is noted, and the run comes to its end. */
START_TEST(a_reset_that_does_not_come)
{
	looks = 0;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	hazard.held.timeout_s = 0;
	ck_assert_int_eq(hazard_reset(&hazard, &planned, &reason, &err), 0);
	ck_assert_uint_eq(recorded("text", "it has not reset the machine", NULL), 1);
	ck_assert(hazard.feeding);
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
	ck_assert(!fakes[0].running);
}
END_TEST

/* Who wants to look at a machine that hangs, or has no watchdog, is not reset. */
START_TEST(may_not_reset)
{
	options.no_escalate = _i == 0;
	options.watchdog = _i ? "none" : NULL;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert(!hazard_may_reset(&hazard));
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
}
END_TEST

START_TEST(each_time_anew)
{
	for (unsigned int i = 1; i <= 3; i++) {
		ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
		ck_assert_uint_eq(fakes[0].opened, i);
		ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
		ck_assert(!fakes[0].running);
	}
}
END_TEST

/* The machine was reset while one was held: the report is as it would be without that. */
START_TEST(nothing_of_a_reset_is_left)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/watchdog-disk", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	make_hazard();
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(refused_without)
{
	hazard.n_found = 0;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "no hardware watchdog"));
	ck_assert_uint_eq(recorded("state", "held", NULL), 0);
	ck_assert_ptr_null(hazard_end(&hazard));
}
END_TEST

START_TEST(refused_when_busy)
{
	fakes[0].busy = true;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "is held by"));
	/* That it is about to be opened, and that none runs. */
	ck_assert_int_eq(messages(), 2);
	/* It is had once the other one lets go of it. */
	fakes[0].busy = false;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
}
END_TEST

/* No disk to prove anything with: then nothing is left running. */
START_TEST(refused_without_vital_signs)
{
	hazard.dir = "/nonexistent";
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent"));
	/* One that cannot be stopped must not even be opened. */
	ck_assert_uint_eq(fakes[0].opened, 0);
}
END_TEST

START_TEST(somebody_else_resets)
{
	options.watchdog = "none";
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert_uint_eq(fakes[0].opened, 0);
	ck_assert(!hazard_look(&hazard, clock_ms() + 1000000, &err));
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
	ck_assert_uint_eq(recorded("state", "held", NULL), 0);
}
END_TEST

/* It was started, so it must be fed until somebody else does: from test to test, and after. */
START_TEST(what_cannot_be_stopped_is_kept)
{
	const struct watchdog_held *kept;

	options.watchdog = "/dev/watchdog0";
	hazard.found[0].nowayout = 1;
	fakes[0].nowayout = true;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
		ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
		ck_assert(fakes[0].open && fakes[0].running);
	}
	ck_assert_uint_eq(fakes[0].opened, 1);
	ck_assert_uint_eq(recorded("text", "cannot be stopped (nowayout)", NULL), 1);
	ck_assert_uint_eq(recorded("state", "held", NULL), 2);
	kept = hazard_end(&hazard);
	ck_assert_ptr_nonnull(kept);
	ck_assert_str_eq(kept->device.path, "/dev/watchdog0");
	ck_assert(fakes[0].running && !fakes[0].open);
}
END_TEST

/* Escalation makes it panic, for the time of the test; --no-escalate leaves it alone. */
START_TEST(a_pretimeout_panics)
{
	fakes[0].options |= WDIOF_PRETIMEOUT;
	fakes[0].no_panic = _i == 2;
	snprintf(fakes[0].governor, sizeof(fakes[0].governor), "noop");
	snprintf(hazard.found[0].governor, sizeof(hazard.found[0].governor), "noop");
	options.no_escalate = _i == 1;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert_str_eq(fakes[0].governor, _i ? "noop" : "panic");
	ck_assert_uint_eq(recorded("governor", _i ? "noop" : "panic", NULL), 1);
	ck_assert_uint_eq(recorded("text", "modprobe pretimeout_panic", NULL), _i == 2);
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
	ck_assert_str_eq(fakes[0].governor, "noop");
}
END_TEST

START_TEST(what_is_odd_is_noted)
{
	options.watchdog = "/dev/watchdog0";
	fakes[0].identity = "Software Watchdog";
	fakes[0].granule = 37;
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert_uint_eq(recorded("text", "has a timeout of 74 s instead of 60 s", NULL), 1);
	ck_assert_uint_eq(recorded("text", "not known to be hardware (software)", NULL), 1);
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
}
END_TEST

/* Feeding is overdue: the supervisor is told while it lasts. */
START_TEST(what_is_overdue_is_seen)
{
	ck_assert_int_eq(hazard_enter(&hazard, &planned, &err), HAZARD_READY);
	ck_assert(hazard_look(&hazard, clock_ms() + 30100, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/watchdog0 was not fed for 30 s"));
	ck_assert_int_eq(hazard_leave(&hazard, &planned, &err), 0);
}
END_TEST

/* The journal cannot be written: the run is over, and nothing is left behind. */
START_TEST(without_a_journal)
{
	int fd = journal.fd;

	journal.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ck_assert_int_lt(hazard_enter(&hazard, &planned, &err), 0);
	ck_assert(!fakes[0].running && !fakes[0].open);
	close(journal.fd);
	journal.fd = fd;
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("hazard");
	TCase *t = tcase_create("hazard");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, make, drop);
	tcase_add_test(t, held_while_it_runs);
	tcase_add_loop_test(t, the_janitor_is_told_first, 0, 2);
	tcase_add_test(t, not_fed_until_the_reason_is_gone);
	tcase_add_test(t, a_reset_that_does_not_come);
	tcase_add_loop_test(t, may_not_reset, 0, 2);
	tcase_add_test(t, each_time_anew);
	tcase_add_test(t, nothing_of_a_reset_is_left);
	tcase_add_test(t, refused_without);
	tcase_add_test(t, refused_when_busy);
	tcase_add_test(t, refused_without_vital_signs);
	tcase_add_test(t, somebody_else_resets);
	tcase_add_test(t, what_cannot_be_stopped_is_kept);
	tcase_add_loop_test(t, a_pretimeout_panics, 0, 3);
	tcase_add_test(t, what_is_odd_is_noted);
	tcase_add_test(t, what_is_overdue_is_seen);
	tcase_add_test(t, without_a_journal);
	suite_add_tcase(s, t);
	return s;
}
