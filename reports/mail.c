// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "mail_series.h"
#include "record.h"
#include "term.h"
#include "text.h"
#include "words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct mail {
	struct term term;
	const struct report *baseline; /* NULL: none */
	struct mail_series series;     /* of the baseline, if any, and the report, which is last */
};

/* The same of the baseline; NULL where there is none. */
static const struct report_test *test_before(const struct mail *mail,
					     const struct report_test *test)
{
	return mail->baseline ? report_find_test(mail->baseline, test->name) : NULL;
}

static bool has_figures(const struct report_test *test)
{
	for (size_t e = 0; test && e < test->n_executions; e++)
		if (json_array_size(test->executions[e].measures))
			return true;
	return false;
}

/* Everything that was measured by one hypothesis. */
static void put_measured(struct mail *mail, const struct report_test *test)
{
	const struct report_test *before = test_before(mail, test);
	const struct comparison *all = mail->series.all;
	FILE *out = mail->term.out;
	struct term base = mail->term;

	if (!has_figures(test) && !has_figures(before))
		return;
	putc('\n', out);
	text_put(out, test->name, (size_t)-1);
	putc('\n', out);
	for (size_t s = 0, end; s < all->n_series; s = end) {
		end = compare_table_end(all, s);
		if (!strcmp(all->series[s].hypothesis, test->name))
			mail_series(&mail->series, s, end);
	}
	base.report = mail->baseline;
	if (before)
		term_figures(&base, before, "before");
	if (base.result)
		mail->term.result = base.result;
	term_figures(&mail->term, test, mail->baseline ? "after" : "");
}

/* Both verdicts, and where they differ. */
static void put_verdict_pairs(struct mail *mail)
{
	static const struct table_column columns[] = {
		{ "hypothesis", TABLE_LEFT },
		{ "before", TABLE_LEFT },
		{ "after", TABLE_LEFT },
		{ "", TABLE_LEFT },
	};
	const struct report *report = mail->term.report;
	struct table *table = table_new(columns, COUNT(columns), 1);

	for (size_t t = 0; t < report->n_tests; t++) {
		const struct report_test *test = &report->tests[t];
		const struct report_test *before = test_before(mail, test);
		enum verdict is = report_test_verdict(test);
		enum verdict was = before ? report_test_verdict(before) : VERDICT_NOTRUN;

		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", test->name);
		table_cell(table, 1, TABLE_PLAIN, "%s", verdict_name(was));
		table_cell(table, 2, TABLE_PLAIN, "%s", verdict_name(is));
		if (is != was && is != VERDICT_NOTRUN && was != VERDICT_NOTRUN)
			table_cell(table, 3, TABLE_PLAIN, "differs");
	}
	term_caption(&mail->term, "verdicts");
	term_table(&mail->term, table);
}

/* Put a skipped hypothesis to those with its reason, but for numbers in it (of tasks, of periods).
 */
static int add_skip(json_t *groups, const char *name, const char *reason)
{
	char *key = strdup(reason), *to = key;
	json_t *group;
	int result;

	if (!key)
		return -ENOMEM;
	for (const char *from = reason; *from; from++)
		if (!isdigit((unsigned char)*from))
			*to++ = *from;
	*to = '\0';
	if (!json_object_get(groups, key))
		json_object_set_new(groups, key, json_pack("{ss s[]}", "reason", reason, "names"));
	group = json_object_get(json_object_get(groups, key), "names");
	result = json_array_append_new(group, json_string(name));
	free(key);
	return result ? -ENOMEM : 0;
}

static json_t *group_skips(const struct report *report)
{
	json_t *groups = json_object();
	int result = groups ? 0 : -ENOMEM;

	for (size_t t = 0; !result && t < report->n_tests; t++) {
		const struct report_test *test = &report->tests[t];
		char *reason;

		if (report_test_verdict(test) != VERDICT_SKIP)
			continue;
		reason = term_decision(report, test);
		result = reason ? add_skip(groups, test->name, reason) : -ENOMEM;
		free(reason);
	}
	if (!result)
		return groups;
	json_decref(groups);
	return NULL;
}

