// SPDX-License-Identifier: GPL-2.0-or-later
#include "model.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "record.h"

static const char *const kind_names[] = {
	[RECORD_STRING] = "a string", [RECORD_INTEGER] = "an integer",
	[RECORD_NUMBER] = "a number", [RECORD_BOOLEAN] = "true or false",
	[RECORD_ARRAY] = "an array",  [RECORD_OBJECT] = "an object",
};

static const char *text_of(const json_t *record, const char *key)
{
	return json_string_value(json_object_get(record, key));
}

static int bad_key(const struct journal_reader *reader, const char *type, const char *key,
		   const char *what, struct err *err)
{
	return err_plain(err, EBADMSG, "%s:%lu: %s record: \"%s\" is %s", reader->name,
			 reader->line, type, key, what);
}

static int check_keys(const struct journal_reader *reader, const json_t *record, const char *type,
		      struct err *err)
{
	for (const struct record_key *k = record_keys; k->type; k++) {
		const json_t *value;
		char what[32];

		if (strcmp(k->type, type) != 0)
			continue;
		value = json_object_get(record, k->key);
		if (!value && k->optional)
			continue;
		if (!value)
			return bad_key(reader, type, k->key, "missing", err);
		snprintf(what, sizeof(what), "not %s", kind_names[k->kind]);
		if (!record_is_kind(value, k->kind))
			return bad_key(reader, type, k->key, what, err);
	}
	return 0;
}

/* How many samples a measure has; -EBADMSG for what no series can be. */
static json_int_t count_samples(const json_t *measure)
{
	json_int_t n = (json_int_t)json_array_size(json_object_get(measure, "samples"));
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(measure, "histogram"), i, item)
	{
		const json_t *count = json_array_get(item, 1);

		if (!json_is_number(json_array_get(item, 0)) || !json_is_integer(count) ||
		    json_integer_value(count) < 1 ||
		    json_integer_value(count) > REPORT_SAMPLES_MAX - n)
			return -EBADMSG;
		n += json_integer_value(count);
	}
	return n;
}

static int check_measure(const struct journal_reader *reader, const json_t *record, struct err *err)
{
	if (json_object_get(record, "n") && !json_object_get(record, "stats"))
		return bad_key(reader, "measure", "stats", "missing", err);
	if (count_samples(record) < 0)
		return bad_key(reader, "measure", "histogram", "none of numbers", err);
	return 0;
}

/* What a table of kinds cannot say. */
static int check_content(const struct journal_reader *reader, const json_t *record,
			 const char *type, struct err *err)
{
	const char *verdict = text_of(record, "verdict");
	const json_t *item;
	size_t i;

	if (verdict && verdict_parse(verdict) == VERDICT_NONE &&
	    (!strcmp(type, "end") || !strcmp(type, "verdict")))
		return bad_key(reader, type, "verdict", "none that is known", err);
	if (!strcmp(type, "measure"))
		return check_measure(reader, record, err);
	json_array_foreach(json_object_get(record, "planned"), i, item)
	{
		if (!text_of(item, "test"))
			return bad_key(reader, type, "planned", "without the name of a test", err);
	}
	return 0;
}

static struct report_test *find_test(struct report *report, const char *name)
{
	struct report_test *tests;

	const json_t *place = json_object_get(report->index, name);

	if (place)
		return &report->tests[json_integer_value(place)];
	if (json_object_set_new(report->index, name, json_integer((json_int_t)report->n_tests)))
		return NULL;
	tests = reallocarray(report->tests, report->n_tests + 1, sizeof(*tests));
	if (!tests)
		return NULL;
	report->tests = tests;
	tests += report->n_tests++;
	memset(tests, 0, sizeof(*tests));
	/* `name` is part of a record that the report holds as long as the test. */
	tests->name = name;
	return tests;
}

static bool init_execution(struct report_execution *execution, unsigned int iter)
{
	*execution = (struct report_execution){
		.iter = iter,
		.controls = json_array(),
		.measures = json_array(),
		.checks = json_array(),
		.logs = json_array(),
		.notes = json_array(),
		.output = json_array(),
	};
	return execution->controls && execution->measures && execution->checks && execution->logs &&
	       execution->notes && execution->output;
}

