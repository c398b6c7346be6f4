// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fixtures/small_report.h"
#include "history.h"
#include "trend.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Suite *suite(void);

static char tmp[] = "/tmp/history-check-XXXXXX";
static struct history *history;
static struct err err;
static FILE *seen; /* what was given back, a line each */
static char *text;
static size_t size;

static void set_up(void)
{
	char path[64];

	strcpy(tmp + strlen(tmp) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tmp));
	snprintf(path, sizeof(path), "%s/h.db", tmp);
	ck_assert_msg(!history_open(&history, path, true, &err), "%s", err.text);
	seen = open_memstream(&text, &size);
}

static void tear_down(void)
{
	fclose(seen);
	free(text);
	history_close(history);
	small_report_remove(tmp);
}

static void put(const struct small_report *report)
{
	static unsigned int n;
	enum history_added added;
	char dir[64];
	int64_t id;

	snprintf(dir, sizeof(dir), "%s/r%u", tmp, n++);
	small_report_write(report, dir);
	ck_assert_msg(!history_add(history, dir, NULL, &added, &id, &err), "%s", err.text);
	ck_assert_int_eq(added, HISTORY_ADDED);
}

static void is_seen(const char *expected)
{
	fflush(seen);
	ck_assert_str_eq(text, expected);
}

#define AT(minute) "2026-03-01T10:" minute ":00.000Z"
#define INTEL(kernel)                                                                        \
	"\"emulated\":false,\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":94," \
	"\"name\":\"i7\"},\"kernel\":{\"release\":\"" kernel "\"}"
#define LAB                                                                         \
	"\"emulated\":true,\"lab\":{\"cpu_model\":\"Haswell\",\"mode\":\"exact\"}," \
	"\"kernel\":{\"release\":\"6.1\"}"

static int see_report(const struct history_report *report, void *context)
{
	(void)context;
	fprintf(seen, "%lld %s %s %s %zu/%zu\n", (long long)report->id, report->cpu, report->kernel,
		report->labels, report->count[VERDICT_PASS], report->count[VERDICT_FAIL]);
	return 0;
}

/* By the time of the run, not of adding it. */
START_TEST(listed)
{
	put(&(struct small_report){ .time = AT("02"), .verdicts = { "pass", "fail" } });
	put(&(struct small_report){ .time = AT("01"), .machine = LAB, .labels = "{\"k\":\"v\"}" });
	ck_assert_int_eq(history_list(history, see_report, NULL, &err), 0);
	is_seen("2 Haswell (emulated, exact) 6.1 {\"k\":\"v\"} 1/0\n1 i7 6.1.0 {} 0/1\n");
}
END_TEST

static int stop(const struct history_report *report, void *context)
{
	(void)context;
	return (int)report->id;
}

START_TEST(a_query_that_is_ended)
{
	put(&(struct small_report){ 0 });
	ck_assert_int_eq(history_list(history, stop, NULL, &err), 1);
}
END_TEST

static int see_point(const struct history_point *point, void *context)
{
	(void)context;
	fprintf(seen, "%lld %g %g %s %s\n", (long long)point->id, point->least, point->greatest,
		point->unit, point->cpu);
	return 0;
}

/* p50 of iteration i is 100 i. */
START_TEST(trends)
{
	put(&(struct small_report){ .time = AT("02"), .samples = "1,2,3" });
	put(&(struct small_report){
		.time = AT("01"), .samples = "1,2,3", .verdicts = { "pass", "pass", "pass" } });
	put(&(struct small_report){ .time = AT("03") });
	ck_assert_int_eq(history_trend(history, "h", "t", "r", "p50", see_point, NULL, &err), 0);
	ck_assert_int_eq(history_trend(history, "h", "t", "r", "n", see_point, NULL, &err), 0);
	is_seen("2 100 300 ns i7\n1 100 100 ns i7\n2 3 3 1 i7\n1 3 3 1 i7\n");
	ck_assert_int_eq(history_trend(history, "h", "t", "x", "p50", see_point, NULL, &err), 0);
	ck_assert_int_eq(history_trend(history, "g", "t", "r", "p50", see_point, NULL, &err), 0);
	is_seen("2 100 300 ns i7\n1 100 100 ns i7\n2 3 3 1 i7\n1 3 3 1 i7\n");
}
END_TEST

