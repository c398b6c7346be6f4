// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare_words.h"

Suite *suite(void);

#define MACHINE "\"emulated\":false,\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":94}"
#define LAB(model)                                                                           \
	"\"emulated\":true,\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":94}," \
	"\"lab\":{\"cpu_model\":\"" model "\",\"mode\":\"exact\"}"

/* A journal of one hypothesis "h" with these measures, as a file to be unlinked. */
static void write_journal(char *path, const char *machine, const char *const *measures,
			  const char *verdict)
{
	unsigned int seq = 1;
	FILE *file;
	int fd;

	strcpy(path, "/tmp/compare-check-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	file = fdopen(fd, "w");
#define RECORD(fmt, ...)                                                                 \
	fprintf(file,                                                                    \
		"{\"v\":1,\"seq\":%u,\"boot\":\"6f1c2a0e-8d43-4c1b-9a57-0d2f6b1e7c90\"," \
		"\"time\":\"2026-03-01T10:00:00.000Z\"," fmt "}\n",                      \
		seq++, __VA_ARGS__)
	RECORD("\"type\":\"run\",\"version\":\"%s\",\"args\":[],\"labels\":{},\"repeat\":1,"
	       "\"planned\":[{\"test\":\"h\",\"claim\":\"c\",\"source\":\"s\",\"danger\":\"safe\","
	       "\"budget_s\":1}]",
	       "0.1");
	RECORD("\"type\":\"machine\",%s", machine);
	RECORD("\"type\":\"start\",\"test\":\"h\",\"iter\":%d,\"budget_s\":1,\"danger\":\"safe\"",
	       1);
	for (; *measures; measures++)
		RECORD("\"type\":\"measure\",\"test\":\"h\",\"iter\":1,\"table\":\"t\","
		       "\"name\":\"time\",\"unit\":\"ns\",\"labels\":{},\"warm_skip\":0,"
		       "\"stats\":{},\"columns\":\"n p50\",%s",
		       *measures);
	RECORD("\"type\":\"end\",\"test\":\"h\",\"iter\":1,\"verdict\":\"%s\",\"reasons\":[],"
	       "\"exit\":0,\"duration_s\":1,\"survivors\":0,\"log_lost\":false,\"restored\":[]",
	       verdict);
	RECORD("\"type\":\"done\",\"counts\":{},\"exit\":%d,\"interrupted\":false", 0);
	fclose(file);
}

struct pair {
	char path[2][64];
	struct report reports[2];
	struct comparison all;
};

static int make(struct pair *pair, const char *machine_a, const char *machine_b,
		const char *const *a, const char *const *b)
{
	const char *const machines[] = { machine_a, machine_b };
	const char *const *const measures[] = { a, b };
	struct err err;

	for (int i = 0; i < 2; i++) {
		write_journal(pair->path[i], machines[i], measures[i], i ? "fail" : "pass");
		ck_assert_msg(!report_read(&pair->reports[i], pair->path[i], &err), "%s", err.text);
	}
	return comparison_make(&pair->all, pair->reports,
			       (char *[]){ pair->path[0], pair->path[1] }, 2);
}

static void end(struct pair *pair)
{
	comparison_free(&pair->all);
	for (int i = 0; i < 2; i++) {
		report_free(&pair->reports[i]);
		unlink(pair->path[i]);
	}
}

#define ROW(row, resolution, n, samples) \
	"\"row\":\"" row "\",\"resolution\":" resolution ",\"n\":" n ",\"samples\":[" samples "]"

#define LOW8 "1,2,3,4,5,6,7,8"
#define HIGH8 "21,22,23,24,25,26,27,28"

/* All 8 above all 8 is 1 of 12870 orders: p = 2 / 12870, doubled for two comparisons. */
START_TEST(a_change_and_none)
{
	const char *const a[] = { ROW("x", "0", "8", LOW8), ROW("y", "0", "8", LOW8), NULL };
	const char *const b[] = { ROW("x", "0", "8", HIGH8), ROW("y", "0", "8", LOW8), NULL };
	struct pair pair;
	const struct compare_change *x, *y;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	ck_assert_uint_eq(pair.all.n_series, 2);
	ck_assert_ptr_null(pair.all.column[1].apart);
	x = &pair.all.series[0].change[1];
	y = &pair.all.series[1].change[1];
	ck_assert_str_eq(pair.all.series[0].row, "x");
	ck_assert_double_eq_tol(x->p, 2 * 2.0 / 12870, 1e-9);
	ck_assert_double_eq_tol(x->percent, 100 * (24.5 / 4.5 - 1), 1e-9);
	ck_assert(compare_significant(x));
	ck_assert_double_eq(y->p, 1);
	ck_assert_double_eq(y->percent, 0);
	ck_assert(!compare_significant(y));
	/* The extremes cover the median of 8 with 1 - 2 / 2^8 = 99.2 %. */
	ck_assert_double_eq_tol(x->low, 100 * (21.0 / 8 - 1), 1e-9);
	ck_assert_double_eq_tol(x->high, 100 * (28.0 / 1 - 1), 1e-9);
	end(&pair);
}
END_TEST

/* Figures that differ by one step of the clock, however many, are not a change. */
START_TEST(one_step_of_the_clock)
{
	const char *const a[] = { ROW("x", "120", "8", "240,240,240,240,240,240,240,240"), NULL };
	const char *const b[] = { ROW("x", "120", "8", "360,360,360,360,360,360,360,360"), NULL };
	const char *const c[] = { ROW("x", "120", "8", "480,480,480,480,480,480,480,480"), NULL };
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	ck_assert_double_lt(pair.all.series[0].change[1].p, 0.001);
	ck_assert(!compare_significant(&pair.all.series[0].change[1]));
	end(&pair);
	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, c), 0);
	ck_assert(compare_significant(&pair.all.series[0].change[1]));
	end(&pair);
}
END_TEST

