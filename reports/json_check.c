// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/formatted.h"
#include "../fixtures/json_schema.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const journals[] = {
	"verdicts", "emulated", "repeat",  "stopped", "hostile",     "forms",
	"unknown",  "guarded",	"resumed", "markup",  "cost-before",
};

static json_t *document_of(const char *journal)
{
	char *text = formatted("json", journal);
	json_error_t error;
	json_t *document;

	for (const char *c = text; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
	document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(document != NULL, "%s", error.text);
	free(text);
	return document;
}

START_TEST(is_what_the_schema_says)
{
	json_t *schema = json_schema_load("report.schema.json");
	json_t *document = document_of(journals[_i]);

	ck_assert_msg(json_schema_valid(schema, document), "%s", journals[_i]);
	json_decref(document);
	json_decref(schema);
}
END_TEST

/* Equal or both missing. */
static void same(const json_t *object, const char *key, const json_t *record)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(!value == !record && (!record || json_equal(value, record)), "%s", key);
}

static void same_iteration(const json_t *object, const struct report_execution *execution)
{
	ck_assert_int_eq(json_integer_value(json_object_get(object, "iteration")), execution->iter);
	same(object, "start", execution->start);
	same(object, "said", execution->said);
	same(object, "end", execution->end);
	same(object, "watchdog", execution->watchdog);
	same(object, "escalation", execution->escalation);
	same(object, "controls", execution->controls);
	same(object, "measures", execution->measures);
	same(object, "checks", execution->checks);
	same(object, "logs", execution->logs);
	same(object, "notes", execution->notes);
	same(object, "output", execution->output);
}

static void same_hypotheses(const json_t *hypotheses, const struct report *report)
{
	ck_assert_uint_eq(json_array_size(hypotheses), report->n_tests);
	for (size_t t = 0; t < report->n_tests; t++) {
		const struct report_test *test = &report->tests[t];
		const json_t *hypothesis = json_array_get(hypotheses, t);
		const json_t *iterations = json_object_get(hypothesis, "iterations");

		ck_assert_str_eq(json_string_value(json_object_get(hypothesis, "name")),
				 test->name);
		ck_assert_uint_eq(json_array_size(iterations), test->n_executions);
		same(hypothesis, "claim", json_object_get(test->plan, "claim"));
		for (size_t e = 0; e < test->n_executions; e++)
			same_iteration(json_array_get(iterations, e), &test->executions[e]);
	}
}

START_TEST(holds_every_record)
{
	json_t *document = document_of(journals[_i]);
	struct report report;
	struct err err;
	char path[128];

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journals[_i]);
	ck_assert_int_eq(report_read(&report, path, &err), 0);
	same(document, "run", report.run);
	same(document, "machine", report.machine);
	same(document, "done", report.done);
	same(document, "resumes", report.resumes);
	same(document, "watchdogs", report.watchdogs);
	same(document, "notes", report.notes);
	same(document, "logs", report.logs);
	same_hypotheses(json_object_get(document, "hypotheses"), &report);
	report_free(&report);
	json_decref(document);
}
END_TEST

static const json_t *at(const json_t *value, const char *key)
{
	return json_object_get(value, key);
}

/* By hand from the journals. */
START_TEST(says_what_the_journal_says)
{
	static const char *const seven[] = { "hung", "fail", "broken", "known",
					     "pass", "skip", "notrun" };
	json_t *document = document_of("verdicts");
	const json_t *first;

	for (size_t i = 0; i < COUNT(seven); i++)
		ck_assert_int_eq(json_integer_value(at(at(document, "verdicts"), seven[i])), 1);
	ck_assert_int_eq(json_integer_value(at(at(document, "verdicts"), "none")), 0);
	ck_assert(json_is_true(at(document, "complete")));
	first = json_array_get(at(document, "hypotheses"), 0);
	ck_assert_str_eq(json_string_value(at(first, "name")), "clock_refresh");
	ck_assert_str_eq(json_string_value(at(first, "verdict")), "hung");
	ck_assert_str_eq(json_string_value(at(first, "decided_by")),
			 "no progress for 30 s, ended by SIGKILL");
	json_decref(document);

	document = document_of("stopped");
	ck_assert(json_is_false(at(document, "complete")));
	ck_assert_int_eq(json_integer_value(at(at(document, "verdicts"), "none")), 1);
	json_decref(document);

	document = document_of("emulated");
	ck_assert(json_is_true(at(document, "emulated")));
	json_decref(document);
}
END_TEST

/* One change each makes a good document wrong. */
START_TEST(schema_rejects_what_is_wrong)
{
	static const struct {
		const char *key, *value;
	} wrong[] = {
		{ "format", "\"report\"" },
		{ "version", "2" },
		{ "emulated", "null" },
		{ "left_out", "-1" },
		{ "verdicts", "{}" },
		{ "run", "{}" },
		{ "hypotheses", "{}" },
		{ "hypotheses", "[{\"name\": \"a\"}]" },
		{ "hypotheses", "[{\"name\": \"a\", \"verdict\": \"good\", \"decided_by\": \"\", "
				"\"iterations\": []}]" },
		{ "notes", "[{}]" },
		{ "stray", "1" },
	};
	json_t *schema = json_schema_load("report.schema.json");
	json_t *document = document_of("verdicts");

	for (size_t i = 0; i < COUNT(wrong); i++) {
		json_t *copy = json_copy(document);

		json_object_set_new(copy, wrong[i].key,
				    json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
		ck_assert_msg(!json_schema_valid(schema, copy), "%s", wrong[i].key);
		json_decref(copy);
	}
	json_decref(document);
	json_decref(schema);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("json");
	TCase *tc = tcase_create("json");

	/* Many regular expressions; no assertion is about time. */
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, is_what_the_schema_says, 0, COUNT(journals));
	tcase_add_loop_test(tc, holds_every_record, 0, COUNT(journals));
	tcase_add_test(tc, says_what_the_journal_says);
	tcase_add_test(tc, schema_rejects_what_is_wrong);
	suite_add_tcase(s, tc);
	return s;
}
