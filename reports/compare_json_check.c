// SPDX-License-Identifier: GPL-2.0-or-later
/* Is a comparison as JSON what its schema says, and does the schema see what is wrong? */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/compared.h"
#include "../fixtures/json_schema.h"
#include "compare.h"

Suite *suite(void);

#define SCHEMA "comparison.schema.json"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static json_t *parse(char *text)
{
	json_error_t error;
	json_t *document;

	for (const char *c = text; *c; c++)
		ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
	ck_assert_ptr_null(strstr(text, "null"));
	document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(document != NULL, "%s", error.text);
	free(text);
	return document;
}

static json_t *document_of(const char *const *journals)
{
	return parse(compared_journals(compare_json, journals));
}

static const char *const sets[][5] = {
	{ "cost-before", "cost-after" },
	{ "cost-after", "cost-before", "emulated" },
	{ "emulated", "cost-before" },
	{ "verdicts", "repeat", "stopped", "unknown" },
	{ "hostile-markup", "hostile-markup-after" },
	{ "hostile", "markup", "resumed", "guarded" },
	{ "forms", "plots" },
};

START_TEST(is_what_the_schema_says)
{
	json_t *schema = json_schema_load(SCHEMA);
	json_t *document = document_of(sets[_i]);

	ck_assert(json_schema_valid(schema, document));
	json_decref(document);
	json_decref(schema);
}
END_TEST

START_TEST(groups_are_what_the_schema_says)
{
	static const enum compare_by by[] = { COMPARE_KERNEL, COMPARE_CPU_MODEL, COMPARE_LABEL };
	const struct compare_request request = {
		.paths = (char *[]){ (char *)"fixtures/journals/cost-before.jsonl",
				     (char *)"fixtures/journals/cost-after.jsonl",
				     (char *)"fixtures/journals/emulated.jsonl",
				     (char *)"fixtures/journals/cost-before.jsonl" },
		.n = 4,
		.by = by[_i],
		.key = "scheduler",
		.threshold = 5,
	};
	json_t *schema = json_schema_load(SCHEMA);
	json_t *document = parse(compared(compare_json, &request));

	ck_assert(json_is_true(json_object_get(document, "grouped")));
	ck_assert(json_schema_valid(schema, document));
	json_decref(document);
	json_decref(schema);
}
END_TEST

/* Circumstances are listed in the schema: it and the table agree. */
START_TEST(schema_knows_circumstances)
{
	json_t *schema = json_schema_load(SCHEMA);
	const json_t *known;
	size_t n = 0;

	ck_assert_int_eq(json_unpack(schema, "{s:{s:{s:{s:{s:{s:o}}}}}}", "$defs", "column",
				     "properties", "differs", "items", "enum", &known),
			 0);
	for (; compare_circumstances[n].path; n++)
		ck_assert_str_eq(json_string_value(json_array_get(known, n)),
				 compare_circumstances[n].what);
	ck_assert_uint_eq(json_array_size(known), n);
	json_decref(schema);
}
END_TEST

/* One change each makes a good document wrong. "at" leads to an object, in it `key` is set. */
static const struct {
	const char *at[4];
	const char *key, *value; /* NULL: it is taken out */
} wrong[] = {
	{ { NULL }, "format", "\"pmiproof-report\"" },
	{ { NULL }, "version", "2" },
	{ { NULL }, "grouped", "0" },
	{ { NULL }, "significance", "1.5" },
	{ { NULL }, "columns", "[]" },
	{ { NULL }, "figures", NULL },
	{ { NULL }, "stray", "1" },
	{ { "columns" }, "name", NULL },
	{ { "columns" }, "reports", "0" },
	{ { "columns" }, "apart", "true" },
	{ { "columns" }, "differs", "[\"weather\"]" },
	{ { "hypotheses" }, "columns", NULL },
	{ { "hypotheses" }, "verdict", "\"pass\"" },
	{ { "hypotheses", "columns" }, "verdict", "\"good\"" },
	{ { "hypotheses", "columns" }, "counts", "{\"pass\": 0}" },
	{ { "hypotheses", "columns" }, "counts", "{\"good\": 1}" },
	{ { "hypotheses", "columns" }, "new_fail", NULL },
	{ { "series" }, "unit", NULL },
	{ { "series" }, "row", "1" },
	{ { "series", "columns" }, "n", NULL },
	{ { "series", "columns" }, "median", NULL },
	{ { "series", "columns" }, "median", "\"1\"" },
	{ { "series", "columns" }, "high", NULL },
	{ { "series", "columns" }, "p", "0.1" },
	{ { "series", "columns" }, "resolution", "-1" },
	{ { "series", "columns" }, "doubt", "\"clock\"" },
	{ { "figures" }, "name", NULL },
	{ { "figures", "columns" }, "median", NULL },
	{ { "figures", "columns" }, "n", "0" },
	{ { "figures", "columns" }, "p", "0.1" },
};

