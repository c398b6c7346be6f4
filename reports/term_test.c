// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "cost.h"
#include "klog.h"
#include "record.h"
#include "term.h"
#include "text.h"
#include "words.h"

#define OUTPUT_TAIL 20 /* lines of output shown of an execution that did not pass */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_ok(const json_t *record)
{
	return json_is_true(json_object_get(record, "ok"));
}

static void put_check(struct table *table, const json_t *check, const char *count)
{
	char value[48], bound[48];

	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "%s", record_text(check, "name"));
	if (is_ok(check))
		table_cell(table, 1, TABLE_GOOD, "ok");
	else if (json_object_get(check, "value") && json_object_get(check, "bound"))
		table_cell(table, 1, TABLE_BAD, "FAIL");
	else
		table_cell(table, 1, TABLE_ODD, "NO VALUE");
	table_cell(table, 2, TABLE_PLAIN, "%s",
		   words_quantity(check, "value", value, sizeof(value)));
	table_cell(table, 3, TABLE_PLAIN, "%s %s", record_text(check, "op"),
		   words_quantity(check, "bound", bound, sizeof(bound)));
	table_cell(table, 4, TABLE_PLAIN, "%s", count);
}

static void put_where(struct table *table, const json_t *check, unsigned int iter, bool repeated)
{
	const char *row = record_text(check, "row");

	if (repeated)
		table_cell(table, 5, TABLE_PLAIN, "%s%siteration %u", row, *row ? ", " : "", iter);
	else
		table_cell(table, 5, TABLE_PLAIN, "%s", row);
	table_cell(table, 6, TABLE_PLAIN, "%s", record_text(check, "origin"));
}

static void put_worst_checks(struct term *term, const struct report_test *test, struct table *table)
{
	struct check_summary *summaries;
	char count[48];
	size_t n;

	if (check_summaries(test, &summaries, &n)) {
		term->result = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct check_summary *s = &summaries[i];

		snprintf(count, sizeof(count), "%zu/%zu", s->evaluations - s->failed,
			 s->evaluations);
		put_check(table, s->worst, count);
		put_where(table, s->worst, s->iter, test->n_executions > 1);
	}
	free(summaries);
}

static void put_all_checks(const struct report_test *test, struct table *table)
{
	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *check;
		size_t i;

		json_array_foreach(test->executions[e].checks, i, check)
		{
			put_check(table, check, "");
			put_where(table, check, test->executions[e].iter, test->n_executions > 1);
		}
	}
}

static bool any(const struct report_test *test, size_t offset)
{
	for (size_t e = 0; e < test->n_executions; e++) {
		const char *execution = (const char *)&test->executions[e];

		if (json_array_size(*(json_t *const *)(execution + offset)))
			return true;
	}
	return false;
}

static void put_checks(struct term *term, const struct report_test *test)
{
	bool all = term->options.verbose;
	const struct table_column columns[] = {
		{ "check", TABLE_LEFT },
		{ "", TABLE_LEFT },
		{ all ? "value" : "worst", TABLE_RIGHT },
		{ "bound", TABLE_LEFT },
		{ all ? "" : "held", TABLE_RIGHT },
		{ "where", TABLE_LEFT },
		{ "origin of the bound", TABLE_STACK },
	};
	struct table *table;

	if (!any(test, offsetof(struct report_execution, checks)))
		return;
	table = table_new(columns, COUNT(columns), 1);
	if (all)
		put_all_checks(test, table);
	else
		put_worst_checks(term, test, table);
	term_caption(term, all ? "checks, every evaluation" : "checks, worst evaluation of each");
	term_table(term, table);
}

static void put_controls(struct term *term, const struct report_test *test)
{
	static const struct table_column columns[] = {
		{ "control", TABLE_LEFT }, { "", TABLE_LEFT },	    { "value", TABLE_RIGHT },
		{ "floor", TABLE_LEFT },   { "where", TABLE_LEFT },
	};
	struct table *table;

	if (!any(test, offsetof(struct report_execution, controls)))
		return;
	table = table_new(columns, COUNT(columns) - (test->n_executions < 2), 1);
	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *control;
		size_t i;

		json_array_foreach(test->executions[e].controls, i, control)
		{
			char value[48], floor_text[48];

			table_row(table);
			table_cell(table, 0, TABLE_PLAIN, "%s", record_text(control, "name"));
			table_cell(table, 1, is_ok(control) ? TABLE_GOOD : TABLE_ODD, "%s",
				   is_ok(control) ? "ok" : "NOT MET");
			table_cell(table, 2, TABLE_PLAIN, "%s",
				   words_quantity(control, "value", value, sizeof(value)));
			table_cell(
				table, 3, TABLE_PLAIN, "> %s",
				words_quantity(control, "floor", floor_text, sizeof(floor_text)));
			if (test->n_executions > 1)
				table_cell(table, 4, TABLE_PLAIN, "iteration %u",
					   test->executions[e].iter);
		}
	}
	term_caption(term, "positive controls: is the effect observable at all");
	term_table(term, table);
}

