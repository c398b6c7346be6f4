// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

/* Of each median, so that both hold together with at least 95 %. */
#define SIDE_CONFIDENCE 0.975

/* A report has some hundreds. One that has more than this is damaged, or meant to harm. */
#define SERIES_MAX 100000
#define HYPOTHESES_MAX 100000

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static long add_hypothesis(struct comparison *all, const char *name)
{
	struct compare_hypothesis *hypotheses;

	if (all->n_hypotheses == HYPOTHESES_MAX)
		return -EOVERFLOW;
	hypotheses = reallocarray(all->hypotheses, all->n_hypotheses + 1, sizeof(*hypotheses));
	if (!hypotheses)
		return -ENOMEM;
	all->hypotheses = hypotheses;
	hypotheses += all->n_hypotheses;
	*hypotheses = (struct compare_hypothesis){ .name = strdup(name), .claim = strdup("") };
	if (hypotheses->name && hypotheses->claim &&
	    !json_object_set_new_nocheck(all->numbers, name,
					 json_integer((json_int_t)all->n_hypotheses)))
		return (long)all->n_hypotheses++;
	free(hypotheses->name);
	free(hypotheses->claim);
	return -ENOMEM;
}

long comparison_find_hypothesis(struct comparison *all, const char *name)
{
	const json_t *number;

	if (!all->numbers)
		all->numbers = json_object();
	number = json_object_get(all->numbers, name);
	return number ? (long)json_integer_value(number) : add_hypothesis(all, name);
}

/* The worst one is the column's; what decided is kept of the first that has it. */
int comparison_add_verdict(struct comparison *all, size_t hypothesis, size_t column,
			   enum verdict verdict, const char *decided)
{
	struct compare_hypothesis *h = &all->hypotheses[hypothesis];
	enum verdict before = compare_verdict(h, column);
	bool first = !h->decided[column];

	h->count[column][verdict]++;
	if (!decided || (!first && compare_verdict(h, column) == before))
		return 0;
	free(h->decided[column]);
	h->decided[column] = strdup(decided);
	return h->decided[column] ? 0 : -ENOMEM;
}

static void free_series(struct compare_series *series)
{
	for (size_t c = 0; c < COMPARE_MAX; c++)
		distribution_free(&series->side[c].samples);
	free(series->hypothesis);
	free(series->table);
	free(series->row);
	free(series->name);
	free(series->unit);
}

/* Names as one key, with a NUL behind each: new, *length bytes. */
static char *series_key(const char *const *names, size_t n, size_t *length)
{
	char *key, *end;

	*length = 0;
	for (size_t i = 0; i < n; i++)
		*length += strlen(names[i]) + 1;
	end = key = malloc(*length);
	for (size_t i = 0; key && i < n; i++)
		end = stpcpy(end, names[i]) + 1;
	return key;
}

/* Series or figures: one of the two lists of a comparison. */
struct list {
	struct compare_series **series;
	size_t *n;
	json_t **index;
};

static struct list series_of(struct comparison *all)
{
	return (struct list){ &all->series, &all->n_series, &all->index };
}

static struct list figures_of(struct comparison *all)
{
	return (struct list){ &all->figures, &all->n_figures, &all->figure_index };
}

static int add_series(struct list list, const char *const names[5])
{
	struct compare_series *series;

	if (*list.n == SERIES_MAX)
		return -EOVERFLOW;
	series = reallocarray(*list.series, *list.n + 1, sizeof(*series));
	if (!series)
		return -ENOMEM;
	*list.series = series;
	series += *list.n;
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
	++*list.n;
	return 0;
}

static long find_series(struct list list, const char *const names[5])
{
	size_t length;
	char *key = series_key(names, 5, &length);
	const json_t *there = NULL;
	long result = -ENOMEM;

	if (!*list.index)
		*list.index = json_object();
	if (key && *list.index) {
		there = json_object_getn(*list.index, key, length);
		result = there ? (long)json_integer_value(there) : add_series(list, names);
	}
	if (!result && !there) {
		result = (long)*list.n - 1;
		if (json_object_setn_new_nocheck(*list.index, key, length, json_integer(result)))
			result = -ENOMEM;
	}
	free(key);
	return result;
}

long comparison_find_series(struct comparison *all, const char *hypothesis, const char *table,
			    const char *row, const char *name, const char *unit)
{
	const char *const names[] = { hypothesis, table, row, name, unit };

	return find_series(series_of(all), names);
}

long comparison_find_figure(struct comparison *all, const char *hypothesis, const char *table,
			    const char *row, const char *name, const char *unit)
{
	const char *const names[] = { hypothesis, table, row, name, unit };

	return find_series(figures_of(all), names);
}

int comparison_add_figure(struct comparison *all, size_t figure, size_t column, double value)
{
	return distribution_add(&all->figures[figure].side[column].samples, value, 1);
}

int comparison_add_value(struct comparison *all, size_t series, size_t column, double value,
			 double resolution)
{
	struct compare_side *side = &all->series[series].side[column];

	side->resolution = fmax(side->resolution, resolution);
	return distribution_add(&side->samples, value, 1);
}

