// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

/* Of each median, so that both hold together with at least 95 %. */
#define SIDE_CONFIDENCE 0.975

/* A report has some hundreds. One that has more than this is damaged, or meant to harm. */
#define SERIES_MAX 100000

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct compare_circumstance compare_circumstances[] = {
	{ "kernel", "release", "kernel" },
	{ "kernel", "config", "kernel configuration" },
	{ "kernel", "cmdline", "kernel command line" },
	{ "cpu", "microcode", "microcode" },
	{ "cpu", "online", "CPUs online" },
	{ "cpufreq", "kinds", "frequency scaling" },
	{ "watchdog", "nmi_watchdog", "NMI watchdog" },
	{ "idle", "driver", "idle driver" },
	{ "idle", "governor", "idle governor" },
	{ "lab", "variant", "kernel variant" },
	{ "lab", "faults", "faults" },
	{ NULL },
};

const json_t *compare_value(const struct comparison *all, size_t column,
			    const struct compare_circumstance *circumstance)
{
	return json_object_get(json_object_get(all->column[column].machine, circumstance->object),
			       circumstance->key);
}

static bool same_value(const json_t *a, const json_t *b)
{
	return !a == !b && (!a || json_equal(a, b));
}

bool compare_same(const struct comparison *all, size_t column,
		  const struct compare_circumstance *circumstance)
{
	return same_value(compare_value(all, 0, circumstance),
			  compare_value(all, column, circumstance));
}

/* --- put together --- */

void comparison_begin(struct comparison *all, bool grouped)
{
	*all = (struct comparison){ .grouped = grouped };
}

int comparison_add_column(struct comparison *all, const char *name)
{
	struct compare_column *column = &all->column[all->n_columns];

	if (all->n_columns == COMPARE_MAX)
		return -E2BIG;
	column->name = strdup(name);
	return column->name ? (int)all->n_columns++ : -ENOMEM;
}

int comparison_find_column(struct comparison *all, const char *name)
{
	for (size_t c = 0; c < all->n_columns; c++)
		if (!strcmp(all->column[c].name, name))
			return (int)c;
	return comparison_add_column(all, name);
}

/* What must be the same for a difference to be called a change. */
static const char *why_apart(const json_t *base, const json_t *other)
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

	if (json_is_true(json_object_get(base, "emulated")) !=
	    json_is_true(json_object_get(other, "emulated")))
		return "emulated against real";
	for (size_t i = 0; i < COUNT(same); i++)
		if (!same_value(
			    json_object_get(json_object_get(base, same[i].object), same[i].key),
			    json_object_get(json_object_get(other, same[i].object), same[i].key)))
			return same[i].reason;
	return NULL;
}

/* Whoever is apart from the first machine of all is so from some of the baseline, or its column. */
int comparison_add_machine(struct comparison *all, size_t column, json_t *machine)
{
	struct compare_column *to = &all->column[column];
	const char *apart;

	if (!to->reports++)
		to->machine = json_incref(machine);
	apart = why_apart(all->column[0].machine, machine);
	if (apart)
		to->apart = apart;
	return 0;
}

long comparison_find_hypothesis(struct comparison *all, const char *name)
{
	struct compare_hypothesis *hypotheses;

	for (size_t h = 0; h < all->n_hypotheses; h++)
		if (!strcmp(all->hypotheses[h].name, name))
			return (long)h;
	hypotheses = reallocarray(all->hypotheses, all->n_hypotheses + 1, sizeof(*hypotheses));
	if (!hypotheses)
		return -ENOMEM;
	all->hypotheses = hypotheses;
	hypotheses += all->n_hypotheses;
	*hypotheses = (struct compare_hypothesis){ .name = strdup(name) };
	return hypotheses->name ? (long)all->n_hypotheses++ : -ENOMEM;
}

static void free_series(struct compare_series *series)
{
	for (size_t c = 0; c < COMPARE_MAX; c++)
		free(series->side[c].sorted);
	free(series->hypothesis);
	free(series->table);
	free(series->row);
	free(series->name);
	free(series->unit);
}

/* All names of a series as one key, with a NUL behind each: new, *length bytes. */
static char *series_key(const char *const names[5], size_t *length)
{
	char *key, *end;

	*length = 0;
	for (int i = 0; i < 5; i++)
		*length += strlen(names[i]) + 1;
	end = key = malloc(*length);
	for (int i = 0; key && i < 5; i++)
		end = stpcpy(end, names[i]) + 1;
	return key;
}

static int add_series(struct comparison *all, const char *const names[5])
{
	struct compare_series *series;

	if (all->n_series == SERIES_MAX)
		return -EOVERFLOW;
	series = reallocarray(all->series, all->n_series + 1, sizeof(*series));
	if (!series)
		return -ENOMEM;
	all->series = series;
	series += all->n_series;
	*series = (struct compare_series){
		.hypothesis = strdup(names[0]),
		.table = strdup(names[1]),
		.row = strdup(names[2]),
		.name = strdup(names[3]),
		.unit = strdup(names[4]),
	};
	if (!series->hypothesis || !series->table || !series->row || !series->name ||
	    !series->unit) {
		free_series(series);
		return -ENOMEM;
	}
	all->n_series++;
	return 0;
}

