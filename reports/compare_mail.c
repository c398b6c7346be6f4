// SPDX-License-Identifier: GPL-2.0-or-later
/* A comparison as plain text for a mail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_term.h"
#include "compare_words.h"
#include "mail_series.h"
#include "text.h"

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

static void put_series(struct mail_series *series)
{
	const struct comparison *all = series->all;

	for (size_t s = 0, end; s < all->n_series; s = end) {
		const char *hypothesis = all->series[s].hypothesis;

		if (!s || strcmp(hypothesis, all->series[s - 1].hypothesis) != 0) {
			putc('\n', series->out);
			text_put(series->out, hypothesis, (size_t)-1);
			putc('\n', series->out);
		}
		end = compare_table_end(all, s);
		mail_series(series, s, end);
	}
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
	put_series(&series);
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