/* As decimal fractions of a us: 1.32 - 1.2 is a little more than 0.12 when computed. */
START_TEST(one_step_in_fractions)
{
	const char *const a[] = { ROW("x", "0.12", "8", "1.2,1.2,1.2,1.2,1.2,1.2,1.2,1.2"), NULL };
	const char *const b[] = { ROW("x", "0.12", "8", "1.32,1.32,1.32,1.32,1.32,1.32,1.32,1.32"),
				  NULL };
	struct pair pair;

	ck_assert_double_gt(1.32 - 1.2, 0.12);
	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	ck_assert(!compare_significant(&pair.all.series[0].change[1]));
	ck_assert_int_eq(compare_doubt(&pair.all.series[0], 1), COMPARE_CLOCK);
	end(&pair);
}
END_TEST

/* What was 0 has no percentage of growth, and has grown all the same. */
START_TEST(from_zero)
{
	const char *const a[] = { ROW("x", "0", "8", "0,0,0,0,0,0,0,0"), NULL };
	const char *const b[] = { ROW("x", "0", "8", HIGH8), NULL };
	struct pair pair;
	const struct compare_series *x;
	char text[32];

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	x = &pair.all.series[0];
	ck_assert(compare_significant(&x->change[1]));
	ck_assert_str_eq(compare_change_text(x, 1, text, sizeof(text)), "from 0");
	ck_assert(compare_regressed(x, 1, 1e6));
	ck_assert(!compare_improved(x, 1));
	end(&pair);
	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, b, a), 0);
	x = &pair.all.series[0];
	ck_assert_str_eq(compare_change_text(x, 1, text, sizeof(text)), "-100.0 %");
	ck_assert(compare_improved(x, 1));
	end(&pair);
}
END_TEST

/*
 * Of 3 against 3 the least p is 2 / 20 = 0.1, of 4 against 4 it is 2 / 70: those may differ, and 1
 * 3 5 7 against 2 4 6 8 do not.
 */
START_TEST(why_it_is_in_doubt)
{
	const char *const a[] = { ROW("x", "0", "3", "1,2,3"), ROW("y", "0", "4", "1,3,5,7"),
				  NULL };
	const char *const b[] = { ROW("x", "0", "3", "7,8,9"), ROW("y", "0", "4", "2,4,6,8"),
				  NULL };
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	ck_assert_int_eq(compare_doubt(&pair.all.series[0], 1), COMPARE_FEW);
	ck_assert_int_eq(compare_doubt(&pair.all.series[1], 1), COMPARE_CHANCE);
	end(&pair);
	ck_assert_int_eq(make(&pair, MACHINE, LAB("Haswell"), a, b), 0);
	ck_assert_int_eq(compare_doubt(&pair.all.series[0], 1), COMPARE_SURE);
	end(&pair);
}
END_TEST

