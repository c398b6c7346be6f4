// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "term.h"
#include "text.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reports go by letters: a path may be long, and is said once. */
static char letter(size_t report)
{
	return (char)('A' + report);
}

static char *value_text(const json_t *value)
{
	if (!value)
		return strdup("unknown");
	if (json_is_string(value))
		return text_escape(json_string_value(value), (size_t)-1);
	return json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
}

static void put_difference(struct term *term, const struct comparison *all, size_t column,
			   const struct compare_circumstance *circumstance)
{
	char *before, *now;
	char line[512];

	if (compare_same(all, column, circumstance))
		return;
	before = value_text(compare_value(all, 0, circumstance));
	now = value_text(compare_value(all, column, circumstance));
	if (before && now) {
		snprintf(line, sizeof(line), "%s: %.60s, in %c %.60s", circumstance->what, before,
			 letter(column), now);
		term_line(term, "differs", line);
	} else {
		term->result = -ENOMEM;
	}
	free(before);
	free(now);
}

static void put_column(struct term *term, const struct comparison *all, size_t c)
{
	const struct compare_column *column = &all->column[c];
	char name[2] = { letter(c), '\0' };
	char line[512];

	if (all->grouped)
		snprintf(line, sizeof(line), "%.400s, %zu report%s", column->name, column->reports,
			 column->reports == 1 ? "" : "s");
	term_line(term, name, all->grouped ? line : column->name);
	if (!c || !column->apart)
		return;
	snprintf(line, sizeof(line), "%s shown beside A, not compared with it: %s", name,
		 column->apart);
	term_line(term, "", line);
}

/* What may explain a difference between A and those that are compared with it. */
static void put_columns(struct term *term, const struct comparison *all)
{
	for (size_t c = 0; c < all->n_columns; c++)
		put_column(term, all, c);
	for (size_t c = 1; c < all->n_columns; c++) {
		if (all->column[c].apart)
			continue;
		for (const struct compare_circumstance *i = compare_circumstances; i->object; i++)
			put_difference(term, all, c, i);
	}
}

/* A verdict, and of a group how many of those that ran have it. */
static void put_verdict(struct table *table, const struct comparison *all,
			const struct compare_hypothesis *hypothesis, size_t column)
{
	enum verdict verdict = compare_verdict(hypothesis, column);
	size_t ran = 0;

	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		ran += v == VERDICT_NOTRUN ? 0 : hypothesis->count[column][v];
	if (all->grouped && ran)
		table_cell(table, column + 1, term_style(verdict), "%s %zu/%zu",
			   verdict_name(verdict), hypothesis->count[column][verdict], ran);
	else
		table_cell(table, column + 1, term_style(verdict), "%s", verdict_name(verdict));
}

/* What became of a hypothesis: a new failure, or that those that ran it differ. */
static void put_outcome(struct table *table, const struct comparison *all,
			const struct compare_hypothesis *hypothesis)
{
	enum verdict first = VERDICT_NOTRUN;
	char fails[COMPARE_MAX + 1];
	bool differs = false;
	size_t n = 0;

	for (size_t c = 0; c < all->n_columns; c++) {
		enum verdict verdict = compare_verdict(hypothesis, c);

		if (compare_new_fail(all, hypothesis, c))
			fails[n++] = letter(c);
		if (verdict == VERDICT_NOTRUN)
			continue;
		differs |= first != VERDICT_NOTRUN && verdict != first;
		first = verdict;
	}
	fails[n] = '\0';
	if (n)
		table_cell(table, all->n_columns + 1, TABLE_BAD, "new fail: %s", fails);
	else if (differs)
		table_cell(table, all->n_columns + 1, TABLE_BOLD, "differs");
}

