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
#include "words.h"

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

	va_start(args, fmt);
	text = text_format(fmt, args);
	va_end(args);
	if (!text) {
		term->result = -ENOMEM;
		return;
	}
	fputs("\n  ", term->out);
	text_put(term->out, text, (size_t)-1);
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

void term_words(struct term *term, const char *key, unsigned int iter, char *text)
{
	char numbered[32];

	snprintf(numbered, sizeof(numbered), "%s %u", key, iter);
	if (text)
		term_line(term, iter ? numbered : key, text);
	else
		term->result = -ENOMEM;
	free(text);
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

	if (deciding && json_array_size(reasons)) {
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
	const struct report *report = term->report;
	struct table *table = table_new(columns, COUNT(columns), 1);

	for (size_t t = 0; t < report->n_tests; t++)
		if (!term->skips_apart || report_test_verdict(&report->tests[t]) != VERDICT_SKIP)
			put_verdict(term, table, &report->tests[t]);
	term_caption(term, "verdicts");
	term_table(term, table);
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
		term_words(term, "known", 0, words_issue(issue));
	}
}

void term_conclusion(struct term *term)
{
	char *counts = words_counts(term->report);
	char *conclusion = words_conclusion(term->report);

	put_issues(term);
	if (counts && conclusion) {
		putc('\n', term->out);
		text_wrap(term->out, counts, 0, 0, term->options.width);
		text_wrap(term->out, conclusion, 0, 0, term->options.width);
	} else {
		term->result = -ENOMEM;
	}
	free(counts);
	free(conclusion);
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
		term_words(term, "resumed", 0, words_resumed(json_array_get(resumes, i)));
}

static void put_watchdogs(struct term *term)
{
	const json_t *watchdog;
	size_t i;

	json_array_foreach(term->report->watchdogs, i, watchdog)
	{
		term_words(term, "watchdog", 0, words_watchdog(watchdog));
	}
}

void term_run(struct term *term)
{
	const json_t *run = term->report->run;
	char *version = text_escape(record_text(run, "version"), (size_t)-1);
	char *time = text_escape(record_text(run, "time"), (size_t)-1);

	if (version && time) {
		fprintf(term->out, "pmiproof %s, run of %s\n", version, time);
		term_machine(term);
		term_words(term, "labels", 0, words_labels(json_object_get(run, "labels")));
		put_watchdogs(term);
		put_resumes(term);
	} else {
		term->result = -ENOMEM;
	}
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