/* A row that only B has is met last, and stands with those of its table. */
START_TEST(tables_are_whole)
{
	struct comparison all;
	const char *const names[][5] = {
		{ "h", "t", "x", "time", "ns" }, { "h", "u", "x", "time", "ns" },
		{ "g", "t", "x", "time", "ns" }, { "h", "t", "y", "time", "ns" },
		{ "h", "t", "x", "time", "us" },
	};
	static const char *const expected[] = { "h t x ns", "h t y ns", "h u x ns", "h t x us",
						"g t x ns" };

	comparison_begin(&all, false);
	ck_assert_int_eq(comparison_add_column(&all, "a"), 0);
	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(comparison_find_series(&all, names[i][0], names[i][1], names[i][2],
							names[i][3], names[i][4]),
				 (int)i);
	ck_assert_int_eq(comparison_finish(&all), 0);
	for (size_t i = 0; i < 5; i++) {
		const struct compare_series *s = &all.series[i];
		char text[32];

		snprintf(text, sizeof(text), "%s %s %s %s", s->hypothesis, s->table, s->row,
			 s->unit);
		ck_assert_str_eq(text, expected[i]);
	}
	ck_assert_uint_eq(compare_table_end(&all, 0), 2);
	ck_assert_uint_eq(compare_table_end(&all, 2), 3);
	comparison_free(&all);
}
END_TEST

#define TUNED(governors, microcode)                                                          \
	"\"emulated\":false,\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":94," \
	"\"microcode\":\"" microcode "\"},\"cpufreq\":{\"kinds\":[" governors "]},"          \
	"\"watchdog\":{\"nmi_watchdog\":0},\"kernel\":{\"release\":\"6.1\",\"config\":\"ab\"}"

/* The difference of a comparison's last column in this circumstance, in words. */
static char *difference_in(const struct comparison *all, const char *what)
{
	const struct compare_circumstance *i = compare_circumstances;
	char *text;

	while (i->path && strcmp(i->what, what) != 0)
		i++;
	ck_assert_msg(i->path != NULL, "%s", what);
	text = compare_difference(all, all->n_columns - 1, i);
	ck_assert_ptr_nonnull(text);
	return text;
}

START_TEST(circumstances)
{
	static const struct {
		const char *a, *b, *what, *difference;
	} cases[] = {
		{ TUNED("{\"governor\":\"powersave\"}", "0xf0"),
		  TUNED("{\"governor\":\"performance\"}", "0xf0"), "governor",
		  "governor: powersave, in B performance" },
		{ TUNED("{\"governor\":\"powersave\"},{\"governor\":\"powersave\"}", "0xf0"),
		  TUNED("{\"governor\":\"powersave\"}", "0xf0"), "governor", "" },
		{ TUNED("{\"governor\":\"powersave\"}", "0xf0"),
		  TUNED("{\"governor\":\"powersave\"},{\"governor\":\"performance\"}", "0xf0"),
		  "governor", "governor: powersave, in B powersave performance" },
		{ TUNED("", "0xf0"), TUNED("", "0xf4"), "microcode", "microcode: 0xf0, in B 0xf4" },
		{ TUNED("", "0xf0"), MACHINE, "NMI watchdog", "NMI watchdog: 0, in B unknown" },
		{ TUNED("", "0xf0"), MACHINE, "kernel configuration",
		  "kernel configuration: ab, in B unknown" },
	};
	const char *const none[] = { NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair;
		char *text;

		ck_assert_int_eq(make(&pair, cases[i].a, cases[i].b, none, none), 0);
		text = difference_in(&pair.all, cases[i].what);
		ck_assert_str_eq(text, cases[i].difference);
		free(text);
		end(&pair);
	}
}
END_TEST

START_TEST(one_side_only)
{
	const char *const a[] = { ROW("x", "0", "3", "1,2,3"), NULL };
	const char *const b[] = { ROW("y", "0", "3", "1,2,3"), NULL };
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	ck_assert_uint_eq(pair.all.n_series, 2);
	ck_assert_uint_eq(pair.all.series[0].side[1].n, 0);
	ck_assert_uint_eq(pair.all.series[1].side[0].n, 0);
	ck_assert(!compare_significant(&pair.all.series[0].change[1]));
	end(&pair);
}
END_TEST

START_TEST(a_histogram_is_its_samples)
{
	const char *const a[] = {
		"\"row\":\"x\",\"resolution\":0,\"n\":5,\"histogram\":[[1,2],[7,3]]", NULL
	};
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, a), 0);
	ck_assert_uint_eq(pair.all.series[0].side[0].n, 5);
	ck_assert_double_eq(pair.all.series[0].side[0].median, 7);
	end(&pair);
}
END_TEST

