// SPDX-License-Identifier: GPL-2.0-or-later
/* The original schema is applied in ci/formats-test, where there is a copy of it. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/formatted.h"
#include "../fixtures/json_schema.h"
#include "kcidb.h"
#include "record.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const journals[] = {
	"verdicts", "emulated", "repeat",  "stopped", "hostile",     "forms",
	"unknown",  "guarded",	"resumed", "markup",  "cost-before",
};

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(document != NULL, "%s", error.text);
	for (const char *c = text; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
	return document;
}

static json_t *document_of(const char *journal)
{
	char *text = formatted("kcidb", journal);
	json_t *document;

	document = parse(text);
	free(text);
	return document;
}

/* The first test of that path, or NULL. */
static const json_t *find(const json_t *document, const char *path)
{
	const json_t *test;
	size_t i;

	json_array_foreach(json_object_get(document, "tests"), i, test)
	{
		if (!strcmp(record_text(test, "path"), path))
			return test;
	}
	return NULL;
}

START_TEST(is_what_the_schema_says)
{
	json_t *schema = json_schema_load("kcidb.schema.json");
	json_t *document = document_of(journals[_i]);

	ck_assert_msg(json_schema_valid(schema, document), "%s", journals[_i]);
	json_decref(document);
	json_decref(schema);
}
END_TEST

/* All ids differ, and what refers to another refers to one that is there. */
START_TEST(ids_tell_apart_and_lead_somewhere)
{
	json_t *document = document_of(journals[_i]);
	const char *build =
		record_text(json_array_get(json_object_get(document, "builds"), 0), "id");
	const json_t *tests = json_object_get(document, "tests");
	const json_t *test, *incident;
	json_t *ids = json_object();
	size_t i;

	json_array_foreach(tests, i, test)
	{
		ck_assert_str_eq(record_text(test, "build_id"), build);
		json_object_set_new(ids, record_text(test, "id"), json_true());
	}
	ck_assert_uint_eq(json_object_size(ids), json_array_size(tests));
	json_array_foreach(json_object_get(document, "incidents"), i, incident)
	{
		const json_t *issue = json_array_get(json_object_get(document, "issues"), i);

		ck_assert_ptr_nonnull(json_object_get(ids, record_text(incident, "test_id")));
		ck_assert_str_eq(record_text(incident, "issue_id"), record_text(issue, "id"));
	}
	json_decref(ids);
	json_decref(document);
}
END_TEST

/* By hand from the journals. */
START_TEST(verdicts_are_mapped)
{
	static const struct {
		const char *path, *status, *verdict;
	} cases[] = {
		{ "pmiproof.clock_refresh", "FAIL", "hung" },
		{ "pmiproof.short_period_soft", "FAIL", "fail" },
		{ "pmiproof.sample_cost", "ERROR", "broken" },
		{ "pmiproof.branch_stack", "FAIL", "known" },
		{ "pmiproof.irq_latency", "PASS", "pass" },
		{ "pmiproof.pebs_ip", "SKIP", "skip" },
		{ "pmiproof.inherit_period", "MISS", "notrun" },
	};
	json_t *document = document_of("verdicts");

	for (size_t i = 0; i < COUNT(cases); i++) {
		const json_t *test = find(document, cases[i].path);

		ck_assert_str_eq(record_text(test, "status"), cases[i].status);
		ck_assert_str_eq(record_text(json_object_get(test, "misc"), "verdict"),
				 cases[i].verdict);
	}
	/* The known one is an issue, and nothing else is. */
	ck_assert_uint_eq(json_array_size(json_object_get(document, "issues")), 1);
	ck_assert_str_eq(record_text(json_array_get(json_object_get(document, "issues"), 0), "id"),
			 "pmiproof:known-branch_stack");
	json_decref(document);
}
END_TEST

