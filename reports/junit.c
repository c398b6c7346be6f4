// SPDX-License-Identifier: GPL-2.0-or-later
#include "junit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "facts.h"
#include "number.h"
#include "record.h"
#include "term.h"
#include "verdict_map.h"
#include "words.h"
#include "xml.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where no time was recorded: a time stamp is required. */
#define NO_TIME "1970-01-01T00:00:00"

/* A name must have a character that is not blank. */
static void put_name(FILE *out, const char *attribute, const char *name)
{
	xml_attribute(out, attribute, name[strspn(name, " ")] ? name : "?");
}

/* Without a time zone, which both schemas leave out: it is UTC. */
static void put_timestamp(FILE *out, const char *time)
{
	char text[32] = NO_TIME;
	struct tm tm = { 0 };

	if (strptime(time, "%Y-%m-%dT%H:%M:%S", &tm) && tm.tm_year >= 0 && tm.tm_year < 8100)
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	xml_attribute(out, "timestamp", text);
}

static double duration(const struct report_execution *execution)
{
	return fmax(0, json_number_value(json_object_get(execution->end, "duration_s")));
}

/* <property name="PREFIX TABLE / ROW / NAME / STATISTIC [UNIT]" value="..."/>, empty parts left
 * out. */
static void put_property(FILE *out, const char *const *parts, const char *unit, const char *value)
{
	const char *separator = "";

	fputs("      <property name=\"", out);
	for (; *parts; parts++) {
		if (!**parts)
			continue;
		fputs(separator, out);
		xml_put(out, *parts);
		separator = " / ";
	}
	if (*unit && strcmp(unit, "1") != 0) {
		fputs(" [", out);
		xml_put(out, unit);
		putc(']', out);
	}
	putc('"', out);
	xml_attribute(out, "value", value);
	fputs("/>\n", out);
}

static void put_text_property(FILE *out, const char *name, const char *value)
{
	put_property(out, (const char *[]){ name, NULL }, "", value);
}

static void put_number_property(FILE *out, const char *iteration, const json_t *measure,
				const char *statistic, const json_t *number)
{
	char value[32];

	put_property(out,
		     (const char *[]){ iteration, record_text(measure, "table"),
				       record_text(measure, "row"), record_text(measure, "name"),
				       *statistic ? statistic : "value", NULL },
		     strcmp(statistic, "n") && strcmp(statistic, "confidence")
			     ? record_text(measure, "unit")
			     : "",
		     number_format(number, value, sizeof(value)));
}

static void put_measures(FILE *out, const struct report_execution *execution, bool repeated)
{
	char iteration[32] = "";
	const json_t *measure;
	size_t i;

	if (repeated)
		snprintf(iteration, sizeof(iteration), "iteration %u", execution->iter);
	json_array_foreach(execution->measures, i, measure)
	{
		const json_t *value = json_object_get(measure, "value");
		const json_t *n = json_object_get(measure, "n");
		json_t *stats = json_object_get(measure, "stats");
		const char *statistic;
		json_t *number;

		if (value && !n)
			put_number_property(out, iteration, measure, "", value);
		if (n)
			put_number_property(out, iteration, measure, "n", n);
		json_object_foreach(stats, statistic, number)
		{
			if (json_is_number(number))
				put_number_property(out, iteration, measure, statistic, number);
		}
	}
}

static void put_facts(FILE *out, const struct report *report)
{
	const char *key;
	json_t *value;

	put_text_property(out, "pmiproof", record_text(report->run, "version"));
	put_text_property(out, "emulated", report->emulated ? "true" : "false");
	for (const struct fact *f = facts; f->name; f++) {
		const json_t *fact = facts_at(report->machine, f->path);
		char *text = facts_empty(fact) ? NULL : facts_text(fact);

		if (text)
			put_text_property(out, f->name, text);
		free(text);
	}
	json_object_foreach(json_object_get(report->run, "labels"), key, value)
	{
		put_property(out, (const char *[]){ "label", key, NULL }, "",
			     json_is_string(value) ? json_string_value(value) : "?");
	}
}

/* Entries of the table of known issues. */
static void put_issues(FILE *out, const struct report *report, const struct report_test *test)
{
	const json_t *issue;
	size_t i;

	json_array_foreach(report->known, i, issue)
	{
		const char *const parts[] = { "issue", record_text(issue, "state"),
					      record_text(issue, "check"), NULL };

		if (!strcmp(record_text(issue, "hypothesis"), test->name))
			put_property(out, parts, "", record_text(issue, "reference"));
	}
}

static void put_properties(FILE *out, const struct report *report, const struct report_test *test)
{
	fputs("    <properties>\n", out);
	put_text_property(out, "verdict", verdict_name(report_test_verdict(test)));
	put_text_property(out, "claim", record_text(test->plan, "claim"));
	put_text_property(out, "source", record_text(test->plan, "source"));
	put_issues(out, report, test);
	put_facts(out, report);
	for (size_t e = 0; e < test->n_executions; e++)
		put_measures(out, &test->executions[e], test->n_executions > 1);
	fputs("    </properties>\n", out);
}

/* "name, row: 0.25 >= 0.5 does not hold: origin" for each that does not. */
static void put_refuting(FILE *out, const json_t *checks)
{
	const json_t *check;
	size_t i;

	json_array_foreach(checks, i, check)
	{
		const char *row = record_text(check, "row");
		char value[48], bound[48];

		if (json_is_true(json_object_get(check, "ok")))
			continue;
		xml_put(out, record_text(check, "name"));
		fputs(*row ? ", " : "", out);
		xml_put(out, row);
		fputs(": ", out);
		xml_put(out, words_quantity(check, "value", value, sizeof(value)));
		putc(' ', out);
		xml_put(out, record_text(check, "op"));
		putc(' ', out);
		xml_put(out, words_quantity(check, "bound", bound, sizeof(bound)));
		fputs(" does not hold: ", out);
		xml_put(out, record_text(check, "origin"));
		putc('\n', out);
	}
}

