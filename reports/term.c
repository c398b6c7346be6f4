// SPDX-License-Identifier: GPL-2.0-or-later
#include "term.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "format.h"
#include "record.h"
#include "text.h"
#include "unit.h"

/* How many times that a run was resumed are told one by one. */
#define RESUMES_SHOWN 5

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define KEY_WIDTH \
	10 /* columns of the key of a "key text" line, and where its text starts after 2 */

enum table_style term_style(enum verdict verdict)
{
	static const enum table_style styles[] = {
		[VERDICT_HUNG] = TABLE_BAD,	[VERDICT_FAIL] = TABLE_BAD,
		[VERDICT_BROKEN] = TABLE_ODD,	[VERDICT_KNOWN] = TABLE_ODD,
		[VERDICT_PASS] = TABLE_GOOD,	[VERDICT_SKIP] = TABLE_PLAIN,
		[VERDICT_NOTRUN] = TABLE_PLAIN, [VERDICT_NONE] = TABLE_ODD,
	};

	return styles[verdict];
}

void term_caption(struct term *term, const char *fmt, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0) {
		term->result = -ENOMEM;
		return;
	}
	fputs("\n  ", term->out);
	text_put(term->out, text, (size_t)length);
	fputs(term->report->emulated ? " (emulated)\n" : "\n", term->out);
	free(text);
}

void term_table(struct term *term, struct table *table)
{
	int result = table_print(table, term->out, 4, term->options.width, term->options.colour);

	if (result)
		term->result = result;
}

void term_line(struct term *term, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(term->out, "  %-*s", KEY_WIDTH, key);
	text_wrap(term->out, text, 2 + KEY_WIDTH, 2 + KEY_WIDTH, term->options.width);
}

/* A check that passed, closest to its bound: the figure that a pass hangs on. */
static void put_closest(FILE *out, const struct check_summary *summaries, size_t n)
{
	const struct check_summary *closest = check_closest(summaries, n);
	char value[48], bound[48];

	fprintf(out, "%zu check%s held", n, n == 1 ? "" : "s");
	if (!closest)
		return;
	unit_format(json_number_value(json_object_get(closest->worst, "value")),
		    record_text(closest->worst, "unit"), value, sizeof(value));
	unit_format(json_number_value(json_object_get(closest->worst, "bound")),
		    record_text(closest->worst, "unit"), bound, sizeof(bound));
	fprintf(out, ", closest: %s %s %s %s", closest->name, value,
		record_text(closest->worst, "op"), bound);
}

static int put_decision(FILE *out, const struct report *report, const struct report_test *test)
{
	const struct report_execution *deciding = report_test_deciding(test);
	const json_t *reasons = deciding ? json_object_get(deciding->end, "reasons") : NULL;
	struct check_summary *summaries;
	size_t n;

	if (json_array_size(reasons)) {
		const char *first = json_string_value(json_array_get(reasons, 0));

		fputs(first ? first : "", out);
		if (json_array_size(reasons) > 1)
			fprintf(out, " (and %zu more)", json_array_size(reasons) - 1);
		if (deciding->known)
			fputs("; a known issue", out);
		return 0;
	}
	if (!deciding) {
		fprintf(out, "not reached: the run %s before it",
			json_is_true(json_object_get(report->done, "interrupted"))
				? "was interrupted"
				: "stopped");
		return 0;
	}
	if (!deciding->end) {
		fputs(TERM_STOPPED, out);
		return 0;
	}
	if (report_test_verdict(test) != VERDICT_PASS)
		return 0;
	if (check_summaries(test, &summaries, &n))
		return -ENOMEM;
	put_closest(out, summaries, n);
	free(summaries);
	return 0;
}