static void free_execution(struct report_execution *execution)
{
	json_t *const all[] = {
		execution->start,    execution->said,	    execution->end,
		execution->controls, execution->measures,   execution->checks,
		execution->logs,     execution->notes,	    execution->output,
		execution->watchdog, execution->escalation,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_decref(all[i]);
}

static struct report_execution *find_execution(struct report_test *test, unsigned int iter)
{
	struct report_execution *executions;
	const json_t *place;
	char key[16];

	snprintf(key, sizeof(key), "%u", iter);
	place = json_object_get(test->index, key);
	if (place)
		return &test->executions[json_integer_value(place)];
	if (!test->index)
		test->index = json_object();
	if (json_object_set_new(test->index, key, json_integer((json_int_t)test->n_executions)))
		return NULL;
	executions = reallocarray(test->executions, test->n_executions + 1, sizeof(*executions));
	if (!executions)
		return NULL;
	test->executions = executions;
	return init_execution(&executions[test->n_executions++], iter)
		       ? &executions[test->n_executions - 1]
		       : NULL;
}

/*
 * Put a record where there is to be one. A second one is kept aside, but of two ends the worse
 * counts: no repetition may turn a refuted hypothesis into one that held.
 */
static int put_single(struct report *report, json_t **slot, json_t *record)
{
	const char *verdict = text_of(record, "verdict");
	bool worse = *slot && verdict &&
		     verdict_parse(verdict) < verdict_parse(text_of(*slot, "verdict"));
	json_t *aside;

	if (*slot && !worse)
		return json_array_append(report->ignored, record) ? -ENOMEM : 0;
	aside = *slot;
	*slot = json_incref(record);
	return aside && json_array_append_new(report->ignored, aside) ? -ENOMEM : 0;
}

static int put_run(struct report *report, json_t *record)
{
	json_t *plan;
	size_t i;

	if (report->run)
		return put_single(report, &report->run, record);
	report->run = json_incref(record);
	json_array_foreach(json_object_get(record, "planned"), i, plan)
	{
		struct report_test *test = find_test(report, text_of(plan, "test"));

		if (!test)
			return -ENOMEM;
		test->plan = plan;
	}
	return 0;
}

static int put_resume(struct report *report, json_t *record)
{
	json_decref(report->done);
	report->done = NULL;
	json_array_clear(report->watchdogs); /* what they say of the last reset is to be seen */
	return json_array_append(report->resumes, record) ? -ENOMEM : 0;
}

/* What a machine lacks is noted each time that a run begins or goes on in it: once is enough. */
static int put_note(struct report *report, json_t *record)
{
	json_t *before;
	size_t i;

	json_array_foreach(report->notes, i, before)
	{
		if (json_array_size(report->resumes) &&
		    json_equal(json_object_get(before, "text"), json_object_get(record, "text")))
			return 0;
	}
	return json_array_append(report->notes, record) ? -ENOMEM : 0;
}

/* A record of no hypothesis. */
static int put_global(struct report *report, json_t *record, const char *type)
{
	if (!strcmp(type, "run"))
		return put_run(report, record);
	if (!strcmp(type, "machine"))
		return json_object_update(report->machine, record) ? -ENOMEM : 0;
	if (!strcmp(type, "done"))
		return put_single(report, &report->done, record);
	if (!strcmp(type, "resume"))
		return put_resume(report, record);
	if (!strcmp(type, "saved"))
		return 0; /* for whoever puts the machine back */
	if (!strcmp(type, "watchdog"))
		return json_array_append(report->watchdogs, record) ? -ENOMEM : 0;
	if (!strcmp(type, "note"))
		return put_note(report, record);
	if (!strcmp(type, "log"))
		return json_array_append(report->logs, record) ? -ENOMEM : 0;
	return json_array_append(report->ignored, record) ? -ENOMEM : 0;
}

/*
 * An execution that was not run, of which there are records again: forget it. Interrupting a test
 * leaves half of its records, which would look like those of the test that ran in the end.
 */
static bool begin_anew(const struct report *report, struct report_execution *execution)
{
	unsigned int iter = execution->iter;

	if (!json_array_size(report->resumes) ||
	    report_execution_verdict(execution) != VERDICT_NOTRUN)
		return true;
	free_execution(execution);
	return init_execution(execution, iter);
}

/* A record of one execution. */
static int put_own(struct report *report, struct report_execution *execution, json_t *record,
		   const char *type)
{
	const struct {
		const char *type;
		json_t **single;
		json_t *many;
	} places[] = {
		{ "start", &execution->start, NULL },
		{ "verdict", &execution->said, NULL },
		{ "end", &execution->end, NULL },
		{ "control", NULL, execution->controls },
		{ "measure", NULL, execution->measures },
		{ "check", NULL, execution->checks },
		{ "log", NULL, execution->logs },
		{ "note", NULL, execution->notes },
		{ "output", NULL, execution->output },
		{ "watchdog", &execution->watchdog, NULL },
		{ "escalation", &execution->escalation, NULL },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (strcmp(places[i].type, type) != 0)
			continue;
		if (places[i].single)
			return put_single(report, places[i].single, record);
		return json_array_append(places[i].many, record) ? -ENOMEM : 0;
	}
	return json_array_append(report->ignored, record) ? -ENOMEM : 0;
}

/* Types that mean nothing without the hypothesis they belong to. */
static bool needs_test(const char *type)
{
	static const char *const types[] = { "start",	"verdict", "end",   "control",
					     "measure", "check",   "output" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

static unsigned int iter_of(const json_t *record)
{
	json_int_t iter = json_integer_value(json_object_get(record, "iter"));

	return iter < 1 || iter > UINT_MAX ? 0 : (unsigned int)iter;
}

static int check_record(const struct journal_reader *reader, const json_t *record, struct err *err)
{
	const char *type = text_of(record, "type");
	const char *name = text_of(record, "test");
	int result = check_keys(reader, record, type, err);

	if (!result)
		result = check_content(reader, record, type, err);
	if (result)
		return result;
	if (!name && needs_test(type))
		return bad_key(reader, type, "test", "missing", err);
	if (name && !iter_of(record))
		return bad_key(reader, type, "iter", "not a number from 1", err);
	return 0;
}

int report_check(const json_t *record, const char *name, unsigned long line, struct err *err)
{
	struct journal_reader reader = { .name = name, .line = line };

	return check_record(&reader, record, err);
}

static int put_record(struct report *report, const struct journal_reader *reader, json_t *record,
		      struct err *err)
{
	const char *type = text_of(record, "type");
	const char *name = text_of(record, "test");
	struct report_execution *execution;
	struct report_test *test;
	int result;

	if (!report->run && strcmp(type, "run") != 0) {
		return err_plain(err, EBADMSG, "%s:%lu: the first record is \"%s\", not \"run\"",
				 reader->name, reader->line, type);
	}
	result = check_record(reader, record, err);
	if (result)
		return result;
	if (!name)
		return put_global(report, record, type);
	test = find_test(report, name);
	execution = test ? find_execution(test, iter_of(record)) : NULL;
	return execution && begin_anew(report, execution) ? put_own(report, execution, record, type)
							  : -ENOMEM;
}

static int read_all(struct report *report, struct journal_reader *reader, struct err *err)
{
	json_int_t samples = 0;
	json_t *record;
	int result;

	report->index = json_object();
	report->machine = json_object();
	report->notes = json_array();
	report->watchdogs = json_array();
	report->logs = json_array();
	report->ignored = json_array();
	report->resumes = json_array();
	report->kept = json_array();
	report->known = json_array();
	if (!report->index || !report->machine || !report->notes || !report->watchdogs ||
	    !report->logs || !report->ignored || !report->resumes || !report->kept ||
	    !report->known)
		return -ENOMEM;
	while ((result = journal_next(reader, &record, err)) > 0) {
		/* Names of tests are used in place, so every record stays until the end. */
		if (json_array_append_new(report->kept, record))
			return -ENOMEM;
		result = put_record(report, reader, record, err);
		if (!result && !strcmp(text_of(record, "type"), "measure"))
			samples += count_samples(record);
		if (!result && samples > REPORT_SAMPLES_MAX)
			result = err_plain(err, EBADMSG, "%s:%lu: more than %d samples",
					   reader->name, reader->line, REPORT_SAMPLES_MAX);
		if (result)
			return result;
	}
	report->cut = reader->cut;
	report->emulated = json_is_true(json_object_get(report->machine, "emulated"));
	return result;
}

int report_read(struct report *report, const char *path, struct err *err)
{
	struct journal_reader reader;
	int result = journal_open(&reader, path, err);

	if (result)
		return result;
	memset(report, 0, sizeof(*report));
	result = read_all(report, &reader, err);
	if (result == -ENOMEM)
		err_set(err, ENOMEM, "%s:%lu", reader.name, reader.line);
	journal_finish(&reader);
	if (result)
		report_free(report);
	return result;
}

void report_free(struct report *report)
{
	json_t *const all[] = { report->run,	   report->machine, report->done,    report->notes,
				report->logs,	   report->ignored, report->resumes, report->kept,
				report->watchdogs, report->known,   report->index };

	for (size_t t = 0; t < report->n_tests; t++) {
		for (size_t e = 0; e < report->tests[t].n_executions; e++)
			free_execution(&report->tests[t].executions[e]);
		free(report->tests[t].executions);
		json_decref(report->tests[t].index);
	}
	free(report->tests);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_decref(all[i]);
	memset(report, 0, sizeof(*report));
}

const struct report_test *report_find_test(const struct report *report, const char *name)
{
	const json_t *place = json_object_get(report->index, name);

	return place ? &report->tests[json_integer_value(place)] : NULL;
}

enum verdict report_execution_verdict(const struct report_execution *execution)
{
	if (execution->known)
		return VERDICT_KNOWN;
	return verdict_parse(text_of(execution->end, "verdict"));
}

enum verdict report_test_verdict(const struct report_test *test)
{
	enum verdict worst = test->n_executions ? VERDICT_NONE : VERDICT_NOTRUN;
	bool stopped = false;

	for (size_t i = 0; i < test->n_executions; i++) {
		enum verdict verdict = report_execution_verdict(&test->executions[i]);

		worst = verdict_worse(worst, verdict);
		stopped |= verdict == VERDICT_NONE;
	}
	return stopped && worst > VERDICT_BROKEN ? VERDICT_NONE : worst;
}

const struct report_execution *report_test_deciding(const struct report_test *test)
{
	enum verdict verdict = report_test_verdict(test);

	for (size_t i = 0; i < test->n_executions; i++)
		if (report_execution_verdict(&test->executions[i]) == verdict)
			return &test->executions[i];
	return NULL;
}