/* Reasons of skips are long, and most have that of others: each once, behind the names. */
static void put_skips(struct mail *mail)
{
	json_t *groups = group_skips(mail->term.report), *group, *name;
	const char *key;
	size_t i;

	if (!groups)
		mail->term.result = -ENOMEM;
	if (json_object_size(groups))
		putc('\n', mail->term.out);
	json_object_foreach(groups, key, group)
	{
		struct words words;

		if (!words_begin(&words)) {
			mail->term.result = -ENOMEM;
			break;
		}
		json_array_foreach(json_object_get(group, "names"), i, name)
			fprintf(words.out, "%s%s", i ? ", " : "", json_string_value(name));
		fprintf(words.out, ": %s", record_text(group, "reason"));
		term_words(&mail->term, "skip", 0, words_finish(&words, 0));
	}
	json_decref(groups);
}

static bool all_skipped(const struct report *report)
{
	for (size_t t = 0; t < report->n_tests; t++)
		if (report_test_verdict(&report->tests[t]) != VERDICT_SKIP)
			return false;
	return report->n_tests > 0;
}

static void put_head(struct mail *mail)
{
	struct term base = mail->term;

	if (!mail->baseline) {
		term_run(&mail->term);
		if (!all_skipped(mail->term.report))
			term_verdicts(&mail->term);
		put_skips(mail);
		return;
	}
	base.report = mail->baseline;
	fputs("before: ", mail->term.out);
	term_run(&base);
	fputs("\nafter: ", mail->term.out);
	term_run(&mail->term);
	if (base.result)
		mail->term.result = base.result;
	put_verdict_pairs(mail);
}

/* How to read the tables. */
static void put_remarks(struct mail *mail)
{
	const struct comparison *all = mail->series.all;
	const char *apart = all->column[all->n_columns - 1].apart;
	char text[128];

	if (all->n_series && apart) {
		snprintf(text, sizeof(text), "Shown side by side, not compared: %s.", apart);
		mail_remark(mail->term.out, text);
	}
	mail_series_remarks(&mail->series);
}

static void put_mail(struct mail *mail)
{
	const struct report *report = mail->term.report;

	put_head(mail);
	term_conclusion(&mail->term);
	for (size_t t = 0; t < report->n_tests; t++)
		put_measured(mail, &report->tests[t]);
	put_remarks(mail);
}

int mail_write(const struct report *report, const struct report *baseline, FILE *out,
	       struct err *err)
{
	static const char *const sides[] = { "before", "after" };
	char *const names[] = { (char *)"", (char *)"" };
	struct report both[2];
	struct comparison all;
	char *text = NULL;
	size_t size, n = 0;
	struct mail mail = {
		.term = { .report = report,
			  .options.width = MAIL_WIDTH,
			  .text = &text,
			  .skips_apart = true },
		.baseline = baseline,
		.series = { .all = &all, .names = baseline ? sides : NULL },
	};
	int result;

	if (baseline)
		both[n++] = *baseline;
	both[n++] = *report;
	result = comparison_make(&all, both, names, n);
	if (result)
		return err_set(err, -result, "samples of the report");
	mail.term.out = mail.series.out = open_memstream(&text, &size);
	if (mail.term.out)
		put_mail(&mail);
	comparison_free(&all);
	if (mail.series.result)
		mail.term.result = mail.series.result;
	if (!mail.term.out || ferror(mail.term.out))
		mail.term.result = -ENOMEM;
	if (mail.term.out && fclose(mail.term.out))
		mail.term.result = -ENOMEM;
	if (!mail.term.result)
		fwrite(text, 1, size, out);
	else
		err_set(err, -mail.term.result, "report");
	free(text);
	return mail.term.result;
}