static int see_flake(const struct history_flake *flake, void *context)
{
	(void)context;
	fprintf(seen, "%s %s %s: %zu of %zu, %zu changes, %zu pass, %zu fail, %.16s\n",
		flake->hypothesis, flake->kernel, flake->labels, flake->executions, flake->reports,
		flake->changes, flake->count[VERDICT_PASS], flake->count[VERDICT_FAIL],
		flake->changed);
	return 0;
}

/* What differs between machines, kernels, labels or bounds is not flaky. */
START_TEST(steady)
{
	put(&(struct small_report){ .time = AT("01") });
	put(&(struct small_report){ .time = AT("02"), .verdicts = { "skip" } });
	put(&(struct small_report){ .time = AT("03"), .verdicts = { "notrun" } });
	put(&(struct small_report){ .time = AT("04"), .machine = LAB, .verdicts = { "fail" } });
	put(&(struct small_report){
		.time = AT("05"), .machine = INTEL("6.2"), .verdicts = { "fail" } });
	put(&(struct small_report){
		.time = AT("06"), .labels = "{\"a\":\"b\"}", .verdicts = { "fail" } });
	put(&(struct small_report){ .time = AT("07"),
				    .args = "[\"pmiproof\",\"run\",\"--bound\",\"h.c=1\"]",
				    .verdicts = { "fail" } });
	put(&(struct small_report){ .time = AT("08"),
				    .args = "[\"pmiproof\",\"run\",\"--bound=h.c=2\"]",
				    .verdicts = { "broken" } });
	put(&(struct small_report){ .time = AT("09"),
				    .args = "[\"pmiproof\",\"run\",\"-o\",\"other\"]" });
	ck_assert_int_eq(history_flaky(history, see_flake, NULL, &err), 0);
	is_seen("");
}
END_TEST

START_TEST(flaky)
{
	/* known is fail; where it is written does not matter */
	put(&(struct small_report){ .time = AT("03"), .verdicts = { "known" } });
	put(&(struct small_report){ .time = AT("01"), .args = "[\"-o\",\"x\"]" });
	put(&(struct small_report){ .time = AT("04"), .verdicts = { "fail" } });
	/* from one iteration to the next */
	put(&(struct small_report){ .time = AT("05"),
				    .machine = INTEL("6.2"),
				    .labels = "{\"a\":\"b\"}",
				    .verdicts = { "pass", "fail", "skip", "pass" } });
	ck_assert_int_eq(history_flaky(history, see_flake, NULL, &err), 0);
	is_seen("h 6.1.0 {}: 3 of 3, 1 changes, 1 pass, 2 fail, 2026-03-01T10:03\n"
		"h 6.2 {\"a\":\"b\"}: 3 of 1, 2 changes, 2 pass, 1 fail, 2026-03-01T10:05\n");
}
END_TEST

/* What the history does not keep: single figures, claims, and what decided about a verdict. */
static json_t *without_what_is_not_kept(char *json)
{
	json_t *document = json_loads(json, 0, NULL);
	json_t *hypothesis, *column;
	size_t h, c;

	ck_assert_ptr_nonnull(document);
	ck_assert_int_eq(json_object_del(document, "figures"), 0);
	json_array_foreach(json_object_get(document, "hypotheses"), h, hypothesis)
	{
		json_object_del(hypothesis, "claim");
		json_array_foreach(json_object_get(hypothesis, "columns"), c, column)
		{
			json_object_del(column, "decided_by");
		}
	}
	free(json);
	return document;
}

