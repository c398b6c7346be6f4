// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	size_t len;
	const char *escaped;
} cases[] = {
	{ "plain, with \\ and %s", -1, "plain, with \\ and %s" },
	{ "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", -1, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "\033[2J", -1, "\\x1b[2J" },
	{ "a\nb\tc\rd", -1, "a\\nb\\tc\\rd" },
	{ "\x7f", -1, "\\x7f" },
	{ "\0x", 2, "\\x00x" },
	{ "\xc2\x9b"
	  "31m",
	  -1, "\\x9b31m" }, /* CSI as one C1 character */
	{ "\xe2\x80\xae"
	  "abc\xe2\x80\xac",
	  -1, "\\u202eabc\\u202c" }, /* right-to-left override */
	{ "\xe2\x81\xa6\xe2\x81\xa9", -1, "\\u2066\\u2069" },
	{ "\xe2\x80\xa8", -1, "\\u2028" }, /* line separator */
	/* Not UTF-8: a lone continuation, a cut sequence, overlong, a surrogate, above U+10FFFF. */
	{ "\x80", -1, "\xef\xbf\xbd" },
	{ "\xe2\x82", -1, "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xc0\x9b", -1, "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xed\xa0\x80", -1, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xf4\x90\x80\x80", -1, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xff[", -1, "\xef\xbf\xbd[" },
};

START_TEST(escapes)
{
	char *once = text_escape(cases[_i].text, cases[_i].len);
	char *twice = text_escape(once, (size_t)-1);

	ck_assert_str_eq(once, cases[_i].escaped);
	ck_assert_str_eq(twice, once);
	free(once);
	free(twice);
}
END_TEST

START_TEST(reads_no_byte_past_the_end)
{
	/* The heap, so that the address sanitizer sees it. */
	char *cut = malloc(2);
	char *escaped;

	ck_assert_ptr_nonnull(cut);
	cut[0] = '\xf0';
	cut[1] = '\x9f';
	escaped = text_escape(cut, 2);
	ck_assert_str_eq(escaped, "\xef\xbf\xbd\xef\xbf\xbd");
	free(escaped);
	free(cut);
}
END_TEST

START_TEST(counts_columns)
{
	ck_assert_uint_eq(text_columns(""), 0);
	ck_assert_uint_eq(text_columns("abc"), 3);
	ck_assert_uint_eq(text_columns("\xc3\xa4\xe2\x82\xac"), 2);
}
END_TEST

static const struct {
	const char *text;
	size_t used, indent, width;
	const char *wrapped;
} wraps[] = {
	{ "one two three", 0, 0, 0, "one two three\n" },
	{ "one two three", 0, 0, 7, "one two\nthree\n" },
	{ "one two three", 0, 0, 6, "one\ntwo\nthree\n" },
	{ "one two three", 4, 4, 11, "one two\n    three\n" },
	/* A word that does not fit is not broken. */
	{ "one elephant two", 0, 2, 6, "one\n  elephant\n  two\n" },
	/* Spaces stay when nothing has to be wrapped: what is shown may be a table. */
	{ "a   b", 0, 0, 80, "a   b\n" },
	{ "a\nb \033", 0, 0, 80, "a\\nb \\x1b\n" },
	{ "", 3, 3, 10, "\n" },
};

START_TEST(wraps_text)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_wrap(out, wraps[_i].text, wraps[_i].used, wraps[_i].indent, wraps[_i].width);
	fclose(out);
	ck_assert_str_eq(text, wraps[_i].wrapped);
	free(text);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("text");
	TCase *tc = tcase_create("text");

	tcase_add_loop_test(tc, escapes, 0, COUNT(cases));
	tcase_add_test(tc, reads_no_byte_past_the_end);
	tcase_add_test(tc, counts_columns);
	tcase_add_loop_test(tc, wraps_text, 0, COUNT(wraps));
	suite_add_tcase(s, tc);
	return s;
}
