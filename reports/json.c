// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"

#include <errno.h>
#include <stdlib.h>

#include "record.h"
#include "term.h"

/* Put a record, or an array of them, where there is one. */
static void set_record(json_t *object, const char *key, json_t *record)
{
	if (record)
		json_object_set(object, key, record);
}

static json_t *count_verdicts(const struct report *report)
{
	json_int_t n[VERDICT_NONE + 1] = { 0 };
	json_t *counts = json_object();

	for (size_t t = 0; t < report->n_tests; t++)
		n[report_test_verdict(&report->tests[t])]++;
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		json_object_set_new(counts, verdict_name(v), json_integer(n[v]));
	return counts;
}

static json_t *make_iteration(const struct report_execution *execution)
{
	enum verdict verdict = report_execution_verdict(execution);
	json_t *object = json_object();

	json_object_set_new(object, "iteration", json_integer(execution->iter));
	json_object_set_new(object, "verdict", json_string(verdict_name(verdict)));
	set_record(object, "start", execution->start);
	set_record(object, "said", execution->said);
	set_record(object, "end", execution->end);
	set_record(object, "watchdog", execution->watchdog);
	set_record(object, "escalation", execution->escalation);
	set_record(object, "controls", execution->controls);
	set_record(object, "measures", execution->measures);
	set_record(object, "checks", execution->checks);
	set_record(object, "logs", execution->logs);
	set_record(object, "notes", execution->notes);
	set_record(object, "output", execution->output);
	return object;
}

/* NULL when memory ran out. */
static json_t *make_hypothesis(const struct report *report, const struct report_test *test)
{
	static const char *const planned[] = { "claim", "source", "danger", "budget_s" };
	char *decision = term_decision(report, test);
	json_t *object = json_object();
	json_t *iterations = json_array();
	bool lost = !decision;

	record_set_text(object, "name", test->name, (size_t)-1);
	json_object_set_new(object, "verdict",
			    json_string(verdict_name(report_test_verdict(test))));
	record_set_text(object, "decided_by", decision ? decision : "", (size_t)-1);
	free(decision);
	for (size_t i = 0; i < sizeof(planned) / sizeof(planned[0]); i++)
		set_record(object, planned[i], json_object_get(test->plan, planned[i]));
	for (size_t e = 0; e < test->n_executions; e++)
		lost |= json_array_append_new(iterations, make_iteration(&test->executions[e])) !=
			0;
	lost |= json_object_set_new(object, "iterations", iterations) != 0;
	if (!lost)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *make_document(const struct report *report)
{
	json_t *document = json_object();
	json_t *hypotheses = json_array();

	json_object_set_new(document, "format", json_string("pmiproof-report"));
	json_object_set_new(document, "version", json_integer(JSON_REPORT_VERSION));
	json_object_set_new(document, "emulated", json_boolean(report->emulated));
	json_object_set_new(document, "complete", json_boolean(report->done));
	json_object_set_new(document, "cut", json_boolean(report->cut));
	json_object_set_new(document, "left_out",
			    json_integer((json_int_t)json_array_size(report->ignored)));
	json_object_set_new(document, "verdicts", count_verdicts(report));
	set_record(document, "run", report->run);
	set_record(document, "machine", report->machine);
	set_record(document, "done", report->done);
	set_record(document, "resumes", report->resumes);
	set_record(document, "watchdogs", report->watchdogs);
	set_record(document, "notes", report->notes);
	set_record(document, "logs", report->logs);
	set_record(document, "known_issues", report->known);
	for (size_t t = 0; t < report->n_tests; t++) {
		json_t *hypothesis = make_hypothesis(report, &report->tests[t]);

		if (!hypothesis || json_array_append_new(hypotheses, hypothesis)) {
			json_decref(hypotheses);
			json_decref(document);
			return NULL;
		}
	}
	json_object_set_new(document, "hypotheses", hypotheses);
	return document;
}

/* What jansson leaves as it is of what acts on a terminal. */
static int put_part(const char *text, size_t size, void *out)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\x7f')
			fputs("\\u007f", out);
		else
			putc(text[i], out);
	return 0;
}

int json_put(const json_t *document, FILE *out)
{
	int result = document ? json_dump_callback(document, put_part, out,
						   JSON_COMPACT | JSON_ENSURE_ASCII |
							   JSON_REAL_PRECISION(17))
			      : -1;

	putc('\n', out);
	return result;
}

int json_write(const struct report *report, FILE *out, struct err *err)
{
	json_t *document = make_document(report);
	int result = json_put(document, out);

	json_decref(document);
	return result ? err_set(err, ENOMEM, "report") : 0;
}
