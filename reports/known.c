// SPDX-License-Identifier: GPL-2.0-or-later
#include "known.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "klog.h"
#include "record.h"

/* A table is written by hand: more than this is another file. */
#define TABLE_MAX ((size_t)1 << 20)

enum { CPU, KERNELS, HYPOTHESIS, CHECK, REFERENCE, COLUMNS };

static const char *const column_names[COLUMNS] = { "CPU", "kernel range", "hypothesis", "check",
						   "reference" };

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return text;
}

/* Cut a line at its bars, in place. The reference, the last, may have more of them. */
static int split(char *line, const char *columns[COLUMNS], struct err *err)
{
	size_t n = 0;

	for (char *next = line; next && n < COLUMNS; n++) {
		char *bar = n + 1 < COLUMNS ? strchr(next, '|') : NULL;

		if (bar)
			*bar = '\0';
		columns[n] = trim(next);
		if (!*columns[n])
			return err_set(err, 0, "the %s is empty", column_names[n]);
		next = bar ? bar + 1 : NULL;
	}
	return n == COLUMNS
		       ? 0
		       : err_set(err, 0, "%zu columns instead of %d, separated by |", n, COLUMNS);
}

static bool is_name(const char *text)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	return strspn(text, good) == strlen(text);
}

static bool is_text(const char *text)
{
	json_t *string = json_string(text); /* NULL when it is no UTF-8 */
	bool good = string != NULL;

	for (; good && *text; text++)
		good = !iscntrl((unsigned char)*text);
	json_decref(string);
	return good;
}

static int check_columns(const char *const columns[COLUMNS], struct err *err)
{
	for (int c = 0; c < COLUMNS; c++)
		if (!is_text(columns[c]))
			return err_set(err, 0, "the %s is no text in UTF-8", column_names[c]);
	if (!is_name(columns[HYPOTHESIS]) || !is_name(columns[CHECK]))
		return err_set(err, 0, "'%s' is no name of a %s",
			       columns[is_name(columns[HYPOTHESIS]) ? CHECK : HYPOTHESIS],
			       column_names[is_name(columns[HYPOTHESIS]) ? CHECK : HYPOTHESIS]);
	return 0;
}

static bool same_issue(const struct known_issue *a, const struct known_issue *b)
{
	return !strcmp(a->cpu, b->cpu) && !strcmp(a->range, b->range) &&
	       !strcmp(a->hypothesis, b->hypothesis) && !strcmp(a->check, b->check);
}

static int add_line(struct known_issues *known, char *line, struct err *err)
{
	struct known_issue issue, *issues;
	const char *columns[COLUMNS] = { "", "", "", "", "" };
	int result = split(line, columns, err);

	if (!result)
		result = check_columns(columns, err);
	if (!result)
		result = kernel_range_parse(&issue.kernels, columns[KERNELS], err);
	if (result)
		return result;
	issue.cpu = columns[CPU];
	issue.range = columns[KERNELS];
	issue.hypothesis = columns[HYPOTHESIS];
	issue.check = columns[CHECK];
	issue.reference = columns[REFERENCE];
	for (size_t i = 0; i < known->n; i++)
		if (same_issue(&known->issues[i], &issue))
			return err_set(err, 0,
				       "%s of %s is there already, for the same CPU and "
				       "kernels",
				       issue.check, issue.hypothesis);
	issues = reallocarray(known->issues, known->n + 1, sizeof(*issues));
	if (!issues)
		return err_set(err, ENOMEM, "known issue");
	known->issues = issues;
	issues[known->n++] = issue;
	return 0;
}

static int add_lines(struct known_issues *known, char *text, const char *name, struct err *err)
{
	int result = 0;
	unsigned int number = 1;

	for (char *line = text; !result && line; number++) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		line = trim(line);
		if (*line && *line != '#')
			result = add_line(known, line, err);
		if (result)
			err_prefix(err, "%s:%u", name, number);
		line = end ? end + 1 : NULL;
	}
	return result;
}

int known_read(struct known_issues *known, FILE *file, const char *name, struct err *err)
{
	size_t size;

	*known = (struct known_issues){ .text = malloc(TABLE_MAX + 1) };
	if (!known->text)
		return err_set(err, ENOMEM, "%s", name);
	size = fread(known->text, 1, TABLE_MAX + 1, file);
	if (ferror(file))
		return err_set(err, errno, "read %s", name);
	if (size > TABLE_MAX)
		return err_set(err, EFBIG, "%s", name);
	known->text[size] = '\0';
	if (strlen(known->text) != size)
		return err_set(err, 0, "%s: not a text file", name);
	return add_lines(known, known->text, name, err);
}

int known_load(struct known_issues *known, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	int result;

	*known = (struct known_issues){ 0 };
	if (!file)
		return err_set(err, errno, "open %s", path);
	result = known_read(known, file, path, err);
	fclose(file);
	return result;
}

void known_free(struct known_issues *known)
{
	free(known->issues);
	free(known->text);
	*known = (struct known_issues){ 0 };
}

/* --- a report judged by the table --- */

static bool is_cpu(const struct known_issue *issue, const json_t *machine)
{
	const json_t *cpu = json_object_get(machine, "cpu");
	const json_t *model = json_object_get(cpu, "model");
	char id[128] = "";

	if (json_is_integer(model)) /* elsewhere, the name has to do */
		snprintf(id, sizeof(id), "%s-%" JSON_INTEGER_FORMAT "-%02llX",
			 record_text(cpu, "vendor"),
			 json_integer_value(json_object_get(cpu, "family")),
			 (unsigned long long)json_integer_value(model));
	return !fnmatch(issue->cpu, id, 0) || !fnmatch(issue->cpu, record_text(cpu, "name"), 0);
}

