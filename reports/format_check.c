// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fixtures/formatted.h"
#include "format.h"
#include "outfile.h"
#include "verdict_map.h"

Suite *suite(void);

#define GOLDEN "reports/golden/"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where two long texts differ first. */
static void same_text(const char *text, const char *golden, const char *path)
{
	size_t i = 0, line = 1;

	for (; text[i] && text[i] == golden[i]; i++)
		line += text[i] == '\n';
	ck_assert_msg(text[i] == golden[i], "%s:%zu: \"%.60s\" instead of \"%.60s\"", path, line,
		      &text[i], &golden[i]);
}

/* Layouts that were looked at; what they must say is asserted in the checks of each format. */
static const struct {
	const char *journal, *format, *baseline, *golden;
} goldens[] = {
	{ "cost-after", "mail", NULL, "cost-after.txt" },
	{ "cost-after", "mail", "cost-before", "cost-change.txt" },
	{ "emulated", "mail", NULL, "emulated.txt" },
	{ "emulated", "csv", NULL, "emulated.csv" },
	{ "verdicts", "junit", NULL, "verdicts.xml" },
	{ "cost-after", "kcidb", NULL, "cost-after.kcidb.json" },
	{ "cost-after", "json", NULL, "cost-after.json" },
	{ "verdicts", "ktap", NULL, "verdicts.ktap" },
};

START_TEST(layout)
{
	char path[PATH_MAX], before[PATH_MAX];
	struct err err = { .text = "" };
	struct format_request request = {
		.format = format_find(goldens[_i].format),
		.path = path,
		.baseline = goldens[_i].baseline ? before : NULL,
	};
	char *text, *golden;
	size_t size;

	ck_assert_ptr_nonnull(request.format);
	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", goldens[_i].journal);
	snprintf(before, sizeof(before), JOURNALS "%s.jsonl", goldens[_i].baseline);
	ck_assert_msg(!format_text(&request, &text, &size, &err), "%s", err.text);
	snprintf(path, sizeof(path), GOLDEN "%s", goldens[_i].golden);
	golden = load(path);
	ck_assert_uint_eq(size, strlen(text));
	same_text(text, golden, path);
	free(golden);
	free(text);
}
END_TEST

START_TEST(every_format_takes_every_journal)
{
	static const char *const journals[] = {
		"verdicts", "emulated", "repeat",  "stopped",	  "hostile",	"forms",
		"unknown",  "guarded",	"resumed", "cost-before", "cost-after", "markup",
	};

	for (const struct format *f = formats; f->name; f++) {
		ck_assert_ptr_eq(format_find(f->name), f);
		ck_assert_uint_gt(strlen(f->description), 0);
		/* One way to write it. */
		ck_assert_int_eq(!!f->write + !!f->write_as + !!f->write_against, 1);
		for (size_t j = 0; j < COUNT(journals); j++) {
			char path[PATH_MAX];
			struct err err;
			char *text;
			size_t size;

			snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journals[j]);
			ck_assert_int_eq(
				format_text(&(struct format_request){ .format = f, .path = path },
					    &text, &size, &err),
				0);
			ck_assert_uint_gt(size, 100);
			ck_assert_uint_eq(strlen(text), size); /* no NUL */
			ck_assert_ptr_null(strchr(text, '\x1b'));
			free(text);
		}
	}
	ck_assert_ptr_null(format_find("xml"));
	ck_assert_ptr_null(format_find(""));
}
END_TEST

START_TEST(bad_journals_leave_nothing)
{
	static const struct {
		const char *journal, *message;
		int result;
	} bad[] = {
		{ "bad-json", "bad-json.jsonl:", -EBADMSG },
		{ "bad-verdict", "bad-verdict.jsonl:", -EBADMSG },
		{ "bad-version", "bad-version.jsonl:", -EPROTONOSUPPORT },
		{ "empty", "there is no record in it", -ENODATA },
		{ "no-such", "no-such.jsonl", -ENOENT },
	};

	for (const struct format *f = formats; f->name; f++)
		for (size_t i = 0; i < COUNT(bad); i++) {
			char path[PATH_MAX];
			struct err err;
			char *text;
			size_t size;

			snprintf(path, sizeof(path), JOURNALS "%s.jsonl", bad[i].journal);
			ck_assert_int_eq(
				format_text(&(struct format_request){ .format = f, .path = path },
					    &text, &size, &err),
				bad[i].result);
			ck_assert_msg(strstr(err.text, bad[i].message) != NULL, "%s", err.text);
			ck_assert_ptr_null(text);
		}
}
END_TEST

