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

/* Of a hypothesis: a page is to be read. */
#define FIGURES_MAX 100

bool compare_html_measured(const struct comparison *all, const struct compare_hypothesis *of)
{
	return of->series.end > of->series.first || compare_differing(all, of);
}

static void put_interval(struct html *html, const struct compare_side *side,
			 const struct scale *scale)
{
	char low_text[32], high_text[32];
	double low, high;

	if (stats_steps_median_interval(side->samples.steps, side->samples.n_steps, CONFIDENCE,
					&low, &high))
		html_cell(html, "number", "-");
	else
		html_cell(html, "number", "%s to %s",
			  scale_text(scale, low, low_text, sizeof(low_text)),
			  scale_text(scale, high, high_text, sizeof(high_text)));
}

/* Where none was looked for, the three cells say why, or nothing. */
static void put_no_change(struct html *html, const struct comparison *all, size_t column, size_t n)
{
	html_cell(html, "number soft", "%s",
		  !n			      ? ""
		  : !column		      ? "baseline"
		  : all->column[column].apart ? "not compared"
					      : "");
	html_cell(html, NULL, "%s", "");
	html_cell(html, NULL, "%s", "");
}

static void put_change(struct html *html, const struct compare_series *series, size_t column,
		       double threshold)
{
	const struct compare_change *change = &series->change[column];
	const char *class = compare_regressed(series, column, threshold) ? "number bad"
			    : compare_improved(series, column)		 ? "number good"
			    : compare_significant(change)		 ? "number differs"
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
		     const struct compare_series *series, size_t column, bool changes,
		     const struct scale *scale)
{
	const struct compare_side *side = &series->side[column];
	char text[32];

	html_cell(html, NULL, "%c", compare_letter(column));
	html_cell(html, "number", "%zu", side->n);
	html_cell(html, "number", "%s",
		  scale_text(scale, side->n ? side->median : NAN, text, sizeof(text)));
	put_interval(html, side, scale);
	if (!changes)
		return;
	if (!column || isnan(series->change[column].p))
		put_no_change(html, all, column, side->n);
	else
		put_change(html, series, column, all->threshold);
}

/* A line for each column that the table has; the name of the series stands at the first. */
static void put_row(struct html *html, const struct comparison *all, size_t first, size_t end,
		    size_t s, bool changes, const struct scale *scale)
{
	const struct compare_series *series = &all->series[s];
	const char *name = *series->row ? series->row : series->name;

	for (size_t c = 0; c < all->n_columns; c++) {
		if (!compare_has(all, first, end, c))
			continue;
		html_row(html);
		html_cell(html, NULL, "%s", name);
		name = "";
		put_side(html, all, series, c, changes, scale);
	}
}

static void put_plot(struct html *html, const struct comparison *all, size_t first, size_t end,
		     const char *caption)
{
	struct plot_shape shape = { 0 };
	char *note = NULL;
	struct html_plot plot = {
		.title = caption,
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
	plot.note = note = compare_plot_note(all, first, end);
	if (!note)
		result = -ENOMEM;
	if (!result)
		html_plot(html, &plot);
	else if (result != -ENODATA)
		html->result = result;
	plot_shape_free(&shape);
	free(note);
	free(script);
}

static bool anything_compared(const struct comparison *all, size_t first, size_t end)
{
	for (size_t s = first; s < end; s++)
		for (size_t c = 1; c < all->n_columns; c++)
			if (!isnan(all->series[s].change[c].p))
				return true;
	return false;
}

static void put_table(struct html *html, const struct comparison *all, size_t first, size_t end)
{
	const char *headings[] = { "",
				   "report",
				   all->grouped ? ">reports" : ">n",
				   ">median",
				   ">95 % interval",
				   ">change",
				   ">95 % interval",
				   ">p",
				   NULL };
	bool changes = anything_compared(all, first, end);
	struct scale scale = scale_of_series(all, first, end);
	char *caption = compare_caption(all, first, end, &scale, NULL);

	if (!caption) {
		html->result = -ENOMEM;
		return;
	}
	if (!changes)
		headings[5] = NULL;
	html_table(html, caption, headings);
	for (size_t s = first; s < end; s++)
		put_row(html, all, first, end, s, changes, &scale);
	html_table_end(html);
	put_plot(html, all, first, end, caption);
	free(caption);
}

/* Figures that no test is made of, as each is one value; only those that are not alike. */
static void put_figures(struct html *html, const struct comparison *all,
			const struct compare_hypothesis *of)
{
	struct compare_headings headings;
	size_t n = compare_differing(all, of), shown = 0;
	char caption[128];

	if (!n)
		return;
	snprintf(caption, sizeof(caption), "single figures that differ, %zu of %zu%s", n,
		 of->figures.end - of->figures.first, n > FIGURES_MAX ? ", the first of them" : "");
	compare_html_headings(&headings, all, "~", ">", NULL);
	html_table(html, caption, headings.all);
	for (size_t f = of->figures.first; f < of->figures.end && shown < FIGURES_MAX; f++) {
		const struct compare_series *figure = &all->figures[f];

		if (!compare_figure_differs(all, figure))
			continue;
		shown++;
		html_row(html);
		compare_html_cell(html, "long", compare_figure_name(figure));
		for (size_t c = 0; c < all->n_columns; c++) {
			char text[48];

			html_cell(html, "number", "%s",
				  compare_figure_text(figure, c, text, sizeof(text)));
		}
	}
	html_table_end(html);
}

void compare_html_series(struct html *html, const struct comparison *all)
{
	for (size_t h = 0; h < all->n_hypotheses; h++) {
		const struct compare_hypothesis *of = &all->hypotheses[h];

		if (!compare_html_measured(all, of))
			continue;
		fprintf(html->out, "<section id=\"hypothesis-%zu\">\n<h2>", h + 1);
		html_text(html, of->name);
		fputs("</h2>\n", html->out);
		html_element(html, "p", of->claim);
		for (size_t s = of->series.first, end; s < of->series.end; s = end) {
			end = compare_table_end(all, s);
			put_table(html, all, s, end);
		}
		put_figures(html, all, of);
		fputs("</section>\n", html->out);
	}
}
