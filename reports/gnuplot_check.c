// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text, *label;
} labels[] = {
	{ "", "\"\"" },
	{ "--call-graph lbr -c 100000, n 8", "\"--call-graph lbr -c 100000, n 8\"" },
	{ "cycles:pp (1/s) [a|b] x=1;*+", "\"cycles:pp (1/s) [a|b] x=1;*+\"" },
	/* What ends a string, a line or a data block, runs a program, or formats a number. */
	{ "a\"b'c\\d", "\"a_b_c_d\"" },
	{ "a\nEOD\n", "\"a_EOD_\"" },
	{ "`ls` @x $x {x} %g ^2 _2 ~a &b #c <t>", "\"_ls_ _x _x _x_ _g _2 _2 _a _b _c _t_\"" },
	/* A character of several bytes is one. */
	{ "\xc2\xb5s \xe2\x82\xac.", "\"_s _.\"" },
	{ "\xff\xfe", "\"__\"" },
};

START_TEST(label)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	gnuplot_label(out, labels[_i].text);
	fclose(out);
	ck_assert_str_eq(text, labels[_i].label);
	free(text);
}
END_TEST

START_TEST(long_label)
{
	char name[1001], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	gnuplot_label(out, name);
	fclose(out);
	ck_assert_uint_lt(size, 80);
	ck_assert_str_eq(text + size - 4, "...\"");
	free(text);
}
END_TEST

static const struct {
	const char *svg, *text;
} svgs[] = {
	{ "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\"></svg>\n",
	  "<svg viewBox=\"0 0 1 1\"></svg>" },
	{ "<svg \n xmlns=\"http://a\"\n xmlns:xlink=\"http://b\"\n><title>t</title>x</svg>",
	  "<svg \n>x</svg>" },
	{ "<svg><g id=\"a\" color=\"black\"><use xlink:href='#a' id='b'/></g></svg>",
	  "<svg><g id=\"p-a\" color=\"currentColor\"><use href='#p-a' id='p-b'/></g></svg>" },
	{ "<svg><desc>Produced by</desc><path stroke='black' filter=\"url(#f)\"/></svg>",
	  "<svg><path stroke='currentColor' filter=\"url(#p-f)\"/></svg>" },
	/* Text is left as it is. */
	{ "<svg><text>black id=a #b</text></svg>", "<svg><text>black id=a #b</text></svg>" },
	{ "", NULL },
	{ "<svg", NULL },
	{ "</svg><svg", NULL },
};

START_TEST(inlined)
{
	char *text = gnuplot_inline(svgs[_i].svg, "p");

	if (svgs[_i].text)
		ck_assert_str_eq(text, svgs[_i].text);
	else
		ck_assert_ptr_null(text);
	free(text);
}
END_TEST

/* Without gnuplot nothing can be said here; ci/html-test insists on it. */
static int draw(const char *script, char **svg, struct err *err)
{
	return gnuplot_svg(script, "p7", 300, 200, svg, err);
}

START_TEST(draws)
{
	struct err err;
	char *svg;
	int result = draw("plot [0:1] x title 'line'\n", &svg, &err);

	if (result == -ENOENT)
		return;
	ck_assert_msg(!result, "%s", err.text);
	ck_assert_int_eq(strncmp(svg, "<svg", 4), 0);
	ck_assert_ptr_nonnull(strstr(svg, "viewBox=\"0 0 300 200\""));
	ck_assert_ptr_nonnull(strstr(svg, "<text>line</text>"));
	ck_assert_ptr_null(strstr(svg, "http"));
	for (const char *id = svg; (id = strstr(id, " id=")); id += 4)
		ck_assert_int_eq(strncmp(id + 5, "p7-", 3), 0);
	free(svg);
}
END_TEST

START_TEST(fails)
{
	struct err err;
	char *svg;
	int result = draw("plot 'no-such-file'\n", &svg, &err);

	ck_assert_ptr_null(svg);
	if (result == -ENOENT)
		return;
	ck_assert_int_eq(result, -EIO);
	ck_assert_ptr_nonnull(strstr(err.text, "gnuplot failed: "));
	ck_assert_int_eq(draw("", &svg, &err), -EIO);
	ck_assert_ptr_null(svg);
}
END_TEST

START_TEST(is_missing)
{
	struct err err;
	char *svg;

	ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
	ck_assert_int_eq(draw("plot x\n", &svg, &err), -ENOENT);
	ck_assert_ptr_null(svg);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("gnuplot");
	TCase *tc = tcase_create("gnuplot");

	tcase_add_loop_test(tc, label, 0, COUNT(labels));
	tcase_add_test(tc, long_label);
	tcase_add_loop_test(tc, inlined, 0, COUNT(svgs));
	tcase_add_test(tc, draws);
	tcase_add_test(tc, fails);
	tcase_add_test(tc, is_missing);
	suite_add_tcase(s, tc);
	return s;
}