START_TEST(bad_baseline_is_named)
{
	struct err err;
	char *text;
	size_t size;
	int result = format_text(&(struct format_request){ .format = &formats[0],
							   .path = JOURNALS "verdicts.jsonl",
							   .baseline = JOURNALS "bad-json.jsonl" },
				 &text, &size, &err);

	ck_assert_int_eq(result, -EBADMSG);
	ck_assert_ptr_nonnull(strstr(err.text, "bad-json.jsonl:"));
	ck_assert_ptr_null(text);
}
END_TEST

/* No verdict but "pass" may look like one, and nothing bad like something harmless. */
START_TEST(verdicts_stay_what_they_are)
{
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++) {
		const struct verdict_map *m = verdict_map(v);
		bool bad = v < VERDICT_KNOWN || v == VERDICT_NONE;

		ck_assert_int_eq(!m->junit, v == VERDICT_PASS);
		ck_assert_int_eq(m->ktap_ok && !m->ktap, v == VERDICT_PASS);
		ck_assert_int_eq(!strcmp(m->kcidb, "PASS"), v == VERDICT_PASS);
		ck_assert_int_eq(m->ktap_ok, !bad);
		ck_assert_int_eq(m->junit && strcmp(m->junit, "skipped") != 0, bad);
	}
}
END_TEST

static char dir[] = "/tmp/outfile.XXXXXX";

static void make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static const char *in_dir(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
	return path;
}

/* How many files there are; with `removing` they are gone then. */
static int files(bool removing)
{
	DIR *all = opendir(dir);
	const struct dirent *entry;
	int n = 0;

	ck_assert_ptr_nonnull(all);
	while ((entry = readdir(all))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (removing)
			ck_assert_int_eq(unlinkat(dirfd(all), entry->d_name, 0), 0);
		n++;
	}
	closedir(all);
	return n;
}

static void remove_dir(void)
{
	files(true);
	ck_assert_int_eq(rmdir(dir), 0);
}

START_TEST(outfile_makes_and_replaces)
{
	char path[64], other[64];
	struct stat status;
	struct err err;
	mode_t mask = umask(027);
	char *text;

	in_dir(path, sizeof(path), "new");
	ck_assert_int_eq(outfile_write(path, "one", 3, &err), 0);
	umask(mask);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_eq(status.st_mode & 07777, 0640);
	chmod(path, 0604);
	ck_assert_int_eq(symlink("new", in_dir(other, sizeof(other), "link")), 0);
	ck_assert_int_eq(outfile_write(other, "two!", 4, &err), 0);
	text = load(path);
	ck_assert_str_eq(text, "two!");
	free(text);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_eq(status.st_mode & 07777, 0604);
	ck_assert_int_eq(lstat(other, &status), 0);
	ck_assert(S_ISLNK(status.st_mode));
	ck_assert_int_eq(files(false), 2);
}
END_TEST

START_TEST(outfile_fails_whole)
{
	char path[64];
	struct err err;

	ck_assert_int_eq(outfile_write(dir, "x", 1, &err), -EISDIR);
	ck_assert_ptr_nonnull(strstr(err.text, dir));
	in_dir(path, sizeof(path), "none/file");
	ck_assert_int_eq(outfile_write(path, "x", 1, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, path));
	ck_assert_int_eq(outfile_write("/dev/full", "x", 1, &err), -ENOSPC);
	ck_assert_int_eq(outfile_write("/dev/null", "x", 1, &err), 0);
	ck_assert_int_eq(files(false), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("format");
	TCase *tc = tcase_create("format");

	/* Plots are made by another program; no assertion is about time. */
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, layout, 0, COUNT(goldens));
	tcase_add_test(tc, every_format_takes_every_journal);
	tcase_add_test(tc, bad_journals_leave_nothing);
	tcase_add_test(tc, bad_baseline_is_named);
	tcase_add_test(tc, verdicts_stay_what_they_are);
	suite_add_tcase(s, tc);
	tc = tcase_create("outfile");
	tcase_add_checked_fixture(tc, make_dir, remove_dir);
	tcase_add_test(tc, outfile_makes_and_replaces);
	tcase_add_test(tc, outfile_fails_whole);
	suite_add_tcase(s, tc);
	return s;
}