START_TEST(figures_are_numbers)
{
	static const struct {
		const char *journal, *path, *unit;
		double value;
	} cases[] = {
		{ "emulated", "pmiproof.irq_latency.latency.other__idle_allowed__idle.wake-up.p50",
		  "ns", 50500 },
		{ "emulated", "pmiproof.irq_latency.latency.other__idle_allowed__idle.wake-up.max",
		  "ns", 900000 },
		{ "cost-before", "pmiproof.lost_pmi.overflows.all.lost", "", 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *document = document_of(cases[i].journal);
		const json_t *test = find(document, cases[i].path);
		const json_t *number = json_object_get(test, "number");

		ck_assert_msg(test != NULL, "%s", cases[i].path);
		ck_assert_str_eq(record_text(test, "status"), "DONE");
		ck_assert_str_eq(record_text(number, "unit"), cases[i].unit);
		ck_assert_double_eq(json_number_value(json_object_get(number, "value")),
				    cases[i].value);
		json_decref(document);
	}
}
END_TEST

START_TEST(stopped_is_told)
{
	json_t *document = document_of("stopped");
	const json_t *test = find(document, "pmiproof.clock_refresh");

	ck_assert_str_eq(record_text(test, "status"), "ERROR");
	ck_assert_str_eq(record_text(test, "comment"), "no verdict: the run stopped here");
	ck_assert_str_eq(record_text(find(document, "pmiproof.pebs_ip"), "status"), "MISS");
	json_decref(document);
	document = document_of("emulated");
	test = find(document, "pmiproof.irq_latency");
	ck_assert_ptr_nonnull(
		strstr(record_text(json_object_get(test, "environment"), "comment"), "emulated"));
	json_decref(document);
}
END_TEST

/* A report made of these labels, with so many lines of output. */
static int write_made(json_t *labels, size_t lines, char **text, struct err *err)
{
	json_t *run = json_object(), *output = json_array();
	struct report_execution execution = { .iter = 1, .output = output };
	struct report_test test = { .name = "a", .executions = &execution, .n_executions = 1 };
	struct report report = { .run = run, .tests = &test, .n_tests = 1 };
	size_t size;
	FILE *out = open_memstream(text, &size);
	int result;

	json_object_set_new(run, "labels", labels);
	for (size_t i = 0; i < lines; i++) {
		json_t *line = json_object();

		record_set_text(line, "text", "twenty\xc3\xa4 characters", (size_t)-1);
		json_array_append_new(output, line);
	}
	result = kcidb_write(&report, out, err);
	fclose(out);
	json_decref(run);
	json_decref(output);
	return result;
}

static json_t *labels_of(const char *origin, const char *build)
{
	json_t *labels = json_object();

	if (origin)
		record_set_text(labels, KCIDB_LABEL_ORIGIN, origin, (size_t)-1);
	if (build)
		record_set_text(labels, KCIDB_LABEL_BUILD, build, (size_t)-1);
	return labels;
}

START_TEST(labels_name_origin_and_build)
{
	json_t *document;
	const json_t *test;
	struct err err;
	char *text;

	ck_assert_int_eq(write_made(labels_of("mylab", "maestro:123"), 0, &text, &err), 0);
	document = parse(text);
	test = json_array_get(json_object_get(document, "tests"), 0);
	ck_assert_str_eq(record_text(test, "origin"), "mylab");
	ck_assert_str_eq(record_text(test, "build_id"), "maestro:123");
	ck_assert_int_eq(strncmp(record_text(test, "id"), "mylab:", 6), 0);
	ck_assert_ptr_null(json_object_get(document, "builds"));
	json_decref(document);
	free(text);
}
END_TEST

START_TEST(labels_that_kcidb_would_not_take)
{
	static const struct {
		const char *origin, *build;
	} bad[] = { { "My Lab", NULL }, { NULL, "123" }, { NULL, ":123" }, { NULL, "My:1" } };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err err;
		char *text;

		ck_assert_int_eq(write_made(labels_of(bad[i].origin, bad[i].build), 0, &text, &err),
				 -EINVAL);
		ck_assert_ptr_nonnull(strstr(err.text, "kcidb_"));
		free(text);
	}
}
END_TEST

START_TEST(excerpt_has_room)
{
	json_t *schema = json_schema_load("kcidb.schema.json");
	json_t *document;
	const json_t *test;
	struct err err;
	size_t length;
	char *text;

	ck_assert_int_eq(write_made(json_object(), 5000, &text, &err), 0);
	document = parse(text);
	ck_assert(json_schema_valid(schema, document));
	test = json_array_get(json_object_get(document, "tests"), 0);
	length = strlen(record_text(test, "log_excerpt"));
	ck_assert_uint_gt(length, 16000);
	ck_assert_uint_le(length, 16384);
	json_decref(document);
	json_decref(schema);
	free(text);
}
END_TEST

/* One change each makes a good document wrong. */
START_TEST(schema_rejects_what_is_wrong)
{
	static const struct {
		const char *key, *value;
	} wrong[] = {
		{ "id", "\"1\"" },	  { "origin", "\"My Lab\"" },
		{ "build_id", "null" },	  { "path", "\"a..b\"" },
		{ "status", "\"HUNG\"" }, { "status", "\"DONE\"" },
		{ "duration", "\"1\"" },  { "start_time", "\"now\"" },
		{ "stray", "1" },	  { "environment", "{}" },
		{ "misc", "{}" },
	};
	json_t *schema = json_schema_load("kcidb.schema.json");
	json_t *document = document_of("verdicts");
	json_t *test = json_array_get(json_object_get(document, "tests"), 0);
	json_t *good = json_deep_copy(test);

	for (size_t i = 0; i < COUNT(wrong); i++) {
		json_object_set_new(test, wrong[i].key,
				    json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
		ck_assert_msg(!json_schema_valid(schema, document), "%s", wrong[i].key);
		json_object_clear(test);
		json_object_update(test, good);
		ck_assert(json_schema_valid(schema, document));
	}
	json_decref(good);
	json_decref(document);
	json_decref(schema);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("kcidb");
	TCase *tc = tcase_create("kcidb");

	/* Many regular expressions; no assertion is about time. */
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, is_what_the_schema_says, 0, COUNT(journals));
	tcase_add_loop_test(tc, ids_tell_apart_and_lead_somewhere, 0, COUNT(journals));
	tcase_add_test(tc, verdicts_are_mapped);
	tcase_add_test(tc, figures_are_numbers);
	tcase_add_test(tc, stopped_is_told);
	tcase_add_test(tc, labels_name_origin_and_build);
	tcase_add_test(tc, labels_that_kcidb_would_not_take);
	tcase_add_test(tc, excerpt_has_room);
	tcase_add_test(tc, schema_rejects_what_is_wrong);
	suite_add_tcase(s, tc);
	return s;
}