/* The same reports from their files and from the history make the same comparison. */
START_TEST(compared)
{
	static const struct small_report reports[] = {
		/* two groups by each key */
		{ .time = AT("01"), .machine = INTEL("6.1"), .samples = "1,2,9" },
		{ .time = AT("02"),
		  .machine = INTEL("6.2"),
		  .samples = "11,12,19",
		  .verdicts = { "fail", "pass" } },
		{ .time = AT("03"), .machine = INTEL("6.1"), .samples = "2,3,4" },
		{ .time = AT("04"), .machine = LAB, .labels = "{\"k\":\"v\"}" },
	};
	char paths[4][64];
	char *names[] = { paths[0], paths[1], paths[2], paths[3] };
	struct compare_request request = { .paths = names, .n = 4, .key = "k" };

	for (size_t i = 0; i < 4; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/c%zu", tmp, i);
		small_report_write(&reports[i], paths[i]);
		put(&reports[i]);
	}
	for (request.by = COMPARE_CPU_MODEL; request.by <= COMPARE_LABEL; request.by++) {
		struct comparison files, stored;
		json_t *from_files, *from_history;
		char *a, *b;
		size_t n;
		FILE *out = open_memstream(&a, &n);

		ck_assert_msg(!compare_read(&files, &request, &err), "%s", err.text);
		ck_assert_int_eq(compare_json(out, &files, &request, &err), 0);
		fclose(out);
		out = open_memstream(&b, &n);
		ck_assert_msg(!history_compare(history, &request, &stored, &err), "%s", err.text);
		ck_assert_int_eq(compare_json(out, &stored, &request, &err), 0);
		fclose(out);
		from_files = without_what_is_not_kept(a);
		from_history = without_what_is_not_kept(b);
		ck_assert(json_equal(from_files, from_history));
		ck_assert_uint_gt(json_array_size(json_object_get(from_history, "series")), 0);
		json_decref(from_files);
		json_decref(from_history);
		ck_assert_uint_eq(stored.n_columns, 2);
		comparison_free(&files);
		comparison_free(&stored);
	}
}
END_TEST

/* What a machine calls itself stays text, also in the script that draws. */
static char *const words[] = { (char *)"h", (char *)"t", (char *)"r", (char *)"p50" };

static bool has_gnuplot(void)
{
	return !access("/usr/bin/gnuplot", X_OK);
}

/* What one of the forms writes; to be freed. */
static char *written(int (*write)(struct trend *trend, FILE *out, struct err *err))
{
	struct trend trend;
	char *form = NULL;
	size_t n;
	FILE *out = open_memstream(&form, &n);

	ck_assert_msg(!trend_read(&trend, history, words, &err), "%s", err.text);
	ck_assert_msg(!write(&trend, out, &err), "%s", err.text);
	trend_free(&trend);
	fclose(out);
	return form;
}

static void put_hostile(void)
{
	put(&(struct small_report){
		.time = AT("01"), .samples = "1,2,3", .verdicts = { "pass", "pass" } });
	put(&(struct small_report){ .time = AT("02"),
				    .samples = "1,2,3",
				    .machine = "\"cpu\":{\"name\":\"<b>`date`\\\"\\nEND\"}" });
	put(&(struct small_report){ .time = "never", .samples = "1,2,3" });
}

START_TEST(plotted)
{
	static const char *const shown[] = {
		"<svg xmlns=\"http://www.w3.org/2000/svg\"",
		"h, t, r (n = 2 reports)",
		"p50 (ns)",
		"time of the run (UTC)",
		"i7, 6.1.0 (n = 1)",
		">6.1.0<", /* where it begins */

	};
	char *const none[] = { (char *)"h", (char *)"t", (char *)"r", (char *)"p51" };
	struct trend trend;
	char *svg;

	put_hostile();
	ck_assert_int_eq(trend_read(&trend, history, none, &err), -ENODATA);
	trend_free(&trend);
	if (!has_gnuplot())
		return;
	svg = written(trend_svg);
	for (size_t i = 0; i < COUNT(shown); i++)
		ck_assert_msg(strstr(svg, shown[i]) != NULL, "%s", shown[i]);
	ck_assert_ptr_null(strstr(svg, "<b>"));
	ck_assert_ptr_null(strstr(svg, "`"));
	free(svg);
}
END_TEST