/* "2 of 3 pass" says more than the worst of them. */
static void put_repetitions(FILE *out, const struct report_test *test)
{
	enum verdict verdict = report_test_verdict(test);
	const struct report_execution *deciding = report_test_deciding(test);
	size_t same = 0;
	size_t pass = 0;

	if (test->n_executions < 2 || !deciding)
		return;
	for (size_t e = 0; e < test->n_executions; e++) {
		same += report_execution_verdict(&test->executions[e]) == verdict;
		pass += report_execution_verdict(&test->executions[e]) == VERDICT_PASS;
	}
	fprintf(out, "%zu of %zu pass", pass, test->n_executions);
	if (verdict != VERDICT_PASS)
		fprintf(out, ", %zu %s", same, verdict_name(verdict));
	fputs("; ", out);
	if (same < test->n_executions)
		fprintf(out, "iteration %u: ", deciding->iter);
}

char *term_decision(const struct report *report, const struct report_test *test)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int result;

	if (!out)
		return NULL;
	put_repetitions(out, test);
	result = put_decision(out, report, test);
	if (fclose(out) || result) {
		free(text);
		return NULL;
	}
	return text;
}

static void put_verdict(struct term *term, struct table *table, const struct report_test *test)
{
	enum verdict verdict = report_test_verdict(test);
	char *decision = term_decision(term->report, test);
	double seconds = 0;
	bool timed = false;

	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *duration = json_object_get(test->executions[e].end, "duration_s");

		seconds += json_number_value(duration);
		timed |= duration && test->executions[e].start;
	}
	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "%s", test->name);
	table_cell(table, 1, term_style(verdict), "%s", verdict_name(verdict));
	if (timed)
		table_cell(table, 2, TABLE_PLAIN, "%.1f s", seconds);
	table_cell(table, 3, TABLE_PLAIN, "%s", decision ? decision : "");
	if (!decision)
		term->result = -ENOMEM;
	free(decision);
}

void term_verdicts(struct term *term)
{
	static const struct table_column columns[] = {
		{ "hypothesis", TABLE_LEFT },
		{ "verdict", TABLE_LEFT },
		{ "time", TABLE_RIGHT },
		{ "decided by", TABLE_WRAP },
	};
	struct table *table = table_new(columns, COUNT(columns), 1);

	for (size_t t = 0; t < term->report->n_tests; t++)
		put_verdict(term, table, &term->report->tests[t]);
	term_caption(term, "verdicts");
	term_table(term, table);
}

/* Names of the hypotheses with this verdict, after `what`; false if there is none. */
static size_t count_verdict(const struct report *report, enum verdict verdict)
{
	size_t n = 0;

	for (size_t t = 0; t < report->n_tests; t++)
		n += report_test_verdict(&report->tests[t]) == verdict;
	return n;
}

static bool put_names(FILE *out, const struct report *report, const char *what, enum verdict which)
{
	bool found = false;

	for (size_t t = 0; t < report->n_tests; t++) {
		if (report_test_verdict(&report->tests[t]) != which)
			continue;
		fprintf(out, "%s%s", found ? ", " : what, report->tests[t].name);
		found = true;
	}
	if (found)
		fputs(". ", out);
	return found;
}

static void put_counts(FILE *out, const struct report *report)
{
	const char *separator = ": ";

	fprintf(out, "%zu hypothes%s", report->n_tests, report->n_tests == 1 ? "is" : "es");
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++) {
		size_t n = count_verdict(report, v);

		if (!n)
			continue;
		fprintf(out, "%s%zu %s", separator, n,
			v == VERDICT_NONE ? "without verdict" : verdict_name(v));
		separator = ", ";
	}
	fputs(". ", out);
}

static void put_resets(FILE *out, const json_t *resumes)
{
	const json_t *last = json_array_get(resumes, json_array_size(resumes) - 1);
	json_int_t resets = json_integer_value(json_object_get(last, "resets"));
	const char *stopped = record_text(last, "stopped");

	if (resets)
		fprintf(out, "The machine was reset %" JSON_INTEGER_FORMAT " time%s. ", resets,
			resets == 1 ? "" : "s");
	if (*stopped)
		fprintf(out, "The run was not resumed any more: %s. ", stopped);
}

