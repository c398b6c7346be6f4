// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/compared.h"
#include "../fixtures/small_report.h"
#include "compare.h"
#include "text.h"

Suite *suite(void);

#define WIDTH 72
#define DIR "/tmp/compare-mail-check"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Make every run of blanks one. */
static char *squeeze(char *text)
{
	char *to = text;

	for (char *c = text; *c; c++)
		if (*c != ' ' || to == text || to[-1] != ' ')
			*to++ = *c;
	*to = '\0';
	return text;
}

static void has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in %.3000s", part, text);
}

static void has_not(const char *text, const char *part)
{
	ck_assert_msg(!strstr(text, part), "'%s' in %.3000s", part, text);
}

/* Every line fits, and none ends with a blank, which mailers and git complain of. */
static void fits(const char *text)
{
	char *copy = strdup(text), *rest = NULL;

	ck_assert_ptr_nonnull(copy);
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		ck_assert_msg(text_columns(line) <= WIDTH, "%zu: %s", text_columns(line), line);
		ck_assert_msg(line[strlen(line) - 1] != ' ', "%s|", line);
	}
	free(copy);
}

/* The figures are worked out in compare_html_check.c and mail_check.c. */
static const struct {
	const char *journals[4], *part;
} parts[] = {
	{ { "cost-before", "cost-after" },
	  "\n cycles, -c 100000\n A 20 110.5 120.0 110.5\n B 20 50.5 60.0 50.5 -54% -61..-47\n" },
	{ { "cost-before", "cost-after" },
	  "\n cycles, -g\n A 20 210.5 220.0 210.5\n B 20 210.5 220.0 210.5 ~\n" },
	{ { "cost-before", "cost-after" }, "\n cycles, -g, gone\n A 5 3.0 5.0 3.0\n B 0 - - -\n" },
	{ { "cost-before", "cost-after" }, "\n n avg max median delta, 95 %\n" },
	{ { "cost-before", "cost-after" }, "\n lost_pmi fail pass passes now: B\n" },
	{ { "cost-before", "cost-after" }, "\n overflows, all: lost: A 3, B 0\n" },
	{ { "cost-before", "cost-after" }, "\n A fixtures/journals/cost-before.jsonl\n" },
	{ { "cost-before", "cost-after" }, "\n differs kernel: 6.1.0, in B 6.1.0-freeze\n" },
	{ { "cost-before", "cost-after" }, "\nA: pmiproof 0.1, run of 2026-05-04T08:00:01.000Z\n" },
	{ { "cost-before", "cost-after" }, "Mann-Whitney" },
	/* 110.5 is 2.188 times 50.5; 105 / 56 = 1.875 and 116 / 45 = 2.578 */
	{ { "cost-after", "cost-before" }, "\n B 20 110.5 120.0 110.5 +119% +88..+158\n" },
	{ { "cost-before", "emulated", "cost-after" },
	  " B shown beside A, not compared with it: emulated against\n real\n" },
	{ { "cost-before", "emulated", "cost-after" },
	  "\n cycles, -g\n A 20 210.5 220.0 210.5\n C 20 210.5 220.0 210.5 ~\n" },
	{ { "cost-before", "emulated", "cost-after" }, "\nB: pmiproof " },
	/* Of those that are beside A only there is no change, but how sure each median is. */
	{ { "emulated", "cost-before" },
	  "\n cycles, -c 100000\n B 20 110.50 120.00 110.50 106.00..115.00\n" },
	{ { "emulated", "cost-before" }, "\n n avg max median 95 % interval\n" },
	{ { "emulated", "cost-before" },
	  "latency, wake-up, in us, clock resolution 40 ns (emulated)\n" },
	{ { "emulated", "emulated" }, "\nAll figures describe emulated machines, not silicon.\n" },
	{ { "hostile", "cost-before" }, " evil\\x1b[31m " },
};

START_TEST(says_what_the_journals_say)
{
	char *text = compared_journals(compare_mail, parts[_i].journals);
	char *line = calloc(1, strlen(text) + 2);

	/* The first line, too, begins after a newline. */
	ck_assert_ptr_nonnull(line);
	line[0] = '\n';
	strcpy(line + 1, text);
	has(squeeze(line), parts[_i].part);
	fits(text);
	free(line);
	free(text);
}
END_TEST

