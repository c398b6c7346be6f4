// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_words.h"
#include "term.h"
#include "text.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put_column(struct term *term, const struct comparison *all, size_t c)
{
	char name[2] = { compare_letter(c), '\0' };

	term_words(term, name, 0, compare_column_text(all, c));
	term_words(term, "", 0, compare_apart_text(all, c));
}

/* What may explain a difference between A and those that are compared with it. */
static void put_columns(struct term *term, const struct comparison *all)
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

static void put_verdicts(struct term *term, const struct comparison *all)
{
	struct table_column columns[COMPARE_MAX + 2] = { { "hypothesis", TABLE_LEFT } };
	char names[COMPARE_MAX][2];
	struct table *table;

	for (size_t c = 0; c < all->n_columns; c++) {
		names[c][0] = compare_letter(c);
		names[c][1] = '\0';
		columns[c + 1] = (struct table_column){ names[c], TABLE_LEFT };
	}
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
	char *emulated = compare_emulated_text(all);

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

static void put_all_series(struct term *term, const struct comparison *all)
{
	for (size_t s = 0, end; s < all->n_series; s = end) {
		end = compare_table_end(all, s);
		for (size_t r = 1; r < all->n_columns; r++)
			put_series(term, all, s, end, r);
	}
}

/* The last lines: what it comes to. */
static void put_conclusion(struct term *term, const struct comparison *all)
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
	if (term->report->emulated)
		text_wrap(term->out, "All figures describe emulated machines, not silicon.", 0, 0,
			  term->options.width);
	put_conclusion(term, all);
}

/* Put together in memory; then it goes out as a whole. */
int compare_term(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err)
{
	const struct report first = { .emulated = compare_all_emulated(all) };
	char *text = NULL;
	struct term term = { .report = &first, .options = request->shown, .text = &text };
	size_t size;

	term.out = open_memstream(&text, &size);
	if (!term.out)
		return err_set(err, ENOMEM, "comparison");
	put_columns(&term, all);
	put_verdicts(&term, all);
	put_all_series(&term, all);
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
