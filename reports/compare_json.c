// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison as one JSON document. Numbers that cannot be computed are left out; a column that a
 * series or hypothesis says nothing of is there as an empty object, so that positions agree.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "record.h"

#define COMPARE_JSON_VERSION 1

static json_t *make_column(const struct comparison *all, size_t column)
{
	const struct compare_column *from = &all->column[column];
	json_t *object = json_object();
	json_t *differs = json_array();

	record_set_text(object, "name", from->name, (size_t)-1);
	json_object_set_new(object, "reports", json_integer((json_int_t)from->reports));
	json_object_set_new(object, "emulated",
			    json_boolean(json_is_true(json_object_get(from->machine, "emulated"))));
	if (from->apart)
		json_object_set_new(object, "apart", json_string(from->apart));
	for (const struct compare_circumstance *i = compare_circumstances; i->path; i++)
		if (!compare_same(all, column, i))
			json_array_append_new(differs, json_string(i->what));
	json_object_set_new(object, "differs", differs);
	return object;
}

static json_t *make_counts(const size_t *count)
{
	json_t *counts = json_object();

	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		if (count[v])
			json_object_set_new(counts, verdict_name(v),
					    json_integer((json_int_t)count[v]));
	return counts;
}

static json_t *make_hypothesis(const struct comparison *all,
			       const struct compare_hypothesis *hypothesis)
{
	json_t *object = json_object();
	json_t *columns = json_array();

	record_set_text(object, "name", hypothesis->name, (size_t)-1);
	if (*hypothesis->claim)
		record_set_text(object, "claim", hypothesis->claim, (size_t)-1);
	for (size_t c = 0; c < all->n_columns; c++) {
		const char *verdict = verdict_name(compare_verdict(hypothesis, c));
		json_t *column = json_pack("{s:s, s:o, s:b}", "verdict", verdict, "counts",
					   make_counts(hypothesis->count[c]), "new_fail",
					   compare_new_fail(all, hypothesis, c));

		if (hypothesis->decided[c])
			record_set_text(column, "decided_by", hypothesis->decided[c], (size_t)-1);
		json_array_append_new(columns, column);
	}
	json_object_set_new(object, "columns", columns);
	return object;
}

static json_t *make_side(const struct compare_side *side)
{
	json_t *object = json_object();

	if (!side->n)
		return object;
	json_object_set_new(object, "n", json_integer((json_int_t)side->n));
	record_set_number(object, "median", side->median);
	record_set_number(object, "low", side->low);
	record_set_number(object, "high", side->high);
	record_set_number(object, "resolution", side->resolution);
	return object;
}

static void set_change(json_t *object, const struct compare_series *series, size_t column,
		       double threshold)
{
	const struct compare_change *change = &series->change[column];

	if (!column || isnan(change->p))
		return;
	record_set_number(object, "p", change->p);
	record_set_number(object, "change_percent", change->percent);
	record_set_number(object, "change_low", change->low);
	record_set_number(object, "change_high", change->high);
	json_object_set_new(object, "resolved", json_boolean(change->resolved));
	json_object_set_new(object, "significant", json_boolean(compare_significant(change)));
	if (compare_doubt(series, column) != COMPARE_SURE)
		json_object_set_new(object, "doubt",
				    json_string(compare_doubt_name(compare_doubt(series, column))));
	json_object_set_new(object, "regression",
			    json_boolean(compare_regressed(series, column, threshold)));
}

static json_t *make_names(const struct compare_series *series)
{
	json_t *object = json_object();

	record_set_text(object, "hypothesis", series->hypothesis, (size_t)-1);
	record_set_text(object, "table", series->table, (size_t)-1);
	record_set_text(object, "row", series->row, (size_t)-1);
	record_set_text(object, "name", series->name, (size_t)-1);
	record_set_text(object, "unit", series->unit, (size_t)-1);
	return object;
}

static json_t *make_series(const struct comparison *all, const struct compare_series *series,
			   double threshold)
{
	json_t *object = make_names(series);
	json_t *columns = json_array();

	for (size_t c = 0; c < all->n_columns; c++) {
		json_t *side = make_side(&series->side[c]);

		set_change(side, series, c, threshold);
		json_array_append_new(columns, side);
	}
	json_object_set_new(object, "columns", columns);
	return object;
}

static json_t *make_figure(const struct comparison *all, const struct compare_series *figure)
{
	json_t *object = make_names(figure);
	json_t *columns = json_array();

	for (size_t c = 0; c < all->n_columns; c++) {
		const struct compare_side *side = &figure->side[c];
		json_t *column = json_object();

		if (side->n) {
			json_object_set_new(column, "n", json_integer((json_int_t)side->n));
			record_set_number(column, "median", side->median);
			record_set_number(column, "least",
					  distribution_quantile(&side->samples, 0));
			record_set_number(column, "greatest",
					  distribution_quantile(&side->samples, 1));
		}
		json_array_append_new(columns, column);
	}
	json_object_set_new(object, "columns", columns);
	return object;
}

static json_t *make_document(const struct comparison *all, double threshold)
{
	json_t *document = json_object();
	json_t *columns = json_array(), *hypotheses = json_array();
	json_t *series = json_array(), *figures = json_array();

	json_object_set_new(document, "format", json_string("pmiproof-comparison"));
	json_object_set_new(document, "version", json_integer(COMPARE_JSON_VERSION));
	json_object_set_new(document, "grouped", json_boolean(all->grouped));
	record_set_number(document, "threshold_percent", threshold);
	record_set_number(document, "significance", COMPARE_P);
	for (size_t c = 0; c < all->n_columns; c++)
		json_array_append_new(columns, make_column(all, c));
	for (size_t h = 0; h < all->n_hypotheses; h++)
		json_array_append_new(hypotheses, make_hypothesis(all, &all->hypotheses[h]));
	for (size_t s = 0; s < all->n_series; s++)
		json_array_append_new(series, make_series(all, &all->series[s], threshold));
	for (size_t f = 0; f < all->n_figures; f++)
		json_array_append_new(figures, make_figure(all, &all->figures[f]));
	json_object_set_new(document, "columns", columns);
	json_object_set_new(document, "hypotheses", hypotheses);
	json_object_set_new(document, "series", series);
	json_object_set_new(document, "figures", figures);
	return document;
}

int compare_json(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err)
{
	json_t *document = make_document(all, request->threshold);
	/* In ASCII what reorders or hides text on a terminal is written as what it is. */
	char *text =
		json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
	int result = 0;

	json_decref(document);
	if (!text)
		return err_set(err, ENOMEM, "comparison");
	if (fputs(text, out) < 0 || putc('\n', out) < 0 || fflush(out))
		result = err_set(err, errno, "write comparison");
	free(text);
	return result;
}
