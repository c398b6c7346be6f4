// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "stats.h"
#include "term.h"
#include "text.h"
#include "unit.h"

/* Wide enough for tables, and what is still right after a few levels of quoting. */
#define WIDTH 72

/* Columns of the tables of series, WIDTH in all; the last is 95 % interval or change. */
#define LABEL 22
#define COUNTS 8
#define FIGURE 9
#define LAST 15

/* Of the interval shown. */
#define CONFIDENCE 0.95

/* Units of time and how many of the smallest one each is. */
static const struct {
	const char *name;
	double ns;
} times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How the figures of one table are shown. */
struct scale {
	const char *unit;
	double factor; /* shown = recorded / factor */
	int decimals;  /* -1: four significant digits, where the figures are too far apart */
};

struct mail {
	struct term term;
	const struct report *baseline; /* NULL: none */
	const struct comparison *all;  /* of the baseline, if any, and the report, which is last */
	size_t last;
	bool doubtful; /* a change was shown as "~" */
};

/* The series from `first` on that make one table: same hypothesis, table, name and unit. */
static size_t table_end(const struct comparison *all, size_t first)
{
	const struct compare_series *s = &all->series[first];
	size_t end = first + 1;

	while (end < all->n_series && !strcmp(all->series[end].hypothesis, s->hypothesis) &&
	       !strcmp(all->series[end].table, s->table) &&
	       !strcmp(all->series[end].name, s->name) && !strcmp(all->series[end].unit, s->unit))
		end++;
	return end;
}

/* The largest unit in which no median is below 1, and enough digits for the least. */
static struct scale pick_scale(const struct comparison *all, size_t first, size_t end)
{
	struct scale scale = { .unit = all->series[first].unit, .factor = 1 };
	double least = INFINITY, most = 0;
	size_t from = COUNT(times);

	for (size_t s = first; s < end; s++)
		for (size_t r = 0; r < all->n_columns; r++) {
			const struct compare_side *side = &all->series[s].side[r];

			if (side->n && side->median > 0)
				least = fmin(least, side->median);
			if (side->n)
				most = fmax(most, fabs(side->sorted[side->n - 1]));
		}
	for (size_t i = 0; i < COUNT(times); i++)
		if (!strcmp(times[i].name, scale.unit))
			from = i;
	for (size_t i = from; i < COUNT(times); i++)
		if (i == from || least * times[from].ns >= times[i].ns) {
			scale.factor = times[i].ns / times[from].ns;
			scale.unit = times[i].name;
		}
	least /= scale.factor;
	most /= scale.factor;
	scale.decimals = most < 1e3 ? 2 : most < 1e4 ? 1 : 0;
	if (isfinite(least) && least < 10 * pow(10, -scale.decimals))
		scale.decimals = -1;
	return scale;
}

static const char *figure(double value, const struct scale *scale, char *text, size_t size)
{
	double shown = value / scale->factor;

	if (!isfinite(shown))
		snprintf(text, size, "-");
	else if (scale->decimals >= 0 && fabs(shown) < 1e7)
		snprintf(text, size, "%.*f", scale->decimals, shown);
	else
		snprintf(text, size, "%.4g", shown);
	return text;
}

/* "low-high" of the median; "-" when there are too few samples for it. */
static void put_interval(FILE *out, const struct compare_side *side, const struct scale *scale)
{
	char low_text[32], high_text[32], text[72];
	double low, high;

	if (stats_median_interval(side->sorted, side->n, CONFIDENCE, &low, &high))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%s..%s",
			 figure(low, scale, low_text, sizeof(low_text)),
			 figure(high, scale, high_text, sizeof(high_text)));
	fprintf(out, "%*s", LAST, text);
}

static double mean(const struct compare_side *side)
{
	double sum = 0;

	for (size_t i = 0; i < side->n; i++)
		sum += side->sorted[i] / (double)side->n;
	return sum;
}

static void put_figures(FILE *out, const struct compare_side *side, const struct scale *scale)
{
	double most = side->n ? side->sorted[side->n - 1] : NAN;
	const double values[] = { side->n ? mean(side) : NAN, most, side->n ? side->median : NAN };
	char text[32];

	fprintf(out, "%*zu", COUNTS, side->n);
	for (size_t i = 0; i < COUNT(values); i++)
		fprintf(out, "%*s", FIGURE, figure(values[i], scale, text, sizeof(text)));
}

/* A label in the first column; the figures go below one that is too long for it. */
static void put_label(FILE *out, const char *label, int indent)
{
	char *text = text_escape(label, (size_t)-1);
	int columns = indent + (text ? (int)text_columns(text) : 0);

	fprintf(out, "%*s%s", indent, "", text ? text : "");
	if (columns > LABEL)
		fprintf(out, "\n%*s", LABEL, "");
	else
		fprintf(out, "%*s", LABEL - columns, "");
	free(text);
}

static void put_row(struct mail *mail, const struct compare_series *series,
		    const struct scale *scale)
{
	const struct compare_side *side = &series->side[0];
	FILE *out = mail->term.out;

	put_label(out, series->row, 2);
	put_figures(out, side, scale);
	put_interval(out, side, scale);
	putc('\n', out);
}

/* "-53 % -55..-51", "~" when it may be chance, nothing when it must not be called a change. */
static void put_change(struct mail *mail, const struct compare_change *change)
{
	char text[64];

	if (mail->all->column[mail->last].apart || isnan(change->percent))
		return;
	if (!compare_significant(change)) {
		snprintf(text, sizeof(text), "~");
		mail->doubtful = true;
	} else if (isfinite(change->low) && isfinite(change->high)) {
		snprintf(text, sizeof(text), "%+.0f%% %+.0f..%+.0f", change->percent, change->low,
			 change->high);
	} else {
		snprintf(text, sizeof(text), "%+.0f%%", change->percent);
	}
	fprintf(mail->term.out, "%*s", LAST, text);
}

