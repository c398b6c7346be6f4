// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "html.h"
#include "klog.h"
#include "record.h"
#include "term.h"
#include "words.h"

#define OUTPUT_TAIL 20 /* lines of output shown of an execution that did not pass */
#define LOGS_MAX 50    /* kernel-log events of an execution: what the first of them say */

static bool is_ok(const json_t *record)
{
	return json_is_true(json_object_get(record, "ok"));
}

/* How many records of a kind all executions have. */
static size_t count_records(const struct report_test *test, size_t offset)
{
	size_t n = 0;

	for (size_t e = 0; e < test->n_executions; e++) {
		const char *execution = (const char *)&test->executions[e];

		n += json_array_size(*(json_t *const *)(execution + offset));
	}
	return n;
}

static void put_check_state(struct html *html, const json_t *check)
{
	if (is_ok(check))
		html_cell(html, "good", "ok");
	else if (json_object_get(check, "value") && json_object_get(check, "bound"))
		html_cell(html, "bad", "FAIL");
	else
		html_cell(html, "odd", "NO VALUE");
}

static void put_check(struct html *html, const struct check_summary *summary, bool repeated)
{
	const json_t *check = summary->worst;
	const char *row = record_text(check, "row");
	char value[48], bound[48];

	html_row(html);
	html_cell(html, NULL, "%s", summary->name);
	put_check_state(html, check);
	html_cell(html, "number", "%s", words_quantity(check, "value", value, sizeof(value)));
	html_cell(html, NULL, "%s %s", record_text(check, "op"),
		  words_quantity(check, "bound", bound, sizeof(bound)));
	html_cell(html, "number", "%zu/%zu", summary->evaluations - summary->failed,
		  summary->evaluations);
	if (repeated)
		html_cell(html, NULL, "%s%siteration %u", row, *row ? ", " : "", summary->iter);
	else
		html_cell(html, NULL, "%s", row);
	html_cell(html, "long", "%s", record_text(check, "origin"));
}

static void put_checks(struct html *html, const struct report_test *test)
{
	static const char *const headings[] = {
		"check", "", ">worst", "bound", ">held", "where", "~origin of the bound", NULL
	};
	struct check_summary *summaries;
	size_t n;

	if (check_summaries(test, &summaries, &n)) {
		html->result = -ENOMEM;
		return;
	}
	if (n)
		html_table(html, "checks, worst evaluation of each", headings);
	for (size_t i = 0; i < n; i++)
		put_check(html, &summaries[i], test->n_executions > 1);
	if (n)
		html_table_end(html);
	free(summaries);
}

static void put_controls(struct html *html, const struct report_test *test)
{
	static const char *const headings[] = { "control", "", ">value", "floor", ">iter", NULL };

	if (!count_records(test, offsetof(struct report_execution, controls)))
		return;
	html_table(html, "positive controls: is the effect observable at all", headings);
	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *control;
		size_t i;

		json_array_foreach(test->executions[e].controls, i, control)
		{
			char value[48], least[48];

			html_row(html);
			html_cell(html, NULL, "%s", record_text(control, "name"));
			html_cell(html, is_ok(control) ? "good" : "odd", "%s",
				  is_ok(control) ? "ok" : "NOT MET");
			html_cell(html, "number", "%s",
				  words_quantity(control, "value", value, sizeof(value)));
			html_cell(html, NULL, "> %s",
				  words_quantity(control, "floor", least, sizeof(least)));
			html_cell(html, "number", "%u", test->executions[e].iter);
		}
	}
	html_table_end(html);
}

/* Headings name the unit only when the caption does not. */
static void put_cost_heading(struct html *html, const struct cost_table *cost,
			     const struct cost_column *column)
{
	fputs("<th scope=\"col\" class=\"number\">", html->out);
	html_text(html, cost->name ? words_statistic(column->name) : column->name);
	if (!cost->unit && *column->shown_unit) {
		fputs(" [", html->out);
		html_text(html, column->shown_unit);
		fputs("]", html->out);
	}
	fputs("</th>", html->out);
}

static void put_cost_cell(struct html *html, const struct cost_row *row,
			  const struct cost_column *column)
{
	double value;
	bool coarse;

	if (cost_value(row, column, &value, &coarse))
		html_cell(html, "number", "%s%.*f", coarse ? "~" : "", column->decimals,
			  value / column->factor);
	else
		html_cell(html, "number", "-");
}

