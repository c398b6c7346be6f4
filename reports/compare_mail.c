// SPDX-License-Identifier: GPL-2.0-or-later
/* A comparison as plain text for a mail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_term.h"
#include "compare_words.h"
#include "mail_series.h"
#include "text.h"
#include "words.h"

#define FIGURES_MAX 20 /* of a hypothesis: a mail is to be read */

/*
 * What A was measured on, and whoever is not compared with it: of the others it would be said
 * again, but for what was said to differ.
 */
static void put_machines(struct term *term, const struct comparison *all)
{
	for (size_t c = 0; c < all->n_columns; c++) {
		const struct compare_column *column = &all->column[c];
		const struct report report = {
			.run = column->run,
			.machine = column->machine,
			.emulated = compare_emulated(all, c),
		};
		struct term one = *term;

		if (c && !column->apart)
			continue;
		one.report = &report;
		fprintf(term->out, "\n%c: ", compare_letter(c));
		if (column->run) {
			term_run(&one);
		} else {
			fputs("machine\n", term->out);
			term_machine(&one);
		}
		if (one.result)
			term->result = one.result;
	}
}

/* "table, row: name: A 3, B 0" */
static void put_figure(struct mail_series *series, const struct compare_series *figure)
{
	char value[48], *name = compare_figure_name(figure), *text = NULL;
	const char *before = ": ";
	struct words words;

	if (name && words_begin(&words)) {
		fputs(name, words.out);
		for (size_t c = 0; c < series->all->n_columns; c++) {
			if (!figure->side[c].n)
				continue;
			fprintf(words.out, "%s%s %s", before, series->names[c],
				compare_figure_text(figure, c, value, sizeof(value)));
			before = ", ";
		}
		text = words_finish(&words, 0);
	}
	if (text) {
		fputs("  ", series->out);
		text_wrap(series->out, text, 2, 4, MAIL_WIDTH);
	} else {
		series->result = -ENOMEM;
	}
	free(text);
	free(name);
}

/* Single figures that are not alike. */
static void put_figures(struct mail_series *series, const struct compare_hypothesis *of, size_t n)
{
	size_t shown = 0;

	if (n)
		fputs("\n  single figures that differ\n", series->out);
	for (size_t f = of->figures.first; f < of->figures.end && shown < FIGURES_MAX; f++)
		if (compare_figure_differs(series->all, &series->all->figures[f])) {
			put_figure(series, &series->all->figures[f]);
			shown++;
		}
	if (n > shown)
		fprintf(series->out, "  and %zu more\n", n - shown);
}

static void put_measured(struct mail_series *series, const struct compare_hypothesis *of)
{
	size_t differing = compare_differing(series->all, of);

	if (of->series.first == of->series.end && !differing)
		return;
	putc('\n', series->out);
	text_put(series->out, of->name, (size_t)-1);
	putc('\n', series->out);
	for (size_t s = of->series.first, end; s < of->series.end; s = end) {
		end = compare_table_end(series->all, s);
		mail_series(series, s, end);
	}
	put_figures(series, of, differing);
}

static void put_mail(struct term *term, const struct comparison *all)
{
	char letters[COMPARE_MAX][2];
	const char *names[COMPARE_MAX];
	struct mail_series series = { .out = term->out, .all = all, .names = names };

	for (size_t c = 0; c < all->n_columns; c++) {
		letters[c][0] = compare_letter(c);
		letters[c][1] = '\0';
		names[c] = letters[c];
	}
	compare_term_columns(term, all);
	put_machines(term, all);
	compare_term_verdicts(term, all);
	putc('\n', term->out);
	compare_term_conclusion(term, all);
	for (size_t h = 0; h < all->n_hypotheses; h++)
		put_measured(&series, &all->hypotheses[h]);
	if (all->grouped && all->n_series)
		mail_remark(term->out,
			    "n: reports of a group; each adds one value, the median of its "
			    "samples.");
	mail_series_remarks(&series);
	if (compare_all_emulated(all))
		mail_remark(term->out, "All figures describe emulated machines, not silicon.");
	if (series.result)
		term->result = series.result;
}

int compare_mail(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err)
{
	const struct report none = { 0 };
	char *text = NULL;
	struct term term = {
		.report = &none,
		.options.width = MAIL_WIDTH,
		.text = &text,
		.out = out,
	};

	(void)request;
	put_mail(&term, all);
	return term.result ? err_set(err, -term.result, "comparison") : 0;
}
