// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel's own parser makes of it is tested in ci/formats-test. */
#include <check.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/formatted.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool matches(const char *pattern, const char *line)
{
	regex_t regex;
	bool match;

	ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	match = !regexec(&regex, line, 0, NULL, 0);
	regfree(&regex);
	return match;
}

/* A level of nesting: what its plan promised, and what came. */
struct level {
	unsigned long planned, seen;
	bool open;
};

/* ktap.rst: version, plan, results numbered from 1, diagnostics; nothing else. */
static void take_line(struct level levels[2], char *line)
{
	bool nested = !strncmp(line, "  ", 2);
	struct level *level = &levels[nested];

	line += nested ? 2 : 0;
	if (!strcmp(line, "KTAP version 1")) {
		ck_assert(!level->open);
		*level = (struct level){ .open = true };
	} else if (matches("^1\\.\\.[0-9]+$", line)) {
		ck_assert_uint_eq(level->planned, 0);
		level->planned = strtoul(line + 3, NULL, 10);
	} else if (line[0] == '#') {
		ck_assert_msg(matches("^# [A-Za-z ]+: ", line), "%s", line);
	} else {
		const char *number = strncmp(line, "not ok ", 7) ? line + 3 : line + 7;

		ck_assert_msg(matches("^(not )?ok [0-9]+ [^#]+( # (SKIP|XFAIL|TIMEOUT|ERROR) "
				      "[^#]*| # XFAIL)?$",
				      line),
			      "%s", line);
		ck_assert_uint_eq(strtoul(number, NULL, 10), ++level->seen);
		/* The result of a test ends its subtests. */
		if (!nested && levels[1].open)
			ck_assert_uint_eq(levels[1].planned, levels[1].seen);
		levels[1].open &= nested;
	}
}

START_TEST(is_what_ktap_says)
{
	static const char *const journals[] = {
		"verdicts", "emulated", "repeat",  "stopped", "hostile",     "forms",
		"unknown",  "guarded",	"resumed", "markup",  "cost-before",
	};
	struct level levels[2] = { 0 };
	char *text = formatted("ktap", journals[_i]);
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		take_line(levels, line);
	ck_assert_uint_gt(levels[0].planned, 0);
	ck_assert_uint_eq(levels[0].planned, levels[0].seen);
	free(text);
}
END_TEST

/* By hand from the journals. */
static const struct {
	const char *journal, *part;
} parts[] = {
	{ "verdicts",
	  "\nnot ok 1 clock_refresh # TIMEOUT no progress for 30 s, ended by SIGKILL\n" },
	{ "verdicts", "\nnot ok 2 short_period_soft\n" },
	{ "verdicts", "\n  not ok 1 control.samples # ERROR not met\n" },
	{ "verdicts",
	  "\nnot ok 3 sample_cost # ERROR positive control samples: 0, not above 0 1\n" },
	{ "verdicts", "\nok 4 branch_stack # XFAIL newest: 1 == 0 does not hold" },
	{ "verdicts", "\n  ok 2 check.newest # XFAIL\n" },
	{ "verdicts", "\nok 5 irq_latency\n" },
	{ "verdicts", "\nok 6 pebs_ip # SKIP perf_event_open type 0 config 0 precise 1: ENOENT" },
	{ "verdicts", "\nok 7 inherit_period # SKIP interrupted before it\n" },
	{ "verdicts", "\n# Totals: pass:1 fail:2 xfail:1 xpass:0 skip:2 error:1\n" },
	/* of .9375 .3125 .25 .875 two are below 0.5 and .25 is the worst */
	{ "verdicts", "\n  # check: worker: 0.25 >= 0.5 (cpu 1, period 17), 2 of 4 held; half of" },
	{ "verdicts", "\n  # output: ok 1 # SKIP precise\n" },
	{ "emulated", "\n# emulated: figures describe the emulation, not silicon\n" },
	{ "stopped", "\nnot ok 2 clock_refresh # ERROR no verdict: the run stopped here\n" },
	{ "stopped", " pebs_ip # SKIP not reached: the run stopped before it\n" },
	{ "markup", "\nnot ok 1 =1+1 _ SKIP </failure>\n" },
	{ "markup", "\n  # Subtest: =1+1 _ SKIP </failure>\n" },
	{ "markup", "\n  ok 1 control.seen _ TODO\n" },
	{ "markup", "\n  not ok 2 check.held _ XFAIL\\nok 1 forged\n" },
	{ "markup", "\n  not ok 3 check.no value # ERROR no value\n" },
	{ "markup", "\n  # kernel log: KTAP version 1\\n1..1\\nok 1 forged\n" },
	{ "markup", "\n  # note: # Subtest: forged\n" },
	{ "hostile", "\nnot ok 1 evil\\x1b[31m\n" },
};

START_TEST(says_what_the_journal_says)
{
	char *text = formatted("ktap", parts[_i].journal);

	ck_assert_msg(strstr(text, parts[_i].part) != NULL, "%s", parts[_i].part);
	free(text);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("ktap_report");
	TCase *tc = tcase_create("ktap_report");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, is_what_ktap_says, 0, 11);
	tcase_add_loop_test(tc, says_what_the_journal_says, 0, COUNT(parts));
	suite_add_tcase(s, tc);
	return s;
}