static void put_verdicts(struct term *term, const struct comparison *all)
{
	struct table_column columns[COMPARE_MAX + 2] = { { "hypothesis", TABLE_LEFT } };
	char names[COMPARE_MAX][2];
	struct table *table;

	for (size_t c = 0; c < all->n_columns; c++) {
		names[c][0] = letter(c);
		names[c][1] = '\0';
		columns[c + 1] = (struct table_column){ names[c], TABLE_LEFT };
	}
	columns[all->n_columns + 1] = (struct table_column){ "", TABLE_LEFT };
	table = table_new(columns, all->n_columns + 2, 1);
	for (size_t h = 0; h < all->n_hypotheses; h++) {
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", all->hypotheses[h].name);
		for (size_t c = 0; c < all->n_columns; c++)
			put_verdict(table, all, &all->hypotheses[h], c);
		put_outcome(table, all, &all->hypotheses[h]);
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
static void put_change(struct table *table, size_t column, const struct compare_change *change)
{
	if (isnan(change->p))
		return;
	if (!compare_significant(change)) {
		table_cell(table, column, TABLE_PLAIN, "~");
	} else if (!isnan(change->percent)) {
		table_cell(table, column, TABLE_BOLD, "%+.1f %%", change->percent);
		if (!isnan(change->low) && !isnan(change->high))
			table_cell(table, column + 1, TABLE_PLAIN, "%+.1f to %+.1f %%", change->low,
				   change->high);
	}
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
	snprintf(headings[1], sizeof(headings[1]), "median %c", letter(r));
	return table_new(columns, all->column[r].apart ? 5 : COUNT(columns), 1);
}

static bool same_table(const struct compare_series *a, const struct compare_series *b)
{
	return !strcmp(a->hypothesis, b->hypothesis) && !strcmp(a->table, b->table) &&
	       !strcmp(a->name, b->name);
}

/* All series of one table, from `first` on; they need not follow each other. */
static void put_series(struct term *term, const struct comparison *all, size_t first, size_t r)
{
	const struct compare_series *head = &all->series[first];
	char headings[2][16];
	struct table *table = new_table(all, r, headings);

	for (size_t s = first; s < all->n_series; s++) {
		const struct compare_series *series = &all->series[s];

		if (!same_table(series, head) || (!series->side[0].n && !series->side[r].n))
			continue;
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", *series->row ? series->row : series->name);
		put_side(table, 1, &series->side[0], series->unit);
		put_side(table, 3, &series->side[r], series->unit);
		if (!all->column[r].apart)
			put_change(table, 5, &series->change[r]);
	}
	term_caption(term, "%s, %s (%s): A and %c", head->hypothesis, head->table, head->name,
		     letter(r));
	term_table(term, table);
}

static void put_all_series(struct term *term, const struct comparison *all)
{
	for (size_t s = 0; s < all->n_series; s++) {
		bool shown = false;

		for (size_t before = 0; before < s && !shown; before++)
			shown = same_table(&all->series[before], &all->series[s]);
		for (size_t r = 1; !shown && r < all->n_columns; r++)
			put_series(term, all, s, r);
	}
}

static void put_legend(struct term *term, const struct comparison *all)
{
	fputc('\n', term->out);
	if (all->n_series && all->grouped)
		text_wrap(term->out,
			  "Each report of a group adds one value, the median of its samples; what "
			  "differs is said of their first ones.",
			  0, 0, term->options.width);
	if (all->n_series)
		text_wrap(term->out,
			  "change: of the median; ~: may be chance (p not below 0.05, "
			  "Mann-Whitney, corrected for the number of comparisons after Holm) or is "
			  "not above the resolution of the clock.",
			  0, 0, term->options.width);
	if (term->report->emulated)
		text_wrap(term->out, "A describes an emulated machine, not silicon.", 0, 0,
			  term->options.width);
}

/* Put together in memory; then it goes out as a whole. */
int compare_term(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err)
{
	const struct report first = {
		.emulated = json_is_true(json_object_get(all->column[0].machine, "emulated")),
	};
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
