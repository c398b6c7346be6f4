// SPDX-License-Identifier: GPL-2.0-or-later
#include "ktap_report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "checks.h"
#include "facts.h"
#include "record.h"
#include "term.h"
#include "text.h"
#include "verdict_map.h"
#include "words.h"

/* Nested results are indented by two spaces (ktap.rst). */
#define INDENT "  "

struct ktap {
	FILE *out;
	const char *indent;
	size_t number; /* of the last result at this level */
};

/* Of a result line: without '#', behind which parsers look for a directive. */
static void put_result_text(FILE *out, const char *text)
{
	char *escaped = text_escape(text, (size_t)-1);

	for (char *c = escaped; c && *c; c++)
		putc(*c == '#' ? '_' : *c, out);
	free(escaped);
}

/* "# KEY: TEXT"; a key in front, so that no text can look like the "# Subtest:" of a parser. */
static void put_diagnostic(const struct ktap *ktap, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void put_diagnostic(const struct ktap *ktap, const char *key, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = text_format(fmt, args);
	va_end(args);
	if (!text)
		return;
	fprintf(ktap->out, "%s# %s: ", ktap->indent, key);
	text_put(ktap->out, text, (size_t)-1);
	putc('\n', ktap->out);
	free(text);
}

static void put_result(struct ktap *ktap, const struct verdict_map *as, const char *kind,
		       const char *name, const char *reason)
{
	fprintf(ktap->out, "%s%s %zu %s", ktap->indent, as->ktap_ok ? "ok" : "not ok",
		++ktap->number, kind);
	put_result_text(ktap->out, name);
	if (as->ktap) {
		fprintf(ktap->out, " # %s%s", as->ktap, *reason ? " " : "");
		put_result_text(ktap->out, reason);
	}
	putc('\n', ktap->out);
}

/* Of each control, by name, what it said last or, once it was not met, that; to be freed. */
static json_t *worst_controls(const struct report_test *test)
{
	json_t *worst = json_object();

	for (size_t e = 0; e < test->n_executions; e++) {
		json_t *control;
		size_t i;

		json_array_foreach(test->executions[e].controls, i, control)
		{
			const char *name = record_text(control, "name");
			const json_t *before = json_object_get(worst, name);

			if (!before || json_is_true(json_object_get(before, "ok")))
				json_object_set(worst, name, control);
		}
	}
	return worst;
}

static void put_controls(struct ktap *ktap, json_t *worst)
{
	const char *name;
	json_t *control;

	json_object_foreach(worst, name, control)
	{
		bool met = json_is_true(json_object_get(control, "ok"));
		char value[48], floor_text[48];

		put_diagnostic(ktap, "control", "%s: %s, must be above %s", name,
			       words_quantity(control, "value", value, sizeof(value)),
			       words_quantity(control, "floor", floor_text, sizeof(floor_text)));
		put_result(ktap, verdict_map(met ? VERDICT_PASS : VERDICT_BROKEN), "control.", name,
			   met ? "" : "not met");
	}
}

/* A check on its own: one that was not expected to hold is no failure of a known hypothesis. */
static enum verdict check_verdict(const struct check_summary *check, enum verdict verdict)
{
	if (!check->failed)
		return VERDICT_PASS;
	if (!json_object_get(check->worst, "value") || !json_object_get(check->worst, "bound"))
		return VERDICT_BROKEN;
	return verdict == VERDICT_KNOWN ? VERDICT_KNOWN : VERDICT_FAIL;
}

static void put_check(struct ktap *ktap, const struct check_summary *check, enum verdict verdict)
{
	enum verdict own = check_verdict(check, verdict);
	const char *row = record_text(check->worst, "row");
	char value[48], bound[48];

	put_diagnostic(ktap, "check", "%s: %s %s %s%s%s%s, %zu of %zu held; %s", check->name,
		       words_quantity(check->worst, "value", value, sizeof(value)),
		       record_text(check->worst, "op"),
		       words_quantity(check->worst, "bound", bound, sizeof(bound)),
		       *row ? " (" : "", row, *row ? ")" : "", check->evaluations - check->failed,
		       check->evaluations, record_text(check->worst, "origin"));
	put_result(ktap, verdict_map(own), "check.", check->name,
		   own == VERDICT_BROKEN ? "no value" : "");
}

/* One line for each series and figure. */
static void put_measures(const struct ktap *ktap, const struct report_execution *execution)
{
	const json_t *measure;
	size_t i;

	json_array_foreach(execution->measures, i, measure)
	{
		const char *table = record_text(measure, "table");
		const char *row = record_text(measure, "row");
		const char *name = record_text(measure, "name");
		json_t *stats = json_copy(json_object_get(measure, "stats"));
		char value[48], max[48];

		if (!stats) {
			put_diagnostic(ktap, "figure", "%s, %s, %s: %s", table, row, name,
				       words_quantity(measure, "value", value, sizeof(value)));
			continue;
		}
		json_object_set(stats, "unit", json_object_get(measure, "unit"));
		put_diagnostic(ktap, "series",
			       "%s, %s, %s: n %" JSON_INTEGER_FORMAT ", median %s, max %s", table,
			       row, name, json_integer_value(json_object_get(measure, "n")),
			       words_quantity(stats, "p50", value, sizeof(value)),
			       words_quantity(stats, "max", max, sizeof(max)));
		json_decref(stats);
	}
}

static void put_texts(const struct ktap *ktap, const char *key, const json_t *records)
{
	const json_t *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		put_diagnostic(ktap, key, "%s", record_text(record, "text"));
	}
}

