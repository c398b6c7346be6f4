// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_term.h"
#include "compare_words.h"
#include "term.h"
#include "text.h"
#include "unit.h"

#define FIGURES_MAX 50 /* of a hypothesis */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The letter as text. */
static const char *column_name(size_t column, char name[2])
{
	name[0] = compare_letter(column);
	name[1] = '\0';
	return name;
}

static void put_column(struct term *term, const struct comparison *all, size_t c)
{
	char name[2];

	term_words(term, column_name(c, name), 0, compare_column_text(all, c));
	term_words(term, "", 0, compare_apart_text(all, c));
}

/* What may explain a difference between A and those that are compared with it. */
void compare_term_columns(struct term *term, const struct comparison *all)
{
	for (size_t c = 0; c < all->n_columns; c++)
		put_column(term, all, c);
	for (size_t c = 1; c < all->n_columns; c++) {
		if (all->column[c].apart)
			continue;
		for (const struct compare_circumstance *i = compare_circumstances; i->path; i++)
			term_words(term, "differs", 0, compare_difference(all, c, i));
	}
}

/* New text into a cell; NULL: memory ran out. */
static void put_text(struct term *term, struct table *table, size_t column, enum table_style style,
		     char *text)
{
	if (text)
		table_cell(table, column, style, "%s", text);
	else
		term->result = -ENOMEM;
	free(text);
}

void compare_term_verdicts(struct term *term, const struct comparison *all)
{
	struct table_column columns[COMPARE_MAX + 2] = { { "hypothesis", TABLE_LEFT } };
	char names[COMPARE_MAX][2];
	struct table *table;

	for (size_t c = 0; c < all->n_columns; c++)
		columns[c + 1] = (struct table_column){ column_name(c, names[c]), TABLE_LEFT };
	columns[all->n_columns + 1] = (struct table_column){ "", TABLE_LEFT };
	table = table_new(columns, all->n_columns + 2, 1);
	for (size_t h = 0; h < all->n_hypotheses; h++) {
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", all->hypotheses[h].name);
		for (size_t c = 0; c < all->n_columns; c++)
			put_text(term, table, c + 1,
				 term_style(compare_verdict(&all->hypotheses[h], c)),
				 compare_verdict_text(all, &all->hypotheses[h], c));
		put_text(term, table, all->n_columns + 1,
			 compare_outcome(all, &all->hypotheses[h]) == COMPARE_NEW_FAIL ? TABLE_BAD
										       : TABLE_BOLD,
			 compare_outcome_text(all, &all->hypotheses[h]));
	}
	term_caption(term, "verdicts");
	term_table(term, table);
}

static void put_side(struct table *table, size_t column, const struct compare_side *side,
		     const char *unit)
{
	char text[48];

	if (!side->n)
		return;
	table_cell(table, column, TABLE_PLAIN, "%zu", side->n);
	table_cell(table, column + 1, TABLE_PLAIN, "%s",
		   unit_format(side->median, unit, text, sizeof(text)));
}

/* "~" where the difference may be chance, or is not above a step of the clock. */
static void put_change(struct table *table, size_t column, const struct compare_series *series,
		       size_t r)
{
	const struct compare_change *change = &series->change[r];
	char text[48];

	if (isnan(change->p))
		return;
	table_cell(table, column, compare_significant(change) ? TABLE_BOLD : TABLE_PLAIN, "%s",
		   compare_change_text(series, r, text, sizeof(text)));
	if (compare_significant(change) && isfinite(change->low) && isfinite(change->high))
		table_cell(table, column + 1, TABLE_PLAIN, "%+.1f to %+.1f %%", change->low,
			   change->high);
	table_cell(table, column + 2, TABLE_PLAIN, "%.2g", change->p);
}

/* The baseline and column r. */
static struct table *new_table(const struct comparison *all, size_t r, char headings[2][16])
{
	const char *n = all->grouped ? "reports" : "n";
	const struct table_column columns[] = {
		{ "", TABLE_LEFT },
		{ n, TABLE_RIGHT },
		{ headings[0], TABLE_RIGHT },
		{ n, TABLE_RIGHT },
		{ headings[1], TABLE_RIGHT },
		{ "change", TABLE_RIGHT },
		{ "95 % interval", TABLE_RIGHT },
		{ "p", TABLE_RIGHT },
	};

	snprintf(headings[0], sizeof(headings[0]), "median A");
	snprintf(headings[1], sizeof(headings[1]), "median %c", compare_letter(r));
	return table_new(columns, all->column[r].apart ? 5 : COUNT(columns), 1);
}

