// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "unit.h"
#include "words.h"

#define VALUE_MAX 60 /* characters of a circumstance that are shown in a sentence */

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

/* How much two long texts have in common before they differ: up to a blank, if it is worth it. */
static size_t common(const char *a, const char *b)
{
	size_t same = 0, word = 0;

	for (; a[same] && a[same] == b[same]; same++)
		if (a[same] == ' ')
			word = same + 1;
	return strlen(a) > VALUE_MAX || strlen(b) > VALUE_MAX ? word : 0;
}

char *compare_difference(const struct comparison *all, size_t column,
			 const struct compare_circumstance *circumstance)
{
	char *before, *now, *text = NULL;

	if (compare_same(all, column, circumstance))
		return strdup("");
	before = compare_value_text(all, 0, circumstance);
	now = compare_value_text(all, column, circumstance);
	if (before && now) {
		size_t skip = common(before, now);
		const char *dots = skip ? "..." : "";

		if (asprintf(&text, "%s: %s%.*s, in %c %s%.*s", circumstance->what, dots, VALUE_MAX,
			     before + skip, compare_letter(column), dots, VALUE_MAX,
			     now + skip) < 0)
			text = NULL;
	}
	free(before);
	free(now);
	return text;
}

char *compare_emulated_text(const struct comparison *all, size_t first, size_t end,
			    const char *const *names)
{
	const char *before = ": ";
	bool every = true, any = false;
	struct words words;

	if (!words_begin(&words))
		return NULL;
	for (size_t c = 0; c < all->n_columns; c++) {
		bool there = compare_has(all, first, end, c);

		every &= !there || compare_emulated(all, c);
		any |= there && compare_emulated(all, c);
	}
	fputs(any ? " (emulated" : "", words.out);
	for (size_t c = 0; any && !every && c < all->n_columns; c++) {
		char letter[2] = { compare_letter(c), '\0' };

		if (!compare_emulated(all, c) || !compare_has(all, first, end, c))
			continue;
		fprintf(words.out, "%s%s", before, names ? names[c] : letter);
		before = ", ";
	}
	fputs(any ? ")" : "", words.out);
	return words_finish(&words, 0);
}

char *compare_caption(const struct comparison *all, size_t first, size_t end,
		      const struct scale *scale, const char *const *names)
{
	const struct compare_series *s = &all->series[first];
	char *emulated = compare_emulated_text(all, first, end, names);
	bool has_unit = strcmp(scale->unit, "1") != 0 && *scale->unit;
	char clock[64] = "", step[48];
	double resolution = 0;
	char *text = NULL;

	for (size_t i = first; i < end; i++)
		for (size_t c = 0; c < all->n_columns; c++)
			resolution = fmax(resolution, all->series[i].side[c].resolution);
	if (resolution > 0)
		snprintf(clock, sizeof(clock), ", clock resolution %s",
			 unit_format(resolution, s->unit, step, sizeof(step)));
	if (!emulated ||
	    asprintf(&text, "%s, %s%s%s%s%s", s->table, s->name, has_unit ? ", in " : "",
		     has_unit ? scale->unit : "", clock, emulated) < 0)
		text = NULL;
	free(emulated);
	return text;
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

/* Does it pass here, and failed or hung in the baseline, with which it can be compared? */
static bool passes_now(const struct comparison *all, const struct compare_hypothesis *hypothesis,
		       size_t column)
{
	return column && !all->column[column].apart &&
	       compare_verdict(hypothesis, 0) <= VERDICT_FAIL &&
	       compare_verdict(hypothesis, column) == VERDICT_PASS;
}

char *compare_outcome_text(const struct comparison *all,
			   const struct compare_hypothesis *hypothesis)
{
	char fails[COMPARE_MAX + 1] = "", passes[COMPARE_MAX + 1] = "";
	size_t n_fails = 0, n_passes = 0;
	char *text;

	for (size_t c = 0; c < all->n_columns; c++)
		if (compare_new_fail(all, hypothesis, c))
			fails[n_fails++] = compare_letter(c);
		else if (passes_now(all, hypothesis, c))
			passes[n_passes++] = compare_letter(c);
	if (n_fails || n_passes)
		return asprintf(&text, "%s: %s", n_fails ? "new fail" : "passes now",
				n_fails ? fails : passes) < 0
			       ? NULL
			       : text;
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

char *compare_figure_name(const struct compare_series *figure)
{
	char *text;

	return asprintf(&text, "%s%s%s: %s", figure->table, *figure->row ? ", " : "", figure->row,
			figure->name) < 0
		       ? NULL
		       : text;
}

const char *compare_figure_text(const struct compare_series *figure, size_t column, char *text,
				size_t size)
{
	const struct compare_side *side = &figure->side[column];

	return unit_format(side->n ? side->median : NAN, figure->unit, text, size);
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

static void put_count(FILE *out, size_t n, const char *one, const char *more, const char **before)
{
	if (!n)
		return;
	fprintf(out, "%s%zu %s", *before, n, n == 1 ? one : more);
	*before = ", ";
}

static void put_changes(FILE *out, const struct comparison *all)
{
	size_t compared = 0, significant = 0, grew = 0, regressed = 0, fell = 0;
	const char *before = ": ";

	for (size_t s = 0; s < all->n_series; s++)
		for (size_t c = 1; c < all->n_columns; c++) {
			const struct compare_series *series = &all->series[s];

			compared += !isnan(series->change[c].p);
			significant += compare_significant(&series->change[c]);
			grew += compare_regressed(series, c, 0);
			regressed += compare_regressed(series, c, all->threshold);
			fell += compare_improved(series, c);
		}
	if (!compared) {
		fputs("No series of samples was compared.", out);
		return;
	}
	fprintf(out, "Of %zu comparison%s of samples %zu differ%s significantly", compared,
		compared == 1 ? "" : "s", significant, significant == 1 ? "s" : "");
	put_count(out, regressed, "regression", "regressions", &before);
	put_count(out, grew - regressed, "that grew by no more than the threshold",
		  "that grew by no more than the threshold", &before);
	put_count(out, fell, "improvement", "improvements", &before);
	put_count(out, significant - grew - fell, "that is neither", "that are neither", &before);
	putc('.', out);
}

char *compare_conclusion(const struct comparison *all)
{
	struct words words;
	size_t apart = 0;

	if (!words_begin(&words))
		return NULL;
	for (size_t c = 1; c < all->n_columns; c++)
		apart += all->column[c].apart != NULL;
	if (apart && apart + 1 == all->n_columns)
		fputs("Nothing here can be compared with A: all is shown side by side, and no "
		      "difference is called a regression. ",
		      words.out);
	put_hypotheses(words.out, all, COMPARE_NEW_FAIL, "Newly refuted: ");
	put_hypotheses(words.out, all, COMPARE_DIFFERS, "Other verdicts: ");
	put_changes(words.out, all);
	return words_finish(&words, 0);
}