static void put_reasons(const struct ktap *ktap, const json_t *end)
{
	const json_t *reason;
	size_t i;

	json_array_foreach(json_object_get(end, "reasons"), i, reason)
	{
		const char *text = json_string_value(reason);

		put_diagnostic(ktap, "reason", "%s", text ? text : "?");
	}
}

static void put_evidence(const struct ktap *ktap, const struct report_test *test)
{
	for (size_t e = 0; e < test->n_executions; e++) {
		const struct report_execution *execution = &test->executions[e];

		if (test->n_executions > 1)
			put_diagnostic(ktap, "iteration", "%u: %s", execution->iter,
				       verdict_name(report_execution_verdict(execution)));
		put_measures(ktap, execution);
		put_texts(ktap, "kernel log", execution->logs);
		put_texts(ktap, "note", execution->notes);
		put_texts(ktap, "output", execution->output);
		put_reasons(ktap, execution->end);
	}
}

/*
 * The verdict is a subtest, too: a parser that adds up only the innermost results would miss what
 * no check says, such as a test that hung.
 */
static int put_subtests(struct ktap *top, const struct report_test *test, const char *decision)
{
	struct ktap ktap = { .out = top->out, .indent = INDENT };
	enum verdict verdict = report_test_verdict(test);
	json_t *controls = worst_controls(test);
	struct check_summary *checks;
	size_t n;

	if (!controls || check_summaries(test, &checks, &n)) {
		json_decref(controls);
		return -ENOMEM;
	}
	fputs(INDENT "KTAP version 1\n" INDENT "# Subtest: ", top->out);
	put_result_text(top->out, test->name);
	fprintf(top->out, "\n" INDENT "1..%zu\n", json_object_size(controls) + n + 1);
	put_diagnostic(&ktap, "claim", "%s", record_text(test->plan, "claim"));
	put_controls(&ktap, controls);
	for (size_t i = 0; i < n; i++)
		put_check(&ktap, &checks[i], verdict);
	put_evidence(&ktap, test);
	put_diagnostic(&ktap, "verdict", "%s%s%s", verdict_name(verdict), *decision ? ": " : "",
		       decision);
	put_result(&ktap, verdict_map(verdict), "", "verdict", decision);
	json_decref(controls);
	free(checks);
	return 0;
}

static int put_test(struct ktap *ktap, const struct report *report, const struct report_test *test)
{
	char *decision = term_decision(report, test);
	int result = decision ? 0 : -ENOMEM;

	if (!result && test->n_executions)
		result = put_subtests(ktap, test, decision);
	if (!result)
		put_result(ktap, verdict_map(report_test_verdict(test)), "", test->name, decision);
	free(decision);
	return result;
}

static void put_facts(const struct ktap *ktap, const struct report *report)
{
	put_diagnostic(ktap, "pmiproof", "%s, run of %s", record_text(report->run, "version"),
		       record_text(report->run, "time"));
	for (const struct fact *f = facts; f->name; f++) {
		const json_t *fact = facts_at(report->machine, f->path);
		char *text = facts_empty(fact) ? NULL : facts_text(fact);

		if (text)
			put_diagnostic(ktap, f->name, "%s", text);
		free(text);
	}
	if (report->emulated)
		put_diagnostic(ktap, "emulated", "figures describe the emulation, not silicon");
}

/* Entries of the table of known issues: those met, and those that are gone. */
static void put_issues(const struct ktap *ktap, const json_t *issues)
{
	const json_t *issue;
	size_t i;

	json_array_foreach(issues, i, issue)
	{
		put_diagnostic(ktap, "issue", "%s: %s, %s: %s", record_text(issue, "state"),
			       record_text(issue, "hypothesis"), record_text(issue, "check"),
			       record_text(issue, "reference"));
	}
}

/* In the words of the kernel's kselftest.h. */
static void put_totals(const struct ktap *ktap, const struct report *report)
{
	size_t n[VERDICT_NONE + 1] = { 0 };

	for (size_t t = 0; t < report->n_tests; t++)
		n[report_test_verdict(&report->tests[t])]++;
	fprintf(ktap->out, "# Totals: pass:%zu fail:%zu xfail:%zu xpass:0 skip:%zu error:%zu\n",
		n[VERDICT_PASS], n[VERDICT_HUNG] + n[VERDICT_FAIL], n[VERDICT_KNOWN],
		n[VERDICT_SKIP] + n[VERDICT_NOTRUN], n[VERDICT_BROKEN] + n[VERDICT_NONE]);
}

int ktap_report_write(const struct report *report, FILE *out, struct err *err)
{
	struct ktap ktap = { .out = out, .indent = "" };
	int result = 0;

	fprintf(out, "KTAP version 1\n1..%zu%s\n", report->n_tests,
		report->n_tests ? "" : " # SKIP no hypotheses");
	put_facts(&ktap, report);
	for (size_t t = 0; !result && t < report->n_tests; t++)
		result = put_test(&ktap, report, &report->tests[t]);
	put_texts(&ktap, "kernel log", report->logs);
	put_texts(&ktap, "note", report->notes);
	put_issues(&ktap, report->known);
	put_totals(&ktap, report);
	return result ? err_set(err, -result, "report") : 0;
}