static void put_cost(struct html *html, const struct cost_table *cost, const char *caption,
		     bool repeated)
{
	fputs("<div class=\"scroll\"><table>\n<caption>", html->out);
	html_text(html, caption);
	fputs(html->report->emulated ? " (emulated)" : "", html->out);
	fputs("</caption>\n<thead><tr><th scope=\"col\"></th>", html->out);
	if (repeated)
		fputs("<th scope=\"col\" class=\"number\">iter</th>", html->out);
	for (size_t c = 0; c < cost->n_columns; c++)
		put_cost_heading(html, cost, &cost->columns[c]);
	fputs("</tr></thead>\n<tbody>", html->out);
	for (size_t r = 0; r < cost->n_rows; r++) {
		html_row(html);
		html_cell(html, NULL, "%s", cost->rows[r].label);
		if (repeated)
			html_cell(html, "number", "%u", cost->rows[r].iter);
		for (size_t c = 0; c < cost->n_columns; c++)
			put_cost_cell(html, &cost->rows[r], &cost->columns[c]);
	}
	html_table_end(html);
}

static void put_costs(struct html *html, const struct report_test *test)
{
	struct cost_table *tables;
	size_t n;

	if (cost_tables(test, &tables, &n)) {
		html->result = -ENOMEM;
		return;
	}
	for (size_t t = 0; t < n; t++) {
		char *caption = words_cost(&tables[t]);

		put_cost(html, &tables[t], caption ? caption : "", test->n_executions > 1);
		if (!caption)
			html->result = -ENOMEM;
		free(caption);
		html_plots(html, tables, n, t);
	}
	cost_tables_free(tables, n);
}

static void put_iterations(struct html *html, const struct report_test *test)
{
	static const char *const headings[] = { ">iter", "verdict", ">time", "~reason", NULL };

	if (test->n_executions < 2)
		return;
	html_table(html, "iterations", headings);
	for (size_t e = 0; e < test->n_executions; e++) {
		const struct report_execution *execution = &test->executions[e];
		const json_t *reasons = json_object_get(execution->end, "reasons");
		const char *reason = json_string_value(json_array_get(reasons, 0));

		html_row(html);
		html_cell(html, "number", "%u", execution->iter);
		fputs("<td>", html->out);
		html_verdict(html, report_execution_verdict(execution));
		fputs("</td>", html->out);
		if (execution->end)
			html_cell(html, "number", "%.1f s",
				  json_number_value(json_object_get(execution->end, "duration_s")));
		else
			html_cell(html, "number", "%s", "");
		html_cell(html, "long", "%s",
			  !execution->end ? TERM_STOPPED
			  : reason	  ? reason
					  : "");
	}
	html_table_end(html);
}

static void put_log(struct html *html, const json_t *log)
{
	bool expected = json_is_true(json_object_get(log, "expected"));
	enum verdict effect = klog_class_effect(klog_class_parse(record_text(log, "class")));
	json_int_t suppressed = json_integer_value(json_object_get(log, "suppressed"));

	html_row(html);
	html_cell(html, "number", "%.6f s",
		  json_number_value(json_object_get(log, "ktime_us")) / 1e6);
	html_cell(html, "number", "%" JSON_INTEGER_FORMAT,
		  json_integer_value(json_object_get(log, "level")));
	html_cell(html, NULL, "%s", record_text(log, "class"));
	html_cell(html,
		  expected		   ? NULL
		  : effect <= VERDICT_FAIL ? "bad"
					   : "odd",
		  "%s", expected ? "expected" : "unexpected");
	html_cell(html, "number", "%" JSON_INTEGER_FORMAT, suppressed);
	html_cell(html, "long mono", "%s", record_text(log, "text"));
}

void html_logs(struct html *html, const char *caption, const json_t *logs)
{
	static const char *const headings[] = { ">since boot", ">level", "class", "",
						">suppressed", "~text",	 NULL };
	size_t n = json_array_size(logs);
	char text[128];

	if (!n)
		return;
	if (n > LOGS_MAX)
		snprintf(text, sizeof(text), "%s, the first %d of %zu", caption, LOGS_MAX, n);
	else
		snprintf(text, sizeof(text), "%s", caption);
	html_table(html, text, headings);
	for (size_t i = 0; i < n && i < LOGS_MAX; i++)
		put_log(html, json_array_get(logs, i));
	html_table_end(html);
}