/* What is no number is no sample, and not one of 0. */
START_TEST(samples_that_are_no_numbers)
{
	const char *const a[] = { ROW("x", "0", "4", "5,null,\"1\",7"), NULL };
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, a), 0);
	ck_assert_uint_eq(pair.all.series[0].side[0].n, 2);
	ck_assert_double_eq(pair.all.series[0].side[0].median, 6);
	end(&pair);
}
END_TEST

START_TEST(what_is_not_comparable)
{
	const char *const none[] = { NULL };
	const struct {
		const char *a, *b, *reason;
	} cases[] = {
		{ MACHINE, LAB("Haswell"), "emulated against real" },
		{ LAB("Haswell"), LAB("IvyBridge"), "another CPU model" },
		{ LAB("Haswell"), LAB("Haswell"), NULL },
		{ MACHINE,
		  "\"emulated\":false,\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":"
		  "60}",
		  "another CPU model" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair;

		ck_assert_int_eq(make(&pair, cases[i].a, cases[i].b, none, none), 0);
		ck_assert_pstr_eq(pair.all.column[1].apart, cases[i].reason);
		end(&pair);
	}
}
END_TEST

static char *show(const struct pair *pair, int expected)
{
	char *paths[] = { (char *)pair->path[0], (char *)pair->path[1] };
	const struct compare_request request = { .paths = paths, .n = 2, .shown.width = 100 };
	struct comparison all;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;
	int result = compare_read(&all, &request, &err);

	if (!result) {
		result = compare_term(out, &all, &request, &err);
		comparison_free(&all);
	}
	ck_assert_int_eq(result, expected);
	fclose(out);
	return text;
}

static void has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
}

#define HISTOGRAM(steps) "\"row\":\"x\",\"resolution\":0,\"n\":100000000,\"histogram\":[" steps "]"

/*
 * 10^8 samples a side in two steps: 1/10000 less of B are the greater value, which is a difference
 * of two rates of sqrt(2) standard deviations: p = erfc(1). What is kept is as short as the text.
 */
START_TEST(very_many_samples)
{
	const char *const a[] = { HISTOGRAM("[1,50000000],[2,50000000]"), NULL };
	const char *const b[] = { HISTOGRAM("[1,50010000],[2,49990000]"), NULL };
	const struct compare_series *x;
	struct pair pair;
	char *text;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	x = &pair.all.series[0];
	for (size_t c = 0; c < 2; c++) {
		ck_assert_uint_eq(x->side[c].n, 100000000);
		ck_assert_uint_eq(x->side[c].samples.n_steps, 2);
		ck_assert_uint_lt(x->side[c].samples.room, 10);
	}
	ck_assert_double_eq(x->side[0].median, 1.5);
	ck_assert_double_eq(x->side[1].median, 1);
	ck_assert_double_eq_tol(x->change[1].p, 0.157299, 2e-6);
	text = show(&pair, 0);
	has(text, "100000000");
	free(text);
	end(&pair);
}
END_TEST

/* Those of several measures of a series are put together: 0 1 1 2 3 3 3 9 9. */
START_TEST(steps_of_several_measures)
{
	const char *const a[] = {
		ROW("x", "0", "3", "3,1,2"),
		"\"row\":\"x\",\"resolution\":4,\"n\":3,\"histogram\":[[1,1],[3,2]]",
		ROW("x", "0", "3", "9,0,9"), NULL
	};
	static const struct stats_step steps[] = {
		{ 0, 1 }, { 1, 2 }, { 2, 1 }, { 3, 3 }, { 9, 2 }
	};
	const struct compare_side *side;
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, a), 0);
	side = &pair.all.series[0].side[0];
	ck_assert_uint_eq(side->n, 9);
	ck_assert_uint_eq(side->samples.n_steps, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_double_eq(side->samples.steps[i].value, steps[i].value);
		ck_assert_uint_eq(side->samples.steps[i].count, steps[i].count);
	}
	ck_assert_double_eq(side->median, 3);
	ck_assert_double_eq(side->resolution, 4);
	/* Of 9 at 97.5 %: all but none, 1 - 2 / 512; one less covers 96.1 %. */
	ck_assert_double_eq(side->low, 0);
	ck_assert_double_eq(side->high, 9);
	end(&pair);
}
END_TEST

