// SPDX-License-Identifier: GPL-2.0-or-later
#include "intake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* Types of record that a test may write. */
static const char *const types[] = { "control", "measure", "check", "verdict", "note", "progress" };

/* Keys that are the journal's. */
static const char *const stamps[] = { "v", "seq", "boot", "time", "test", "iter" };

/* Verdicts that a test may claim for itself; the others come from outside. */
static const enum verdict claims[] = { VERDICT_FAIL, VERDICT_BROKEN, VERDICT_KNOWN, VERDICT_PASS,
				       VERDICT_SKIP };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int intake_init(struct intake *intake, const struct suite_test *test)
{
	size_t n = json_array_size(json_object_get(test->declaration, "checks"));

	*intake = (struct intake){ .test = test, .said = VERDICT_NONE };
	intake->reached = calloc(n + 1, sizeof(*intake->reached));
	return intake->reached ? 0 : -ENOMEM;
}

void intake_free(struct intake *intake)
{
	free(intake->reached);
	intake->reached = NULL;
}

/* The record has the keys that a reader of the journal insists on. */
static int check_keys(const json_t *record, const char *type, struct err *err)
{
	for (const struct record_key *k = record_keys; k->type; k++) {
		const json_t *value = json_object_get(record, k->key);

		if (strcmp(k->type, type) != 0 || (!value && k->optional))
			continue;
		if (!record_is_kind(value, k->kind))
			return err_set(err, 0, "%s record without a proper \"%s\"", type, k->key);
	}
	if (!strcmp(type, "measure") && !json_object_get(record, "value") &&
	    !(json_object_get(record, "n") && json_object_get(record, "stats")))
		return err_set(err, 0, "measure record without figures");
	return 0;
}

static int check_type(const json_t *record, const char **type, struct err *err)
{
	const char *own = record_text(record, "type");

	for (size_t i = 0; i < COUNT(stamps); i++)
		if (json_object_get(record, stamps[i]))
			return err_set(err, 0, "a record with the supervisor's key \"%s\"",
				       stamps[i]);
	for (size_t i = 0; i < COUNT(types); i++) {
		if (!strcmp(own, types[i])) {
			*type = types[i];
			return 0;
		}
	}
	return err_set(err, 0, "a record of type \"%.64s\", which is not a test's", own);
}

static double number_of(const json_t *record, const char *key)
{
	return json_number_value(json_object_get(record, key));
}

/* Are both figures there? One that is not a number is left out by the writer. */
static bool has_figures(const json_t *record, const char *bound)
{
	return json_object_get(record, "value") && json_object_get(record, bound);
}

/* Does it hold by its figures, whatever the test makes of them? False for an unknown operator. */
static bool compare(const json_t *record, bool *holds)
{
	double value = number_of(record, "value");
	double bound = number_of(record, "bound");
	const char *op = record_text(record, "op");
	bool defined = has_figures(record, "bound");

	if (!strcmp(op, "<="))
		*holds = defined && value <= bound;
	else if (!strcmp(op, ">="))
		*holds = defined && value >= bound;
	else if (!strcmp(op, "=="))
		*holds = defined && value == bound;
	else
		return false;
	return true;
}

static int agrees(const json_t *record, const char *type, bool holds, struct err *err)
{
	if (json_is_true(json_object_get(record, "ok")) == holds)
		return 0;
	return err_set(err, 0, "%s \"%.64s\", whose result contradicts its figures", type,
		       record_text(record, "name"));
}

static void note_failed(struct intake *intake, const json_t *record)
{
	if (!has_figures(record, "bound")) {
		intake->undefined++;
		return;
	}
	if (intake->failed++)
		return;
	snprintf(intake->first_failed, sizeof(intake->first_failed),
		 "check %.100s failed%s%.200s: %g %s %g %.32s does not hold",
		 record_text(record, "name"), *record_text(record, "row") ? " at " : "",
		 record_text(record, "row"), number_of(record, "value"), record_text(record, "op"),
		 number_of(record, "bound"), record_text(record, "unit"));
}

static int take_check(struct intake *intake, const json_t *record, struct err *err)
{
	const json_t *list = json_object_get(intake->test->declaration, "checks");
	const char *name = record_text(record, "name");
	const json_t *declared = suite_find(intake->test, "checks", name);
	bool holds;
	int result;

	if (!declared)
		return err_set(err, 0, "check \"%.64s\", which is not declared", name);
	if (!compare(record, &holds))
		return err_set(err, 0, "check \"%.64s\", whose operator is not known", name);
	result = agrees(record, "check", holds, err);
	if (result)
		return result;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_array_get(list, i) == declared)
			intake->reached[i] = true;
	if (!holds)
		note_failed(intake, record);
	return 0;
}

