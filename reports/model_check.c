// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "journal.h"
#include "model.h"

Suite *suite(void);

#define JOURNALS "fixtures/journals/"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void read_journal(struct report *report, const char *name)
{
	struct err err = { .text = "" };
	char path[128];

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", name);
	ck_assert_msg(!report_read(report, path, &err), "%s", err.text);
}

/* The same from text, which may end anywhere. */
static void read_text(struct report *report, const char *text, size_t size)
{
	struct err err = { .text = "" };
	int fd = memfd_create("journal", 0);
	char path[64];

	ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_msg(!report_read(report, path, &err), "%zu: %s", size, err.text);
	close(fd);
}

static const struct report_test *test_of(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->n_tests; i++)
		if (!strcmp(report->tests[i].name, name))
			return &report->tests[i];
	ck_abort_msg("no test %s", name);
}

/* What fixtures/journals/verdicts.jsonl says, in the order planned. */
static const struct {
	const char *name;
	enum verdict verdict;
	size_t controls, measures, checks, logs, notes, output;
} expected[] = {
	{ "clock_refresh", VERDICT_HUNG, 0, 0, 0, 0, 0, 3 },
	{ "short_period_soft", VERDICT_FAIL, 1, 6, 5, 4, 1, 25 },
	{ "sample_cost", VERDICT_BROKEN, 1, 0, 0, 0, 0, 1 },
	{ "branch_stack", VERDICT_KNOWN, 1, 0, 1, 0, 0, 0 },
	{ "irq_latency", VERDICT_PASS, 1, 3, 5, 0, 0, 0 },
	{ "pebs_ip", VERDICT_SKIP, 0, 0, 0, 0, 0, 1 },
	{ "inherit_period", VERDICT_NOTRUN, 0, 0, 0, 0, 0, 0 },
};

START_TEST(sorts_every_record)
{
	struct report report;

	read_journal(&report, "verdicts");
	ck_assert_uint_eq(report.n_tests, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		const struct report_test *test = &report.tests[i];
		const struct report_execution *e = test->executions;

		ck_assert_str_eq(test->name, expected[i].name);
		ck_assert_ptr_nonnull(test->plan);
		ck_assert_uint_eq(test->n_executions, 1);
		ck_assert_int_eq(report_test_verdict(test), expected[i].verdict);
		ck_assert_uint_eq(json_array_size(e->controls), expected[i].controls);
		ck_assert_uint_eq(json_array_size(e->measures), expected[i].measures);
		ck_assert_uint_eq(json_array_size(e->checks), expected[i].checks);
		ck_assert_uint_eq(json_array_size(e->logs), expected[i].logs);
		ck_assert_uint_eq(json_array_size(e->notes), expected[i].notes);
		ck_assert_uint_eq(json_array_size(e->output), expected[i].output);
	}
	ck_assert_ptr_nonnull(report.done);
	ck_assert(!report.cut && !report.emulated);
	ck_assert_uint_eq(json_array_size(report.ignored), 0);
	report_free(&report);
}
END_TEST

START_TEST(knows_emulation)
{
	struct report report;

	read_journal(&report, "emulated");
	ck_assert(report.emulated);
	report_free(&report);
}
END_TEST

START_TEST(worst_iteration_decides)
{
	struct report report;
	const struct report_test *test;

	read_journal(&report, "repeat");
	test = test_of(&report, "irq_latency");
	ck_assert_uint_eq(test->n_executions, 3);
	ck_assert_int_eq(report_test_verdict(test), VERDICT_FAIL);
	ck_assert_uint_eq(report_test_deciding(test)->iter, 2);
	report_free(&report);
}
END_TEST

/* What was interrupted, and then run after all, is as if it had been run the first time. */
START_TEST(resumed_run)
{
	struct report report;
	const struct report_test *first;

	read_journal(&report, "resumed");
	ck_assert_uint_eq(json_array_size(report.resumes), 3);
	ck_assert_uint_eq(json_array_size(report.ignored), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(report.done, "exit")), 1);
	first = test_of(&report, "first");
	ck_assert_int_eq(report_test_verdict(first), VERDICT_PASS);
	ck_assert_uint_eq(first->n_executions, 2);
	ck_assert_uint_eq(json_array_size(first->executions[1].checks), 1);
	ck_assert(json_is_true(
		json_object_get(json_array_get(first->executions[1].checks, 0), "ok")));
	ck_assert_uint_eq(json_array_size(first->executions[1].notes), 0);
	ck_assert_int_eq(report_test_verdict(test_of(&report, "second")), VERDICT_HUNG);
	ck_assert_int_eq(report_test_verdict(test_of(&report, "third")), VERDICT_SKIP);
	report_free(&report);
}
END_TEST

