// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/compared.h"
#include "../fixtures/formatted.h"
#include "../fixtures/page.h"
#include "../fixtures/small_report.h"
#include "compare.h"

Suite *suite(void);

#define GOLDEN "reports/golden/"
#define DIR "/tmp/compare-html-check"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define JOURNAL_NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void has(const char *page, const char *part)
{
	ck_assert_msg(strstr(page, part) != NULL, "no '%s'", part);
}

static void has_not(const char *page, const char *part)
{
	ck_assert_msg(!strstr(page, part), "'%s'", part);
}

/* Without the style sheet, and without plots, which are gnuplot's. */
START_TEST(layout)
{
	char *page, *golden = load(GOLDEN "compare.html");

	ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
	page = compared_journals(compare_html, JOURNAL_NAMES("cost-before", "cost-after"));
	has(page, "<body>");
	ck_assert_str_eq(strstr(page, "<body>"), golden);
	free(golden);
	free(page);
}
END_TEST

/*
 * By hand. cost-before has 101..120 ns, cost-after 41..60: the medians are 110.5 and 50.5, and 50.5
 * / 110.5 is 1 - 54.3 %. Of 20 samples the 6th and the 15th enclose the median at 95 %, the 5th and
 * the 16th at 97.5 %: 105..116 and 45..56, so that the ratio is between 45 / 116 = 1 - 61.2 % and
 * 56 / 105 = 1 - 46.7 %. Two comparisons are made. Without ties, n = m = 20 is below 50: all of one
 * below the other is 1 of 40! / (20! 20!) = 1.378e11 orders, so p is 2 * 2 / 1.378e11 = 2.9e-11.
 */
START_TEST(says)
{
	static const char *const texts[] = {
		"<td>cycles, -c 100000</td><td>A</td><td class=\"number\">20</td>"
		"<td class=\"number\">110.5</td><td class=\"number\">106.0 to 115.0</td>"
		"<td class=\"number soft\">baseline</td>",
		"<td></td><td>B</td><td class=\"number\">20</td><td class=\"number\">50.5</td>"
		"<td class=\"number\">46.0 to 55.0</td><td class=\"number good\">-54.3 %</td>"
		"<td class=\"number\">-61.2 to -46.7 %</td><td class=\"number\">2.9e-11</td>",
		/* the same samples twice */
		"<td class=\"number\">~ chance</td><td></td><td class=\"number\">1</td>",
		/* A has 5 of what B has not */
		"<td>cycles, -g, gone</td><td>A</td><td class=\"number\">5</td>"
		"<td class=\"number\">3.0</td><td class=\"number\">-</td>",
		"<td></td><td>B</td><td class=\"number\">0</td><td class=\"number\">-</td>",
		"<td>lost_pmi</td><td>A</td><td><span class=\"verdict fail\">fail</span></td>",
		"<td></td><td>B</td><td><span class=\"verdict pass\">pass</span></td>",
		"<td class=\"long\">overflows, all: lost</td><td class=\"number\">3</td>"
		"<td class=\"number\">0</td>",
		"<td>kernel</td><td class=\"long\">6.1.0</td>"
		"<td class=\"long differs\">\u2260 6.1.0-freeze</td>",
		"<td>microcode</td><td class=\"long\">0xf0</td><td class=\"long\">0xf0</td>",
		"<p class=\"note\">B differs from A in kernel: see "
		"<a href=\"#machines\">Machines</a>",
		"<a href=\"#hypothesis-1\">nmi_cost</a>",
		"<section id=\"hypothesis-1\">",
		"<caption>NMI handler, time, in ns, clock resolution 1 ns</caption>",
		"Of 2 comparisons of samples 1 differs significantly: 1 improvement.",
		"<dt>~ clock</dt>",
	};
	char *page = compared_journals(compare_html, JOURNAL_NAMES("cost-before", "cost-after"));

	for (size_t i = 0; i < COUNT(texts); i++)
		has(page, texts[i]);
	has_not(page, "(emulated)");
	has_not(page, "not silicon");
	free(page);
	/* The other way round it is a regression. */
	page = compared_journals(compare_html, JOURNAL_NAMES("cost-after", "cost-before"));
	has(page, "<td class=\"number bad\">+118.8 %</td>");
	has(page, "<td class=\"bad\">new fail: B</td>");
	free(page);
}
END_TEST

/* Whatever is measured on another CPU or in the lab, it is no regression. */
START_TEST(side_by_side)
{
	char *page = compared_journals(compare_html,
				       JOURNAL_NAMES("cost-before", "emulated", "cost-after"));

	has(page, "<p class=\"note\">B shown beside A, not compared with it: emulated against "
		  "real. Side by side, no regression");
	has(page, "<td class=\"differs\">no: emulated against real</td>");
	has(page, "their figures describe the emulation and the kernel in it, not silicon");
	has(page, "latency, wake-up, in us, clock resolution 40 ns (emulated)</caption>");
	has(page, "<caption>NMI handler, time, in ns, clock resolution 1 ns</caption>");
	/* The third can be compared. */
	has(page, "<td></td><td>C</td><td class=\"number\">20</td><td class=\"number\">50.5</td>");
	has(page, "-54.3 %");
	free(page);
	page = compared_journals(compare_html, JOURNAL_NAMES("emulated", "cost-before"));
	has(page, "Nothing here can be compared with A: all is shown side by side, and no "
		  "difference is called a regression. ");
	has_not(page, "<th scope=\"col\" class=\"number\">change</th>");
	has_not(page, "new fail");
	free(page);
}
END_TEST

