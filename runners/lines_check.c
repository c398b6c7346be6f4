// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Suite *suite(void);

/* What was handed over, each line as "<text>|", a cut one as "<text>!". */
struct seen {
	char text[256];
	int refuse; /* returned by the handler */
};

static int see(void *context, const char *line, size_t len, bool cut)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%.*s%c", (int)len, line ? line : "",
		 cut ? '!' : '|');
	return seen->refuse;
}

static int open_pipe(struct lines *lines, size_t max)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	lines_init(lines, fds[0], max);
	return fds[1];
}

static void put(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

START_TEST(lines_come_whole)
{
	struct seen seen = { 0 };
	struct lines lines;
	int fd = open_pipe(&lines, 100);

	ck_assert_int_eq(lines_read(&lines, see, &seen), -EAGAIN);
	put(fd, "one\n\ntw");
	ck_assert_int_eq(lines_read(&lines, see, &seen), 1);
	ck_assert_str_eq(seen.text, "one||");
	put(fd, "o\nthree");
	ck_assert_int_eq(lines_read(&lines, see, &seen), 1);
	ck_assert_str_eq(seen.text, "one||two|");
	close(fd);
	ck_assert_int_eq(lines_read(&lines, see, &seen), 0);
	ck_assert_str_eq(seen.text, "one||two|three|");
	ck_assert_int_eq(lines_read(&lines, see, &seen), 0);
	ck_assert_str_eq(seen.text, "one||two|three|");
	lines_close(&lines);
}
END_TEST

START_TEST(long_lines_are_cut)
{
	struct seen seen = { 0 };
	struct lines lines;
	int fd = open_pipe(&lines, 4);

	put(fd, "1234\n12345\n");
	put(fd, "123456789");
	ck_assert_int_eq(lines_read(&lines, see, &seen), 1);
	put(fd, "0\nx\n");
	ck_assert_int_eq(lines_read(&lines, see, &seen), 1);
	ck_assert_str_eq(seen.text, "1234|1234!1234!x|");
	close(fd);
	lines_close(&lines);
}
END_TEST

START_TEST(handler_ends_reading)
{
	struct seen seen = { .refuse = -ENOSPC };
	struct lines lines;
	int fd = open_pipe(&lines, 100);

	put(fd, "one\ntwo\n");
	ck_assert_int_eq(lines_read(&lines, see, &seen), -ENOSPC);
	ck_assert_str_eq(seen.text, "one|");
	close(fd);
	lines_close(&lines);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lines");
	TCase *c = tcase_create("lines");

	tcase_add_test(c, lines_come_whole);
	tcase_add_test(c, long_lines_are_cut);
	tcase_add_test(c, handler_ends_reading);
	suite_add_tcase(s, c);
	return s;
}