/* Headings name the unit only when the caption does not. Returns NULL when memory ran out. */
static char **cost_headings(const struct cost_table *cost)
{
	char **headings = calloc(cost->n_columns + 1, sizeof(*headings));

	for (size_t c = 0; headings && c < cost->n_columns; c++) {
		const struct cost_column *column = &cost->columns[c];
		const char *name = cost->name ? words_statistic(column->name) : column->name;
		int length = cost->unit || !*column->shown_unit
				     ? asprintf(&headings[c], "%s", name)
				     : asprintf(&headings[c], "%s [%s]", name, column->shown_unit);

		if (length < 0)
			headings[c] = NULL;
	}
	return headings;
}

/* Fills the table and returns whether a value at or below the clock's resolution is in it. */
static bool fill_cost(struct table *table, const struct cost_table *cost, size_t keys)
{
	bool marked = false;

	for (size_t r = 0; r < cost->n_rows; r++) {
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", cost->rows[r].label);
		if (keys > 1)
			table_cell(table, 1, TABLE_PLAIN, "%u", cost->rows[r].iter);
		for (size_t c = 0; c < cost->n_columns; c++) {
			const struct cost_column *column = &cost->columns[c];
			double value;
			bool coarse;

			if (!cost_value(&cost->rows[r], column, &value, &coarse)) {
				table_cell(table, keys + c, TABLE_PLAIN, "-");
				continue;
			}
			table_cell(table, keys + c, TABLE_PLAIN, "%s%.*f", coarse ? "~" : "",
				   column->decimals, value / column->factor);
			marked |= coarse;
		}
	}
	return marked;
}

static void put_cost(struct term *term, const struct cost_table *cost, char *caption,
		     const char *which, bool repeated)
{
	size_t keys = repeated ? 2 : 1;
	char **headings = cost_headings(cost);
	struct table_column *columns = calloc(cost->n_columns + keys, sizeof(*columns));
	struct table *table = NULL;

	if (headings && columns) {
		columns[0] = (struct table_column){ "", TABLE_LEFT };
		columns[keys - 1].heading = repeated ? "iter" : "";
		columns[keys - 1].align = repeated ? TABLE_RIGHT : TABLE_LEFT;
		for (size_t c = 0; c < cost->n_columns; c++)
			columns[keys + c] = (struct table_column){ headings[c] ? headings[c] : "",
								   TABLE_RIGHT };
		table = table_new(columns, cost->n_columns + keys, keys);
	}
	if (caption)
		term_caption(term, "%s%s%s", caption, *which ? ", " : "", which);
	else
		term->result = -ENOMEM;
	free(caption);
	if (fill_cost(table, cost, keys)) {
		term_table(term, table);
		fputs("    ~ not above the resolution of the clock\n", term->out);
	} else {
		term_table(term, table);
	}
	for (size_t c = 0; headings && c < cost->n_columns; c++)
		free(headings[c]);
	free(headings);
	free(columns);
}

/* Tables of series and of figures, or of figures alone. `which`: which report they are of, or "".
 */
static void put_costs(struct term *term, const struct report_test *test, bool series,
		      const char *which)
{
	struct cost_table *tables;
	size_t n;

	if (cost_tables(test, &tables, &n)) {
		term->result = -ENOMEM;
		return;
	}
	for (size_t t = 0; t < n; t++)
		if (series || !tables[t].name)
			put_cost(term, &tables[t], words_cost(&tables[t]), which,
				 test->n_executions > 1);
	cost_tables_free(tables, n);
}

void term_figures(struct term *term, const struct report_test *test, const char *which)
{
	put_costs(term, test, false, which);
}

