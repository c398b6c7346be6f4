// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does the schema say what the readers insist on, accept every good journal and reject what is
 * wrong?
 */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/json_schema.h"
#include "journal.h"
#include "record.h"

Suite *suite(void);

#define SCHEMA "record.schema.json"
#define JOURNALS "fixtures/journals/"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const journals[] = {
	"verdicts", "emulated", "repeat",      "stopped", "hostile",	"forms",
	"guarded",  "resumed",	"cost-before", "markup",  "cost-after",
};

/* Call `each` for every record of the good journals; returns how many there were. */
static size_t for_each_record(const json_t *root, void (*each)(const json_t *root, json_t *record))
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(journals); i++) {
		struct journal_reader reader;
		struct err err;
		char path[128];
		json_t *record;
		int result;

		snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journals[i]);
		ck_assert_int_eq(journal_open(&reader, path, &err), 0);
		while ((result = journal_next(&reader, &record, &err)) > 0) {
			each(root, record);
			json_decref(record);
			n++;
		}
		ck_assert_msg(!result, "%s", err.text);
		journal_finish(&reader);
	}
	return n;
}

static char *dump(const json_t *record)
{
	return json_dumps(record, JSON_COMPACT);
}

static void expect(const json_t *root, const json_t *record, bool good, const char *what)
{
	bool is_valid = json_schema_valid(root, record);
	char *text = is_valid == good ? NULL : dump(record);

	ck_assert_msg(is_valid == good, "%s: %s", what, text);
}

static void accept(const json_t *root, json_t *record)
{
	expect(root, record, true, "a good record is not valid");
}

START_TEST(accepts_good_journals)
{
	json_t *root = json_schema_load(SCHEMA);

	ck_assert_uint_gt(for_each_record(root, accept), 100);
	json_decref(root);
}
END_TEST

/* The definition that a record falls under. */
static const json_t *definition_of(const json_t *root, const json_t *record)
{
	const char *type = json_string_value(json_object_get(record, "type"));

	if (!strcmp(type, "measure"))
		type = json_object_get(record, "n") ? "series" : "figure";
	return json_object_get(json_object_get(root, "$defs"), type);
}

static void drop_each_required(const json_t *root, json_t *record)
{
	const json_t *required = json_object_get(definition_of(root, record), "required");
	const json_t *key;
	size_t i;

	ck_assert_uint_ge(json_array_size(required), 5);
	json_array_foreach(required, i, key)
	{
		json_t *copy = json_copy(record);

		/* Without "n" a series would be a figure, but for its other keys. */
		json_object_del(copy, json_string_value(key));
		expect(root, copy, false, json_string_value(key));
		json_decref(copy);
	}
}

START_TEST(rejects_missing_keys)
{
	json_t *root = json_schema_load(SCHEMA);

	for_each_record(root, drop_each_required);
	json_decref(root);
}
END_TEST

static void spoil_each_value(const json_t *root, json_t *record)
{
	const json_t *properties = json_object_get(definition_of(root, record), "properties");
	const char *key;
	json_t *value;

	json_object_foreach(record, key, value)
	{
		json_t *copy = json_copy(record);

		if (json_object_get(properties, key)) {
			json_object_set_new(copy, key, json_null());
			expect(root, copy, false, key);
			json_object_set_new(copy, key,
					    json_is_string(value) ? json_integer(1)
								  : json_string("1"));
			expect(root, copy, false, key);
		}
		json_decref(copy);
	}
}

START_TEST(rejects_wrong_types)
{
	json_t *root = json_schema_load(SCHEMA);

	for_each_record(root, spoil_each_value);
	json_decref(root);
}
END_TEST

static void add_stray_key(const json_t *root, json_t *record)
{
	json_t *copy = json_copy(record);
	bool open = !strcmp(json_string_value(json_object_get(record, "type")), "machine");

	json_object_set_new(copy, "stray", json_integer(1));
	expect(root, copy, open, "stray");
	json_decref(copy);
}

START_TEST(rejects_stray_keys)
{
	json_t *root = json_schema_load(SCHEMA);

	for_each_record(root, add_stray_key);
	json_decref(root);
}
END_TEST

