// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

Suite *suite(void);

START_TEST(stream)
{
	static const char expected[] = "KTAP version 1\n1..3\n"
				       "  # Subtest: one\n"
				       "  TAP version 13\n"
				       "  1..1\n"
				       "  ok 1 x\n"
				       "  # words\\x1b[31m\n"
				       "  # ok 2 from stderr\n"
				       "  # 7 lines left out\n"
				       "  # late\n"
				       "ok 1 one\n"
				       "not ok 2 two # TIMEOUT too long\n"
				       "# why\n"
				       "not ok 3 three\n";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	tap_begin(out, 3);
	tap_open(out, "one");
	tap_line(out, "TAP version 13", 14, false, 0);
	tap_line(out, "1..1", 4, false, 0);
	tap_line(out, "ok 1 x", 6, false, 0);
	tap_line(out, "words\033[31m", 10, false, 0);
	tap_line(out, "ok 2 from stderr", 16, true, 0);
	tap_line(out, "late", 4, false, 7);
	tap_result(out, 1, "one", VERDICT_PASS, "");
	tap_result(out, 2, "two", VERDICT_HUNG, "too long");
	tap_result(out, 3, "three", VERDICT_FAIL, "why");
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

static const struct {
	enum verdict verdict;
	const char *line;
} results[] = {
	{ VERDICT_BROKEN, "not ok 1 t # ERROR r\n" }, { VERDICT_KNOWN, "ok 1 t # XFAIL r\n" },
	{ VERDICT_SKIP, "ok 1 t # SKIP r\n" },	      { VERDICT_NOTRUN, "ok 1 t # SKIP r\n" },
	{ VERDICT_NONE, "not ok 1 t # ERROR r\n" },
};

START_TEST(directives)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	tap_result(out, 1, "t", results[_i].verdict, "r");
	fclose(out);
	ck_assert_str_eq(text, results[_i].line);
	free(text);
}
END_TEST

/* Not a terminal: whole lines only, and nothing that a test says can move a cursor. */
START_TEST(plain_progress)
{
	FILE *out = tmpfile();
	struct progress progress;
	char text[512];
	size_t got;

	progress_init(&progress, out, 2);
	progress_start(&progress, 1, "one", 60);
	progress.redraw = 0;
	progress_tick(&progress, "half");
	progress_end(&progress, "one", VERDICT_FAIL, "red\033[31m", 1.25);
	rewind(out);
	got = fread(text, 1, sizeof(text) - 1, out);
	text[got] = '\0';
	fclose(out);
	ck_assert_str_eq(text, "[1/2] one  budget 60 s\nfail    one  1.2 s  red\\x1b[31m\n");
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("tap");
	TCase *c = tcase_create("tap");

	tcase_add_test(c, stream);
	tcase_add_loop_test(c, directives, 0, sizeof(results) / sizeof(results[0]));
	tcase_add_test(c, plain_progress);
	suite_add_tcase(s, c);
	return s;
}