START_TEST(on_a_terminal)
{
	const char *const a[] = { ROW("x", "0", "8", LOW8), NULL };
	const char *const b[] = { ROW("x", "0", "8", HIGH8), NULL };
	struct pair pair;
	char *text;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	text = show(&pair, 0);
	has(text, "h           pass  fail  new fail: B");
	has(text, "h, t (time): A and B");
	has(text, "+444.4 %");
	has(text, "0.00016");
	free(text);
	end(&pair);
	/* Side by side only. */
	ck_assert_int_eq(make(&pair, MACHINE, LAB("Haswell"), a, b), 0);
	text = show(&pair, 0);
	has(text, "B shown beside A, not compared with it: emulated against real");
	ck_assert_ptr_null(strstr(text, "+444.4 %"));
	free(text);
	end(&pair);
}
END_TEST

/* Compare files of one hypothesis each: machine, median of three samples, verdict. */
struct member {
	const char *machine, *measure, *verdict;
};

static int group(struct comparison *all, const struct member *members, size_t n, enum compare_by by)
{
	struct compare_request request = { .n = n, .by = by, .key = "k" };
	char paths[16][64];
	char *names[16];
	struct err err;
	int result;

	for (size_t i = 0; i < n; i++) {
		const char *const measures[] = { members[i].measure, NULL };

		write_journal(paths[i], members[i].machine, measures, members[i].verdict);
		names[i] = paths[i];
	}
	request.paths = names;
	result = compare_read(all, &request, &err);
	for (size_t i = 0; i < n; i++)
		unlink(paths[i]);
	return result;
}

#define KERNEL(release) MACHINE ",\"kernel\":{\"release\":\"" release "\"}"

/* Each report adds its median: 2 and 3 of the old kernel, 12 of the new one. */
START_TEST(groups_of_reports)
{
	static const struct member members[] = {
		{ KERNEL("6.1"), ROW("x", "0", "3", "1,2,9"), "pass" },
		{ KERNEL("6.2"), ROW("x", "7", "3", "11,12,19"), "fail" },
		{ KERNEL("6.1"), ROW("x", "0", "3", "2,3,4"), "pass" },
	};
	struct comparison all;

	ck_assert_int_eq(group(&all, members, 3, COMPARE_KERNEL), 0);
	ck_assert_uint_eq(all.n_columns, 2);
	ck_assert_str_eq(all.column[0].name, "6.1");
	ck_assert_uint_eq(all.column[0].reports, 2);
	ck_assert_str_eq(all.column[1].name, "6.2");
	ck_assert_uint_eq(all.n_series, 1);
	ck_assert_uint_eq(all.series[0].side[0].n, 2);
	ck_assert_double_eq(all.series[0].side[0].median, 2.5);
	ck_assert_double_eq(all.series[0].side[1].median, 12);
	ck_assert_double_eq(all.series[0].side[1].resolution, 7);
	ck_assert_uint_eq(all.hypotheses[0].count[0][VERDICT_PASS], 2);
	ck_assert(compare_new_fail(&all, &all.hypotheses[0], 1));
	ck_assert(!compare_new_fail(&all, &all.hypotheses[0], 0));
	comparison_free(&all);
	ck_assert_int_eq(group(&all, members, 3, COMPARE_LABEL), 0);
	ck_assert_uint_eq(all.n_columns, 1);
	ck_assert_str_eq(all.column[0].name, "no k");
	comparison_free(&all);
}
END_TEST

/* Of a group it is said when its reports do not agree. */
START_TEST(a_group_of_several_governors)
{
	static const struct member members[] = {
		{ TUNED("{\"governor\":\"powersave\"}", "0xf0"), ROW("x", "0", "3", "1,2,9"),
		  "pass" },
		{ KERNEL("6.2"), ROW("x", "0", "3", "1,2,9"), "pass" },
		{ KERNEL("6.2") ",\"cpufreq\":{\"kinds\":[{\"governor\":\"powersave\"}]}",
		  ROW("x", "0", "3", "1,2,9"), "fail" },
	};
	struct comparison all;
	char *text;

	ck_assert_int_eq(group(&all, members, 3, COMPARE_KERNEL), 0);
	text = difference_in(&all, "governor");
	ck_assert_str_eq(text, "governor: powersave, in B several");
	free(text);
	text = difference_in(&all, "kernel");
	ck_assert_str_eq(text, "kernel: 6.1, in B 6.2");
	free(text);
	/* The verdict of a group is its worst, and so is what decided about it. */
	ck_assert_str_eq(all.hypotheses[0].decided[0], "0 checks held");
	ck_assert_str_eq(all.hypotheses[0].claim, "c");
	comparison_free(&all);
}
END_TEST

