// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evidence.h"
#include "record.h"

Suite *suite(void);

/* Of the test: what is older is not its evidence. */
#define SINCE 1700000000

static char dir[] = "/tmp/pmiproof-evidence-XXXXXX";
static struct journal journal;
static struct evidence evidence;
static struct err err;

static void path_of(char *path, const char *name)
{
	snprintf(path, PATH_MAX, "%s/pstore/%s", dir, name);
}

static void begin(void)
{
	char path[PATH_MAX];

	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	path_of(path, "");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	evidence = (struct evidence){ .journal = &journal, .test = "t", .iter = 2 };
}

static void end(void)
{
	char command[sizeof(dir) + 16];

	journal_close(&journal);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a name of our own */
}

static void put(const char *name, const char *text, size_t size, time_t when)
{
	const struct timespec times[] = { { .tv_sec = when }, { .tv_sec = when } };
	char path[PATH_MAX];
	FILE *file;

	path_of(path, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	fclose(file);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *name)
{
	char path[PATH_MAX];

	path_of(path, name);
	return !access(path, F_OK);
}

static void take(void)
{
	char path[PATH_MAX];

	path_of(path, "");
	evidence_pstore(&evidence, path, SINCE);
}

/* Number of records of that type in which `key` has `text` in it; all must be of the test. */
static int count(const char *type, const char *key, const char *text)
{
	struct journal_reader reader;
	json_t *record;
	int n = 0;

	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	while (journal_next(&reader, &record, &err) == 1) {
		ck_assert_str_eq(record_text(record, "test"), evidence.test ? "t" : "");
		ck_assert_int_eq(json_integer_value(json_object_get(record, "iter")),
				 evidence.test ? 2 : 0);
		n += !strcmp(record_text(record, "type"), type) &&
		     strstr(record_text(record, key), text);
		json_decref(record);
	}
	journal_finish(&reader);
	return n;
}

static const char panic[] = "Panic#1 Part1\n"
			    "<6>[    9.000000] an ordinary line\n"
			    "<0>[   10.000000] Kernel panic - not syncing: planted\n"
			    "\n"
			    "<4>[   10.100000] a line \xff that is cut off";

START_TEST(takes_a_dump)
{
	put("dmesg-ramoops-0", panic, sizeof(panic) - 1, SINCE);
	take();
	ck_assert_int_eq(evidence.result, 0);
	ck_assert_uint_eq(evidence.taken, 1);
	ck_assert(!is_there("dmesg-ramoops-0"));
	ck_assert_int_eq(count("output", "stream", "pstore"), 4);
	ck_assert_int_eq(count("output", "text", "an ordinary line"), 1);
	ck_assert_int_eq(count("output", "text", "that is cut off"), 1);
	ck_assert_int_eq(count("log", "class", ""), 1);
	ck_assert_int_eq(count("log", "class", "panic"), 1);
	ck_assert_str_eq(evidence.worst, "panic: Kernel panic - not syncing: planted");
	ck_assert_int_eq(count("note", "text", "taken from pstore: dmesg-ramoops-0"), 1);
}
END_TEST

/* What a test may cause is expected, and what is more than that is not. */
START_TEST(knows_what_is_expected)
{
	static const struct klog_allow allow[] = { { KLOG_PANIC, 1 }, { 0 } };
	static const char twice[] = "<0>[   10.000000] Kernel panic - not syncing: one\n"
				    "<6>[   10.000001] between\n"
				    "<0>[   11.000000] Kernel panic - not syncing: two\n";
	struct journal_reader reader;
	json_t *record;
	int expected = 0, other = 0;

	evidence.allow = allow;
	put("dmesg-ramoops-0", twice, sizeof(twice) - 1, SINCE);
	take();
	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	while (journal_next(&reader, &record, &err) == 1) {
		expected += json_is_true(json_object_get(record, "expected"));
		other += json_is_false(json_object_get(record, "expected"));
		json_decref(record);
	}
	journal_finish(&reader);
	ck_assert_int_eq(expected, 1);
	ck_assert_int_eq(other, 1);
}
END_TEST

START_TEST(leaves_what_is_not_its_own)
{
	put("dmesg-ramoops-0", panic, sizeof(panic) - 1, SINCE - 1);
	put("dmesg-efi-1.enc.z", panic, sizeof(panic) - 1, SINCE);
	put("empty", "", 0, SINCE);
	take();
	ck_assert_int_eq(evidence.result, 0);
	ck_assert(is_there("dmesg-ramoops-0"));
	ck_assert(is_there("dmesg-efi-1.enc.z"));
	ck_assert(!is_there("empty"));
	ck_assert_int_eq(count("output", "stream", "pstore"), 0);
	ck_assert_int_eq(count("note", "text", "it is older than what was cut off"), 1);
	ck_assert_int_eq(count("note", "text", "it is compressed"), 1);
	ck_assert_str_eq(evidence.worst, "");
}
END_TEST

/* The machine died between two tests: what it said is known, and the file is still there. */
START_TEST(of_no_test)
{
	evidence.test = NULL;
	put("dmesg-ramoops-0", panic, sizeof(panic) - 1, SINCE);
	take();
	ck_assert_int_eq(evidence.result, 0);
	ck_assert(is_there("dmesg-ramoops-0"));
	ck_assert_int_eq(count("output", "stream", "pstore"), 0);
	ck_assert_int_eq(count("log", "class", "panic"), 1);
	ck_assert_int_eq(count("note", "text", "(no test was running)"), 1);
	ck_assert_msg(strstr(evidence.worst, "planted"), "%s", evidence.worst);
}
END_TEST

/* A full disk: what could not be journaled is not removed, and neither is what comes after it. */
START_TEST(keeps_what_it_cannot_journal)
{
	const struct rlimit limit = { .rlim_cur = 500, .rlim_max = RLIM_INFINITY };
	const struct rlimit none = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };

	put("dmesg-ramoops-0", panic, sizeof(panic) - 1, SINCE);
	put("dmesg-ramoops-1", panic, sizeof(panic) - 1, SINCE);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	take();
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ck_assert_int_eq(evidence.result, -EFBIG);
	ck_assert(is_there("dmesg-ramoops-0"));
	ck_assert(is_there("dmesg-ramoops-1"));
}
END_TEST