START_TEST(as_a_page)
{
	static const char *const shown[] = {
		"<h1>pmiproof trend</h1>",
		"<dd>2, 2026-03-01 to 2026-03-01</dd>",
		"<td class=\"number\">100 ns</td><td class=\"number\">200 ns</td><td>i7</td>",
		"&lt;b&gt;`date`",
		"</html>",
	};
	char *page;

	put_hostile();
	page = written(trend_html);
	for (size_t i = 0; i < COUNT(shown); i++)
		ck_assert_msg(strstr(page, shown[i]) != NULL, "%s", shown[i]);
	ck_assert_ptr_null(strstr(page, "<b>"));
	ck_assert(!has_gnuplot() || strstr(page, "i7, 6.1.0 (n = 1)"));
	free(page);
}
END_TEST

/* Reports of so many kernels, or CPU models. */
static void put_many(const char *machine, int n)
{
	for (int i = 0; i < n; i++) {
		char this[128], time[32];

		snprintf(this, sizeof(this), "\"%s%d\"}", machine, i);
		snprintf(time, sizeof(time), "2026-03-%02dT10:00:00.000Z", i + 1);
		put(&(struct small_report){ .time = time, .machine = this, .samples = "1,2,3" });
	}
}

/* The script for a plot of what there is: its legend, and how often `what` stands in the script. */
static size_t script(struct plot_shape *shape, const char *what, int expected)
{
	struct trend trend;
	char *lines = NULL;
	size_t n, found = 0;
	FILE *out = open_memstream(&lines, &n);

	*shape = (struct plot_shape){ 0 };
	ck_assert_msg(!trend_read(&trend, history, words, &err), "%s", err.text);
	ck_assert_int_eq(trend_script(&trend, false, out, shape, &err), expected);
	trend_free(&trend);
	fclose(out);
	for (const char *at = lines; (at = strstr(at, what)); at++)
		found++;
	free(lines);
	return found;
}

/* A line for each kernel, or, where they are many, one for the CPU; kernels are on the axis. */
START_TEST(lines_of_a_plot)
{
	struct plot_shape shape;

	put_many("cpu\":{\"name\":\"i7\"},\"kernel\":{\"release\":\"6.", 8);
	ck_assert_uint_eq(script(&shape, "\"6.", 0), 8);
	ck_assert_uint_eq(shape.n_legend, 8);
	ck_assert_str_eq(shape.legend[7], "i7, 6.7 (n = 1)");
	plot_shape_free(&shape);
	put(&(struct small_report){
		.time = "2026-03-09T10:00:00.000Z", .samples = "1,2,3", .machine = INTEL("6.9") });
	ck_assert_uint_eq(script(&shape, "\"6.", 0), 9);
	ck_assert_uint_eq(shape.n_legend, 1);
	ck_assert_str_eq(shape.legend[0], "i7 (n = 9)");
	plot_shape_free(&shape);
}
END_TEST

/* One that came again is a change, too; names that would overlap are left out, their tics not. */
START_TEST(kernels_on_the_axis)
{
	struct plot_shape shape;

	put(&(struct small_report){
		.time = AT("01"), .samples = "1,2,3", .machine = INTEL("6.1") });
	put(&(struct small_report){
		.time = AT("11"), .samples = "1,2,3", .machine = INTEL("6.2") });
	put(&(struct small_report){
		.time = AT("12"), .samples = "1,2,3", .machine = INTEL("6.3") });
	put(&(struct small_report){
		.time = AT("13"), .samples = "1,2,3", .machine = INTEL("6.3") });
	put(&(struct small_report){
		.time = AT("59"), .samples = "1,2,3", .machine = INTEL("6.1") });
	ck_assert_uint_eq(script(&shape, "\"6.1\" 17", 0), 2);
	plot_shape_free(&shape);
	ck_assert_uint_eq(script(&shape, "\"6.2\" 17", 0), 1);
	plot_shape_free(&shape);
	ck_assert_uint_eq(script(&shape, "\"6.3\"", 0), 0);
	plot_shape_free(&shape);
	ck_assert_uint_eq(script(&shape, "\"\" 17", 0), 1);
	plot_shape_free(&shape);
}
END_TEST

