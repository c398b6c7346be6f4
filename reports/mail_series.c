// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_words.h"
#include "scale.h"
#include "stats.h"
#include "text.h"
#include "unit.h"

/* Columns of the tables, MAIL_WIDTH in all; the last is 95 % interval or change. */
#define LABEL 20
#define COUNTS 8
#define FIGURE 9
#define LAST 17

/* Of the interval shown. */
#define CONFIDENCE 0.95

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Is there room for it in the last column, and for a blank before it? */
static bool fits(const char *text)
{
	return strlen(text) < LAST;
}

/* "low..high" of the median; "-" when there are too few samples for it. */
static void put_interval(FILE *out, const struct compare_side *side, const struct scale *scale)
{
	char low_text[32], high_text[32], text[72];
	double low, high;

	if (stats_steps_median_interval(side->samples.steps, side->samples.n_steps, CONFIDENCE,
					&low, &high))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%s..%s",
			 scale_text(scale, low, low_text, sizeof(low_text)),
			 scale_text(scale, high, high_text, sizeof(high_text)));
	if (!fits(text))
		snprintf(text, sizeof(text), "%.2g..%.2g", low / scale->factor,
			 high / scale->factor);
	fprintf(out, "%*s", LAST, text);
}

/* Rounded once: summed up with more bits than the samples have, where the machine has them. */
static double mean(const struct distribution *samples)
{
	long double sum = 0;

	for (size_t i = 0; i < samples->n_steps; i++)
		sum += (long double)samples->steps[i].value * (long double)samples->steps[i].count;
	return (double)(sum / (long double)samples->total);
}

static void put_figures(FILE *out, const struct compare_side *side, const struct scale *scale)
{
	const double values[] = {
		side->n ? mean(&side->samples) : NAN,
		distribution_quantile(&side->samples, 1),
		side->n ? side->median : NAN,
	};
	char text[32];

	fprintf(out, "%*zu", COUNTS, side->n);
	for (size_t i = 0; i < COUNT(values); i++)
		fprintf(out, "%*s", FIGURE, scale_text(scale, values[i], text, sizeof(text)));
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

static void put_row(FILE *out, const struct compare_series *series, const struct scale *scale)
{
	const struct compare_side *side = &series->side[0];

	put_label(out, series->row, 2);
	put_figures(out, side, scale);
	put_interval(out, side, scale);
	putc('\n', out);
}

static double times(double percent)
{
	return 1 + percent / 100;
}

/* "-53% -55..-51"; what is too long for that as a multiple: "x5.44 2.6..28". */
static void put_percent(struct mail_series *series, const struct compare_change *change)
{
	bool interval = isfinite(change->low) && isfinite(change->high);
	double most =
		interval ? fmax(fabs(change->low), fabs(change->high)) : fabs(change->percent);
	int decimals = most < 9.95;
	char text[64];

	if (interval)
		snprintf(text, sizeof(text), "%+.*f%% %+.*f..%+.*f", decimals, change->percent,
			 decimals, change->low, decimals, change->high);
	else
		snprintf(text, sizeof(text), "%+.*f%%", decimals, change->percent);
	if (!fits(text)) {
		snprintf(text, sizeof(text), "x%.3g %.*f..%.*f", times(change->percent),
			 times(change->low) < 10, times(change->low), times(change->high) < 10,
			 times(change->high));
		series->factors = true;
	}
	if (!fits(text))
		snprintf(text, sizeof(text), "x%.3g", times(change->percent));
	fprintf(series->out, "%*s", LAST, text);
}

/* Nothing when it must not be called a change. */
static void put_change(struct mail_series *series, const struct compare_series *of, size_t column)
{
	const struct compare_change *change = &of->change[column];
	char text[48];

	if (!column || isnan(change->p))
		return;
	if (compare_significant(change) && isfinite(change->percent)) {
		put_percent(series, change);
		return;
	}
	fprintf(series->out, "%*s", LAST, compare_change_text(of, column, text, sizeof(text)));
	series->doubtful |= !compare_significant(change);
}

static bool anything_compared(const struct comparison *all)
{
	for (size_t c = 1; c < all->n_columns; c++)
		if (!all->column[c].apart)
			return true;
	return false;
}

/* The row of a series, and below it one line for each column that the table has. */
static void put_columns(struct mail_series *series, size_t first, size_t end, size_t s,
			const struct scale *scale)
{
	const struct compare_series *of = &series->all->series[s];
	FILE *out = series->out;

	fputs("  ", out);
	text_wrap(out, *of->row ? of->row : of->name, 2, 2, MAIL_WIDTH);
	for (size_t c = 0; c < series->all->n_columns; c++) {
		if (!compare_has(series->all, first, end, c))
			continue;
		put_label(out, series->names[c], 4);
		put_figures(out, &of->side[c], scale);
		if (anything_compared(series->all))
			put_change(series, of, c);
		else
			put_interval(out, &of->side[c], scale);
		putc('\n', out);
	}
}

static void put_heading(struct mail_series *series, size_t first, size_t end,
			const struct scale *scale)
{
	const char *last =
		series->names && anything_compared(series->all) ? "delta, 95 %" : "95 % interval";
	char *caption = compare_caption(series->all, first, end, scale, series->names);

	if (!caption) {
		series->result = -ENOMEM;
		return;
	}
	fputs("\n  ", series->out);
	text_wrap(series->out, caption, 2, 2, MAIL_WIDTH);
	free(caption);
	fprintf(series->out, "%*s%*s%*s%*s%*s%*s\n", LABEL, "", COUNTS, "n", FIGURE, "avg", FIGURE,
		"max", FIGURE, "median", LAST, last);
}

void mail_series(struct mail_series *series, size_t first, size_t end)
{
	struct scale scale = scale_of_series(series->all, first, end);

	put_heading(series, first, end, &scale);
	for (size_t s = first; s < end; s++)
		if (series->names)
			put_columns(series, first, end, s, &scale);
		else
			put_row(series->out, &series->all->series[s], &scale);
}

void mail_remark(FILE *out, const char *text)
{
	putc('\n', out);
	text_wrap(out, text, 0, 0, MAIL_WIDTH);
}

void mail_series_remarks(const struct mail_series *series)
{
	if (series->all->n_series && series->names && anything_compared(series->all))
		mail_remark(series->out,
			    "delta: change of the median and its interval (95 %, from order "
			    "statistics), where the Mann-Whitney test, corrected for all "
			    "comparisons made (Holm), gives p < 0.05.");
	else if (series->all->n_series)
		mail_remark(series->out, "95 % interval: of the median, from order statistics.");
	if (series->doubtful)
		mail_remark(series->out,
			    "~: may be chance, or is within the resolution of the clock.");
	if (series->factors)
		mail_remark(series->out, "x: so many times as much.");
}