START_TEST(no_pstore)
{
	evidence_pstore(&evidence, "/nonexistent", SINCE);
	ck_assert_int_eq(evidence.result, 0);
	ck_assert_int_eq(count("note", "text", "/nonexistent cannot be read: ENOENT"), 1);
}
END_TEST

/* A watchdog whose status says that it reset the machine, and one that says nothing. */
START_TEST(asks_watchdogs)
{
	evidence_watchdog(&evidence, "fixtures/sysfs/watchdog-itco");
	ck_assert_int_eq(evidence.result, 0);
	ck_assert_msg(strstr(evidence.reset, "iTCO_wdt"), "%s", evidence.reset);
	ck_assert_msg(strstr(evidence.reset, "it has reset the machine"), "%s", evidence.reset);
	ck_assert_int_eq(count("note", "text", "it has reset the machine"), 1);
	evidence.reset[0] = '\0';
	evidence_watchdog(&evidence, "fixtures/sysfs/watchdog-softdog");
	ck_assert_str_eq(evidence.reset, "");
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("evidence");
	TCase *tc = tcase_create("evidence");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, takes_a_dump);
	tcase_add_test(tc, knows_what_is_expected);
	tcase_add_test(tc, leaves_what_is_not_its_own);
	tcase_add_test(tc, of_no_test);
	tcase_add_test(tc, keeps_what_it_cannot_journal);
	tcase_add_test(tc, no_pstore);
	tcase_add_test(tc, asks_watchdogs);
	suite_add_tcase(s, tc);
	return s;
}