static char *as_json_text(const struct comparison *all)
{
	const struct compare_request request = { .threshold = 10 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	ck_assert_int_eq(compare_json(out, all, &request, &err), 0);
	fclose(out);
	return text;
}

/* A group has one value of a figure for each report: 5 and 7, against 6. */
START_TEST(figures_of_groups)
{
	static const struct member members[] = {
		{ KERNEL("6.1"), "\"row\":\"f\",\"value\":5", "pass" },
		{ KERNEL("6.1"), "\"row\":\"f\",\"value\":7", "pass" },
		{ KERNEL("6.2"), "\"row\":\"f\",\"value\":6", "pass" },
		{ KERNEL("6.3"), "\"row\":\"f\"", "pass" }, /* could not be computed */
	};
	const struct compare_series *figure;
	struct comparison all;
	char text[32], *name, *json;

	ck_assert_int_eq(group(&all, members, 4, COMPARE_KERNEL), 0);
	ck_assert_uint_eq(all.n_series, 0);
	ck_assert_uint_eq(all.n_figures, 1);
	figure = &all.figures[0];
	ck_assert_uint_eq(figure->side[0].n, 2);
	ck_assert_uint_eq(figure->side[1].n, 1);
	ck_assert_uint_eq(figure->side[2].n, 0);
	ck_assert_str_eq(compare_figure_text(figure, 0, text, sizeof(text)), "6 ns");
	ck_assert_str_eq(compare_figure_text(figure, 2, text, sizeof(text)), "-");
	name = compare_figure_name(figure);
	ck_assert_pstr_eq(name, "t, f: time");
	free(name);
	/* The median of 5 and 7 is 6. */
	ck_assert(!compare_figure_differs(&all, figure));
	all.figures[0].side[1].median = 6.5;
	ck_assert_uint_eq(compare_differing(&all, &all.hypotheses[0]), 1);
	json = as_json_text(&all);
	has(json, "{\"n\":2,\"median\":6,\"least\":5,\"greatest\":7}");
	free(json);
	comparison_free(&all);
}
END_TEST

#define CMDLINE(text) MACHINE ",\"kernel\":{\"cmdline\":\"" text "\"}"
#define LONG "console=ttyS0 quiet panic=-1 nokaslr mitigations=off tsc=reliable norandmaps"

/* Of long texts, what they have in common is not said. */
START_TEST(long_differences)
{
	const char *const none[] = { NULL };
	struct pair pair;
	char *text;

	ck_assert_int_eq(make(&pair, CMDLINE(LONG " a=1"), CMDLINE(LONG " a=2 b"), none, none), 0);
	text = difference_in(&pair.all, "kernel command line");
	ck_assert_str_eq(text, "kernel command line: ...a=1, in B ...a=2 b");
	free(text);
	end(&pair);
	ck_assert_int_eq(make(&pair, CMDLINE("quiet a=1"), CMDLINE("quiet a=2"), none, none), 0);
	text = difference_in(&pair.all, "kernel command line");
	ck_assert_str_eq(text, "kernel command line: quiet a=1, in B quiet a=2");
	free(text);
	end(&pair);
}
END_TEST

/* Medians of 0 say nothing of the unit to choose; the greatest sample, how many decimals. */
START_TEST(scale_of_zeros)
{
	const char *const a[] = { ROW("x", "0", "3", "0,0,900"), NULL };
	const char *const b[] = { ROW("x", "0", "3", "0,12345,0"), NULL };
	struct scale scale;
	struct pair pair;
	char text[32];

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, a), 0);
	scale = scale_of_series(&pair.all, 0, 1);
	ck_assert_str_eq(scale.unit, "ns");
	ck_assert_str_eq(scale_text(&scale, 900, text, sizeof(text)), "900.00");
	end(&pair);
	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, b, b), 0);
	scale = scale_of_series(&pair.all, 0, 1);
	ck_assert_str_eq(scale_text(&scale, 900, text, sizeof(text)), "900");
	end(&pair);
}
END_TEST

