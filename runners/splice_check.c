// SPDX-License-Identifier: GPL-2.0-or-later
#include "splice.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite(void);

#define BEGIN "<!-- made: begin -->"
#define END "<!-- made: end -->"

static char dir[] = "/tmp/splice_check-XXXXXX";
static char path[64];

static void setup(void)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
}

static void teardown(void)
{
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0); /* nothing is left beside it */
}

static void put(const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static void holds(const char *text)
{
	char got[1024] = "";
	FILE *file = fopen(path, "r");

	got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(got, text);
}

START_TEST(replaces)
{
	struct stat status;
	struct err err;

	put("head\n" BEGIN "\nold\nold\n" END "\ntail\n");
	chmod(path, 0640);
	ck_assert_int_eq(splice_file(path, "made", NULL, &err), 0);
	holds("head\n" BEGIN "\nold\nold\n" END "\ntail\n");
	ck_assert_int_eq(splice_file(path, "made", "new\n", &err), 0);
	holds("head\n" BEGIN "\nnew\n" END "\ntail\n");
	ck_assert_int_eq(splice_file(path, "made", "", &err), 0);
	holds("head\n" BEGIN "\n" END "\ntail\n");
	stat(path, &status);
	ck_assert_int_eq(status.st_mode & 0777, 0640);
	put(BEGIN "\n" END);
	ck_assert_int_eq(splice_file(path, "made", "new\n", &err), 0);
	holds(BEGIN "\nnew\n" END);
}
END_TEST

START_TEST(a_link_stays_one)
{
	char link[80];
	struct stat status;
	struct err err;

	put(BEGIN "\n" END "\n");
	snprintf(link, sizeof(link), "%s/link", dir);
	ck_assert_int_eq(symlink("file", link), 0);
	ck_assert_int_eq(splice_file(link, "made", "new\n", &err), 0);
	lstat(link, &status);
	ck_assert(S_ISLNK(status.st_mode));
	unlink(link);
	holds(BEGIN "\nnew\n" END "\n");
}
END_TEST

static const char *const bad[] = {
	"",
	"text\n",
	BEGIN "\n",
	END "\n",
	END "\n" BEGIN "\n",
	BEGIN "\n" END "\n" END "\n",
	BEGIN "\n" BEGIN "\n" END "\n",
	" " BEGIN "\n" END "\n",
	BEGIN "x\n" END "\n",
};

START_TEST(refuses)
{
	struct err err;

	put(bad[_i]);
	ck_assert_int_eq(splice_file(path, "made", NULL, &err), -EINVAL);
	ck_assert_int_eq(splice_file(path, "made", "new\n", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, path));
	holds(bad[_i]);
}
END_TEST

START_TEST(no_such_file)
{
	struct err err;

	ck_assert_int_eq(splice_file(path, "made", NULL, &err), -ENOENT);
	ck_assert_int_eq(splice_file(dir, "made", NULL, &err), -EINVAL);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("splice");
	TCase *tcase = tcase_create("splice");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, replaces);
	tcase_add_test(tcase, a_link_stays_one);
	tcase_add_loop_test(tcase, refuses, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tcase, no_such_file);
	suite_add_tcase(suite, tcase);
	return suite;
}
