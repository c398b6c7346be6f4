// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "known.h"
#include "term.h"
#include "text.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reports go by letters: a path may be long, and is said once. */
static char letter(size_t report)
{
	return (char)('A' + report);
}

/* What about two machines may explain a difference, though they can be compared. */
static const struct {
	const char *object, *key, *what;
} may_explain[] = {
	{ "kernel", "release", "kernel" },
	{ "cpu", "microcode", "microcode" },
	{ "cpu", "online", "CPUs online" },
	{ "cpufreq", "kinds", "frequency scaling" },
	{ "watchdog", "nmi_watchdog", "NMI watchdog" },
	{ "idle", "driver", "idle driver" },
	{ "lab", "variant", "kernel variant" },
	{ "lab", "faults", "faults" },
};

static char *value_text(const json_t *value)
{
	if (!value)
		return strdup("unknown");
	if (json_is_string(value))
		return text_escape(json_string_value(value), (size_t)-1);
	return json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
}

static void put_difference(struct term *term, const struct comparison *all, size_t report, size_t i)
{
	const json_t *side[2];
	char *text[2];
	char line[512];

	for (int s = 0; s < 2; s++)
		side[s] = json_object_get(json_object_get(all->reports[s ? report : 0].machine,
							  may_explain[i].object),
					  may_explain[i].key);
	if (!side[0] == !side[1] && (!side[0] || json_equal(side[0], side[1])))
		return;
	for (int s = 0; s < 2; s++)
		text[s] = value_text(side[s]);
	if (text[0] && text[1]) {
		snprintf(line, sizeof(line), "%s: %s, in %c %s", may_explain[i].what, text[0],
			 letter(report), text[1]);
		term_line(term, "differs", line);
	} else {
		term->result = -ENOMEM;
	}
	free(text[0]);
	free(text[1]);
}

static void put_reports(struct term *term, const struct comparison *all, char *const *paths)
{
	for (size_t r = 0; r < all->n_reports; r++) {
		char name[2] = { letter(r), '\0' };
		char line[256];

		term_line(term, name, paths[r]);
		if (!all->apart[r])
			continue;
		snprintf(line, sizeof(line), "%s shown beside A, not compared with it: %s", name,
			 all->apart[r]);
		term_line(term, "", line);
	}
	for (size_t r = 1; r < all->n_reports; r++)
		for (size_t i = 0; i < COUNT(may_explain); i++)
			put_difference(term, all, r, i);
}

/* Verdict of a hypothesis in a report; VERDICT_NOTRUN when that knows nothing of it. */
static enum verdict verdict_in(const struct report *report, const char *name)
{
	for (size_t t = 0; t < report->n_tests; t++)
		if (!strcmp(report->tests[t].name, name))
			return report_test_verdict(&report->tests[t]);
	return VERDICT_NOTRUN;
}

/* "differs" where both ran: a hypothesis that only one of them has says nothing. */
static void put_verdict_row(struct table *table, const struct comparison *all, const char *name)
{
	enum verdict first = VERDICT_NOTRUN;
	bool differs = false;

	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "%s", name);
	for (size_t r = 0; r < all->n_reports; r++) {
		enum verdict verdict = verdict_in(&all->reports[r], name);

		table_cell(table, r + 1, term_style(verdict), "%s", verdict_name(verdict));
		if (verdict == VERDICT_NOTRUN)
			continue;
		differs |= first != VERDICT_NOTRUN && verdict != first;
		first = verdict;
	}
	table_cell(table, all->n_reports + 1, TABLE_BOLD, "%s", differs ? "differs" : "");
}

static void put_verdicts(struct term *term, const struct comparison *all)
{
	struct table_column columns[COMPARE_MAX + 2] = { { "hypothesis", TABLE_LEFT } };
	char names[COMPARE_MAX][2];
	struct table *table;

	for (size_t r = 0; r < all->n_reports; r++) {
		names[r][0] = letter(r);
		names[r][1] = '\0';
		columns[r + 1] = (struct table_column){ names[r], TABLE_LEFT };
	}
	columns[all->n_reports + 1] = (struct table_column){ "", TABLE_LEFT };
	table = table_new(columns, all->n_reports + 2, 1);
	/* Those of the baseline, then those that only others have. */
	for (size_t r = 0; r < all->n_reports; r++) {
		for (size_t t = 0; t < all->reports[r].n_tests; t++) {
			const char *name = all->reports[r].tests[t].name;
			bool seen = false;

			for (size_t before = 0; before < r; before++)
				seen |= verdict_in(&all->reports[before], name) != VERDICT_NOTRUN;
			if (!seen)
				put_verdict_row(table, all, name);
		}
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

/* The baseline and report r. */
static struct table *new_table(size_t r, bool apart, char headings[2][16])
{
	const struct table_column columns[] = {
		{ "", TABLE_LEFT },
		{ "n", TABLE_RIGHT },
		{ headings[0], TABLE_RIGHT },
		{ "n", TABLE_RIGHT },
		{ headings[1], TABLE_RIGHT },
		{ "change", TABLE_RIGHT },
		{ "95 % interval", TABLE_RIGHT },
		{ "p", TABLE_RIGHT },
	};

	snprintf(headings[0], sizeof(headings[0]), "median A");
	snprintf(headings[1], sizeof(headings[1]), "median %c", letter(r));
	return table_new(columns, apart ? 5 : COUNT(columns), 1);
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
	struct table *table = new_table(r, all->apart[r], headings);

	for (size_t s = first; s < all->n_series; s++) {
		const struct compare_series *series = &all->series[s];

		if (!same_table(series, head) || (!series->side[0].n && !series->side[r].n))
			continue;
		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", *series->row ? series->row : series->name);
		put_side(table, 1, &series->side[0], series->unit);
		put_side(table, 3, &series->side[r], series->unit);
		if (!all->apart[r])
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
		for (size_t r = 1; !shown && r < all->n_reports; r++)
			put_series(term, all, s, r);
	}
}

static void put_legend(struct term *term, const struct comparison *all)
{
	fputc('\n', term->out);
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
static int write_comparison(FILE *out, const struct comparison *all, char *const *paths,
			    const struct report_options *options, struct err *err)
{
	char *text = NULL;
	struct term term = { .report = &all->reports[0], .options = *options, .text = &text };
	size_t size;

	term.out = open_memstream(&text, &size);
	if (!term.out)
		return err_set(err, ENOMEM, "comparison");
	put_reports(&term, all, paths);
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

int compare_term(FILE *out, char *const *paths, size_t n, const struct report_options *options,
		 struct err *err)
{
	struct report *reports = calloc(n, sizeof(*reports));
	struct comparison all;
	size_t read = 0;
	int result = 0;

	if (!reports)
		return err_set(err, ENOMEM, "comparison");
	while (!result && read < n) {
		result = known_report(&reports[read], paths[read], options->known, err);
		read += !result;
	}
	if (!result) {
		result = comparison_make(&all, reports, n);
		if (result)
			err_set(err, -result, "comparison");
	}
	if (!result) {
		result = write_comparison(out, &all, paths, options, err);
		comparison_free(&all);
	}
	for (size_t r = 0; r < read; r++)
		report_free(&reports[r]);
	free(reports);
	return result;
}