/* What is noted of the machine each time that a run begins or goes on in it is told once. */
START_TEST(notes_of_a_resumed_run)
{
	static const char stamp[] = "\"boot\":\"b\",\"time\":\"2026-01-01T00:00:00.000Z\"";
	static const char resume[] = "\"type\":\"resume\",\"version\":\"0\",\"after\":\"reset\","
				     "\"resets\":1,\"boots\":[],\"kept\":0,\"left\":0,\"cut\":0";
	const char *const lines[] = {
		"\"type\":\"run\",\"version\":\"0\",\"args\":[],\"labels\":{},\"planned\":[]",
		"\"type\":\"note\",\"text\":\"no cgroups\"",
		resume,
		"\"type\":\"note\",\"text\":\"no cgroups\"",
		"\"type\":\"note\",\"text\":\"another\"",
	};
	struct report report;
	char text[4096];
	int used = 0;

	for (int i = 0; i < 5; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "{\"v\":1,\"seq\":%d,%s,%s}\n", i + 1, stamp, lines[i]);
	read_text(&report, text, (size_t)used);
	ck_assert_uint_eq(json_array_size(report.notes), 2);
	report_free(&report);
}
END_TEST

/* Cut between two of its sessions: what was done before is not done any more. */
START_TEST(resumed_and_not_done)
{
	struct report report;
	char *text = NULL;
	size_t size = 0, end = 0;
	FILE *file = fopen(JOURNALS "resumed.jsonl", "re");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_gt(getdelim(&text, &size, '\0', file), 0);
	fclose(file);
	for (int line = 0; line < 23; line++)
		end = (size_t)(strchr(text + end, '\n') - text) + 1;
	read_text(&report, text, end);
	ck_assert_ptr_nonnull(report.done);
	report_free(&report);
	end = (size_t)(strchr(text + end, '\n') - text) + 1;
	read_text(&report, text, end);
	ck_assert_ptr_null(report.done);
	report_free(&report);
	free(text);
}
END_TEST

START_TEST(start_without_end_is_no_verdict)
{
	struct report report;
	const struct report_test *test;

	read_journal(&report, "stopped");
	ck_assert(report.cut);
	ck_assert_ptr_null(report.done);
	test = test_of(&report, "clock_refresh");
	ck_assert_int_eq(report_test_verdict(test), VERDICT_NONE);
	ck_assert_ptr_eq(report_test_deciding(test), test->executions);
	test = test_of(&report, "pebs_ip");
	ck_assert_uint_eq(test->n_executions, 0);
	ck_assert_int_eq(report_test_verdict(test), VERDICT_NOTRUN);
	ck_assert_ptr_null(report_test_deciding(test));
	report_free(&report);
}
END_TEST

START_TEST(keeps_what_it_does_not_know)
{
	struct report report;

	read_journal(&report, "unknown");
	/* thermometer, telemetry, two ends too many, one start too many */
	ck_assert_uint_eq(json_array_size(report.ignored), 5);
	/* pass, fail, pass: a repetition cannot make it better. */
	ck_assert_int_eq(report_test_verdict(test_of(&report, "pebs_ip")), VERDICT_FAIL);
	/* A later machine record adds to the first. */
	ck_assert_int_eq(json_integer_value(json_object_get(report.machine, "memory_kb")), 4096);
	ck_assert_ptr_nonnull(json_object_get(report.machine, "cpu"));
	ck_assert_uint_eq(json_array_size(report.notes), 1);
	ck_assert_uint_eq(json_array_size(report.logs), 1);
	report_free(&report);
}
END_TEST

START_TEST(empty_journal_is_an_empty_report)
{
	struct report report;

	read_journal(&report, "empty");
	ck_assert_ptr_null(report.run);
	ck_assert_uint_eq(report.n_tests, 0);
	report_free(&report);
}
END_TEST

