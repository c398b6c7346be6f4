// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "journal.h"
#include "record.h"

Suite *suite(void);

#define STAMP "\"boot\":\"b\",\"time\":\"t\",\"type\":\"note\""

static char dir[] = "/tmp/pmiproof-journal-XXXXXX";
static struct err err;

static void make_dir(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, JOURNAL_NAME);
	unlink(path);
	rmdir(dir);
}

/* Read text as a journal: number of records, or the error; *cut as the reader saw it. */
static int read_text(const char *text, size_t size, bool *cut)
{
	struct journal_reader reader;
	json_t *record;
	int n = 0, result;

	if (!size)
		return 0;
	journal_attach(&reader, fmemopen((void *)(uintptr_t)text, size, "r"), "sample");
	while ((result = journal_next(&reader, &record, &err)) > 0) {
		json_decref(record);
		n++;
	}
	*cut = reader.cut;
	journal_finish(&reader);
	return result < 0 ? result : n;
}

static void append(struct journal *journal, json_t *record)
{
	ck_assert_int_eq(journal_append(journal, record, true, &err), 0);
}

START_TEST(round_trip)
{
	struct journal_reader reader;
	struct journal journal;
	json_t *record;

	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	append(&journal, json_pack("{s:s, s:f}", "type", "note", "x", 0.1));
	append(&journal, json_pack("{s:s, s:i}", "type", "note", "x", 2));
	journal_close(&journal);

	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	ck_assert_int_eq(journal_next(&reader, &record, &err), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(record, "seq")), 1);
	/* All 17 digits must survive: a sample that changes by being stored is no sample. */
	ck_assert(json_real_value(json_object_get(record, "x")) == 0.1);
	json_decref(record);
	ck_assert_int_eq(journal_next(&reader, &record, &err), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(record, "seq")), 2);
	json_decref(record);
	ck_assert_int_eq(journal_next(&reader, &record, &err), 0);
	ck_assert(!reader.cut);
	journal_finish(&reader);
}
END_TEST

START_TEST(existing_journal_is_refused)
{
	struct journal journal;

	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	journal_close(&journal);
	ck_assert_int_eq(journal_create(&journal, dir, &err), -EEXIST);
	ck_assert_ptr_nonnull(strstr(err.text, JOURNAL_NAME));
	journal_close(&journal);
}
END_TEST

/* A line that a crash cut is removed, the others stay, and the sequence goes on. */
START_TEST(goes_on)
{
	struct journal_reader reader;
	struct journal journal;
	json_t *record;
	uint64_t whole;
	int n = 0;

	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	append(&journal, json_pack("{s:s}", "type", "note"));
	append(&journal, json_pack("{s:s}", "type", "note"));
	ck_assert_int_eq(write(journal.fd, "{\"v\":1,\"seq", 11), 11);
	journal_close(&journal);

	ck_assert_int_eq(journal_reopen(&journal, dir, &err), 0);
	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	while (journal_next(&reader, &record, &err) == 1)
		json_decref(record);
	ck_assert(reader.cut);
	whole = reader.whole;
	ck_assert_uint_eq(reader.seq, 2);
	journal_finish(&reader);
	ck_assert_int_eq(journal_cut(&journal, 2, whole, &err), 0);
	append(&journal, json_pack("{s:s}", "type", "note"));
	journal_close(&journal);

	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	while (journal_next(&reader, &record, &err) == 1) {
		json_decref(record);
		n++;
	}
	ck_assert_int_eq(n, 3);
	ck_assert(!reader.cut);
	journal_finish(&reader);
}
END_TEST

START_TEST(one_writer)
{
	struct journal journal, other;

	ck_assert_int_eq(journal_reopen(&other, dir, &err), -ENOENT);
	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	ck_assert_int_eq(journal_reopen(&other, dir, &err), -EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, "another run"));
	journal_close(&journal);
	ck_assert_int_eq(journal_reopen(&other, dir, &err), 0);
	journal_close(&other);
}
END_TEST