long comparison_find_series(struct comparison *all, const char *hypothesis, const char *table,
			    const char *row, const char *name, const char *unit)
{
	const char *const names[] = { hypothesis, table, row, name, unit };
	size_t length;
	char *key = series_key(names, &length);
	const json_t *there = NULL;
	long result = -ENOMEM;

	if (!all->index)
		all->index = json_object();
	if (key && all->index) {
		there = json_object_getn(all->index, key, length);
		result = there ? (long)json_integer_value(there) : add_series(all, names);
	}
	if (!result && !there) {
		result = (long)all->n_series - 1;
		if (json_object_setn_new_nocheck(all->index, key, length, json_integer(result)))
			result = -ENOMEM;
	}
	free(key);
	return result;
}

int comparison_add_values(struct comparison *all, size_t series, size_t column,
			  const double *values, size_t n, double resolution)
{
	struct compare_side *side = &all->series[series].side[column];
	double *larger = reallocarray(side->sorted, side->n + n + 1, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	side->sorted = larger;
	memcpy(larger + side->n, values, n * sizeof(*larger));
	side->n += n;
	side->resolution = fmax(side->resolution, resolution);
	return 0;
}

/* --- what it amounts to --- */

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
				    const struct compare_side *side, bool apart)
{
	if (!base->n || !side->n || apart)
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
		calloc(all->n_series * all->n_columns + 1, sizeof(struct compare_change *));
	double before = 0;
	size_t n = 0;

	if (!made)
		return -ENOMEM;
	for (size_t s = 0; s < all->n_series; s++)
		for (size_t c = 1; c < all->n_columns; c++)
			if (!isnan(all->series[s].change[c].p))
				made[n++] = &all->series[s].change[c];
	qsort(made, n, sizeof(struct compare_change *), by_p);
	for (size_t k = 0; k < n; k++) {
		before = fmin(1, fmax(before, made[k]->p * (double)(n - k)));
		made[k]->p = before;
	}
	free(made);
	return 0;
}

/* A baseline of several kinds of machines is one for nobody. */
static void settle_apart(struct comparison *all)
{
	for (size_t c = 1; c < all->n_columns && all->column[0].apart; c++)
		if (!all->column[c].apart)
			all->column[c].apart = "A is of several kinds of machines";
}

int comparison_finish(struct comparison *all)
{
	settle_apart(all);
	for (size_t s = 0; s < all->n_series; s++) {
		struct compare_series *series = &all->series[s];

		for (size_t c = 0; c < all->n_columns; c++)
			summarise(&series->side[c]);
		for (size_t c = 1; c < all->n_columns; c++)
			series->change[c] = change(&series->side[0], &series->side[c],
						   all->column[c].apart != NULL);
	}
	return correct(all);
}

void comparison_free(struct comparison *all)
{
	for (size_t s = 0; s < all->n_series; s++)
		free_series(&all->series[s]);
	for (size_t h = 0; h < all->n_hypotheses; h++)
		free(all->hypotheses[h].name);
	for (size_t c = 0; c < all->n_columns; c++) {
		free(all->column[c].name);
		json_decref(all->column[c].machine);
	}
	json_decref(all->index);
	free(all->series);
	free(all->hypotheses);
	*all = (struct comparison){ 0 };
}

/* --- what can be said of it --- */

bool compare_significant(const struct compare_change *change)
{
	return change->resolved && change->p < COMPARE_P;
}

bool compare_regressed(const struct compare_series *series, size_t column, double threshold)
{
	static const char *const costs[] = { "ns", "us", "ms", "s", "cycles" };
	const struct compare_change *change = &series->change[column];

	for (size_t i = 0; i < COUNT(costs); i++)
		if (!strcmp(series->unit, costs[i]))
			return compare_significant(change) && change->percent > threshold;
	return false;
}

enum verdict compare_verdict(const struct compare_hypothesis *hypothesis, size_t column)
{
	const size_t *count = hypothesis->count[column];

	/* As within a report: none is worse than any that passed. */
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_BROKEN; v++)
		if (count[v])
			return v;
	if (count[VERDICT_NONE])
		return VERDICT_NONE;
	for (enum verdict v = VERDICT_KNOWN; v < VERDICT_NONE; v++)
		if (count[v])
			return v;
	return VERDICT_NOTRUN;
}

bool compare_new_fail(const struct comparison *all, const struct compare_hypothesis *hypothesis,
		      size_t column)
{
	enum verdict before = compare_verdict(hypothesis, 0);
	enum verdict now = compare_verdict(hypothesis, column);

	return column && !all->column[column].apart && now <= VERDICT_FAIL && before > VERDICT_FAIL;
}