/* One change each to a good record of that type makes it wrong. */
static const struct {
	const char *type, *key, *value;
} wrong[] = {
	{ "run", "v", "2" },
	{ "run", "seq", "0" },
	{ "run", "time", "\"2026-03-01 10:00:00\"" },
	{ "run", "boot", "\"\"" },
	{ "run", "type", "\"walk\"" },
	{ "run", "labels", "{\"a\": 1}" },
	{ "run", "args", "[1]" },
	{ "run", "planned", "[{\"test\": \"a\"}]" },
	{ "run", "planned",
	  "[{\"test\": \"a\", \"claim\": \"\", \"source\": \"\", \"danger\": \"safe\", "
	  "\"budget_s\": 1, "
	  "\"stray\": 1}]" },
	{ "machine", "test", "\"a\"" },
	{ "start", "danger", "\"deadly\"" },
	{ "start", "iter", "0" },
	{ "start", "test", "\"\"" },
	{ "check", "op", "\"<\"" },
	{ "measure", "stats", "{\"median\": 1}" },
	{ "measure", "samples", "[\"1\"]" },
	{ "measure", "histogram", "[[1]]" },
	{ "measure", "histogram", "[[1, 0]]" },
	{ "measure", "histogram", "[[1, 2, 3]]" },
	{ "log", "level", "8" },
	{ "output", "stream", "\"stdlog\"" },
	{ "resume", "after", "\"sleep\"" },
	{ "resume", "kept", "-1" },
	{ "resume", "boots", "[\"here\"]" },
	{ "resume", "in_flight", "{\"test\": \"first\"}" },
	{ "saved", "sysctls", "{\"kernel.panic\": 1}" },
	{ "end", "verdict", "\"none\"" },
	{ "end", "duration_s", "-1" },
	{ "end", "exit", "256" },
	{ "done", "counts", "{\"pass\": -1}" },
};

static void spoil_content(const json_t *root, json_t *record)
{
	const char *type = json_string_value(json_object_get(record, "type"));

	for (size_t i = 0; i < COUNT(wrong); i++) {
		json_t *copy;

		if (strcmp(wrong[i].type, type) != 0)
			continue;
		copy = json_copy(record);
		json_object_set_new(copy, wrong[i].key,
				    json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
		expect(root, copy, false, wrong[i].key);
		json_decref(copy);
	}
}

START_TEST(rejects_wrong_content)
{
	json_t *root = json_schema_load(SCHEMA);

	for_each_record(root, spoil_content);
	json_decref(root);
}
END_TEST

static void drop_partner(const json_t *root, json_t *record)
{
	static const char *const pair[] = { "test", "iter" };

	for (size_t i = 0; json_object_get(record, "test") && i < COUNT(pair); i++) {
		json_t *copy = json_copy(record);

		json_object_del(copy, pair[i]);
		expect(root, copy, false, pair[i]);
		json_decref(copy);
	}
}

START_TEST(test_and_iter_go_together)
{
	json_t *root = json_schema_load(SCHEMA);

	for_each_record(root, drop_partner);
	json_decref(root);
}
END_TEST

static void end_both_ways(const json_t *root, json_t *record)
{
	json_t *copy = json_copy(record);

	if (!strcmp(json_string_value(json_object_get(record, "type")), "end")) {
		json_object_set_new(copy, "exit", json_integer(1));
		json_object_set_new(copy, "signal", json_integer(9));
		expect(root, copy, false, "exit and signal");
	}
	json_decref(copy);
}

START_TEST(ends_one_way)
{
	json_t *root = json_schema_load(SCHEMA);

	for_each_record(root, end_both_ways);
	json_decref(root);
}
END_TEST

static bool listed(const json_t *array, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		if (!strcmp(json_string_value(item), text))
			return true;
	}
	return false;
}

/* Is `key` of the reader's table known to the definition, and required by both or by none? */
static void agree(const json_t *root, const struct record_key *k, const char *definition)
{
	const json_t *def = json_object_get(json_object_get(root, "$defs"), definition);
	bool known = json_object_get(json_object_get(def, "properties"), k->key) != NULL;

	ck_assert_msg(known, "%s: %s is not in the schema", definition, k->key);
	ck_assert_msg(listed(json_object_get(def, "required"), k->key) == !k->optional,
		      "%s: %s is required by one and optional to the other", definition, k->key);
}

START_TEST(reader_and_schema_agree)
{
	json_t *root = json_schema_load(SCHEMA);

	for (const struct record_key *k = record_keys; k->type; k++)
		if (strcmp(k->type, "measure") != 0)
			agree(root, k, k->type);
		else if (!k->optional)
			agree(root, k, "series");
	json_decref(root);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("schema");
	TCase *tc = tcase_create("schema");

	/* Thousands of regular expressions; no assertion is about time. */
	tcase_set_timeout(tc, 120);

	tcase_add_test(tc, accepts_good_journals);
	tcase_add_test(tc, rejects_missing_keys);
	tcase_add_test(tc, rejects_wrong_types);
	tcase_add_test(tc, rejects_stray_keys);
	tcase_add_test(tc, rejects_wrong_content);
	tcase_add_test(tc, test_and_iter_go_together);
	tcase_add_test(tc, ends_one_way);
	tcase_add_test(tc, reader_and_schema_agree);
	suite_add_tcase(s, tc);
	return s;
}