START_TEST(stamp_cannot_be_forged)
{
	struct journal_reader reader;
	struct journal journal;
	json_t *record;

	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	append(&journal, json_pack("{s:s, s:i, s:i, s:s}", "type", "note", "seq", 99, "v", 7,
				   "boot", "mine"));
	journal_close(&journal);
	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	ck_assert_int_eq(journal_next(&reader, &record, &err), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(record, "seq")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(record, "v")), RECORD_VERSION);
	ck_assert_str_ne(json_string_value(json_object_get(record, "boot")), "mine");
	json_decref(record);
	journal_finish(&reader);
}
END_TEST

/* A full disk in the middle of a line, by way of the file size limit of this (forked) test. */
START_TEST(full_disk_leaves_whole_lines)
{
	const struct rlimit limit = { .rlim_cur = 400, .rlim_max = RLIM_INFINITY };
	const struct rlimit none = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
	struct journal_reader reader;
	struct journal journal;
	char text[1000];
	json_t *record;
	int n = 0;

	memset(text, 'x', sizeof(text));
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(journal_create(&journal, dir, &err), 0);
	append(&journal, json_pack("{s:s}", "type", "note"));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(
		journal_append(&journal,
			       json_pack("{s:s, s:s%}", "type", "note", "text", text, sizeof(text)),
			       false, &err),
		-EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	append(&journal, json_pack("{s:s}", "type", "note"));
	journal_close(&journal);

	ck_assert_int_eq(journal_open(&reader, dir, &err), 0);
	while (journal_next(&reader, &record, &err) == 1) {
		json_decref(record);
		n++;
	}
	ck_assert_int_eq(n, 2);
	ck_assert(!reader.cut);
	journal_finish(&reader);
}
END_TEST

/* Cut at every byte: all lines whose newline is there are read, the rest is reported as cut. */
START_TEST(cut_anywhere)
{
	static const char text[] = "{\"v\":1,\"seq\":1," STAMP "}\n"
				   "{\"v\":1,\"seq\":2," STAMP ",\"text\":\"\\u00e9\xc3\xa9\"}\n"
				   "{\"v\":1,\"seq\":3," STAMP "}\n";

	for (size_t size = 0; size < sizeof(text); size++) {
		bool cut = false;
		int lines = 0;

		for (size_t i = 0; i < size; i++)
			lines += text[i] == '\n';
		ck_assert_int_eq(read_text(text, size, &cut), lines);
		ck_assert_int_eq(cut, size && text[size - 1] != '\n');
	}
}
END_TEST

static const struct {
	const char *text;
	int result;
	const char *says;
} bad[] = {
	{ "\n", -EBADMSG, "sample:1:" },
	{ "{\n", -EBADMSG, "sample:1:" },
	{ "[]\n", -EBADMSG, "not a JSON object" },
	{ "{\"seq\":1," STAMP "}\n", -EBADMSG, "\"v\"" },
	{ "{\"v\":2,\"seq\":1," STAMP "}\n", -EPROTONOSUPPORT, "version 2" },
	{ "{\"v\":1,\"seq\":2," STAMP "}\n", -EBADMSG, "sequence number is not 1" },
	{ "{\"v\":1," STAMP "}\n", -EBADMSG, "sequence" },
	{ "{\"v\":1,\"seq\":1,\"boot\":\"b\",\"time\":\"t\"}\n", -EBADMSG, "\"type\"" },
	{ "{\"v\":1,\"seq\":1," STAMP "}\n{\"v\":1,\"seq\":1," STAMP "}\n", -EBADMSG, "sample:2:" },
	{ "{\"v\":1,\"seq\":1," STAMP ",\"v\":1}\n", -EBADMSG, "duplicate" },
	{ "{\"v\":1,\"seq\":1," STAMP ",\"x\":1e999}\n", -EBADMSG, "sample:1:" },
	{ "{\"v\":1,\"seq\":1," STAMP ",\"x\":\"\xff\"}\n", -EBADMSG, "sample:1:" },
};

START_TEST(bad_line)
{
	bool cut;

	ck_assert_int_eq(read_text(bad[_i].text, strlen(bad[_i].text), &cut), bad[_i].result);
	ck_assert_msg(strstr(err.text, bad[_i].says), "'%s' lacks '%s'", err.text, bad[_i].says);
	/* What is wrong is said, and an errno would add nothing. */
	ck_assert_ptr_null(strstr(err.text, "EBADMSG"));
}
END_TEST

/* Set text of a machine as a record value and give back what a reader would see. */
static const char *as_text(json_t *object, const char *text, size_t len)
{
	record_set_text(object, "t", text, len);
	return json_string_value(json_object_get(object, "t"));
}

START_TEST(text_is_made_valid)
{
	json_t *object = json_object();

	ck_assert_str_eq(as_text(object, "plain \xc3\xa9", (size_t)-1), "plain \xc3\xa9");
	ck_assert_str_eq(as_text(object,
				 "a\xff"
				 "b",
				 (size_t)-1),
			 "a\xef\xbf\xbd"
			 "b");
	/* A sequence cut at the end, an overlong slash, a surrogate, a NUL. */
	ck_assert_str_eq(as_text(object, "\xc3", (size_t)-1), "\xef\xbf\xbd");
	ck_assert_str_eq(as_text(object, "\xc0\xaf", (size_t)-1), "\xef\xbf\xbd\xef\xbf\xbd");
	ck_assert_str_eq(as_text(object, "\xed\xa0\x80", (size_t)-1),
			 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	ck_assert_str_eq(as_text(object, "a\0b", 3), "a\xef\xbf\xbd"
						     "b");
	json_decref(object);
}
END_TEST

START_TEST(numbers)
{
	json_t *object = json_object();
	char *text;

	record_set_number(object, "whole", 3);
	record_set_number(object, "part", 0.5);
	record_set_number(object, "nan", NAN);
	record_set_number(object, "inf", INFINITY);
	text = json_dumps(object, JSON_COMPACT);
	ck_assert_str_eq(text, "{\"whole\":3,\"part\":0.5}");
	free(text);
	json_decref(object);
}
END_TEST

START_TEST(descriptor)
{
	char text[16];
	int fd;

	unsetenv(RECORD_FD_ENV);
	ck_assert_int_eq(record_open(&err), -1);
	setenv(RECORD_FD_ENV, "12x", 1);
	ck_assert_int_eq(record_open(&err), -EINVAL);
	setenv(RECORD_FD_ENV, "1000", 1);
	ck_assert_int_eq(record_open(&err), -EBADF);
	fd = open("/dev/null", O_WRONLY);
	snprintf(text, sizeof(text), "%d", fd);
	setenv(RECORD_FD_ENV, text, 1);
	ck_assert_int_eq(record_open(&err), fd);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_ptr_null(getenv(RECORD_FD_ENV));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("journal");
	TCase *files = tcase_create("files");
	TCase *lines = tcase_create("lines");

	tcase_add_checked_fixture(files, make_dir, remove_dir);
	tcase_add_test(files, round_trip);
	tcase_add_test(files, existing_journal_is_refused);
	tcase_add_test(files, goes_on);
	tcase_add_test(files, one_writer);
	tcase_add_test(files, stamp_cannot_be_forged);
	tcase_add_test(files, full_disk_leaves_whole_lines);
	tcase_add_test(lines, cut_anywhere);
	tcase_add_loop_test(lines, bad_line, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(lines, text_is_made_valid);
	tcase_add_test(lines, numbers);
	tcase_add_test(lines, descriptor);
	suite_add_tcase(s, files);
	suite_add_tcase(s, lines);
	return s;
}