static bool applies(const struct known_issue *issue, const struct report *report,
		    const struct report_test *test)
{
	const json_t *kernel = json_object_get(report->machine, "kernel");

	return !strcmp(issue->hypothesis, test->name) && is_cpu(issue, report->machine) &&
	       kernel_range_has(&issue->kernels, record_text(kernel, "release"));
}

/* The issue that lists the check whose name is text[0..length-1], or NULL. */
static const struct known_issue *find(const struct known_issues *known, const struct report *report,
				      const struct report_test *test, const char *text,
				      size_t length)
{
	for (size_t i = 0; i < known->n; i++)
		if (strlen(known->issues[i].check) == length &&
		    !memcmp(known->issues[i].check, text, length) &&
		    applies(&known->issues[i], report, test))
			return &known->issues[i];
	return NULL;
}

/* Did the kernel complain beyond what the hypothesis may cause? */
static bool log_speaks(const struct report_execution *execution)
{
	const json_t *log;
	size_t i;

	json_array_foreach(execution->logs, i, log)
	{
		if (!json_is_true(json_object_get(log, "expected")) &&
		    klog_class_effect(klog_class_parse(record_text(log, "class"))) != VERDICT_PASS)
			return true;
	}
	return false;
}

/* Each reason begins with the name of a check and a colon. */
static bool reasons_listed(const struct known_issues *known, const struct report *report,
			   const struct report_test *test, const struct report_execution *execution)
{
	const json_t *reason;
	size_t i;

	json_array_foreach(json_object_get(execution->end, "reasons"), i, reason)
	{
		const char *text = json_string_value(reason);
		const char *colon = text ? strchr(text, ':') : NULL;

		if (!colon || !find(known, report, test, text, (size_t)(colon - text)))
			return false;
	}
	return true;
}

/* Does the table list all that a fail rests on? */
static bool is_explained(const struct known_issues *known, const struct report *report,
			 const struct report_test *test, const struct report_execution *execution)
{
	bool any = false;
	const json_t *check;
	size_t i;

	if (report_execution_verdict(execution) != VERDICT_FAIL || log_speaks(execution) ||
	    !reasons_listed(known, report, test, execution))
		return false;
	json_array_foreach(execution->checks, i, check)
	{
		const char *name = record_text(check, "name");

		if (json_is_true(json_object_get(check, "ok")) && check_holds(check))
			continue;
		if (!find(known, report, test, name, strlen(name)))
			return false;
		any = true;
	}
	return any;
}

/* How often the check of an issue was evaluated in all executions, and how often it held. */
static void count_check(const struct report_test *test, const char *name, size_t *made,
			size_t *held)
{
	*made = *held = 0;
	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *check;
		size_t i;

		json_array_foreach(test->executions[e].checks, i, check)
		{
			if (strcmp(record_text(check, "name"), name) != 0)
				continue;
			++*made;
			*held += json_is_true(json_object_get(check, "ok")) && check_holds(check);
		}
	}
}

static bool all_ended(const struct report_test *test)
{
	for (size_t e = 0; e < test->n_executions; e++) {
		enum verdict verdict = report_execution_verdict(&test->executions[e]);

		if (verdict != VERDICT_PASS && verdict != VERDICT_FAIL && verdict != VERDICT_KNOWN)
			return false;
	}
	return test->n_executions > 0;
}

static int note_issue(struct report *report, const struct known_issue *issue, const char *state)
{
	json_t *note = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "state", state, "hypothesis",
				 issue->hypothesis, "check", issue->check, "cpu", issue->cpu,
				 "kernels", issue->range, "reference", issue->reference);

	return note && !json_array_append_new(report->known, note) ? 0 : -ENOMEM;
}

/* Tell of an entry: met, or gone. It is neither where something else failed with it, or first. */
static int note_entry(struct report *report, const struct report_test *test,
		      const struct known_issue *issue, bool explained)
{
	size_t made, held;

	count_check(test, issue->check, &made, &held);
	if (explained && held < made)
		return note_issue(report, issue, "known");
	if (made && held == made && all_ended(test))
		return note_issue(report, issue, "gone");
	return 0;
}

int known_apply(const struct known_issues *known, struct report *report)
{
	int result = 0;

	for (size_t t = 0; !result && t < report->n_tests; t++) {
		struct report_test *test = &report->tests[t];
		bool explained = false;

		for (size_t e = 0; e < test->n_executions; e++)
			test->executions[e].known =
				is_explained(known, report, test, &test->executions[e]);
		for (size_t e = 0; e < test->n_executions; e++)
			explained |= test->executions[e].known;
		for (size_t i = 0; !result && i < known->n; i++)
			if (applies(&known->issues[i], report, test))
				result = note_entry(report, test, &known->issues[i], explained);
	}
	return result;
}

int known_report(struct report *report, const char *path, const struct known_issues *known,
		 struct err *err)
{
	int result = report_read(report, path, err);

	if (result)
		return result;
	if (!report->run)
		result = err_plain(err, ENODATA, "%s: there is no record in it", path);
	else if (known && known_apply(known, report))
		result = err_set(err, ENOMEM, "%s", path);
	if (result)
		report_free(report);
	return result;
}