/* All series of one table. */
static void put_series(struct term *term, const struct comparison *all, size_t first, size_t end,
		       size_t r)
{
	const struct compare_series *head = &all->series[first];
	char headings[2][16];
	struct table *table = new_table(all, r, headings);
	char *emulated = compare_emulated_text(all, first, end, NULL);

	for (size_t s = first; s < end; s++) {
		const struct compare_series *series = &all->series[s];

		if (!series->side[0].n && !series->side[r].n)
			continue;
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", *series->row ? series->row : series->name);
		put_side(table, 1, &series->side[0], series->unit);
		put_side(table, 3, &series->side[r], series->unit);
		if (!all->column[r].apart)
			put_change(table, 5, series, r);
	}
	term_caption(term, "%s, %s (%s): A and %c%s", head->hypothesis, head->table, head->name,
		     compare_letter(r), emulated ? emulated : "");
	if (!emulated)
		term->result = -ENOMEM;
	free(emulated);
	term_table(term, table);
}

/* Single figures of a hypothesis that are not alike. */
static void put_figures(struct term *term, const struct comparison *all,
			const struct compare_hypothesis *of)
{
	struct table_column columns[COMPARE_MAX + 1] = { { "", TABLE_LEFT } };
	size_t n = compare_differing(all, of), shown = 0;
	char names[COMPARE_MAX][2], text[48];
	struct table *table;

	if (!n)
		return;
	for (size_t c = 0; c < all->n_columns; c++)
		columns[c + 1] = (struct table_column){ column_name(c, names[c]), TABLE_RIGHT };
	table = table_new(columns, all->n_columns + 1, 1);
	for (size_t f = of->figures.first; f < of->figures.end && shown < FIGURES_MAX; f++) {
		const struct compare_series *figure = &all->figures[f];

		if (!compare_figure_differs(all, figure))
			continue;
		shown++;
		table_row(table);
		put_text(term, table, 0, TABLE_PLAIN, compare_figure_name(figure));
		for (size_t c = 0; c < all->n_columns; c++)
			table_cell(table, c + 1, TABLE_PLAIN, "%s",
				   compare_figure_text(figure, c, text, sizeof(text)));
	}
	term_caption(term, "%s, single figures that differ, %zu of %zu", of->name, shown, n);
	term_table(term, table);
}

static void put_measured(struct term *term, const struct comparison *all,
			 const struct compare_hypothesis *of)
{
	for (size_t s = of->series.first, end; s < of->series.end; s = end) {
		end = compare_table_end(all, s);
		for (size_t r = 1; r < all->n_columns; r++)
			put_series(term, all, s, end, r);
	}
	put_figures(term, all, of);
}

/* The last lines: what it comes to. */
void compare_term_conclusion(struct term *term, const struct comparison *all)
{
	char *text = compare_conclusion(all);

	if (text)
		text_wrap(term->out, text, 0, 0, term->options.width);
	else
		term->result = -ENOMEM;
	free(text);
}

static void put_legend(struct term *term, const struct comparison *all)
{
	fputc('\n', term->out);
	if (all->n_series && all->grouped)
		text_wrap(term->out,
			  "Each report of a group adds one value, the median of its samples.", 0, 0,
			  term->options.width);
	if (all->n_series)
		text_wrap(term->out,
			  "change: of the median; ~: may be chance (p not below 0.05, "
			  "Mann-Whitney, corrected for the number of comparisons after Holm) or is "
			  "not above the resolution of the clock.",
			  0, 0, term->options.width);
	if (compare_all_emulated(all))
		text_wrap(term->out, "All figures describe emulated machines, not silicon.", 0, 0,
			  term->options.width);
	compare_term_conclusion(term, all);
}

/* Put together in memory; then it goes out as a whole. */
int compare_term(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err)
{
	const struct report none = { 0 }; /* what is emulated is said of each table */
	char *text = NULL;
	struct term term = { .report = &none, .options = request->shown, .text = &text };
	size_t size;

	term.out = open_memstream(&text, &size);
	if (!term.out)
		return err_set(err, ENOMEM, "comparison");
	compare_term_columns(&term, all);
	compare_term_verdicts(&term, all);
	for (size_t h = 0; h < all->n_hypotheses; h++)
		put_measured(&term, all, &all->hypotheses[h]);
	put_legend(&term, all);
	if (fclose(term.out))
		term.result = -ENOMEM;
	if (term.result)
		err_set(err, -term.result, "comparison");
	else if (fwrite(text, 1, size, out) != size || fflush(out))
		term.result = err_set(err, errno, "write comparison");
	free(text);
	return term.result;
}