static const struct {
	const char *name;
	int result;
	const char *where; /* file:line and what is named */
	const char *what;
} bad[] = {
	{ "histogram", -EBADMSG, "bad-histogram.jsonl:4: ", "\"histogram\" is none of numbers" },
	{ "nan", -EBADMSG, "bad-nan.jsonl:4: ", "" },
	{ "many", -EBADMSG, "bad-many.jsonl:5: ", "more than 100000000 samples" },
	{ "first", -EBADMSG, "bad-first.jsonl:1: ", "\"run\"" },
	{ "iter", -EBADMSG, "bad-iter.jsonl:4: ", "\"iter\"" },
	{ "json", -EBADMSG, "bad-json.jsonl:3: ", "" },
	{ "key-missing", -EBADMSG, "bad-key-missing.jsonl:4: ", "\"origin\" is missing" },
	{ "key-type", -EBADMSG, "bad-key-type.jsonl:3: ", "\"budget_s\" is not a number" },
	{ "no-test", -EBADMSG, "bad-no-test.jsonl:4: ", "\"test\" is missing" },
	{ "plan", -EBADMSG, "bad-plan.jsonl:1: ", "\"planned\"" },
	{ "seq", -EBADMSG, "bad-seq.jsonl:3: ", "sequence" },
	{ "verdict", -EBADMSG, "bad-verdict.jsonl:5: ", "\"verdict\"" },
	{ "version", -EPROTONOSUPPORT, "bad-version.jsonl:2: ", "version 2" },
};

START_TEST(bad_journal_is_an_error_with_file_and_line)
{
	struct report report;
	struct err err = { .text = "" };
	char path[128];

	snprintf(path, sizeof(path), JOURNALS "bad-%s.jsonl", bad[_i].name);
	ck_assert_int_eq(report_read(&report, path, &err), bad[_i].result);
	ck_assert_msg(strstr(err.text, bad[_i].where) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, bad[_i].what) != NULL, "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
}
END_TEST

/* Many of both, each met twice and in no order: they are found all the same, and at once. */
START_TEST(many_hypotheses_and_iterations)
{
	enum { MANY = 20000 };
	char path[] = "/tmp/model-check-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	struct report report;
	struct err err;

	ck_assert_ptr_nonnull(file);
#define STAMP                                                                    \
	"{\"v\":1,\"seq\":%d,\"boot\":\"6f1c2a0e-8d43-4c1b-9a57-0d2f6b1e7c90\"," \
	"\"time\":\"2026-03-01T10:00:00.000Z\","
	fprintf(file,
		STAMP "\"type\":\"run\",\"version\":\"0.1\",\"args\":[],\"labels\":{},\"repeat\":1,"
		      "\"planned\":[]}\n",
		1);
	for (int i = 0; i < 2 * MANY; i++)
		fprintf(file,
			STAMP
			"\"type\":\"output\",\"test\":\"h%d\",\"iter\":1,\"stream\":\"stdout\","
			"\"text\":\"x\"}\n" STAMP
			"\"type\":\"output\",\"test\":\"h0\",\"iter\":%d,\"stream\":\"stdout\","
			"\"text\":\"x\"}\n",
			2 * i + 2, i % MANY * 7 % MANY, 2 * i + 3, i % MANY * 7 % MANY + 1);
	fclose(file);
	ck_assert_msg(!report_read(&report, path, &err), "%s", err.text);
	unlink(path);
	ck_assert_uint_eq(report.n_tests, MANY);
	ck_assert_uint_eq(report.tests[0].n_executions, MANY);
	for (size_t t = 1; t < MANY; t++)
		ck_assert_uint_eq(json_array_size(report.tests[t].executions[0].output), 2);
	for (size_t e = 1; e < MANY; e++)
		ck_assert_uint_eq(json_array_size(report.tests[0].executions[e].output), 2);
	ck_assert_ptr_eq(report_find_test(&report, "h7"), &report.tests[1]);
	ck_assert_ptr_null(report_find_test(&report, "h"));
	report_free(&report);
}
END_TEST

START_TEST(missing_journal_is_an_error)
{
	struct report report;
	struct err err = { .text = "" };

	ck_assert_int_eq(report_read(&report, JOURNALS "none.jsonl", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "none.jsonl"));
}
END_TEST