/* Where the baseline mixes machines, nothing is a change of it. */
START_TEST(a_mixed_baseline)
{
	static const struct member members[] = {
		{ KERNEL("6.1"), ROW("x", "0", "3", "1,2,9"), "pass" },
		{ LAB("Haswell") ",\"kernel\":{\"release\":\"6.1\"}", ROW("x", "0", "3", "1,2,9"),
		  "pass" },
		{ KERNEL("6.2"), ROW("x", "0", "3", "1,2,9"), "fail" },
	};
	struct comparison all;

	ck_assert_int_eq(group(&all, members, 3, COMPARE_KERNEL), 0);
	ck_assert_str_eq(all.column[1].apart, "A is of several kinds of machines");
	ck_assert(!compare_new_fail(&all, &all.hypotheses[0], 1));
	ck_assert(!compare_significant(&all.series[0].change[1]));
	comparison_free(&all);
	ck_assert_int_eq(group(&all, members, 3, COMPARE_CPU_MODEL), 0);
	ck_assert_uint_eq(all.n_columns, 2);
	ck_assert_str_eq(all.column[1].name, "Haswell (emulated, exact)");
	ck_assert_str_eq(all.column[1].apart, "emulated against real");
	comparison_free(&all);
}
END_TEST

/* What is beside A does not count in the correction of those that are compared with it. */
START_TEST(corrected_for_what_is_compared)
{
	static const struct member members[] = {
		{ MACHINE, ROW("x", "0", "8", LOW8), "pass" },
		{ MACHINE, ROW("x", "0", "8", HIGH8), "pass" },
		{ LAB("Haswell"), ROW("x", "0", "8", HIGH8), "fail" },
	};
	struct comparison all;
	char *text;

	ck_assert_int_eq(group(&all, members, 3, COMPARE_REPORT), 0);
	ck_assert_double_eq_tol(all.series[0].change[1].p, 2.0 / 12870, 1e-9);
	ck_assert(isnan(all.series[0].change[2].p));
	ck_assert(!compare_new_fail(&all, &all.hypotheses[0], 2));
	all.threshold = 445;
	text = compare_conclusion(&all);
	ck_assert_ptr_nonnull(strstr(
		text, "1 differs significantly: 1 that grew by no more than the threshold."));
	free(text);
	all.threshold = 444;
	text = compare_conclusion(&all);
	ck_assert_ptr_nonnull(strstr(text, "1 differs significantly: 1 regression."));
	free(text);
	ck_assert(compare_regressed(&all.series[0], 1, 444));
	ck_assert(!compare_regressed(&all.series[0], 1, 445));
	ck_assert(!compare_regressed(&all.series[0], 2, 0));
	/* A number of something is neither better nor worse when it grows. */
	strcpy(all.series[0].unit, "1");
	ck_assert(!compare_regressed(&all.series[0], 1, 0));
	comparison_free(&all);
}
END_TEST

/*
 * Holm by hand: of three, the least p is tripled, the next doubled, but not below the one before,
 * and the last stays. 5 above 5 is 1 of 252 orders.
 */
START_TEST(corrected_after_holm)
{
	const char *const a[] = { ROW("z", "0", "5", "1,2,3,4,5"), ROW("x", "0", "8", LOW8),
				  ROW("y", "0", "8", LOW8), NULL };
	const char *const b[] = { ROW("z", "0", "5", "11,12,13,14,15"), ROW("x", "0", "8", HIGH8),
				  ROW("y", "0", "8", HIGH8), NULL };
	struct pair pair;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, b), 0);
	ck_assert_uint_eq(pair.all.n_series, 3);
	ck_assert_double_eq_tol(pair.all.series[0].change[1].p, 2.0 / 252, 1e-9);
	ck_assert_double_eq_tol(pair.all.series[1].change[1].p, 3 * 2.0 / 12870, 1e-9);
	ck_assert_double_eq_tol(pair.all.series[2].change[1].p, 3 * 2.0 / 12870, 1e-9);
	end(&pair);
}
END_TEST

/* Which is the worst of the reports of a group. */
START_TEST(verdict_of_a_group)
{
	struct compare_hypothesis h = { 0 };

	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_NOTRUN);
	h.count[0][VERDICT_SKIP] = 3;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_SKIP);
	h.count[0][VERDICT_PASS] = 3;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_PASS);
	h.count[0][VERDICT_KNOWN] = 1;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_KNOWN);
	h.count[0][VERDICT_NONE] = 1;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_NONE);
	h.count[0][VERDICT_BROKEN] = 1;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_BROKEN);
	h.count[0][VERDICT_FAIL] = 1;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_FAIL);
	h.count[0][VERDICT_HUNG] = 1;
	ck_assert_int_eq(compare_verdict(&h, 0), VERDICT_HUNG);
}
END_TEST