START_TEST(schema_rejects_what_is_wrong)
{
	json_t *schema = json_schema_load(SCHEMA);
	json_t *document = document_of(sets[0]);
	json_t *object = document;

	ck_assert(json_schema_valid(schema, document));
	for (size_t i = 0; wrong[_i].at[i]; i++)
		object = json_array_get(json_object_get(object, wrong[_i].at[i]), 0);
	ck_assert(json_is_object(object));
	if (wrong[_i].value)
		json_object_set_new(object, wrong[_i].key,
				    json_loads(wrong[_i].value, JSON_DECODE_ANY, NULL));
	else
		ck_assert_int_eq(json_object_del(object, wrong[_i].key), 0);
	ck_assert(!json_schema_valid(schema, document));
	json_decref(document);
	json_decref(schema);
}
END_TEST

/* The figures are worked out in compare_html_check.c. */
START_TEST(says_what_the_journals_say)
{
	json_t *document = document_of(sets[0]);
	const char *doubt, *decided, *verdict;
	double p, percent, low, high, median, greatest;
	int regression, n;

	ck_assert_int_eq(json_unpack(document,
				     "{s:[{s:[{},{s:f,s:f,s:f,s:f,s:b,s:f}]},{s:[{},{s:s}]}]}",
				     "series", "columns", "p", &p, "change_percent", &percent,
				     "change_low", &low, "change_high", &high, "regression",
				     &regression, "median", &median, "columns", "doubt", &doubt),
			 0);
	ck_assert_double_eq_tol(p, 4 / 137846528820.0, 1e-15);
	ck_assert_double_eq_tol(percent, 100 * (50.5 / 110.5 - 1), 1e-9);
	ck_assert_double_eq_tol(low, 100 * (45.0 / 116 - 1), 1e-9);
	ck_assert_double_eq_tol(high, 100 * (56.0 / 105 - 1), 1e-9);
	ck_assert_double_eq(median, 50.5);
	ck_assert(!regression);
	ck_assert_str_eq(doubt, "chance");
	ck_assert_int_eq(
		json_unpack(document, "{s:[{},{s:[{s:s,s:s},{}]}], s:[{s:[{s:i,s:F},{}]}]}",
			    "hypotheses", "columns", "verdict", &verdict, "decided_by", &decided,
			    "figures", "columns", "n", &n, "greatest", &greatest),
		0);
	ck_assert_str_eq(verdict, "fail");
	ck_assert_str_eq(decided, "lost: 3 == 0 does not hold");
	ck_assert_int_eq(n, 1);
	ck_assert_double_eq(greatest, 3);
	json_decref(document);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("compare_json");
	TCase *tc = tcase_create("compare_json");

	tcase_add_loop_test(tc, is_what_the_schema_says, 0, COUNT(sets));
	tcase_add_loop_test(tc, groups_are_what_the_schema_says, 0, 3);
	tcase_add_test(tc, schema_knows_circumstances);
	tcase_add_loop_test(tc, schema_rejects_what_is_wrong, 0, COUNT(wrong));
	tcase_add_test(tc, says_what_the_journals_say);
	suite_add_tcase(s, tc);
	return s;
}
