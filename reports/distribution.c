// SPDX-License-Identifier: GPL-2.0-or-later
#include "distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void add(struct distribution *distribution, const json_t *value, double count)
{
	if (!json_is_number(value) || !(count > 0))
		return;
	distribution->steps[distribution->n_steps++] =
		(struct distribution_step){ json_number_value(value), count };
	distribution->total += count;
}

static int compare(const void *a, const void *b)
{
	const struct distribution_step *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

int distribution_read(struct distribution *distribution, const json_t *measure)
{
	const json_t *samples = json_object_get(measure, "samples");
	const json_t *histogram = json_object_get(measure, "histogram");
	const json_t *item;
	size_t i;

	*distribution = (struct distribution){ 0 };
	distribution->steps = calloc(json_array_size(samples) + json_array_size(histogram) + 1,
				     sizeof(*distribution->steps));
	if (!distribution->steps)
		return -ENOMEM;
	json_array_foreach(samples, i, item) add(distribution, item, 1);
	json_array_foreach(histogram, i, item)
	{
		add(distribution, json_array_get(item, 0),
		    json_number_value(json_array_get(item, 1)));
	}
	qsort(distribution->steps, distribution->n_steps, sizeof(*distribution->steps), compare);
	return 0;
}

int distribution_of(struct distribution *distribution, const double *sorted, size_t n)
{
	*distribution = (struct distribution){ .total = (double)n };
	distribution->steps = calloc(n + 1, sizeof(*distribution->steps));
	if (!distribution->steps)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!i || sorted[i] > sorted[i - 1])
			distribution->steps[distribution->n_steps++].value = sorted[i];
		distribution->steps[distribution->n_steps - 1].count++;
	}
	return 0;
}

void distribution_free(struct distribution *distribution)
{
	free(distribution->steps);
	*distribution = (struct distribution){ 0 };
}

double distribution_quantile(const struct distribution *distribution, double q)
{
	double seen = 0;

	if (!distribution->n_steps)
		return NAN;
	for (size_t i = 0; i < distribution->n_steps; i++) {
		seen += distribution->steps[i].count;
		if (seen >= q * distribution->total)
			return distribution->steps[i].value;
	}
	return distribution->steps[distribution->n_steps - 1].value;
}
