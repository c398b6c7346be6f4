// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/formatted.h"
#include "csv.h"
#include "number.h"

Suite *suite(void);

#define FIELDS_MAX 32

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	KIND,
	HYPOTHESIS,
	ITERATION,
	VERDICT,
	TABLE,
	ROW,
	NAME,
	STATISTIC,
	VALUE,
	UNIT,
	N,
	RESOLUTION,
	OPERATOR,
	BOUND,
	OK,
	TEXT,
	EMULATED,
	CPU,
	KERNEL,
	TIME,
	VERSION,
	FIELDS
};

/* A line, its fields freed of their quotes in place. */
struct line {
	char *field[FIELDS_MAX];
	size_t n;
};

/*
 * Take a line apart by the grammar of RFC 4180, section 2: CRLF ends it, a field is quoted or free
 * of quotes, commas and line breaks. Returns the rest of the text.
 */
static char *parse_line(char *text, struct line *line)
{
	line->n = 0;
	for (;;) {
		char *to = text;

		ck_assert_uint_lt(line->n, FIELDS_MAX);
		line->field[line->n++] = to;
		if (*text == '"') {
			for (text++; *text != '"' || text[1] == '"'; text++) {
				ck_assert_int_ne(*text, '\0');
				text += *text == '"';
				*to++ = *text;
			}
			text++;
		} else {
			for (; *text && !strchr(",\"\r\n", *text); text++)
				*to++ = *text;
		}
		ck_assert_int_ne(*text, '"');
		if (*text == ',') {
			*to = '\0';
			text++;
			continue;
		}
		ck_assert_msg(!strncmp(text, "\r\n", 2), "no CRLF: %.20s", text);
		*to = '\0';
		return text + 2;
	}
}

/* How many lines have all these values; NULL is any. */
static size_t find(const char *journal, const char *const want[FIELDS])
{
	char *text = formatted("csv", journal);
	struct line line;
	size_t n = 0;

	for (char *rest = text; *rest;) {
		size_t f = 0;

		rest = parse_line(rest, &line);
		ck_assert_uint_eq(line.n, FIELDS);
		while (f < FIELDS && (!want[f] || !strcmp(want[f], line.field[f])))
			f++;
		n += f == FIELDS;
	}
	free(text);
	return n;
}

START_TEST(header_is_stable)
{
	static const char *const names[FIELDS] = {
		"kind",		  "hypothesis", "iteration", "verdict",
		"table",	  "row",	"name",	     "statistic",
		"value",	  "unit",	"n",	     "resolution",
		"operator",	  "bound",	"ok",	     "text",
		"emulated",	  "cpu",	"kernel",    "time",
		"report_version",
	};

	ck_assert_uint_eq(find("verdicts", names), 1);
}
END_TEST

