// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fixtures/small_report.h"
#include "history.h"

Suite *suite(void);

static char tmp[] = "/tmp/history-check-XXXXXX";
static struct history *history;
static struct err err;

static const char *in_tmp(const char *name)
{
	static char path[4][128];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", tmp, name);
	return path[next];
}

static void set_up(void)
{
	strcpy(tmp + strlen(tmp) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tmp));
	ck_assert_msg(!history_open(&history, in_tmp("h.db"), true, &err), "%s", err.text);
}

static void tear_down(void)
{
	char command[64];

	history_close(history);
	snprintf(command, sizeof(command), "rm -rf %s", tmp);
	ck_assert_int_eq(system(command), 0);
}

static int add(const char *name, enum history_added *added, int64_t *id)
{
	return history_add(history, in_tmp(name), NULL, added, id, &err);
}

static int count_one(const struct history_report *report, void *context)
{
	(void)report;
	++*(size_t *)context;
	return 0;
}

static size_t reports(void)
{
	size_t n = 0;

	ck_assert_int_eq(history_list(history, count_one, &n, &err), 0);
	return n;
}

static void same_file(const char *a, const char *b)
{
	char command[512];

	snprintf(command, sizeof(command), "cmp %s %s", a, b);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(added_once)
{
	enum history_added added;
	int64_t id, again;

	small_report_write(&(struct small_report){ 0 }, in_tmp("a"));
	ck_assert_msg(!add("a", &added, &id), "%s", err.text);
	ck_assert_int_eq(added, HISTORY_ADDED);
	ck_assert_int_eq(add("a/journal.jsonl", &added, &again), 0);
	ck_assert_int_eq(added, HISTORY_THERE);
	ck_assert_int_eq(id, again);
	ck_assert_uint_eq(reports(), 1);
}
END_TEST

/* A run that was cut and resumed is one report; what is shorter never takes its place. */
START_TEST(a_resumed_run)
{
	enum history_added added;
	int64_t id;

	small_report_write(&(struct small_report){ .cut = 1 }, in_tmp("cut"));
	small_report_write(&(struct small_report){ .samples = "1,2,3" }, in_tmp("whole"));
	ck_assert_int_eq(add("cut", &added, &id), 0);
	ck_assert_int_eq(add("whole", &added, &id), 0);
	ck_assert_int_eq(added, HISTORY_REPLACED);
	ck_assert_int_eq(add("cut", &added, &id), 0);
	ck_assert_int_eq(added, HISTORY_THERE);
	ck_assert_uint_eq(reports(), 1);
	ck_assert_int_eq(history_export(history, id, in_tmp("out"), &err), 0);
	same_file(in_tmp("whole/journal.jsonl"), in_tmp("out/journal.jsonl"));
}
END_TEST

START_TEST(exported)
{
	enum history_added added;
	int64_t id;

	small_report_write(&(struct small_report){ 0 }, in_tmp("a"));
	ck_assert_int_eq(add("a", &added, &id), 0);
	ck_assert_int_eq(history_export(history, id, in_tmp("a"), &err), -EEXIST);
	ck_assert_int_eq(history_export(history, id, in_tmp("no/such"), &err), -ENOENT);
	ck_assert_int_eq(history_export(history, id + 1, in_tmp("b"), &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "there is no report 2"));
	ck_assert_int_ne(access(in_tmp("b"), F_OK), 0);
}
END_TEST

/* What cannot be read is not added, and leaves nothing behind. */
START_TEST(bad_reports)
{
	enum history_added added;
	int64_t id;
	FILE *file;
	int fd;

	ck_assert_int_eq(add("nosuch", &added, &id), -ENOENT);
	ck_assert_int_eq(mkdir(in_tmp("bad"), 0777), 0);
	ck_assert_int_eq(add("bad", &added, &id), -ENOENT);
	file = fopen(in_tmp("bad/journal.jsonl"), "w");
	ck_assert_int_eq(add("bad", &added, &id), -ENODATA);
	fputs("{\"v\":2}\n", file);
	fclose(file);
	ck_assert_int_lt(add("bad", &added, &id), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "bad:1: record format version 2"));
	/* One that is being written. */
	small_report_write(&(struct small_report){ 0 }, in_tmp("a"));
	fd = open(in_tmp("a/journal.jsonl"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(add("a", &added, &id), -EBUSY);
	close(fd);
	/* Its second half makes no sense: the first one is taken back. */
	small_report_write(&(struct small_report){ .samples = "],\"histogram\":[[1,-1]" },
			   in_tmp("b"));
	ck_assert_int_eq(add("b", &added, &id), -EBADMSG);
	ck_assert_uint_eq(reports(), 0);
	ck_assert_int_eq(add("a", &added, &id), 0);
	ck_assert_uint_eq(reports(), 1);
}
END_TEST

/* Files that are no history are refused, and stay as they were. */
START_TEST(other_files)
{
	static const struct {
		const char *sql;
		int expected;
	} others[] = {
		{ "CREATE TABLE t(x);", -EBADMSG },
		{ "PRAGMA application_id=7;", -EBADMSG },
		{ "PRAGMA application_id=0x706d6970; PRAGMA user_version=2;", -EPROTONOSUPPORT },
	};
	struct history *other;
	FILE *file;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char command[300];
		sqlite3 *db;

		ck_assert_int_eq(sqlite3_open(in_tmp("other.db"), &db), SQLITE_OK);
		ck_assert_int_eq(sqlite3_exec(db, others[i].sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		snprintf(command, sizeof(command), "cp %s %s", in_tmp("other.db"), in_tmp("copy"));
		ck_assert_int_eq(system(command), 0);
		ck_assert_int_eq(history_open(&other, in_tmp("other.db"), true, &err),
				 others[i].expected);
		same_file(in_tmp("other.db"), in_tmp("copy"));
		unlink(in_tmp("other.db"));
	}
	file = fopen(in_tmp("text"), "w");
	for (int i = 0; i < 100; i++)
		fputs("not a database at all\n", file);
	fclose(file);
	ck_assert_int_eq(history_open(&other, in_tmp("text"), true, &err), -EBADMSG);
	ck_assert_int_eq(history_open(&other, in_tmp("nosuch.db"), false, &err), -ENOENT);
	ck_assert_int_ne(access(in_tmp("nosuch.db"), F_OK), 0);
	ck_assert_int_eq(history_open(&other, in_tmp("no/such.db"), true, &err), -EIO);
}
END_TEST

#define WRITERS 2
#define EACH 40

/* Add reports FIRST, FIRST + STEP, ...; ends the process. */
static void write_many(int first, int step)
{
	struct history *own;

	if (history_open(&own, in_tmp("h.db"), true, &err))
		_exit(1);
	for (int i = first; i < WRITERS * EACH; i += step) {
		enum history_added added;
		char name[16];
		int64_t id;

		snprintf(name, sizeof(name), "r%d", i);
		if (history_add(own, in_tmp(name), NULL, &added, &id, &err)) {
			fprintf(stderr, "%s\n", err.text);
			_exit(1);
		}
	}
	history_close(own);
	_exit(0);
}

static void make_many(void)
{
	for (int i = 0; i < WRITERS * EACH; i++) {
		char name[16], time[32];

		snprintf(name, sizeof(name), "r%d", i);
		snprintf(time, sizeof(time), "2026-03-01T10:%02d:00.000Z", i);
		small_report_write(&(struct small_report){ .time = time, .samples = "1,2,3" },
				   in_tmp(name));
	}
}

/* Two processes add at the same time, half of it the same reports: all are there once. */
START_TEST(two_writers)
{
	make_many();
	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			write_many(i, i + 1);
	for (int i = 0; i < WRITERS; i++) {
		int status;

		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	/* Writer 0 has added all, writer 1 those with odd numbers. */
	ck_assert_uint_eq(reports(), WRITERS * EACH);
}
END_TEST

/* A writer that is killed leaves whole reports, and others go on. */
START_TEST(a_killed_writer)
{
	enum history_added added;
	size_t before;
	int64_t id;
	pid_t pid;
	int status;

	make_many();
	pid = fork();
	if (!pid)
		write_many(0, 1);
	while (!reports())
		usleep(1000);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	before = reports();
	ck_assert_uint_ge(before, 1);
	for (int i = 0; i < WRITERS * EACH; i++) {
		char name[16];

		snprintf(name, sizeof(name), "r%d", i);
		ck_assert_msg(!add(name, &added, &id), "%s", err.text);
		ck_assert_int_eq(added, (size_t)i < before ? HISTORY_THERE : HISTORY_ADDED);
	}
	ck_assert_uint_eq(reports(), WRITERS * EACH);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("history_add");
	TCase *tests = tcase_create("history_add");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, added_once);
	tcase_add_test(tests, a_resumed_run);
	tcase_add_test(tests, exported);
	tcase_add_test(tests, bad_reports);
	tcase_add_test(tests, other_files);
	tcase_add_test(tests, two_writers);
	tcase_add_test(tests, a_killed_writer);
	suite_add_tcase(all, tests);
	return all;
}
