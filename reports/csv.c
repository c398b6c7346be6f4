// SPDX-License-Identifier: GPL-2.0-or-later
#include "csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "record.h"
#include "text.h"

/* What programs that read it go by: only ever extended at its end. */
#define HEADER                                                                     \
	"kind,hypothesis,iteration,verdict,table,row,name,statistic,value,unit,n," \
	"resolution,operator,bound,ok,text,emulated,cpu,kernel,time,report_version\r\n"

/* Version of these columns and of what they mean. */
#define VERSION "1"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is the same in all lines of an iteration. */
struct csv {
	FILE *out;
	const struct report *report;
	const char *hypothesis;
	const struct report_execution *execution; /* NULL: the hypothesis was not run */
	enum verdict verdict;
};

/* Words for comparisons: "==" is a formula to a spreadsheet. */
static const struct {
	const char *op, *word;
} operators[] = {
	{ "<=", "at most" },
	{ ">=", "at least" },
	{ "==", "equal" },
};

/* One line; what is NULL stays empty. */
struct line {
	const char *kind;
	const json_t *record; /* table, row, name, unit, resolution, n and ok are from it */
	const char *statistic;
	const json_t *value, *bound;
	const char *unit; /* if not the record's */
	const char *operator;
	const char *text;
};

/* Signs that make a cell a formula in one spreadsheet or another. */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text);
}

void csv_put_text(FILE *out, const char *text)
{
	char *escaped = text_escape(text, (size_t)-1);
	const char *prefix = is_formula(text) ? "'" : "";

	if (!escaped)
		return;
	if (!strpbrk(escaped, "\",; ")) {
		fprintf(out, "%s%s", prefix, escaped);
	} else {
		fprintf(out, "\"%s", prefix);
		for (const char *c = escaped; *c; c++) {
			if (*c == '"')
				putc('"', out);
			putc(*c, out);
		}
		putc('"', out);
	}
	free(escaped);
}

static void put_number(FILE *out, const json_t *number)
{
	char text[32];

	putc(',', out);
	fputs(number_format(number, text, sizeof(text)), out);
}

static void put_text(FILE *out, const char *text)
{
	putc(',', out);
	csv_put_text(out, text ? text : "");
}

static const char *machine_text(const struct report *report, const char *object, const char *key)
{
	return record_text(json_object_get(report->machine, object), key);
}

static void put_origin(const struct csv *csv)
{
	const struct report *report = csv->report;

	fputs(report->emulated ? ",true" : ",false", csv->out);
	put_text(csv->out, machine_text(report, "cpu", "name"));
	put_text(csv->out, machine_text(report, "kernel", "release"));
	put_text(csv->out, record_text(report->run, "time"));
	fputs("," VERSION "\r\n", csv->out);
}

static void put_line(const struct csv *csv, const struct line *line)
{
	const json_t *ok = json_object_get(line->record, "ok");

	fputs(line->kind, csv->out);
	put_text(csv->out, csv->hypothesis);
	if (csv->execution)
		fprintf(csv->out, ",%u", csv->execution->iter);
	else
		putc(',', csv->out);
	put_text(csv->out, verdict_name(csv->verdict));
	put_text(csv->out, record_text(line->record, "table"));
	put_text(csv->out, record_text(line->record, "row"));
	put_text(csv->out, record_text(line->record, "name"));
	put_text(csv->out, line->statistic);
	put_number(csv->out, line->value);
	put_text(csv->out, line->unit ? line->unit : record_text(line->record, "unit"));
	put_number(csv->out, json_object_get(line->record, "n"));
	put_number(csv->out, json_object_get(line->record, "resolution"));
	put_text(csv->out, line->operator);
	put_number(csv->out, line->bound);
	putc(',', csv->out);
	if (json_is_boolean(ok))
		fputs(json_is_true(ok) ? "true" : "false", csv->out);
	put_text(csv->out, line->text);
	put_origin(csv);
}

static void put_verdict(const struct csv *csv)
{
	const json_t *end = csv->execution ? csv->execution->end : NULL;
	const json_t *reasons = json_object_get(end, "reasons");

	put_line(csv, &(struct line){
			      .kind = "verdict",
			      .statistic = "duration",
			      .value = json_object_get(end, "duration_s"),
			      .unit = "s",
			      .text = json_string_value(json_array_get(reasons, 0)),
		      });
}

static void put_series(const struct csv *csv, const json_t *measure)
{
	/* In this order whatever the record's; others are those of a later version. */
	static const char *const statistics[] = {
		"min", "max", "warm_max", "avg",  "stddev",  "ewma",
		"p50", "p90", "p99",	  "p999", "p50_low", "p50_high",
	};
	const json_t *stats = json_object_get(measure, "stats");

	put_line(csv, &(struct line){
			      .kind = "statistic",
			      .record = measure,
			      .statistic = "n",
			      .value = json_object_get(measure, "n"),
			      .unit = "1",
		      });
	for (size_t i = 0; i < COUNT(statistics); i++) {
		const json_t *value = json_object_get(stats, statistics[i]);

		if (value)
			put_line(csv, &(struct line){
					      .kind = "statistic",
					      .record = measure,
					      .statistic = statistics[i],
					      .value = value,
				      });
	}
}

static void put_measures(const struct csv *csv)
{
	const json_t *measure;
	size_t i;

	json_array_foreach(csv->execution->measures, i, measure)
	{
		if (json_object_get(measure, "n"))
			put_series(csv, measure);
		else
			put_line(csv, &(struct line){
					      .kind = "figure",
					      .record = measure,
					      .value = json_object_get(measure, "value"),
				      });
	}
}

static const char *operator_word(const char *op)
{
	for (size_t i = 0; i < COUNT(operators); i++)
		if (!strcmp(operators[i].op, op))
			return operators[i].word;
	return op;
}

static void put_execution(const struct csv *csv)
{
	const json_t *record;
	size_t i;

	json_array_foreach(csv->execution->controls, i, record)
	{
		put_line(csv, &(struct line){
				      .kind = "control",
				      .record = record,
				      .operator= "above",
				      .value = json_object_get(record, "value"),
				      .bound = json_object_get(record, "floor"),
			      });
	}
	json_array_foreach(csv->execution->checks, i, record)
	{
		put_line(csv, &(struct line){
				      .kind = "check",
				      .record = record,
				      .operator= operator_word(record_text(record, "op")),
				      .value = json_object_get(record, "value"),
				      .bound = json_object_get(record, "bound"),
				      .text = record_text(record, "origin"),
			      });
	}
	put_measures(csv);
}

int csv_write(const struct report *report, FILE *out, struct err *err)
{
	fputs(HEADER, out);
	for (size_t t = 0; t < report->n_tests; t++) {
		const struct report_test *test = &report->tests[t];
		struct csv csv = {
			.out = out,
			.report = report,
			.hypothesis = test->name,
			.verdict = VERDICT_NOTRUN,
		};

		if (!test->n_executions)
			put_verdict(&csv);
		for (size_t e = 0; e < test->n_executions; e++) {
			csv.execution = &test->executions[e];
			csv.verdict = report_execution_verdict(csv.execution);
			put_verdict(&csv);
			put_execution(&csv);
		}
	}
	return ferror(out) ? err_set(err, ENOMEM, "report") : 0;
}