static int take_control(struct intake *intake, const json_t *record, struct err *err)
{
	bool holds = has_figures(record, "floor") &&
		     number_of(record, "value") > number_of(record, "floor");
	int result = agrees(record, "control", holds, err);

	if (result)
		return result;
	intake->controls++;
	if (!holds && !intake->controls_failed++)
		snprintf(intake->first_control, sizeof(intake->first_control), "%.200s",
			 record_text(record, "name"));
	return 0;
}

static int take_verdict(struct intake *intake, const json_t *record, struct err *err)
{
	enum verdict verdict = verdict_parse(record_text(record, "verdict"));

	if (intake->said != VERDICT_NONE)
		return err_set(err, 0, "a second verdict");
	for (size_t i = 0; i < COUNT(claims); i++) {
		if (claims[i] != verdict)
			continue;
		intake->said = verdict;
		snprintf(intake->reason, sizeof(intake->reason), "%s",
			 record_text(record, "reason"));
		return 0;
	}
	return err_set(err, 0, "verdict \"%.64s\", which no test can give",
		       record_text(record, "verdict"));
}

static int take(struct intake *intake, const json_t *record, const char **type, struct err *err)
{
	int result;

	if (!json_is_object(record))
		return err_set(err, 0, "a line that is no JSON object");
	result = check_type(record, type, err);
	if (!result && strcmp(*type, "progress") != 0)
		result = check_keys(record, *type, err);
	if (!result && !strcmp(*type, "check"))
		result = take_check(intake, record, err);
	if (!result && !strcmp(*type, "control"))
		result = take_control(intake, record, err);
	if (!result && !strcmp(*type, "verdict"))
		result = take_verdict(intake, record, err);
	if (!result && !strcmp(*type, "progress"))
		snprintf(intake->progress, sizeof(intake->progress), "%s",
			 record_text(record, "text"));
	return result;
}

json_t *intake_line(struct intake *intake, const char *line, size_t len, bool cut)
{
	json_error_t error;
	json_t *record = NULL;
	const char *type = "";
	struct err err;
	int result;

	intake->bytes += len;
	if (cut) {
		result = err_set(&err, 0, "a line of more than %zu bytes", len);
	} else if (intake->bytes > INTAKE_BYTES_MAX) {
		result = err_set(&err, 0, "more than %" PRIu64 " bytes of records",
				 INTAKE_BYTES_MAX);
	} else {
		record = json_loadb(line ? line : "", len, JSON_REJECT_DUPLICATES, &error);
		result = take(intake, record, &type, &err);
	}
	if (!result && strcmp(type, "progress") != 0)
		return record;
	if (result && !intake->bad++)
		snprintf(intake->first_bad, sizeof(intake->first_bad), "%s", err.text);
	json_decref(record);
	return NULL;
}

/*
 * A pass is believed only when the effect was shown to be observable and every check that is not
 * optional was evaluated.
 */
static void judge_pass(const struct intake *intake, struct judge *judge)
{
	const json_t *list = json_object_get(intake->test->declaration, "checks");
	const json_t *check;
	size_t i;

	if (!intake->controls)
		judge_add(judge, VERDICT_BROKEN, "no positive control was made");
	json_array_foreach(list, i, check)
	{
		if (!intake->reached[i] && !json_is_true(json_object_get(check, "optional")))
			judge_add(judge, VERDICT_BROKEN, "check %s was never evaluated",
				  record_text(check, "name"));
	}
}

void intake_judge(const struct intake *intake, bool ended, struct judge *judge)
{
	if (intake->failed && (!ended || intake->said != VERDICT_FAIL))
		judge_add(judge, VERDICT_FAIL, "%s", intake->first_failed);
	/* A test that says broken itself has the reason in its own words. */
	if (intake->controls_failed && (!ended || intake->said != VERDICT_BROKEN))
		judge_add(judge, VERDICT_BROKEN, "positive control does not hold: %s",
			  intake->first_control);
	if (intake->undefined)
		judge_add(judge, VERDICT_BROKEN, "%u checks without a value or a bound",
			  intake->undefined);
	if (intake->bad)
		judge_add(judge, VERDICT_BROKEN, "%u bad records from the test, the first: %s",
			  intake->bad, intake->first_bad);
	if (!ended)
		return;
	if (intake->said == VERDICT_PASS)
		judge_pass(intake, judge);
	if (intake->said != VERDICT_NONE)
		judge_add(judge, intake->said, "%s", intake->reason);
}