START_TEST(apart_has_no_delta)
{
	static const char *const journals[] = { "emulated", "cost-before", NULL };
	char *text = compared_journals(compare_mail, journals);

	has_not(text, "delta");
	has_not(text, "new fail");
	has(text, "no\ndifference is called a regression.");
	free(text);
}
END_TEST

static char *compared_reports(const struct small_report *reports, size_t n, enum compare_by by)
{
	char *paths[] = { (char *)DIR "-a", (char *)DIR "-b", (char *)DIR "-c" };
	const struct compare_request request = { .paths = paths, .n = n, .by = by, .key = "k" };
	char *text;

	for (size_t i = 0; i < n; i++)
		small_report_write(&reports[i], paths[i]);
	text = compared(compare_mail, &request);
	for (size_t i = 0; i < n; i++)
		small_report_remove(paths[i]);
	fits(text);
	return text;
}

/*
 * What is far more than twice as much is told as a multiple. Medians 4.5 and 2450; of 8 samples the
 * extremes enclose the median at 97.5 %: from 2100 / 8 = 262.5 to 2800 / 1.
 */
START_TEST(multiples)
{
	static const struct small_report reports[] = {
		{ .samples = "1,2,3,4,5,6,7,8" },
		{ .samples = "2100,2200,2300,2400,2500,2600,2700,2800" },
	};
	char *text = squeeze(compared_reports(reports, 2, COMPARE_REPORT));

	has(text, " x544 262..2800\n");
	has(text, "x: so many times as much.");
	free(text);
}
END_TEST

/* Changes of a few percent keep a digit: 1000..1007 and 1010..1017 have 1003.5 and 1013.5. */
START_TEST(small_changes)
{
	static const struct small_report reports[] = {
		{ .samples = "1000,1001,1002,1003,1004,1005,1006,1007" },
		{ .samples = "1010,1011,1012,1013,1014,1015,1016,1017" },
	};
	char *text = squeeze(compared_reports(reports, 2, COMPARE_REPORT));

	/* 1010 / 1007 = +0.30 %, 1017 / 1000 = +1.7 % */
	has(text, " B 8 1.01 1.02 1.01 +1.0% +0.3..+1.7\n");
	free(text);
}
END_TEST

START_TEST(groups)
{
	static const struct small_report reports[] = {
		{ .labels = "{\"k\":\"old\"}", .samples = "1,2,3" },
		{ .labels = "{\"k\":\"old\"}", .samples = "5,6,7", .verdicts = { "fail" } },
		{ .labels = "{\"k\":\"new\"}", .samples = "11,12,13" },
	};
	char *text = squeeze(compared_reports(reports, 3, COMPARE_LABEL));

	has(text, " A old, 2 reports\n");
	has(text, " A 2 4.00 6.00 4.00\n");
	has(text, " B 1 12.00 12.00 12.00 ~\n");
	has(text, " h fail 1/2 pass 1/1 passes now: B\n");
	has(text, "n: reports of a group");
	free(text);
}
END_TEST

/* What a machine says cannot act on a reader's terminal. */
START_TEST(hostile)
{
	static const char override[] = { (char)0xe2, (char)0x80, (char)0xae, 0 }; /* U+202E */
	static const char *const journals[] = { "hostile-markup", "hostile-markup-after", NULL };
	char *text = compared_journals(compare_mail, journals);

	for (const unsigned char *c = (unsigned char *)text; *c; c++)
		ck_assert(*c >= ' ' || *c == '\n');
	has(text, "\\u202e\\x1b[31m<b>");
	has_not(text, override);
	free(text);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("compare_mail");
	TCase *tc = tcase_create("compare_mail");

	tcase_add_loop_test(tc, says_what_the_journals_say, 0, COUNT(parts));
	tcase_add_test(tc, apart_has_no_delta);
	tcase_add_test(tc, multiples);
	tcase_add_test(tc, small_changes);
	tcase_add_test(tc, groups);
	tcase_add_test(tc, hostile);
	suite_add_tcase(s, tc);
	return s;
}