/* The whole of a journal as text. */
static char *load(const char *name, size_t *size)
{
	char path[128];
	char *text;
	FILE *file;

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", name);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	text = malloc(*size);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, *size, file), *size);
	fclose(file);
	return text;
}

/* Every 7th length, which over all lines of the journal meets every place in a line. */
START_TEST(journal_cut_anywhere_is_readable)
{
	size_t size;
	char *text = load("verdicts", &size);

	for (size_t cut = 1; cut <= size; cut += 7) {
		struct report report;

		read_text(&report, text, cut);
		ck_assert_int_eq(report.cut, text[cut - 1] != '\n');
		report_free(&report);
	}
	free(text);
}
END_TEST

/* Two iterations with these verdicts, "" for one without an end. */
static const struct {
	const char *first, *second;
	enum verdict verdict;
} pairs[] = {
	{ "pass", "pass", VERDICT_PASS },   { "pass", "skip", VERDICT_PASS },
	{ "pass", "fail", VERDICT_FAIL },   { "skip", "broken", VERDICT_BROKEN },
	{ "known", "pass", VERDICT_KNOWN }, { "hung", "fail", VERDICT_HUNG },
	{ "pass", "", VERDICT_NONE },	    { "", "known", VERDICT_NONE },
	{ "", "fail", VERDICT_FAIL },	    { "broken", "", VERDICT_BROKEN },
	{ "", "hung", VERDICT_HUNG },
};

static void put_stamp(FILE *out, int seq, const char *rest)
{
	fprintf(out, "{\"v\":1,\"seq\":%d,\"boot\":\"b\",\"time\":\"t\",%s}\n", seq, rest);
}

static void put_iteration(FILE *out, int *seq, int iter, const char *verdict)
{
	char rest[256];

	snprintf(rest, sizeof(rest),
		 "\"type\":\"start\",\"test\":\"x\",\"iter\":%d,\"budget_s\":1,\"danger\":\"safe\"",
		 iter);
	put_stamp(out, ++*seq, rest);
	if (!*verdict)
		return;
	snprintf(rest, sizeof(rest),
		 "\"type\":\"end\",\"test\":\"x\",\"iter\":%d,\"verdict\":\"%s\",\"reasons\":[],"
		 "\"duration_s\":1,\"survivors\":0,\"log_lost\":false,\"restored\":[]",
		 iter, verdict);
	put_stamp(out, ++*seq, rest);
}

START_TEST(verdict_of_iterations)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report report;
	int seq = 1;

	put_stamp(out, seq,
		  "\"type\":\"run\",\"version\":\"1\",\"args\":[],\"labels\":{},\"planned\":[]");
	put_iteration(out, &seq, 1, pairs[_i].first);
	put_iteration(out, &seq, 2, pairs[_i].second);
	fclose(out);
	read_text(&report, text, size);
	/* Also: a test that is not in the plan has its place. */
	ck_assert_uint_eq(report.n_tests, 1);
	ck_assert_uint_eq(report.tests[0].n_executions, 2);
	ck_assert_int_eq(report_test_verdict(&report.tests[0]), pairs[_i].verdict);
	report_free(&report);
	free(text);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("model");
	TCase *tc = tcase_create("model");

	/* Thousands of short reads; no assertion is about time. */
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, sorts_every_record);
	tcase_add_test(tc, knows_emulation);
	tcase_add_test(tc, worst_iteration_decides);
	tcase_add_test(tc, start_without_end_is_no_verdict);
	tcase_add_test(tc, resumed_run);
	tcase_add_test(tc, notes_of_a_resumed_run);
	tcase_add_test(tc, resumed_and_not_done);
	tcase_add_test(tc, keeps_what_it_does_not_know);
	tcase_add_test(tc, empty_journal_is_an_empty_report);
	tcase_add_loop_test(tc, bad_journal_is_an_error_with_file_and_line, 0, COUNT(bad));
	tcase_add_test(tc, missing_journal_is_an_error);
	tcase_add_test(tc, many_hypotheses_and_iterations);
	tcase_add_test(tc, journal_cut_anywhere_is_readable);
	tcase_add_loop_test(tc, verdict_of_iterations, 0, COUNT(pairs));
	suite_add_tcase(s, tc);
	return s;
}
