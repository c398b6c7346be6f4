// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "text.h"

Suite *suite(void);

#define JOURNALS "fixtures/journals/"
#define WIDTH 72

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *mail_of(const char *journal, const char *baseline)
{
	char path[128], before[128];
	const struct format_request request = {
		.format = format_find("mail"),
		.path = path,
		.baseline = baseline ? before : NULL,
	};
	struct err err;
	size_t size;
	char *text;

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journal);
	snprintf(before, sizeof(before), JOURNALS "%s.jsonl", baseline ? baseline : "");
	ck_assert_msg(!format_text(&request, &text, &size, &err), "%s", err.text);
	return text;
}

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

/*
 * Worked out by hand. cost-before has 101..120 and 201..220 ns, cost-after 41..60 and 201..220: the
 * medians are 110.5, 50.5 and 210.5, and 50.5 / 110.5 is 1 - 54.3 %. Of 20 samples the 5th and the
 * 16th enclose the median at 97.5 % (of a binomial distribution 1 - 2 P(X <= 4) = 98.8 %, and
 * 1 - 2 P(X <= 5) = 95.9 %): 105..116 and 45..56, so that the ratio is between 45 / 116 = 1 - 61.2
 * % and 56 / 105 = 1 - 46.7 %. At 95 % they are the 6th and the 15th: 46..55.
 */
static const struct {
	const char *journal, *baseline, *part;
} parts[] = {
	{ "cost-after", "cost-before",
	  "\n cycles, -c 100000\n before 20 110.5 120.0 110.5\n"
	  " after 20 50.5 60.0 50.5 -54% -61..-47\n" },
	{ "cost-after", "cost-before",
	  "\n cycles, -g\n before 20 210.5 220.0 210.5\n after 20 210.5 220.0 210.5 ~\n" },
	/* 1..5, which the other one does not have */
	{ "cost-after", "cost-before",
	  "\n cycles, -g, gone\n before 5 3.0 5.0 3.0\n after 0 - - -\n" },
	{ "cost-after", "cost-before", "\n lost_pmi fail pass differs\n" },
	{ "cost-after", "cost-before", "\n nmi_cost pass pass\n" },
	{ "cost-after", "cost-before", "overflows, before\n lost\n all 3\n" },
	{ "cost-after", "cost-before", "overflows, after\n lost\n all 0\n" },
	{ "cost-after", "cost-before", "\nafter: pmiproof 0.1, run of 2026-05-04T08:00:01.000Z\n" },
	{ "cost-after", "cost-before", " kernel 6.1.0-freeze, " },
	{ "cost-after", NULL, "\n cycles, -c 100000 20 50.5 60.0 50.5 46.0..55.0\n" },
	/* with 5 samples not even all of them enclose the median at 95 %: 1 - 2 / 32 */
	{ "cost-before", NULL, "\n cycles, -g, gone 5 3.00 5.00 3.00 -\n" },
	/* ascending: 47 48 49 50 51 52 53 900; at 95 % all of them: 1 - 2 (1 + 8) / 256 = 93 % */
	{ "emulated", NULL,
	  "\n other, idle allowed, idle\n 8 156.25 900.00 50.50 47.00..900.00\n" },
	/* (60 * 1000 + 20 * 2000) / 80 = 1250 ns, and 9000 / 80000001 more */
	{ "histogram", NULL, "\n idle 80000001 1.25 9.00 1.00 1.00..1.00\n" },
	{ "emulated", NULL, "latency, wake-up, in us, clock resolution 40 ns (emulated)\n" },
	{ "emulated", NULL, "All figures describe an emulated machine, not silicon.\n" },
	{ "emulated", "cost-before", "Shown side by side, not compared: emulated against real.\n" },
	{ "emulated", "cost-before", "\n irq_latency notrun pass\n" },
	{ "verdicts", NULL, "\n clock_refresh hung 33.2 s no progress for 30 s, ended by\n" },
	/* Three of one reason but for numbers, in the order of the run, and one of another. */
	{ "skips", NULL,
	  "\n skip a, b, d: needs a hardware PMU: perf_event_open: period 1,\n"
	  " task 101: ENOENT: No such file or directory\n"
	  " skip c: needs a hardware PMU: perf_event_open: period 1, task\n"
	  " 103: EACCES: Permission denied\n" },
	{ "skips", NULL, "decided by\n e pass 1.0 s 0 checks held\n\n skip a" },
	{ "hostile", NULL, "\nevil\\x1b[31m\n" },
};

START_TEST(says_what_the_journal_says)
{
	char *text = squeeze(mail_of(parts[_i].journal, parts[_i].baseline));

	ck_assert_msg(strstr(text, parts[_i].part) != NULL, "%s not in %s", parts[_i].part, text);
	free(text);
}
END_TEST

/* Where two machines must not be compared no change is shown. */
START_TEST(apart_has_no_delta)
{
	char *text = mail_of("emulated", "cost-before");

	ck_assert_ptr_null(strstr(text, "delta"));
	free(text);
}
END_TEST

/* Every line fits, and none ends with a blank, which mailers and git complain of. */
START_TEST(fits)
{
	static const struct {
		const char *journal, *baseline;
	} mails[] = {
		{ "verdicts", NULL },
		{ "emulated", NULL },
		{ "repeat", NULL },
		{ "stopped", NULL },
		{ "forms", NULL },
		{ "histogram", NULL },
		{ "unknown", NULL },
		{ "guarded", NULL },
		{ "resumed", NULL },
		{ "cost-before", NULL },
		{ "hostile", NULL },
		{ "cost-after", "cost-before" },
		{ "emulated", "cost-before" },
		{ "verdicts", "repeat" },
		{ "markup", NULL },
		{ "skips", NULL },
	};

	for (size_t i = 0; i < COUNT(mails); i++) {
		char *text = mail_of(mails[i].journal, mails[i].baseline);
		char *rest = NULL;

		for (char *line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			ck_assert_msg(text_columns(line) <= WIDTH, "%s: %s", mails[i].journal,
				      line);
			ck_assert_msg(line[strlen(line) - 1] != ' ', "%s: %s|", mails[i].journal,
				      line);
		}
		free(text);
	}
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("mail");
	TCase *tc = tcase_create("mail");

	tcase_add_loop_test(tc, says_what_the_journal_says, 0, COUNT(parts));
	tcase_add_test(tc, apart_has_no_delta);
	tcase_add_test(tc, fits);
	suite_add_tcase(s, tc);
	return s;
}