int comparison_add_measure(struct comparison *all, size_t series, size_t column,
			   const json_t *measure)
{
	struct compare_side *side = &all->series[series].side[column];
	double resolution = json_number_value(json_object_get(measure, "resolution"));

	side->resolution = fmax(side->resolution, resolution);
	return distribution_add_measure(&side->samples, measure);
}

/* --- what it amounts to --- */

static void summarise(struct compare_side *side)
{
	struct distribution *samples = &side->samples;

	side->n = samples->total;
	if (!side->n)
		return;
	distribution_finish(samples);
	side->median = stats_steps_quantile(samples->steps, samples->n_steps, 0.5);
	(void)stats_steps_median_interval(samples->steps, samples->n_steps, SIDE_CONFIDENCE,
					  &side->low, &side->high);
}

static double percent(double value, double base)
{
	if (base > 0)
		return 100 * (value / base - 1);
	return base < 0 || value <= 0 ? NAN : INFINITY;
}

/* Samples are decimal fractions of a unit: steps that are equal may differ by a rounding error. */
static bool is_resolved(double a, double b, double resolution)
{
	double rounding = 1e-9 * fmax(fabs(a), fabs(b));

	return fabs(a - b) > resolution + rounding;
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
		.p = stats_mann_whitney(base->samples.steps, base->samples.n_steps,
					side->samples.steps, side->samples.n_steps),
		.resolved = is_resolved(side->median, base->median,
					fmax(base->resolution, side->resolution)),
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

/* The number of what is called by the first `n` names: that it has, or the next one. -ENOMEM. */
static long number_of(json_t *numbers, const char *const *names, size_t n)
{
	size_t length;
	char *key = series_key(names, n, &length);
	const json_t *there = key ? json_object_getn(numbers, key, length) : NULL;
	long number = there ? (long)json_integer_value(there) : (long)json_object_size(numbers);

	if (!key ||
	    (!there && json_object_setn_new_nocheck(numbers, key, length, json_integer(number))))
		number = -ENOMEM;
	free(key);
	return number;
}

/* Where a series is to stand: by its hypothesis, its table, and when it was met. */
struct place {
	long hypothesis, table;
	size_t met;
};

static int by_place(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->hypothesis != right->hypothesis)
		return left->hypothesis < right->hypothesis ? -1 : 1;
	if (left->table != right->table)
		return left->table < right->table ? -1 : 1;
	return left->met < right->met ? -1 : 1;
}

static int find_place(struct place *place, json_t *numbers, const struct compare_series *series,
		      size_t met)
{
	const char *const names[] = { series->hypothesis, series->table, series->name,
				      series->unit };

	*place = (struct place){
		.hypothesis = number_of(numbers, names, 1),
		.table = number_of(numbers, names, COUNT(names)),
		.met = met,
	};
	return place->hypothesis < 0 || place->table < 0 ? -ENOMEM : 0;
}

/* In the order of the hypotheses; those of a table that only a later report has were met later. */
static int gather_tables(struct comparison *all, struct list list)
{
	struct place *places = calloc(*list.n + 1, sizeof(*places));
	struct compare_series *gathered = calloc(*list.n + 1, sizeof(*gathered));
	json_t *numbers = json_object();
	int result = places && gathered && numbers ? 0 : -ENOMEM;

	for (size_t h = 0; !result && h < all->n_hypotheses; h++) {
		const char *const name = all->hypotheses[h].name;

		if (number_of(numbers, &name, 1) < 0)
			result = -ENOMEM;
	}
	for (size_t s = 0; !result && s < *list.n; s++)
		result = find_place(&places[s], numbers, &(*list.series)[s], s);
	if (!result) {
		qsort(places, *list.n, sizeof(*places), by_place);
		for (size_t s = 0; s < *list.n; s++)
			gathered[s] = (*list.series)[places[s].met];
		free(*list.series);
		*list.series = gathered;
		gathered = NULL;
	}
	json_decref(*list.index);
	*list.index = NULL;
	json_decref(numbers);
	free(gathered);
	free(places);
	return result;
}

/* The series that begin with the first one here and are of this hypothesis. */
static struct compare_range range_of(struct list list, size_t first, const char *hypothesis)
{
	struct compare_range range = { first, first };

	while (range.end < *list.n && !strcmp((*list.series)[range.end].hypothesis, hypothesis))
		range.end++;
	return range;
}

/*
 * Which of a gathered list are whose. What is of a hypothesis that nobody gave a verdict makes it
 * known.
 */
static int divide(struct comparison *all, struct list list, bool figures)
{
	size_t h = 0;

	for (size_t s = 0; h < all->n_hypotheses || s < *list.n; h++) {
		struct compare_range range;

		if (h == all->n_hypotheses &&
		    comparison_find_hypothesis(all, (*list.series)[s].hypothesis) < 0)
			return -ENOMEM;
		range = range_of(list, s, all->hypotheses[h].name);
		*(figures ? &all->hypotheses[h].figures : &all->hypotheses[h].series) = range;
		s = range.end;
	}
	return 0;
}