START_TEST(more_columns_than_there_are_letters)
{
	struct comparison all;

	comparison_begin(&all, true);
	for (int i = 0; i < COMPARE_MAX; i++)
		ck_assert_int_eq(comparison_find_column(&all, (char[]){ (char)('a' + i), 0 }), i);
	ck_assert_int_eq(comparison_find_column(&all, "c"), 2);
	ck_assert_int_eq(comparison_find_column(&all, "another"), -E2BIG);
	comparison_free(&all);
}
END_TEST

START_TEST(as_json)
{
	static const struct member members[] = {
		{ MACHINE ",\"watchdog\":{\"nmi_watchdog\":0}", ROW("x", "0", "8", LOW8), "pass" },
		{ MACHINE ",\"watchdog\":{\"nmi_watchdog\":1}", ROW("x", "0", "8", HIGH8), "fail" },
		{ LAB("Haswell"), ROW("y\x7f", "0", "2", "3,4"), "skip" },
	};
	const char *apart, *verdict, *differs;
	struct comparison all;
	json_t *document;
	json_error_t error;
	char *text;
	double p, change;
	int regression, beside;

	ck_assert_int_eq(group(&all, members, 3, COMPARE_REPORT), 0);
	text = as_json_text(&all);
	comparison_free(&all);
	document = json_loads(text, 0, &error);
	ck_assert_msg(document != NULL, "%s in %s", error.text, text);
	ck_assert_int_eq(json_unpack(document, "{s:[{},{s:[s]},{s:s}], s:[{s:[{},{s:s}]}]}",
				     "columns", "differs", &differs, "apart", &apart, "hypotheses",
				     "columns", "verdict", &verdict),
			 0);
	ck_assert_str_eq(differs, "NMI watchdog");
	ck_assert_str_eq(apart, "emulated against real");
	ck_assert_str_eq(verdict, "fail");
	ck_assert_int_eq(json_unpack(document, "{s:[{s:[{},{s:f,s:f,s:b}]},{s:[{},{},{s:i}]}]}",
				     "series", "columns", "p", &p, "change_percent", &change,
				     "regression", &regression, "columns", "n", &beside),
			 0);
	ck_assert_double_eq_tol(p, 2.0 / 12870, 1e-9);
	ck_assert_double_eq_tol(change, 100 * (24.5 / 4.5 - 1), 1e-9);
	ck_assert(regression);
	ck_assert_int_eq(beside, 2);
	ck_assert_ptr_null(strstr(text, "null"));
	json_decref(document);
	free(text);
}
END_TEST

START_TEST(nothing_is_half_printed)
{
	const char *const a[] = { NULL };
	struct pair pair;
	char *text;

	ck_assert_int_eq(make(&pair, MACHINE, MACHINE, a, a), 0);
	ck_assert_int_eq(truncate(pair.path[1], 0), 0);
	text = show(&pair, -ENODATA);
	ck_assert_str_eq(text, "");
	free(text);
	unlink(pair.path[1]);
	text = show(&pair, -ENOENT);
	ck_assert_str_eq(text, "");
	free(text);
	end(&pair);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("compare");
	TCase *tests = tcase_create("compare");

	tcase_add_test(tests, a_change_and_none);
	tcase_add_test(tests, one_step_of_the_clock);
	tcase_add_test(tests, one_step_in_fractions);
	tcase_add_test(tests, from_zero);
	tcase_add_test(tests, why_it_is_in_doubt);
	tcase_add_test(tests, tables_are_whole);
	tcase_add_test(tests, circumstances);
	tcase_add_test(tests, a_group_of_several_governors);
	tcase_add_test(tests, figures_of_groups);
	tcase_add_test(tests, long_differences);
	tcase_add_test(tests, scale_of_zeros);
	tcase_add_test(tests, one_side_only);
	tcase_add_test(tests, a_histogram_is_its_samples);
	tcase_add_test(tests, very_many_samples);
	tcase_add_test(tests, samples_that_are_no_numbers);
	tcase_add_test(tests, steps_of_several_measures);
	tcase_add_test(tests, what_is_not_comparable);
	tcase_add_test(tests, on_a_terminal);
	tcase_add_test(tests, nothing_is_half_printed);
	tcase_add_test(tests, groups_of_reports);
	tcase_add_test(tests, a_mixed_baseline);
	tcase_add_test(tests, corrected_for_what_is_compared);
	tcase_add_test(tests, corrected_after_holm);
	tcase_add_test(tests, verdict_of_a_group);
	tcase_add_test(tests, more_columns_than_there_are_letters);
	tcase_add_test(tests, as_json);
	suite_add_tcase(all, tests);
	return all;
}