/* The end of what the test printed: evidence of what it was doing. */
static void put_output(struct html *html, const struct report_execution *execution)
{
	size_t n = json_array_size(execution->output);
	size_t shown = n < OUTPUT_TAIL ? n : OUTPUT_TAIL;

	if (!n)
		return;
	fprintf(html->out, "<h3>Output, last %zu of %zu lines</h3>\n<pre class=\"scroll\">", shown,
		n);
	for (size_t i = n - shown; i < n; i++) {
		const json_t *line = json_array_get(execution->output, i);
		json_int_t omitted = json_integer_value(json_object_get(line, "omitted"));

		if (omitted)
			fprintf(html->out, "[%" JSON_INTEGER_FORMAT " lines left out]\n", omitted);
		fprintf(html->out, "%s| ", words_stream(record_text(line, "stream")));
		html_text(html, record_text(line, "text"));
		putc('\n', html->out);
	}
	fputs("</pre>\n", html->out);
}

static void put_claim(struct html *html, const struct report_test *test)
{
	html_list(html);
	html_pair(html, "claim", record_text(test->plan, "claim"));
	html_pair(html, "source", record_text(test->plan, "source"));
	html_pair(html, "danger", record_text(test->plan, "danger"));
	html_list_end(html);
}

static void put_reasons(struct html *html, const struct report_execution *execution)
{
	const json_t *reason;
	size_t i;

	if (!execution->end)
		html_element(html, "p", TERM_STOPPED);
	json_array_foreach(json_object_get(execution->end, "reasons"), i, reason)
	{
		html_element(html, "p", json_is_string(reason) ? json_string_value(reason) : "?");
	}
}

/* Text after a key, as a paragraph. */
static void put_keyed(struct html *html, const char *key, char *text)
{
	char *line = NULL;

	if (!text || asprintf(&line, "%s %s", key, text) < 0)
		html->result = -ENOMEM;
	else if (*text)
		html_element(html, "p", line);
	free(line);
	free(text);
}

/* What is told of one execution, below its number if there are several. */
static void put_execution(struct html *html, const struct report_execution *execution,
			  bool repeated)
{
	const json_t *note;
	size_t i;

	if (repeated)
		fprintf(html->out, "<h3>Iteration %u</h3>\n", execution->iter);
	else
		put_reasons(html, execution);
	put_keyed(html, "Guarded", words_guards(execution));
	put_keyed(html, "Ended:", words_end(execution));
	json_array_foreach(execution->notes, i, note)
	{
		html_element(html, "p", record_text(note, "text"));
	}
}

/* What the kernel and the test said meanwhile. */
static void put_said(struct html *html, const struct report_execution *execution)
{
	enum verdict verdict = report_execution_verdict(execution);

	html_logs(html, "kernel-log events", execution->logs);
	/* Of one that passed or was skipped, the output says nothing new. */
	if (verdict != VERDICT_PASS && verdict != VERDICT_SKIP)
		put_output(html, execution);
}

/* Has an execution anything to tell beside its line in the table of iterations? */
static bool tells(const struct report_execution *execution)
{
	enum verdict verdict = report_execution_verdict(execution);

	return json_array_size(execution->notes) || json_array_size(execution->logs) ||
	       execution->watchdog || execution->escalation || !execution->end ||
	       (verdict != VERDICT_PASS && verdict != VERDICT_SKIP);
}

void html_test(struct html *html, const struct report_test *test, size_t number)
{
	bool repeated = test->n_executions > 1;

	fprintf(html->out, "<section id=\"hypothesis-%zu\">\n<h2>", number);
	html_text(html, test->name);
	putc(' ', html->out);
	html_verdict(html, report_test_verdict(test));
	fputs("</h2>\n", html->out);
	put_claim(html, test);
	put_iterations(html, test);
	if (!repeated)
		put_execution(html, &test->executions[0], false);
	put_checks(html, test);
	put_controls(html, test);
	put_costs(html, test);
	for (size_t e = 0; e < test->n_executions; e++) {
		if (repeated && tells(&test->executions[e]))
			put_execution(html, &test->executions[e], true);
		put_said(html, &test->executions[e]);
	}
	fputs("</section>\n", html->out);
}