/* What became of one iteration; NULL: the hypothesis was not run. */
static void put_outcome(FILE *out, const struct report *report, const struct report_test *test,
			const struct report_execution *execution)
{
	enum verdict verdict = execution ? report_execution_verdict(execution) : VERDICT_NOTRUN;
	const char *element = verdict_map(verdict)->junit;
	const json_t *reasons = execution ? json_object_get(execution->end, "reasons") : NULL;
	const char *first = json_string_value(json_array_get(reasons, 0));
	char *decision = execution ? NULL : term_decision(report, test);
	char message[1024];

	if (!first)
		first = decision ? decision : execution && !execution->end ? TERM_STOPPED : "";
	snprintf(message, sizeof(message), "%s%s%s", verdict_name(verdict), *first ? ": " : "",
		 first);
	free(decision);
	fprintf(out, "      <%s", element);
	xml_attribute(out, "message", message);
	if (strcmp(element, "skipped") != 0)
		xml_attribute(out, "type", verdict_name(verdict));
	putc('>', out);
	for (size_t i = 0; i < json_array_size(reasons); i++) {
		const char *reason = json_string_value(json_array_get(reasons, i));

		xml_put(out, reason ? reason : "?");
		putc('\n', out);
	}
	if (execution)
		put_refuting(out, execution->checks);
	fprintf(out, "</%s>\n", element);
}

static void put_case(FILE *out, const struct report *report, const struct report_test *test,
		     const struct report_execution *execution)
{
	enum verdict verdict = execution ? report_execution_verdict(execution) : VERDICT_NOTRUN;
	char name[512];

	snprintf(name, sizeof(name), "%s", test->name);
	if (test->n_executions > 1)
		snprintf(name, sizeof(name), "%.400s, iteration %u", test->name, execution->iter);
	fputs("    <testcase", out);
	put_name(out, "name", name);
	put_name(out, "classname", test->name);
	fprintf(out, " time=\"%.3f\"", execution ? duration(execution) : 0.0);
	if (!verdict_map(verdict)->junit) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n", out);
	put_outcome(out, report, test, execution);
	fputs("    </testcase>\n", out);
}

static void put_lines(FILE *out, const char *what, const json_t *records, const char *stream)
{
	const json_t *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		bool is_stderr = !strcmp(record_text(record, "stream"), "stderr");

		if (stream && is_stderr != !strcmp(stream, "stderr"))
			continue;
		fputs(what, out);
		xml_put(out, record_text(record, "text"));
		putc('\n', out);
	}
}

static void put_output(FILE *out, const struct report_test *test)
{
	fputs("    <system-out>", out);
	for (size_t e = 0; e < test->n_executions; e++) {
		put_lines(out, "note: ", test->executions[e].notes, NULL);
		put_lines(out, "kernel log: ", test->executions[e].logs, NULL);
		put_lines(out, "", test->executions[e].output, "stdout");
	}
	fputs("</system-out>\n    <system-err>", out);
	for (size_t e = 0; e < test->n_executions; e++)
		put_lines(out, "", test->executions[e].output, "stderr");
	fputs("</system-err>\n", out);
}

static void put_counts(FILE *out, const struct report_test *test)
{
	static const struct {
		const char *attribute, *element;
	} counts[] = {
		{ "failures", "failure" },
		{ "errors", "error" },
		{ "skipped", "skipped" },
	};
	size_t cases = test->n_executions ? test->n_executions : 1;

	fprintf(out, " tests=\"%zu\"", cases);
	for (size_t i = 0; i < COUNT(counts); i++) {
		size_t n = 0;

		for (size_t e = 0; e < cases; e++) {
			enum verdict verdict =
				test->n_executions ? report_execution_verdict(&test->executions[e])
						   : VERDICT_NOTRUN;
			const char *element = verdict_map(verdict)->junit;

			n += element && !strcmp(element, counts[i].element);
		}
		fprintf(out, " %s=\"%zu\"", counts[i].attribute, n);
	}
}

static void put_suite(FILE *out, const struct report *report, size_t t)
{
	const struct report_test *test = &report->tests[t];
	const char *host = json_string_value(facts_at(report->machine, "identity.hostname"));
	const json_t *start = test->n_executions ? test->executions[0].start : NULL;
	double seconds = 0;

	for (size_t e = 0; e < test->n_executions; e++)
		seconds += duration(&test->executions[e]);
	fprintf(out, "  <testsuite id=\"%zu\" package=\"pmiproof\"", t);
	put_name(out, "name", test->name);
	put_timestamp(out, record_text(start ? start : report->run, "time"));
	put_name(out, "hostname", host ? host : "localhost");
	put_counts(out, test);
	fprintf(out, " time=\"%.3f\">\n", seconds);
	put_properties(out, report, test);
	for (size_t e = 0; e < test->n_executions; e++)
		put_case(out, report, test, &test->executions[e]);
	if (!test->n_executions)
		put_case(out, report, test, NULL);
	put_output(out, test);
	fputs("  </testsuite>\n", out);
}

int junit_write(const struct report *report, FILE *out, struct err *err)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (size_t t = 0; t < report->n_tests; t++)
		put_suite(out, report, t);
	fputs("</testsuites>\n", out);
	return ferror(out) ? err_set(err, ENOMEM, "report") : 0;
}