/* Entries of the table of known issues: those met, and those to be taken out of it. */
static void put_issues(struct term *term)
{
	const json_t *issue;
	size_t i;

	if (json_array_size(term->report->known))
		fputc('\n', term->out);
	json_array_foreach(term->report->known, i, issue)
	{
		bool gone = !strcmp(record_text(issue, "state"), "gone");
		char text[1024];

		snprintf(text, sizeof(text), "%s, %s%s: %s", record_text(issue, "hypothesis"),
			 record_text(issue, "check"),
			 gone ? " holds each time, the known issue is gone" : "",
			 record_text(issue, "reference"));
		term_line(term, "known", text);
	}
}

/* What to take away from it all, in sentences that each end with a space. */
static void put_sentences(FILE *out, const struct report *report)
{
	bool refuted = put_names(out, report, "Hung: ", VERDICT_HUNG);

	refuted |= put_names(out, report, "Refuted: ", VERDICT_FAIL);
	if (!refuted)
		fputs("Nothing refuted. ", out);
	if (!refuted && !count_verdict(report, VERDICT_PASS))
		fputs("Nothing shown to hold either. ", out);
	put_names(out, report, "Refuted as known: ", VERDICT_KNOWN);
	put_names(out, report, "No conclusion: ", VERDICT_BROKEN);
	put_names(out, report, "Without verdict: ", VERDICT_NONE);
	put_resets(out, report->resumes);
	if (json_is_true(json_object_get(report->done, "interrupted")))
		fputs("The run was interrupted. ", out);
	if (!report->done)
		fputs("The run was cut short: its journal has no end. ", out);
	if (report->emulated)
		fputs("All figures describe an emulated machine, not silicon. ", out);
}

/* Sentences as a paragraph. */
static void put_paragraph(struct term *term, void (*put)(FILE *out, const struct report *report))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out)
		put(out, term->report);
	if (!out || fclose(out)) {
		term->result = -ENOMEM;
	} else {
		text[size - 1] = '\0'; /* the space behind the last */
		text_wrap(term->out, text, 0, 0, term->options.width);
	}
	free(text);
}

void term_conclusion(struct term *term)
{
	putc('\n', term->out);
	put_paragraph(term, put_counts);
	put_paragraph(term, put_sentences);
}

/* "key=value, ..." of an object of strings. */
static char *object_text(const json_t *object)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "";
	const char *key;
	json_t *value;

	if (!out)
		return NULL;
	json_object_foreach((json_t *)object, key, value)
	{
		fprintf(out, "%s%s=%s", separator, key,
			json_is_string(value) ? json_string_value(value) : "?");
		separator = ", ";
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* What a run was resumed after, as text that follows the time. */
static const struct {
	const char *after;
	const char *text;
} resumed_after[] = {
	{ "reset", "the machine was reset" },
	{ "died", "the supervisor died" },
	{ "interrupted", "it was interrupted" },
	{ "done", "it had ended" },
};

static void put_resumed(struct term *term, const json_t *resume)
{
	const char *after = record_text(resume, "after");
	const char *test = record_text(json_object_get(resume, "in_flight"), "test");
	char text[512];
	size_t i = 0;

	while (i < COUNT(resumed_after) && strcmp(resumed_after[i].after, after) != 0)
		i++;
	snprintf(text, sizeof(text),
		 "%s: %s%s%s; %" JSON_INTEGER_FORMAT " done, %" JSON_INTEGER_FORMAT " left",
		 record_text(resume, "time"),
		 i < COUNT(resumed_after) ? resumed_after[i].text : after, *test ? " during " : "",
		 test, json_integer_value(json_object_get(resume, "kept")),
		 json_integer_value(json_object_get(resume, "left")));
	term_line(term, "resumed", text);
}

/* The last times that the run was resumed, and how often in all. */
static void put_resumes(struct term *term)
{
	const json_t *resumes = term->report->resumes;
	size_t n = json_array_size(resumes);
	char text[64];

	snprintf(text, sizeof(text), "%zu times; the last %d:", n, RESUMES_SHOWN);
	if (n > RESUMES_SHOWN && !term->options.verbose)
		term_line(term, "resumed", text);
	for (size_t i = n > RESUMES_SHOWN && !term->options.verbose ? n - RESUMES_SHOWN : 0; i < n;
	     i++)
		put_resumed(term, json_array_get(resumes, i));
}

/* Watchdogs of the machine, and what they say of its last reset. */
static void put_watchdogs(struct term *term)
{
	const json_t *watchdog;
	size_t i;

	json_array_foreach(term->report->watchdogs, i, watchdog)
	{
		const json_t *status = json_object_get(watchdog, "bootstatus");
		char text[256];
		size_t used;

		used = (size_t)snprintf(text, sizeof(text), "%.32s, %.64s (%.32s)%s",
					record_text(watchdog, "device"),
					record_text(watchdog, "identity"),
					record_text(watchdog, "kind"),
					json_array_size(status) ? ", last reset:" : "");
		for (size_t j = 0; j < json_array_size(status) && used < sizeof(text); j++) {
			const char *word = json_string_value(json_array_get(status, j));

			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s",
						 word ? word : "?");
		}
		term_line(term, "watchdog", text);
	}
}

