// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/formatted.h"
#include "../fixtures/page.h"
#include "format.h"
#include "html.h"

Suite *suite(void);

#define GOLDEN "reports/golden/"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *page_of(const char *journal)
{
	const struct format_request request = { .format = format_find("html"), .path = journal };
	struct err err = { .text = "" };
	char *text;
	size_t size;

	ck_assert_msg(!format_text(&request, &text, &size, &err), "%s", err.text);
	ck_assert_uint_eq(strlen(text), size);
	return text;
}

/* Without the style sheet. It has no table that would be plotted. */
START_TEST(layout)
{
	char *page = page_of(JOURNALS "emulated.jsonl");
	char *golden = load(GOLDEN "emulated.html");
	const char *body = strstr(page, "<body>");

	ck_assert_ptr_nonnull(body);
	ck_assert_str_eq(body, golden);
	free(golden);
	free(page);
}
END_TEST

START_TEST(hostile)
{
	static const char *const journals[] = { "hostile-markup", "hostile", "plots" };
	char path[64];
	char *page;

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journals[_i]);
	page = page_of(path);
	assert_page(page);
	free(page);
}
END_TEST

/* What is said of a machine and its runs is there to be read. */
START_TEST(says)
{
	static const char *const texts[] = {
		"<h2>nmi_cost <span class=\"verdict pass\">pass</span></h2>",
		"<dt>claim</dt>\n<dd>Claim of nmi_cost.</dd>",
		"<dt>source</dt>\n<dd>made up</dd>",
		"<td>share</td><td class=\"good\">ok</td><td class=\"number\">20 %</td>"
		"<td>&lt;= 25 %</td><td class=\"number\">1/1</td><td>default</td>"
		"<td class=\"long\">the sysctl</td>",
		"<td>samples</td><td class=\"good\">ok</td><td class=\"number\">16</td>"
		"<td>&gt; 0</td>",
		"<caption>perf NMI handler time, in us, clock resolution 1 ns</caption>",
		"<td>default</td><td class=\"number\">8</td><td class=\"number\">2.00</td>",
		"<td class=\"number\">1.500000 s</td><td class=\"number\">6</td><td>throttle</td>"
		"<td>expected</td>",
		"<code>pmiproof run -o report --label &apos;a=it&apos;\\&apos;&apos;s&apos; "
		"nmi_cost</code>",
		"Refuted: prec_dist, lbr_stale.",
		"<span class=\"count\">2 <span class=\"verdict fail\">fail</span></span>",
		"<a href=\"#hypothesis-3\">prec_dist</a>",
		"<section id=\"hypothesis-3\">",
		"<td>kernel.cmdline</td><td class=\"long\">quiet</td>",
	};
	char *page = page_of(JOURNALS "plots.jsonl");

	for (size_t i = 0; i < COUNT(texts); i++)
		ck_assert_msg(strstr(page, texts[i]) != NULL, "no %s", texts[i]);
	ck_assert_ptr_null(strstr(page, "(emulated)"));
	free(page);
}
END_TEST

START_TEST(emulation_is_said)
{
	char *page = page_of(JOURNALS "emulated.jsonl");

	ck_assert_uint_eq(count(page, "</caption>"), count(page, " (emulated)</caption>"));
	ck_assert_ptr_nonnull(strstr(page, "not silicon"));
	ck_assert_ptr_nonnull(strstr(page, "<code>pmiproof lab run</code>"));
	free(page);
}
END_TEST

/* One figure each, and no two with an id in common. */
START_TEST(plots)
{
	char *page = page_of(JOURNALS "plots.jsonl");

	if (!strstr(page, "they need gnuplot")) {
		ck_assert_uint_eq(count(page, "<figure>"), 7);
		ck_assert_uint_eq(count(page, "<svg"), 7);
		for (int i = 1; i <= 7; i++) {
			char id[48];

			snprintf(id, sizeof(id), " id=\"plot%d-gnuplot_canvas\"", i);
			ck_assert_uint_eq(count(page, id), 1);
		}
		ck_assert_uint_eq(count(page, "id='gp"), 0);
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
	page = page_of(JOURNALS "plots.jsonl");
	ck_assert_uint_eq(count(page, "<figure>"), 0);
	ck_assert_uint_eq(count(page, "they need gnuplot"), 1);
	ck_assert_ptr_nonnull(strstr(page, "<caption>perf NMI handler time"));
	free(page);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("html");
	TCase *tc = tcase_create("html");

	tcase_set_timeout(tc, 60); /* gnuplot on a busy machine */
	tcase_add_test(tc, layout);
	tcase_add_loop_test(tc, hostile, 0, 3);
	tcase_add_test(tc, says);
	tcase_add_test(tc, emulation_is_said);
	tcase_add_test(tc, plots);
	tcase_add_test(tc, without_gnuplot);
	suite_add_tcase(s, tc);
	return s;
}