static void put_iterations(struct term *term, const struct report_test *test)
{
	static const struct table_column columns[] = {
		{ "iter", TABLE_RIGHT },
		{ "verdict", TABLE_LEFT },
		{ "time", TABLE_RIGHT },
		{ "reason", TABLE_WRAP },
	};
	struct table *table;

	if (test->n_executions < 2)
		return;
	table = table_new(columns, COUNT(columns), 1);
	for (size_t e = 0; e < test->n_executions; e++) {
		const struct report_execution *execution = &test->executions[e];
		enum verdict verdict = report_execution_verdict(execution);
		const json_t *reasons = json_object_get(execution->end, "reasons");
		const char *reason = json_string_value(json_array_get(reasons, 0));

		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%u", execution->iter);
		table_cell(table, 1, term_style(verdict), "%s", verdict_name(verdict));
		if (execution->end)
			table_cell(
				table, 2, TABLE_PLAIN, "%.1f s",
				json_number_value(json_object_get(execution->end, "duration_s")));
		table_cell(table, 3, TABLE_PLAIN, "%s",
			   !execution->end ? TERM_STOPPED
			   : reason	   ? reason
					   : "");
	}
	term_caption(term, "iterations");
	term_table(term, table);
}

struct log_class {
	const char *name;
	size_t expected, unexpected, suppressed;
	const char *first; /* text of the first event, an unexpected one if there is any */
};

/* Not every message beyond what was allowed is a finding. */
static enum table_style log_style(const char *class)
{
	enum verdict effect = klog_class_effect(klog_class_parse(class));

	return effect <= VERDICT_FAIL ? TABLE_BAD : TABLE_ODD;
}

static void count_log(struct log_class *class, const json_t *log)
{
	bool expected = json_is_true(json_object_get(log, "expected"));

	if (!class->first || (!expected && !class->unexpected))
		class->first = record_text(log, "text");
	class->expected += expected;
	class->unexpected += !expected;
	class->suppressed += (size_t)json_integer_value(json_object_get(log, "suppressed"));
}

/* The class of that name, a new one in the room behind the others if need be. */
static struct log_class *find_class(struct log_class *classes, size_t *n, const char *name)
{
	size_t c = 0;

	while (c < *n && strcmp(classes[c].name, name) != 0)
		c++;
	if (c == *n)
		classes[(*n)++].name = name;
	return &classes[c];
}

static void put_log_classes(struct term *term, const json_t *logs)
{
	static const struct table_column columns[] = {
		{ "class", TABLE_LEFT },       { "expected", TABLE_RIGHT },
		{ "unexpected", TABLE_RIGHT }, { "suppressed", TABLE_RIGHT },
		{ "first", TABLE_WRAP },
	};
	struct log_class *classes = calloc(json_array_size(logs), sizeof(*classes));
	struct table *table = classes ? table_new(columns, COUNT(columns), 1) : NULL;
	const json_t *log;
	size_t i, n = 0;

	if (classes) {
		json_array_foreach(logs, i, log)
		{
			count_log(find_class(classes, &n, record_text(log, "class")), log);
		}
	}
	for (size_t c = 0; c < n; c++) {
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", classes[c].name);
		table_cell(table, 1, TABLE_PLAIN, "%zu", classes[c].expected);
		table_cell(table, 2,
			   classes[c].unexpected ? log_style(classes[c].name) : TABLE_PLAIN, "%zu",
			   classes[c].unexpected);
		table_cell(table, 3, TABLE_PLAIN, "%zu", classes[c].suppressed);
		table_cell(table, 4, TABLE_PLAIN, "%s", classes[c].first);
	}
	free(classes);
	term_table(term, table);
}

static void put_log_events(struct term *term, const json_t *logs)
{
	static const struct table_column columns[] = {
		{ "since boot", TABLE_RIGHT }, { "level", TABLE_RIGHT },
		{ "class", TABLE_LEFT },       { "", TABLE_LEFT },
		{ "text", TABLE_WRAP },
	};
	struct table *table = table_new(columns, COUNT(columns), 1);
	const json_t *log;
	size_t i;

	json_array_foreach(logs, i, log)
	{
		bool expected = json_is_true(json_object_get(log, "expected"));
		double us = json_number_value(json_object_get(log, "ktime_us"));

		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%.6f s", us / 1e6);
		table_cell(table, 1, TABLE_PLAIN, "%d",
			   (int)json_integer_value(json_object_get(log, "level")));
		table_cell(table, 2, TABLE_PLAIN, "%s", record_text(log, "class"));
		table_cell(table, 3, expected ? TABLE_PLAIN : log_style(record_text(log, "class")),
			   "%s", expected ? "expected" : "unexpected");
		table_cell(table, 4, TABLE_PLAIN, "%s", record_text(log, "text"));
	}
	term_table(term, table);
}

