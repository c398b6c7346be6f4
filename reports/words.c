// SPDX-License-Identifier: GPL-2.0-or-later
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct words *words_begin(struct words *words)
{
	*words = (struct words){ 0 };
	words->out = open_memstream(&words->text, &words->size);
	return words->out ? words : NULL;
}

char *words_finish(struct words *words, size_t trail)
{
	bool failed = ferror(words->out);

	if (fclose(words->out) || failed) {
		free(words->text);
		return NULL;
	}
	if (words->size >= trail)
		words->text[words->size - trail] = '\0';
	return words->text;
}

static size_t count_verdict(const struct report *report, enum verdict verdict)
{
	size_t n = 0;

	for (size_t t = 0; t < report->n_tests; t++)
		n += report_test_verdict(&report->tests[t]) == verdict;
	return n;
}

char *words_counts(const struct report *report)
{
	const char *separator = ": ";
	struct words words;

	if (!words_begin(&words))
		return NULL;
	fprintf(words.out, "%zu hypothes%s", report->n_tests, report->n_tests == 1 ? "is" : "es");
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++) {
		size_t n = count_verdict(report, v);

		if (!n)
			continue;
		fprintf(words.out, "%s%zu %s", separator, n,
			v == VERDICT_NONE ? "without verdict" : verdict_name(v));
		separator = ", ";
	}
	putc('.', words.out);
	return words_finish(&words, 0);
}

/* Names of the hypotheses with this verdict, after `what`; false if there is none. */
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

/* In sentences that each end with a space. */
char *words_conclusion(const struct report *report)
{
	struct words words;
	FILE *out = words_begin(&words) ? words.out : NULL;
	bool refuted;

	if (!out)
		return NULL;
	refuted = put_names(out, report, "Hung: ", VERDICT_HUNG);
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
	return words_finish(&words, 1);
}

char *words_labels(const json_t *labels)
{
	const char *separator = "";
	struct words words;
	const char *key;
	json_t *value;

	if (!words_begin(&words))
		return NULL;
	json_object_foreach((json_t *)labels, key, value)
	{
		fprintf(words.out, "%s%s=%s", separator, key,
			json_is_string(value) ? json_string_value(value) : "?");
		separator = ", ";
	}
	return words_finish(&words, 0);
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

char *words_resumed(const json_t *resume)
{
	const char *after = record_text(resume, "after");
	const char *test = record_text(json_object_get(resume, "in_flight"), "test");
	struct words words;
	size_t i = 0;

	if (!words_begin(&words))
		return NULL;
	while (i < COUNT(resumed_after) && strcmp(resumed_after[i].after, after) != 0)
		i++;
	fprintf(words.out,
		"%s: %s%s%s; %" JSON_INTEGER_FORMAT " done, %" JSON_INTEGER_FORMAT " left",
		record_text(resume, "time"),
		i < COUNT(resumed_after) ? resumed_after[i].text : after, *test ? " during " : "",
		test, json_integer_value(json_object_get(resume, "kept")),
		json_integer_value(json_object_get(resume, "left")));
	return words_finish(&words, 0);
}

char *words_watchdog(const json_t *watchdog)
{
	const json_t *status = json_object_get(watchdog, "bootstatus");
	const json_t *word;
	struct words words;
	size_t i;

	if (!words_begin(&words))
		return NULL;
	fprintf(words.out, "%.32s, %.64s (%.32s)%s", record_text(watchdog, "device"),
		record_text(watchdog, "identity"), record_text(watchdog, "kind"),
		json_array_size(status) ? ", last reset:" : "");
	json_array_foreach(status, i, word)
	{
		fprintf(words.out, " %s", json_is_string(word) ? json_string_value(word) : "?");
	}
	return words_finish(&words, 0);
}

/* "a, b, c" of an array of strings. */
static void put_list(FILE *out, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		fprintf(out, "%s%s", i ? ", " : "",
			json_string_value(item) ? json_string_value(item) : "?");
	}
}

char *words_guards(const struct report_execution *execution)
{
	const json_t *watchdog = execution->watchdog;
	const json_t *panics = json_object_get(execution->escalation, "panic_on");
	json_int_t pretimeout_s = json_integer_value(json_object_get(watchdog, "pretimeout_s"));
	struct words words;

	if (!words_begin(&words))
		return NULL;
	if (watchdog)
		fprintf(words.out, "by %s (%s), reset after %" JSON_INTEGER_FORMAT " s",
			record_text(watchdog, "device"), record_text(watchdog, "identity"),
			json_integer_value(json_object_get(watchdog, "timeout_s")));
	if (pretimeout_s)
		fprintf(words.out, ", pretimeout %" JSON_INTEGER_FORMAT " s", pretimeout_s);
	if (json_array_size(panics)) {
		fputs(watchdog ? "; panic at " : "panic at ", words.out);
		put_list(words.out, panics);
	}
	return words_finish(&words, 0);
}

