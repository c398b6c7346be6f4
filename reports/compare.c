// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "stats.h"
#include "term.h"

/* Of each median, so that both hold together with at least 95 %. */
#define SIDE_CONFIDENCE 0.975

/* Of one series: 800 MB. A report that claims more is damaged. */
#define SAMPLES_MAX 100000000

static struct compare_series *find(struct comparison *all, const struct report_test *test,
				   const json_t *measure)
{
	struct compare_series *series;

	for (size_t i = 0; i < all->n_series; i++) {
		series = &all->series[i];
		if (!strcmp(series->hypothesis, test->name) &&
		    !strcmp(series->table, record_text(measure, "table")) &&
		    !strcmp(series->row, record_text(measure, "row")) &&
		    !strcmp(series->name, record_text(measure, "name")) &&
		    !strcmp(series->unit, record_text(measure, "unit")))
			return series;
	}
	series = reallocarray(all->series, all->n_series + 1, sizeof(*series));
	if (!series)
		return NULL;
	all->series = series;
	series += all->n_series++;
	*series = (struct compare_series){
		.hypothesis = test->name,
		.table = record_text(measure, "table"),
		.row = record_text(measure, "row"),
		.name = record_text(measure, "name"),
		.unit = record_text(measure, "unit"),
	};
	return series;
}

/* How many samples a measure holds; -EBADMSG for a damaged or absurd histogram. */
static int count_samples(const json_t *measure, size_t *n)
{
	const json_t *histogram = json_object_get(measure, "histogram");
	json_t *entry;
	size_t i;

	*n = json_array_size(json_object_get(measure, "samples"));
	json_array_foreach((json_t *)histogram, i, entry)
	{
		json_int_t count = json_integer_value(json_array_get(entry, 1));

		if (!json_is_number(json_array_get(entry, 0)) || count < 1 ||
		    count > SAMPLES_MAX - (json_int_t)*n)
			return -EBADMSG;
		*n += (size_t)count;
	}
	return *n <= SAMPLES_MAX ? 0 : -EBADMSG;
}

