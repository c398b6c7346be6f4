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
	struct tap tap = { .out = open_memstream(&text, &size) };

	tap_begin(&tap, 3);
	tap_open(&tap, "one", false);
	tap_line(&tap, "TAP version 13", 14, false, 0);
	tap_line(&tap, "1..1", 4, false, 0);
	tap_line(&tap, "ok 1 x", 6, false, 0);
	tap_line(&tap, "words\033[31m", 10, false, 0);
	tap_line(&tap, "ok 2 from stderr", 16, true, 0);
	tap_line(&tap, "late", 4, false, 7);
	tap_result(&tap, 1, "one", VERDICT_PASS, "");
	tap_result(&tap, 2, "two", VERDICT_HUNG, "too long");
	tap_result(&tap, 3, "three", VERDICT_FAIL, "why");
	fclose(tap.out);
	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

/* What a test says of a failure that may be a known issue; its result comes after. */
static void put_lines(struct tap *tap, bool may_hold)
{
	static const char *const lines[] = {
		"ok 1 first",
		"  not ok 1 nested",
		"not ok 2 slow: 9 <= 5",
		"not ok 3 other # ERROR x",
		"not okay, really",
	};

	tap_open(tap, "t", may_hold);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		tap_line(tap, lines[i], strlen(lines[i]), false, 0);
	tap_line(tap, "not ok 4 said", 13, true, 2);
}

#define FIRST "  # Subtest: t\n  ok 1 first\n"
#define LAST                                                                                    \
	"  not ok 3 other # ERROR x\n  # not okay, really\n  # 2 lines left out\n  # not ok 4 " \
	"said\n"
#define FAILED "    not ok 1 nested\n  not ok 2 slow: 9 <= 5\n"
#define EXPECTED "    ok 1 nested # XFAIL\n  ok 2 slow: 9 <= 5 # XFAIL\n"

static const struct {
	bool may_hold;
	const char *at_once; /* written before there is a result */
	enum verdict verdict;
	const char *all;
} held[] = {
	{ true, FIRST, VERDICT_KNOWN, FIRST EXPECTED LAST "ok 1 t # XFAIL r\n" },
	{ true, FIRST, VERDICT_FAIL, FIRST FAILED LAST "# r\nnot ok 1 t\n" },
	{ true, FIRST, VERDICT_HUNG, FIRST FAILED LAST "not ok 1 t # TIMEOUT r\n" },
	{ false, FIRST FAILED LAST, VERDICT_KNOWN, FIRST FAILED LAST "ok 1 t # XFAIL r\n" },
};

START_TEST(known_issue)
{
	char *text = NULL;
	size_t size;
	struct tap tap = { .out = open_memstream(&text, &size) };

	put_lines(&tap, held[_i].may_hold);
	fflush(tap.out);
	ck_assert_str_eq(text, held[_i].at_once);
	tap_result(&tap, 1, "t", held[_i].verdict, "r");
	fflush(tap.out);
	ck_assert_str_eq(text, held[_i].all);
	/* It is of this test alone. */
	tap_line(&tap, "not ok 1 late", 13, false, 0);
	fclose(tap.out);
	ck_assert_str_eq(text + strlen(held[_i].all), "  not ok 1 late\n");
	free(text);
}
END_TEST

/* A flood behind a failure is not kept: it goes on as it is. */
START_TEST(flood)
{
	char line[1024];
	char *text = NULL;
	size_t size;
	struct tap tap = { .out = open_memstream(&text, &size) };

	memset(line, 'x', sizeof(line));
	tap_open(&tap, "t", true);
	tap_line(&tap, "not ok 1 slow", 13, false, 0);
	for (int i = 0; i < 1100; i++)
		tap_line(&tap, line, sizeof(line), false, 0);
	fflush(tap.out);
	ck_assert_uint_gt(size, 1 << 20);
	tap_result(&tap, 1, "t", VERDICT_KNOWN, "r");
	fclose(tap.out);
	ck_assert_uint_eq(size, strlen("  # Subtest: t\n  not ok 1 slow\nok 1 t # XFAIL r\n") +
					1100 * (sizeof(line) + strlen("  # \n")));
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
	struct tap tap = { .out = open_memstream(&text, &size) };

	tap_result(&tap, 1, "t", results[_i].verdict, "r");
	fclose(tap.out);
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
	tcase_add_loop_test(c, known_issue, 0, sizeof(held) / sizeof(held[0]));
	tcase_add_test(c, flood);
	tcase_add_test(c, plain_progress);
	suite_add_tcase(s, c);
	return s;
}