static void put_signal(FILE *out, const json_t *signal)
{
	int number = (int)json_integer_value(signal);
	const char *name = sigabbrev_np(number);

	fprintf(out, "by signal %d%s%s; ", number, name ? " SIG" : "", name ? name : "");
}

char *words_end(const struct report_execution *execution)
{
	const json_t *end = execution->end;
	const json_t *signal = json_object_get(end, "signal");
	const json_t *restored = json_object_get(end, "restored");
	json_int_t survivors = json_integer_value(json_object_get(end, "survivors"));
	struct words words;

	if (!words_begin(&words))
		return NULL;
	if (signal)
		put_signal(words.out, signal);
	if (survivors)
		fprintf(words.out,
			"%" JSON_INTEGER_FORMAT " processes outlived it and were ended; ",
			survivors);
	if (json_is_true(json_object_get(end, "log_lost")))
		fputs("kernel-log records were lost; ", words.out);
	if (*record_text(end, "log_unread"))
		fprintf(words.out, "the kernel log could not be read: %s; ",
			record_text(end, "log_unread"));
	if (json_array_size(restored)) {
		fputs("put back: ", words.out);
		put_list(words.out, restored);
		fputs("; ", words.out);
	}
	return words_finish(&words, 2);
}

char *words_issue(const json_t *issue)
{
	bool gone = !strcmp(record_text(issue, "state"), "gone");
	struct words words;

	if (!words_begin(&words))
		return NULL;
	fprintf(words.out, "%s, %s%s: %s", record_text(issue, "hypothesis"),
		record_text(issue, "check"),
		gone ? " holds each time, the known issue is gone" : "",
		record_text(issue, "reference"));
	return words_finish(&words, 0);
}

const char *words_quantity(const json_t *record, const char *key, char *text, size_t size)
{
	const json_t *number = json_object_get(record, key);

	return unit_format(number ? json_number_value(number) : NAN, record_text(record, "unit"),
			   text, size);
}

const char *words_statistic(const char *name)
{
	return strcmp(name, "p999") ? name : "p99.9";
}

const char *words_stream(const char *stream)
{
	static const char *const marks[][2] = {
		{ "console", "con" },
		{ "stderr", "err" },
		{ "pstore", "pst" },
		{ "kmsg", "log" },
	};

	for (size_t i = 0; i < COUNT(marks); i++)
		if (!strcmp(stream, marks[i][0]))
			return marks[i][1];
	return "out";
}

/* The unit that the samples were recorded in: that of any column but the count of samples. */
static const char *recorded_unit(const struct cost_table *cost)
{
	for (size_t c = 0; c < cost->n_columns; c++)
		if (strcmp(cost->columns[c].unit, "1") != 0)
			return cost->columns[c].unit;
	return "1";
}

char *words_cost(const struct cost_table *cost)
{
	const char *recorded = recorded_unit(cost);
	char low[48], high[48];
	struct words words;

	if (!words_begin(&words))
		return NULL;
	fputs(cost->table, words.out);
	if (cost->has_sibling)
		fprintf(words.out, ", %s", cost->name);
	if (cost->unit && *cost->unit)
		fprintf(words.out, ", in %s", cost->unit);
	unit_format(cost->resolution_min, recorded, low, sizeof(low));
	unit_format(cost->resolution_max, recorded, high, sizeof(high));
	if (cost->resolution_max > cost->resolution_min)
		fprintf(words.out, ", clock resolution %s to %s", low, high);
	else if (cost->resolution_max > 0)
		fprintf(words.out, ", clock resolution %s", high);
	return words_finish(&words, 0);
}

void words_put_shell(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=.,:/@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

char *words_command(const struct report *report)
{
	const json_t *args = json_object_get(report->run, "args");
	const char *first = json_string_value(json_array_get(args, 0));
	struct words words;

	if (!words_begin(&words))
		return NULL;
	fputs("pmiproof", words.out);
	if (json_is_object(json_object_get(report->machine, "lab")))
		fputs(" lab", words.out);
	for (size_t i = first && !strcmp(first, "pmiproof"); i < json_array_size(args); i++) {
		const char *arg = json_string_value(json_array_get(args, i));

		putc(' ', words.out);
		words_put_shell(words.out, arg ? arg : "?");
	}
	return words_finish(&words, 0);
}