static int sort_out(struct comparison *all)
{
	int result = gather_tables(all, series_of(all));

	if (!result)
		result = divide(all, series_of(all), false);
	if (!result)
		result = gather_tables(all, figures_of(all));
	return result ? result : divide(all, figures_of(all), true);
}

bool compare_figure_differs(const struct comparison *all, const struct compare_series *figure)
{
	const struct compare_side *first = NULL;

	for (size_t c = 0; c < all->n_columns; c++) {
		const struct compare_side *side = &figure->side[c];

		if (first && side->n &&
		    (side->median < first->median || side->median > first->median))
			return true;
		if (!first && side->n)
			first = side;
	}
	return false;
}

size_t compare_table_end(const struct comparison *all, size_t first)
{
	const struct compare_series *s = &all->series[first];
	size_t end = first + 1;

	while (end < all->n_series && !strcmp(all->series[end].hypothesis, s->hypothesis) &&
	       !strcmp(all->series[end].table, s->table) &&
	       !strcmp(all->series[end].name, s->name) && !strcmp(all->series[end].unit, s->unit))
		end++;
	return end;
}

size_t compare_differing(const struct comparison *all, const struct compare_hypothesis *hypothesis)
{
	size_t n = 0;

	for (size_t f = hypothesis->figures.first; f < hypothesis->figures.end; f++)
		n += compare_figure_differs(all, &all->figures[f]);
	return n;
}

bool compare_has(const struct comparison *all, size_t first, size_t end, size_t column)
{
	for (size_t s = first; s < end; s++)
		if (all->series[s].side[column].n)
			return true;
	return false;
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
	int result = sort_out(all);

	if (result)
		return result;
	for (size_t f = 0; f < all->n_figures; f++)
		for (size_t c = 0; c < all->n_columns; c++)
			summarise(&all->figures[f].side[c]);
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

static void free_hypothesis(struct compare_hypothesis *hypothesis)
{
	for (size_t c = 0; c < COMPARE_MAX; c++)
		free(hypothesis->decided[c]);
	free(hypothesis->name);
	free(hypothesis->claim);
}

void comparison_free(struct comparison *all)
{
	for (size_t s = 0; s < all->n_series; s++)
		free_series(&all->series[s]);
	for (size_t f = 0; f < all->n_figures; f++)
		free_series(&all->figures[f]);
	for (size_t h = 0; h < all->n_hypotheses; h++)
		free_hypothesis(&all->hypotheses[h]);
	for (size_t c = 0; c < all->n_columns; c++) {
		free(all->column[c].name);
		json_decref(all->column[c].machine);
		json_decref(all->column[c].run);
	}
	json_decref(all->numbers);
	json_decref(all->index);
	json_decref(all->figure_index);
	free(all->series);
	free(all->figures);
	free(all->hypotheses);
	*all = (struct comparison){ 0 };
}

/* --- what can be said of it --- */

bool compare_significant(const struct compare_change *change)
{
	return change->resolved && change->p < COMPARE_P;
}

/* With so few samples, can the least p there is be below COMPARE_P: all of one above the other? */
static bool can_be_significant(size_t n, size_t m)
{
	double orders = 1;

	for (size_t i = 1; i <= m && 2 / orders >= COMPARE_P; i++)
		orders *= (double)(n + i) / (double)i;
	return 2 / orders < COMPARE_P;
}

enum compare_doubt compare_doubt(const struct compare_series *series, size_t column)
{
	const struct compare_change *change = &series->change[column];

	if (isnan(change->p) || compare_significant(change))
		return COMPARE_SURE;
	if (!can_be_significant(series->side[0].n, series->side[column].n))
		return COMPARE_FEW;
	return change->p < COMPARE_P ? COMPARE_CLOCK : COMPARE_CHANCE;
}

const char *compare_doubt_name(enum compare_doubt doubt)
{
	static const char *const names[] = {
		[COMPARE_SURE] = "",
		[COMPARE_FEW] = "few",
		[COMPARE_CHANCE] = "chance",
		[COMPARE_CLOCK] = "clock",
	};

	return names[doubt];
}

/* Is less of it better? */
static bool is_cost(const char *unit)
{
	static const char *const costs[] = { "ns", "us", "ms", "s", "cycles" };

	for (size_t i = 0; i < COUNT(costs); i++)
		if (!strcmp(unit, costs[i]))
			return true;
	return false;
}

bool compare_regressed(const struct compare_series *series, size_t column, double threshold)
{
	const struct compare_change *change = &series->change[column];

	return is_cost(series->unit) && compare_significant(change) && change->percent > threshold;
}

bool compare_improved(const struct compare_series *series, size_t column)
{
	const struct compare_change *change = &series->change[column];

	return is_cost(series->unit) && compare_significant(change) && change->percent < 0;
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