void term_logs(struct term *term, const char *caption, const json_t *logs)
{
	if (!json_array_size(logs))
		return;
	term_caption(term, "%s", caption);
	if (term->options.verbose)
		put_log_events(term, logs);
	else
		put_log_classes(term, logs);
}

void term_notes(struct term *term, const json_t *notes, unsigned int iter)
{
	const json_t *note;
	char key[32] = "note";
	size_t i;

	if (iter)
		snprintf(key, sizeof(key), "note %u", iter);
	json_array_foreach(notes, i, note)
	{
		term_line(term, key, record_text(note, "text"));
	}
}

/* The end of what the test printed: evidence of what it was doing. */
static void put_output(struct term *term, const struct report_execution *execution,
		       unsigned int iter)
{
	size_t n = json_array_size(execution->output);
	size_t shown = !term->options.verbose && n > OUTPUT_TAIL ? OUTPUT_TAIL : n;

	if (!n)
		return;
	if (iter)
		term_caption(term, "output, last %zu of %zu lines, iteration %u", shown, n, iter);
	else
		term_caption(term, "output, last %zu of %zu lines", shown, n);
	for (size_t i = n - shown; i < n; i++) {
		const json_t *line = json_array_get(execution->output, i);
		json_int_t omitted = json_integer_value(json_object_get(line, "omitted"));

		if (omitted)
			fprintf(term->out, "    [%" JSON_INTEGER_FORMAT " lines left out]\n",
				omitted);
		fprintf(term->out, "    %s| ", words_stream(record_text(line, "stream")));
		text_put(term->out, record_text(line, "text"), (size_t)-1);
		fputc('\n', term->out);
	}
}

static void put_reasons(struct term *term, const struct report_execution *execution)
{
	const json_t *reason;
	size_t i;

	if (!execution->end)
		term_line(term, "reason", TERM_STOPPED);
	json_array_foreach(json_object_get(execution->end, "reasons"), i, reason)
	{
		term_line(term, i ? "" : "reason", json_string_value(reason));
	}
}

static void put_heading(struct term *term, const struct report_test *test)
{
	enum verdict verdict = report_test_verdict(test);
	char *name = text_escape(test->name, (size_t)-1);

	fputc('\n', term->out);
	table_styled(term->out, name ? name : "", TABLE_BOLD, term->options.colour);
	fputs(": ", term->out);
	table_styled(term->out, verdict_name(verdict), term_style(verdict), term->options.colour);
	fputc('\n', term->out);
	free(name);
}

/* Of one that passed or was skipped, the output says nothing that is not said elsewhere. */
static bool output_is_evidence(const struct report_execution *execution)
{
	enum verdict verdict = report_execution_verdict(execution);

	return verdict != VERDICT_PASS && verdict != VERDICT_SKIP;
}

void term_test(struct term *term, const struct report_test *test)
{
	bool repeated = test->n_executions > 1;

	put_heading(term, test);
	term_line(term, "claim", record_text(test->plan, "claim"));
	term_line(term, "source", record_text(test->plan, "source"));
	if (!repeated && test->n_executions)
		put_reasons(term, &test->executions[0]);
	put_iterations(term, test);
	for (size_t e = 0; e < test->n_executions; e++) {
		const struct report_execution *execution = &test->executions[e];

		unsigned int iter = repeated ? execution->iter : 0;

		term_words(term, "guarded", iter, words_guards(execution));
		term_words(term, "ended", iter, words_end(execution));
		term_notes(term, execution->notes, iter);
	}
	put_checks(term, test);
	put_controls(term, test);
	put_costs(term, test, true, "");
	for (size_t e = 0; e < test->n_executions; e++) {
		const struct report_execution *execution = &test->executions[e];
		unsigned int iter = repeated ? execution->iter : 0;
		char caption[48] = "kernel-log events";

		if (iter)
			snprintf(caption, sizeof(caption), "kernel-log events, iteration %u", iter);
		term_logs(term, caption, execution->logs);
		if (term->options.verbose || output_is_evidence(execution))
			put_output(term, execution, iter);
	}
}