/* By hand from the journals. */
START_TEST(says_what_the_journal_says)
{
	static const struct {
		const char *journal;
		const char *want[FIELDS];
		size_t n;
	} cases[] = {
		{ "emulated",
		  { [KIND] = "statistic",
		    [ROW] = "other, idle allowed, idle",
		    [STATISTIC] = "p50",
		    [VALUE] = "50500",
		    [UNIT] = "ns",
		    [N] = "8",
		    [RESOLUTION] = "40",
		    [EMULATED] = "true" },
		  1 },
		{ "emulated", { [KIND] = "statistic", [STATISTIC] = "n", [UNIT] = "1" }, 3 },
		{ "emulated",
		  { [KIND] = "check",
		    [NAME] = "missing",
		    [OPERATOR] = "equal",
		    [BOUND] = "0",
		    [OK] = "true",
		    [TEXT] = "every deadline has exactly one wake-up" },
		  1 },
		{ "emulated",
		  { [KIND] = "check",
		    [NAME] = "warm_max",
		    [TEXT] = "'--bound irq_latency.warm_max=100us" },
		  1 },
		{ "verdicts",
		  { [KIND] = "verdict",
		    [HYPOTHESIS] = "clock_refresh",
		    [VERDICT] = "hung",
		    [VALUE] = "33.25",
		    [UNIT] = "s",
		    [EMULATED] = "false" },
		  1 },
		{ "verdicts",
		  { [KIND] = "control",
		    [NAME] = "samples",
		    [VALUE] = "0",
		    [OPERATOR] = "above",
		    [BOUND] = "0",
		    [OK] = "false" },
		  1 },
		{ "verdicts", { [KIND] = "verdict" }, 7 },
		/* planned and never reached */
		{ "stopped",
		  { [KIND] = "verdict",
		    [HYPOTHESIS] = "pebs_ip",
		    [ITERATION] = "",
		    [VERDICT] = "notrun",
		    [VALUE] = "" },
		  1 },
		{ "stopped", { [KIND] = "verdict", [VERDICT] = "none", [ITERATION] = "1" }, 1 },
		{ "repeat", { [KIND] = "verdict", [ITERATION] = "3" }, 2 },
		{ "markup",
		  { [KIND] = "check",
		    [HYPOTHESIS] = "'=1+1 # SKIP </failure>",
		    [ROW] = "]]>",
		    [NAME] = "held # XFAIL\\nok 1 forged",
		    [TEXT] = "'-2+3",
		    [OK] = "false",
		    [CPU] = "a,\"b\";\\nc",
		    [KERNEL] = "'+6.1 # <x>" },
		  1 },
		{ "markup",
		  { [KIND] = "check", [NAME] = "no value", [VALUE] = "", [BOUND] = "1" },
		  1 },
		{ "markup", { [KIND] = "figure", [ROW] = "'\\t=x", [VALUE] = "-1.5" }, 1 },
		{ "markup",
		  { [KIND] = "statistic", [STATISTIC] = "n", [ROW] = "", [VALUE] = "70000" },
		  1 },
		{ "hostile", { [KIND] = "figure", [UNIT] = "\\x1b", [ROW] = "r\\x1b" }, 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_msg(find(cases[i].journal, cases[i].want) == cases[i].n,
			      "case %zu: %zu lines", i, find(cases[i].journal, cases[i].want));
}
END_TEST

static const char *field(const char *text, char *to, size_t size)
{
	FILE *out = fmemopen(to, size, "w");

	*to = '\0'; /* nothing may be written */
	csv_put_text(out, text);
	fclose(out);
	return to;
}

START_TEST(fields)
{
	static const struct {
		const char *text, *field;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "two words", "\"two words\"" },
		{ "a,b", "\"a,b\"" },
		{ "a;b", "\"a;b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "line\nbreak\r", "line\\nbreak\\r" },
		/* OWASP, "CSV Injection": what may begin a formula */
		{ "=1+1", "'=1+1" },
		{ "+1", "'+1" },
		{ "-1", "'-1" },
		{ "@SUM(A1)", "'@SUM(A1)" },
		{ "\t=1", "'\\t=1" },
		{ "=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"" },
		{ "1-1=0", "1-1=0" },
	};
	char text[128];

	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_str_eq(field(cases[i].text, text, sizeof(text)), cases[i].field);
}
END_TEST

START_TEST(numbers)
{
	static const struct {
		const char *json, *text;
	} cases[] = {
		{ "0", "0" },
		{ "-3", "-3" },
		{ "9007199254740993", "9007199254740993" },
		{ "0.1", "0.1" },
		{ "33.2", "33.2" },
		{ "1e300", "1e+300" },
		{ "0.25", "0.25" },
		{ "307099.9999999999", "307099.9999999999" },
		{ "\"1\"", "" },
		{ "true", "" },
	};
	char text[32];

	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *value = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);

		ck_assert_str_eq(number_format(value, text, sizeof(text)), cases[i].text);
		json_decref(value);
	}
	ck_assert_str_eq(number_format(NULL, text, sizeof(text)), "");
	ck_assert_str_eq(number_format_real(NAN, text, sizeof(text)), "");
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("csv");
	TCase *tc = tcase_create("csv");

	tcase_add_test(tc, header_is_stable);
	tcase_add_test(tc, says_what_the_journal_says);
	tcase_add_test(tc, fields);
	tcase_add_test(tc, numbers);
	suite_add_tcase(s, tc);
	return s;
}