static int add_samples(struct compare_side *side, const json_t *measure)
{
	json_t *entry;
	double *larger;
	size_t i, n;
	int result = count_samples(measure, &n);

	if (result || side->n + n > SAMPLES_MAX)
		return -EBADMSG;
	larger = reallocarray(side->sorted, side->n + n + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	side->sorted = larger;
	json_array_foreach(json_object_get(measure, "samples"), i, entry) side->sorted[side->n++] =
		json_number_value(entry);
	json_array_foreach(json_object_get(measure, "histogram"), i, entry)
	{
		double value = json_number_value(json_array_get(entry, 0));

		for (json_int_t k = json_integer_value(json_array_get(entry, 1)); k > 0; k--)
			side->sorted[side->n++] = value;
	}
	side->resolution =
		fmax(side->resolution, json_number_value(json_object_get(measure, "resolution")));
	return 0;
}

static int take_execution(struct comparison *all, size_t report, const struct report_test *test,
			  const struct report_execution *execution)
{
	json_t *measure;
	int result;
	size_t i;

	json_array_foreach(execution->measures, i, measure)
	{
		struct compare_series *series;

		if (!json_object_get(measure, "n")) /* a single figure */
			continue;
		series = find(all, test, measure);
		result = series ? add_samples(&series->side[report], measure) : -ENOMEM;
		if (result)
			return result;
	}
	return 0;
}

static int take_report(struct comparison *all, size_t report)
{
	int result = 0;

	for (size_t t = 0; !result && t < all->reports[report].n_tests; t++) {
		const struct report_test *test = &all->reports[report].tests[t];

		for (size_t e = 0; !result && e < test->n_executions; e++)
			result = take_execution(all, report, test, &test->executions[e]);
	}
	return result;
}

static void summarise(struct compare_side *side)
{
	if (!side->n)
		return;
	gsl_sort(side->sorted, 1, side->n);
	side->median = stats_quantile(side->sorted, side->n, 0.5);
	(void)stats_median_interval(side->sorted, side->n, SIDE_CONFIDENCE, &side->low,
				    &side->high);
}

static double percent(double value, double base)
{
	return base > 0 ? 100 * (value / base - 1) : NAN;
}

static struct compare_change change(const struct compare_side *base,
				    const struct compare_side *side)
{
	if (!base->n || !side->n)
		return (struct compare_change){ NAN, NAN, NAN, NAN, false };
	return (struct compare_change){
		.percent = percent(side->median, base->median),
		.low = percent(side->low, base->high),
		.high = percent(side->high, base->low),
		.p = stats_mann_whitney(base->sorted, base->n, side->sorted, side->n),
		.resolved = fabs(side->median - base->median) >
			    fmax(base->resolution, side->resolution),
	};
}

static int by_p(const void *a, const void *b)
{
	double left = (*(struct compare_change *const *)a)->p;
	double right = (*(struct compare_change *const *)b)->p;

	return (left > right) - (left < right);
}

/* Holm: the k-th smallest of n is multiplied by n - k + 1, and none is below one before it. */
static int correct(struct comparison *all)
{
	struct compare_change **made =
		calloc(all->n_series * all->n_reports + 1, sizeof(struct compare_change *));
	double before = 0;
	size_t n = 0;

	if (!made)
		return -ENOMEM;
	for (size_t s = 0; s < all->n_series; s++)
		for (size_t r = 1; r < all->n_reports; r++)
			if (!isnan(all->series[s].change[r].p))
				made[n++] = &all->series[s].change[r];
	qsort(made, n, sizeof(struct compare_change *), by_p);
	for (size_t k = 0; k < n; k++) {
		before = fmin(1, fmax(before, made[k]->p * (double)(n - k)));
		made[k]->p = before;
	}
	free(made);
	return 0;
}

/* What must be the same for a difference to be called a change. */
static const char *why_apart(const struct report *base, const struct report *other)
{
	static const struct {
		const char *object, *key, *reason;
	} same[] = {
		{ "cpu", "vendor", "another CPU model" },
		{ "cpu", "family", "another CPU model" },
		{ "cpu", "model", "another CPU model" },
		{ "lab", "cpu_model", "another CPU model" },
		{ "lab", "mode", "another mode of the lab" },
	};

	if (base->emulated != other->emulated)
		return "emulated against real";
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const json_t *a = json_object_get(base->machine, same[i].object);
		const json_t *b = json_object_get(other->machine, same[i].object);

		a = json_object_get(a, same[i].key);
		b = json_object_get(b, same[i].key);
		if (!a != !b || (a && !json_equal(a, b)))
			return same[i].reason;
	}
	return NULL;
}

bool compare_significant(const struct compare_change *change)
{
	return change->resolved && change->p < COMPARE_P;
}

int comparison_make(struct comparison *comparison, const struct report *reports, size_t n_reports)
{
	int result = 0;

	*comparison = (struct comparison){ .reports = reports, .n_reports = n_reports };
	for (size_t r = 0; !result && r < n_reports; r++) {
		comparison->apart[r] = why_apart(&reports[0], &reports[r]);
		result = take_report(comparison, r);
	}
	for (size_t s = 0; !result && s < comparison->n_series; s++) {
		struct compare_series *series = &comparison->series[s];

		for (size_t r = 0; r < n_reports; r++)
			summarise(&series->side[r]);
		for (size_t r = 1; r < n_reports; r++)
			series->change[r] = change(&series->side[0], &series->side[r]);
	}
	if (!result)
		result = correct(comparison);
	if (result)
		comparison_free(comparison);
	return result;
}

void comparison_free(struct comparison *comparison)
{
	for (size_t s = 0; s < comparison->n_series; s++)
		for (size_t r = 0; r < comparison->n_reports; r++)
			free(comparison->series[s].side[r].sorted);
	free(comparison->series);
	*comparison = (struct comparison){ 0 };
}
