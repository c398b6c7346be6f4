// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a comparison as HTML: a table and a plot for each table of series. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_html.h"
#include "compare_plot.h"
#include "compare_words.h"
#include "scale.h"
#include "stats.h"

/* Of the interval of a median. */
#define CONFIDENCE 0.95

bool compare_html_measured(const struct comparison *all, const char *hypothesis)
{
	for (size_t s = 0; s < all->n_series; s++)
		if (!strcmp(all->series[s].hypothesis, hypothesis))
			return true;
	return false;
}

static void put_interval(struct html *html, const struct compare_side *side,
			 const struct scale *scale)
{
	char low_text[32], high_text[32];
	double low, high;

	if (stats_median_interval(side->sorted, side->n, CONFIDENCE, &low, &high))
		html_cell(html, "number", "-");
	else
		html_cell(html, "number", "%s to %s",
			  scale_text(scale, low, low_text, sizeof(low_text)),
			  scale_text(scale, high, high_text, sizeof(high_text)));
}

/* Where none was looked for, the three cells say why, or nothing. */
static void put_no_change(struct html *html, const struct comparison *all, size_t column, size_t n)
{
	html_cell(html, "soft", "%s",
		  !n			      ? ""
		  : !column		      ? "baseline"
		  : all->column[column].apart ? "not compared"
					      : "");
	html_cell(html, NULL, "%s", "");
	html_cell(html, NULL, "%s", "");
}

static void put_change(struct html *html, const struct compare_series *series, size_t column)
{
	const struct compare_change *change = &series->change[column];
	const char *class = compare_regressed(series, column, 0) ? "number bad"
			    : compare_improved(series, column)	 ? "number good"
			    : compare_significant(change)	 ? "number differs"
								 : "number";
	const char *doubt = compare_doubt_name(compare_doubt(series, column));
	char text[48];

	html_cell(html, class, "%s%s%s", compare_change_text(series, column, text, sizeof(text)),
		  *doubt ? " " : "", doubt);
	if (compare_significant(change) && isfinite(change->low) && isfinite(change->high))
		html_cell(html, "number", "%+.1f to %+.1f %%", change->low, change->high);
	else
		html_cell(html, NULL, "%s", "");
	html_cell(html, "number", "%.2g", change->p);
}

static void put_side(struct html *html, const struct comparison *all,
		     const struct compare_series *series, size_t column, const struct scale *scale)
{
	const struct compare_side *side = &series->side[column];
	char text[32];

	html_cell(html, NULL, "%c", compare_letter(column));
	html_cell(html, "number", "%zu", side->n);
	html_cell(html, "number", "%s",
		  scale_text(scale, side->n ? side->median : NAN, text, sizeof(text)));
	put_interval(html, side, scale);
	if (!column || isnan(series->change[column].p))
		put_no_change(html, all, column, side->n);
	else
		put_change(html, series, column);
}

/* A line for each column that the table has; the name of the series stands at the first. */
static void put_row(struct html *html, const struct comparison *all, size_t first, size_t end,
		    size_t s, const struct scale *scale)
{
	const struct compare_series *series = &all->series[s];
	const char *name = *series->row ? series->row : series->name;

	for (size_t c = 0; c < all->n_columns; c++) {
		if (!compare_has(all, first, end, c))
			continue;
		html_row(html);
		html_cell(html, NULL, "%s", name);
		name = "";
		put_side(html, all, series, c, scale);
	}
}

static void put_plot(struct html *html, const struct comparison *all, size_t first, size_t end,
		     const char *caption)
{
	struct plot_shape shape = { 0 };
	struct html_plot plot = {
		.title = caption,
		.note = compare_plot_note(all, first, end),
		.shape = &shape,
	};
	char *script = NULL;
	size_t size;
	FILE *out;
	int result;

	if (!html_plot_room(html))
		return;
	out = open_memstream(&script, &size);
	result = out ? compare_plot_script(all, first, end, out, &shape) : -ENOMEM;
	if (out && (fclose(out) || !script))
		result = -ENOMEM;
	plot.script = script;
	if (!result)
		html_plot(html, &plot);
	else if (result != -ENODATA)
		html->result = result;
	plot_shape_free(&shape);
	free(script);
}

static void put_table(struct html *html, const struct comparison *all, size_t first, size_t end)
{
	const char *n = all->grouped ? ">reports" : ">n";
	const char *const headings[] = {
		"",	   "report",	     n,	   ">median", ">95 % interval",
		">change", ">95 % interval", ">p", NULL
	};
	struct scale scale = scale_of_series(all, first, end);
	char *caption = compare_caption(all, first, end, &scale, NULL);

	if (!caption) {
		html->result = -ENOMEM;
		return;
	}
	html_table(html, caption, headings);
	for (size_t s = first; s < end; s++)
		put_row(html, all, first, end, s, &scale);
	html_table_end(html);
	put_plot(html, all, first, end, caption);
	free(caption);
}

/* The head of a section; the number is what the table of verdicts refers to. */
static void put_hypothesis(struct html *html, const struct comparison *all, const char *name)
{
	for (size_t h = 0; h < all->n_hypotheses; h++) {
		const struct compare_hypothesis *hypothesis = &all->hypotheses[h];

		if (strcmp(hypothesis->name, name) != 0)
			continue;
		fprintf(html->out, "<section id=\"hypothesis-%zu\">\n<h2>", h + 1);
		html_text(html, name);
		fputs("</h2>\n", html->out);
		html_element(html, "p", hypothesis->claim);
		return;
	}
	fputs("<section>\n", html->out);
	html_element(html, "h2", name);
}

void compare_html_series(struct html *html, const struct comparison *all)
{
	for (size_t s = 0, end; s < all->n_series; s = end) {
		const char *hypothesis = all->series[s].hypothesis;

		if (!s || strcmp(hypothesis, all->series[s - 1].hypothesis) != 0)
			put_hypothesis(html, all, hypothesis);
		end = compare_table_end(all, s);
		put_table(html, all, s, end);
		if (end == all->n_series || strcmp(hypothesis, all->series[end].hypothesis) != 0)
			fputs("</section>\n", html->out);
	}
}
