// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

/* New text from a stream that was written to memory. */
static char *finish(FILE *out, char **text)
{
	bool failed = ferror(out);

	if (!fclose(out) && !failed)
		return *text;
	free(*text);
	return NULL;
}

char compare_letter(size_t column)
{
	return (char)('A' + column);
}

char *compare_column_text(const struct comparison *all, size_t column)
{
	const struct compare_column *c = &all->column[column];
	char *text;

	if (!all->grouped)
		return strdup(c->name);
	return asprintf(&text, "%s, %zu report%s", c->name, c->reports,
			c->reports == 1 ? "" : "s") < 0
		       ? NULL
		       : text;
}

char *compare_apart_text(const struct comparison *all, size_t column)
{
	char *text;

	if (!column || !all->column[column].apart)
		return strdup("");
	return asprintf(&text, "%c shown beside A, not compared with it: %s",
			compare_letter(column), all->column[column].apart) < 0
		       ? NULL
		       : text;
}

char *compare_value_text(const struct comparison *all, size_t column,
			 const struct compare_circumstance *circumstance)
{
	json_t *value = compare_value(all->column[column].machine, circumstance);
	char *text;

	if (compare_mixed(all, column, circumstance))
		text = strdup("several");
	else if (!value)
		text = strdup("unknown");
	else if (facts_empty(value))
		text = strdup("none");
	else
		text = facts_text(value);
	json_decref(value);
	return text;
}

char *compare_difference(const struct comparison *all, size_t column,
			 const struct compare_circumstance *circumstance)
{
	char *before, *now, *text = NULL;

	if (compare_same(all, column, circumstance))
		return strdup("");
	before = compare_value_text(all, 0, circumstance);
	now = compare_value_text(all, column, circumstance);
	if (before && now &&
	    asprintf(&text, "%s: %.60s, in %c %.60s", circumstance->what, before,
		     compare_letter(column), now) < 0)
		text = NULL;
	free(before);
	free(now);
	return text;
}

bool compare_all_emulated(const struct comparison *all)
{
	for (size_t c = 0; c < all->n_columns; c++)
		if (!compare_emulated(all, c))
			return false;
	return true;
}

char *compare_emulated_text(const struct comparison *all)
{
	const char *before = " (emulated: ";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t c = 0; c < all->n_columns && !compare_all_emulated(all); c++) {
		if (!compare_emulated(all, c))
			continue;
		fprintf(out, "%s%c", before, compare_letter(c));
		before = ", ";
	}
	if (*before == ',')
		putc(')', out);
	return finish(out, &text);
}

char *compare_verdict_text(const struct comparison *all,
			   const struct compare_hypothesis *hypothesis, size_t column)
{
	enum verdict verdict = compare_verdict(hypothesis, column);
	size_t ran = 0;
	char *text;

	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		ran += v == VERDICT_NOTRUN ? 0 : hypothesis->count[column][v];
	if (!all->grouped || !ran)
		return strdup(verdict_name(verdict));
	return asprintf(&text, "%s %zu/%zu", verdict_name(verdict),
			hypothesis->count[column][verdict], ran) < 0
		       ? NULL
		       : text;
}

enum compare_outcome compare_outcome(const struct comparison *all,
				     const struct compare_hypothesis *hypothesis)
{
	enum compare_outcome outcome = COMPARE_SAME;
	enum verdict first = VERDICT_NOTRUN;

	for (size_t c = 0; c < all->n_columns; c++) {
		enum verdict verdict = compare_verdict(hypothesis, c);

		if (compare_new_fail(all, hypothesis, c))
			return COMPARE_NEW_FAIL;
		if (verdict == VERDICT_NOTRUN)
			continue;
		if (first != VERDICT_NOTRUN && verdict != first)
			outcome = COMPARE_DIFFERS;
		first = verdict;
	}
	return outcome;
}

char *compare_outcome_text(const struct comparison *all,
			   const struct compare_hypothesis *hypothesis)
{
	char fails[COMPARE_MAX + 1];
	char *text;
	size_t n = 0;

	for (size_t c = 0; c < all->n_columns; c++)
		if (compare_new_fail(all, hypothesis, c))
			fails[n++] = compare_letter(c);
	fails[n] = '\0';
	if (n)
		return asprintf(&text, "new fail: %s", fails) < 0 ? NULL : text;
	return strdup(compare_outcome(all, hypothesis) == COMPARE_DIFFERS ? "differs" : "");
}

const char *compare_change_text(const struct compare_series *series, size_t column, char *text,
				size_t size)
{
	const struct compare_change *change = &series->change[column];

	if (!column || isnan(change->p))
		snprintf(text, size, "%s", "");
	else if (!compare_significant(change))
		snprintf(text, size, "~");
	else if (isinf(change->percent))
		snprintf(text, size, "from 0");
	else if (isnan(change->percent))
		snprintf(text, size, "changed");
	else
		snprintf(text, size, "%+.1f %%", change->percent);
	return text;
}

/* The hypotheses that newly fail, or else differ, by name. */
static void put_hypotheses(FILE *out, const struct comparison *all, enum compare_outcome outcome,
			   const char *before)
{
	bool any = false;

	for (size_t h = 0; h < all->n_hypotheses; h++) {
		if (compare_outcome(all, &all->hypotheses[h]) != outcome)
			continue;
		fprintf(out, "%s%s", any ? ", " : before, all->hypotheses[h].name);
		any = true;
	}
	if (any)
		fputs(". ", out);
}

static void put_changes(FILE *out, const struct comparison *all)
{
	size_t compared = 0, significant = 0, grew = 0, fell = 0;

	for (size_t s = 0; s < all->n_series; s++)
		for (size_t c = 1; c < all->n_columns; c++) {
			const struct compare_series *series = &all->series[s];

			compared += !isnan(series->change[c].p);
			significant += compare_significant(&series->change[c]);
			grew += compare_regressed(series, c, 0);
			fell += compare_improved(series, c);
		}
	if (!compared) {
		fputs("No series of samples was compared.", out);
		return;
	}
	fprintf(out, "Of %zu comparison%s of samples %zu differ%s significantly", compared,
		compared == 1 ? "" : "s", significant, significant == 1 ? "s" : "");
	if (significant)
		fprintf(out, ": %zu time%s longer, %zu shorter, %zu of what has no better or worse",
			grew, grew == 1 ? "" : "s", fell, significant - grew - fell);
	putc('.', out);
}

char *compare_conclusion(const struct comparison *all)
{
	char *text = NULL;
	size_t size, apart = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t c = 1; c < all->n_columns; c++)
		apart += all->column[c].apart != NULL;
	if (apart && apart + 1 == all->n_columns)
		fputs("Nothing here can be compared with A: all is shown side by side, and no "
		      "difference is called a regression. ",
		      out);
	put_hypotheses(out, all, COMPARE_NEW_FAIL, "Newly refuted: ");
	put_hypotheses(out, all, COMPARE_DIFFERS, "Other verdicts: ");
	put_changes(out, all);
	return finish(out, &text);
}