void term_run(struct term *term)
{
	const json_t *run = term->report->run;
	char *labels = object_text(json_object_get(run, "labels"));
	char *version = text_escape(record_text(run, "version"), (size_t)-1);
	char *time = text_escape(record_text(run, "time"), (size_t)-1);

	if (labels && version && time) {
		fprintf(term->out, "pmiproof %s, run of %s\n", version, time);
		term_machine(term);
		term_line(term, "labels", labels);
		put_watchdogs(term);
		put_resumes(term);
	} else {
		term->result = -ENOMEM;
	}
	free(labels);
	free(version);
	free(time);
}

/* Remarks that belong to no hypothesis, and what was not right with the journal. */
static void put_remarks(struct term *term)
{
	const struct report *report = term->report;
	size_t ignored = json_array_size(report->ignored);
	char text[80];

	term_logs(term, "kernel-log events outside any hypothesis", report->logs);
	if (json_array_size(report->notes) || report->cut || ignored)
		fputc('\n', term->out);
	term_notes(term, report->notes, 0);
	if (report->cut)
		term_line(term, "note", "the last line of the journal was not whole, and left out");
	snprintf(text, sizeof(text), "%zu record%s of unknown type or written twice left out",
		 ignored, ignored == 1 ? "" : "s");
	if (ignored)
		term_line(term, "note", text);
}

static size_t lines_so_far(const struct term *term)
{
	size_t lines = 0;

	fflush(term->out); /* a memory stream: only now its text is what was written */
	for (const char *c = *term->text; c && *c; c++)
		lines += *c == '\n';
	return lines;
}

static void put_report(struct term *term)
{
	const struct report *report = term->report;

	term_run(term);
	term_verdicts(term);
	for (size_t t = 0; t < report->n_tests; t++)
		if (report->tests[t].n_executions)
			term_test(term, &report->tests[t]);
	put_remarks(term);
	if (term->options.height && lines_so_far(term) > term->options.height)
		term_verdicts(term);
	put_issues(term);
	term_conclusion(term);
}

int term_write(const struct report *report, const struct report_options *options, FILE *out,
	       struct err *err)
{
	char *text = NULL;
	struct term term = { .report = report, .options = *options, .text = &text };
	size_t size;

	term.out = open_memstream(&text, &size);
	if (term.out)
		put_report(&term);
	if (!term.out || ferror(term.out))
		term.result = -ENOMEM;
	if (term.out && fclose(term.out))
		term.result = -ENOMEM;
	if (!term.result)
		fwrite(text, 1, size, out);
	else
		err_set(err, -term.result, "report");
	free(text);
	return term.result;
}

int report_term(FILE *out, const char *path, const struct report_options *options, struct err *err)
{
	const struct format_request request = {
		.format = format_find("term"),
		.path = path,
		.shown = *options,
	};
	size_t size;
	char *text;
	int result = format_text(&request, &text, &size, err);

	if (!result && (fwrite(text, 1, size, out) != size || fflush(out)))
		result = err_set(err, errno, "write report of %s", path);
	free(text);
	return result;
}