/* Two reports of the same series on two CPU models, the second three times as slow. */
START_TEST(another_model)
{
	static const struct small_report reports[] = {
		{ .samples = "101,102,103,104,105,106,107,108" },
		{ .machine = "\"emulated\":false,\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,"
			     "\"model\":60,\"name\":\"i5\"}",
		  .verdicts = { "fail" },
		  .samples = "301,302,303,304,305,306,307,308" },
	};
	const struct compare_request request = {
		.paths = (char *[]){ (char *)DIR "-a", (char *)DIR "-b" },
		.n = 2,
	};
	char *page;

	small_report_write(&reports[0], request.paths[0]);
	small_report_write(&reports[1], request.paths[1]);
	page = compared(compare_html, &request);
	small_report_remove(request.paths[0]);
	small_report_remove(request.paths[1]);
	has(page, "B shown beside A, not compared with it: another CPU model. Side by side, no "
		  "regression");
	has(page, "<td></td><td>B</td><td class=\"number\">8</td><td class=\"number\">304.50</td>");
	has(page, "<td>cpu model</td><td class=\"long\">94</td>"
		  "<td class=\"long differs\">\u2260 60</td>");
	has_not(page, "new fail");
	has_not(page, "number bad");
	free(page);
}
END_TEST

START_TEST(groups)
{
	static const struct small_report reports[] = {
		{ .labels = "{\"k\":\"</p><script>\"}", .samples = "1,2,3" },
		{ .labels = "{\"k\":\"</p><script>\"}",
		  .samples = "5,6,7",
		  .verdicts = { "fail" } },
		{ .labels = "{}", .samples = "11,12,13" },
	};
	const struct compare_request request = {
		.paths = (char *[]){ (char *)DIR "-a", (char *)DIR "-b", (char *)DIR "-c" },
		.n = 3,
		.by = COMPARE_LABEL,
		.key = "k",
		.args = (char *[]){ (char *)"compare", (char *)"--by", (char *)"label", (char *)"k",
				    (char *)"it's" },
		.n_args = 5,
	};
	char *page;

	for (size_t i = 0; i < COUNT(reports); i++)
		small_report_write(&reports[i], request.paths[i]);
	page = compared(compare_html, &request);
	for (size_t i = 0; i < COUNT(reports); i++)
		small_report_remove(request.paths[i]);
	has(page, "<td class=\"wrap\">&lt;/p&gt;&lt;script&gt;, 2 reports</td>");
	has(page, "<td class=\"wrap\">no k, 1 report</td>");
	has(page, "<span class=\"verdict fail\">fail 1/2</span>");
	/* The medians 2 and 6 of the one, 12 of the other. */
	has(page, "<td>A</td><td class=\"number\">2</td><td class=\"number\">4.00</td>");
	has(page, "<td>B</td><td class=\"number\">1</td><td class=\"number\">12.00</td>");
	has(page, "~ few");
	has(page, ">reports</th>");
	has(page, "<code>pmiproof compare --by label k &apos;it&apos;\\&apos;&apos;s&apos;</code>");
	assert_page(page);
	free(page);
}
END_TEST

/* Texts that would act in a browser, in gnuplot or on a terminal, everywhere and on both sides. */
START_TEST(hostile)
{
	static const char *const sets[][5] = {
		{ "hostile-markup", "hostile-markup-after" },
		{ "hostile", "hostile-markup", "plots", "cost-before" },
	};
	char *page = compared_journals(compare_html, sets[_i]);

	assert_page(page);
	has_not(page, "is missing:");
	free(page);
}
END_TEST

/* A plot for each table of samples; in each the unit, and n of all. */
START_TEST(plots)
{
	char *page = compared_journals(compare_html, JOURNAL_NAMES("cost-before", "cost-after"));

	if (!strstr(page, "they need gnuplot")) {
		ck_assert_uint_eq(count(page, "<figure>"), 1);
		has(page, ">cycles, -g   A, n 20</text>");
		has(page, ">B, n 20</text>");
		has(page, ">B, n 0</text>");
		has(page, ">cycles, -g, gone   A, n 5</text>");
		has(page, ">time (ns)</text>");
		has(page, "</span> A: fixtures/journals/cost-before.jsonl</li>");
		has(page, "</span> B: fixtures/journals/cost-after.jsonl</li>");
		ck_assert_uint_eq(count(page, "black"), 0);
	}
	free(page);
}
END_TEST

/* The tables are there, and the remark, once. */
START_TEST(without_gnuplot)
{
	char *page;

	ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
	page = compared_journals(compare_html, JOURNAL_NAMES("plots", "plots"));
	ck_assert_uint_eq(count(page, "<figure>"), 0);
	ck_assert_uint_eq(count(page, "they need gnuplot"), 1);
	has(page, "<caption>perf NMI handler time, ");
	free(page);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("compare_html");
	TCase *tc = tcase_create("compare_html");

	tcase_set_timeout(tc, 60); /* gnuplot on a busy machine */
	tcase_add_test(tc, layout);
	tcase_add_test(tc, says);
	tcase_add_test(tc, side_by_side);
	tcase_add_test(tc, another_model);
	tcase_add_test(tc, groups);
	tcase_add_loop_test(tc, hostile, 0, 2);
	tcase_add_test(tc, plots);
	tcase_add_test(tc, without_gnuplot);
	suite_add_tcase(s, tc);
	return s;
}