START_TEST(too_many_lines_for_a_plot)
{
	struct plot_shape shape;

	put_many("cpu\":{\"name\":\"", 9);
	script(&shape, "set", -E2BIG);
	ck_assert_str_eq(err.text, "more than 8 CPU models for a plot");
	plot_shape_free(&shape);
}
END_TEST

/* Tables that contradict each other, as in a file that somebody else has changed. */
START_TEST(damaged)
{
	static const char *const damages[] = {
		"INSERT INTO median VALUES(99,1,1,1)",
		"INSERT INTO median VALUES(-1,1,1,1)",
		"INSERT INTO median SELECT id,99,1,1 FROM report",
		"INSERT INTO median SELECT id,-1,1,1 FROM report",
		"INSERT INTO execution VALUES(99,1,0,'pass')",
		"UPDATE report SET id=-7",
	};
	const struct compare_request request = { .by = COMPARE_KERNEL };

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		char path[64], time[32];
		struct comparison all;
		sqlite3 *db;

		snprintf(time, sizeof(time), "2026-03-01T10:%02zu:00.000Z", i);
		put(&(struct small_report){ .time = time, .samples = "1,2,3" });
		ck_assert_int_eq(history_compare(history, &request, &all, &err), 0);
		comparison_free(&all);
		snprintf(path, sizeof(path), "%s/h.db", tmp);
		ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
		ck_assert_int_eq(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
		ck_assert_int_lt(history_compare(history, &request, &all, &err), 0);
		ck_assert_int_eq(sqlite3_exec(db,
					      "DELETE FROM median; DELETE FROM execution;"
					      "DELETE FROM report;",
					      NULL, NULL, NULL),
				 SQLITE_OK);
		sqlite3_close(db);
	}
}
END_TEST

START_TEST(nothing_there)
{
	const struct compare_request request = { .by = COMPARE_KERNEL };
	struct comparison all;

	ck_assert_int_eq(history_compare(history, &request, &all, &err), -ENODATA);
	ck_assert_int_eq(history_flaky(history, see_flake, NULL, &err), 0);
	ck_assert_int_eq(history_list(history, see_report, NULL, &err), 0);
	is_seen("");
}
END_TEST

START_TEST(more_groups_than_columns)
{
	const struct compare_request request = { .by = COMPARE_KERNEL };
	struct comparison all;

	for (int i = 0; i <= COMPARE_MAX; i++) {
		char machine[256], time[32];

		snprintf(machine, sizeof(machine),
			 "\"emulated\":false,\"kernel\":{\"release\":"
			 "\"6.%d\"}",
			 i);
		snprintf(time, sizeof(time), "2026-03-01T10:%02d:00.000Z", i);
		put(&(struct small_report){ .time = time, .machine = machine });
	}
	ck_assert_int_eq(history_compare(history, &request, &all, &err), -E2BIG);
	ck_assert_str_eq(err.text, "more than 26 columns");
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("history_query");
	TCase *tests = tcase_create("history_query");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, listed);
	tcase_add_test(tests, a_query_that_is_ended);
	tcase_add_test(tests, trends);
	tcase_add_test(tests, steady);
	tcase_add_test(tests, flaky);
	tcase_add_test(tests, compared);
	tcase_add_test(tests, plotted);
	tcase_add_test(tests, as_a_page);
	tcase_add_test(tests, lines_of_a_plot);
	tcase_add_test(tests, kernels_on_the_axis);
	tcase_add_test(tests, too_many_lines_for_a_plot);
	tcase_add_test(tests, damaged);
	tcase_add_test(tests, nothing_there);
	tcase_add_test(tests, more_groups_than_columns);
	suite_add_tcase(all, tests);
	return all;
}