/* The row, and below it one line for each report. */
static void put_pair(struct mail *mail, const struct compare_series *series,
		     const struct scale *scale)
{
	static const char *const names[] = { "before", "after" };
	FILE *out = mail->term.out;

	fputs("  ", out);
	text_wrap(out, *series->row ? series->row : series->name, 2, 2, WIDTH);
	for (size_t r = 0; r < COUNT(names); r++) {
		put_label(out, names[r], 4);
		put_figures(out, &series->side[r], scale);
		if (r)
			put_change(mail, &series->change[r]);
		putc('\n', out);
	}
}

/* What a table is of, its unit and clock, as a paragraph. */
static void put_caption(struct mail *mail, const struct compare_series *s, const char *unit,
			double resolution)
{
	bool has_unit = strcmp(unit, "1") != 0 && *unit;
	char clock[64] = "", step[48];
	char *text;

	if (resolution > 0)
		snprintf(clock, sizeof(clock), ", clock resolution %s",
			 unit_format(resolution, s->unit, step, sizeof(step)));
	if (asprintf(&text, "%s, %s%s%s%s%s", s->table, s->name, has_unit ? ", in " : "",
		     has_unit ? unit : "", clock,
		     mail->term.report->emulated ? " (emulated)" : "") < 0) {
		mail->term.result = -ENOMEM;
		return;
	}
	fputs("\n  ", mail->term.out);
	text_wrap(mail->term.out, text, 2, 2, WIDTH);
	free(text);
}

static void put_heading(struct mail *mail, size_t first, size_t end, const struct scale *scale)
{
	const char *last = "95 % interval";
	double resolution = 0;

	for (size_t i = first; i < end; i++)
		for (size_t r = 0; r < mail->all->n_columns; r++)
			resolution = fmax(resolution, mail->all->series[i].side[r].resolution);
	put_caption(mail, &mail->all->series[first], scale->unit, resolution);
	if (mail->baseline)
		last = mail->all->column[mail->last].apart ? "" : "delta, 95 %";
	fprintf(mail->term.out, "%*s%*s%*s%*s%*s%*s\n", LABEL, "", COUNTS, "n", FIGURE, "avg",
		FIGURE, "max", FIGURE, "median", *last ? LAST : 0, last);
}

static void put_series(struct mail *mail, size_t first, size_t end)
{
	struct scale scale = pick_scale(mail->all, first, end);

	put_heading(mail, first, end, &scale);
	for (size_t s = first; s < end; s++)
		if (mail->baseline)
			put_pair(mail, &mail->all->series[s], &scale);
		else
			put_row(mail, &mail->all->series[s], &scale);
}

static const struct report_test *find_test(const struct report *report, const char *name)
{
	for (size_t t = 0; report && t < report->n_tests; t++)
		if (!strcmp(report->tests[t].name, name))
			return &report->tests[t];
	return NULL;
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
	const struct report_test *before = find_test(mail->baseline, test->name);
	const struct comparison *all = mail->all;
	FILE *out = mail->term.out;
	struct term base = mail->term;

	if (!has_figures(test) && !has_figures(before))
		return;
	putc('\n', out);
	text_put(out, test->name, (size_t)-1);
	putc('\n', out);
	for (size_t s = 0, end; s < all->n_series; s = end) {
		end = table_end(all, s);
		if (!strcmp(all->series[s].hypothesis, test->name))
			put_series(mail, s, end);
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
		const struct report_test *before = find_test(mail->baseline, test->name);
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

static void put_head(struct mail *mail)
{
	struct term base = mail->term;

	if (!mail->baseline) {
		term_run(&mail->term);
		term_verdicts(&mail->term);
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

static void put_remark(struct mail *mail, const char *text)
{
	putc('\n', mail->term.out);
	text_wrap(mail->term.out, text, 0, 0, WIDTH);
}

/* How to read the tables. */
static void put_remarks(struct mail *mail)
{
	const char *apart = mail->all->column[mail->last].apart;
	char text[128];

	if (!mail->all->n_series)
		return;
	if (!mail->baseline) {
		put_remark(mail, "95 % interval: of the median, from order statistics.");
	} else if (apart) {
		snprintf(text, sizeof(text), "Shown side by side, not compared: %s.", apart);
		put_remark(mail, text);
	} else {
		put_remark(mail, "delta: change of the median and its interval (95 %, from order "
				 "statistics), where the Mann-Whitney test, corrected for all "
				 "comparisons made (Holm), gives p < 0.05.");
	}
	if (mail->doubtful)
		put_remark(mail, "~: may be chance, or is within the resolution of the clock.");
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
	char *const names[] = { (char *)"", (char *)"" };
	struct report both[2];
	struct comparison all;
	char *text = NULL;
	size_t size, n = 0;
	struct mail mail = {
		.term = { .report = report, .options.width = WIDTH, .text = &text },
		.baseline = baseline,
		.all = &all,
	};
	int result;

	if (baseline)
		both[n++] = *baseline;
	both[n++] = *report;
	result = comparison_make(&all, both, names, n);
	if (result)
		return err_set(err, -result, "samples of the report");
	mail.last = n - 1;
	mail.term.out = open_memstream(&text, &size);
	if (mail.term.out)
		put_mail(&mail);
	comparison_free(&all);
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
