// SPDX-License-Identifier: GPL-2.0-or-later
#include "distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model.h"

#define ROOM_LEAST 4

static int make_room(struct distribution *distribution)
{
	size_t room = distribution->room ? 2 * distribution->room : ROOM_LEAST;
	struct stats_step *larger;

	if (distribution->n_steps < distribution->room)
		return 0;
	larger = reallocarray(distribution->steps, room, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	distribution->steps = larger;
	distribution->room = room;
	return 0;
}

int distribution_add(struct distribution *distribution, double value, size_t count)
{
	if (count < 1 || count > REPORT_SAMPLES_MAX - distribution->total)
		return -EBADMSG;
	if (make_room(distribution))
		return -ENOMEM;
	distribution->steps[distribution->n_steps++] = (struct stats_step){ value, count };
	distribution->total += count;
	return 0;
}

/* [value, count] of a histogram. */
static int add_entry(struct distribution *distribution, const json_t *entry)
{
	const json_t *value = json_array_get(entry, 0);
	json_int_t count = json_integer_value(json_array_get(entry, 1));

	if (!json_is_number(value) || count < 1 || count > REPORT_SAMPLES_MAX)
		return -EBADMSG;
	return distribution_add(distribution, json_number_value(value), (size_t)count);
}

int distribution_add_measure(struct distribution *distribution, const json_t *measure)
{
	const json_t *item;
	int result = 0;
	size_t i;

	json_array_foreach(json_object_get(measure, "samples"), i, item)
	{
		if (!result && json_is_number(item))
			result = distribution_add(distribution, json_number_value(item), 1);
	}
	json_array_foreach(json_object_get(measure, "histogram"), i, item)
	{
		if (!result)
			result = add_entry(distribution, item);
	}
	return result;
}

static int by_value(const void *a, const void *b)
{
	const struct stats_step *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

void distribution_finish(struct distribution *distribution)
{
	struct stats_step *steps = distribution->steps;
	size_t n = 0;

	if (!steps)
		return;
	qsort(steps, distribution->n_steps, sizeof(*steps), by_value);
	for (size_t i = 0; i < distribution->n_steps; i++)
		if (n && steps[n - 1].value == steps[i].value)
			steps[n - 1].count += steps[i].count;
		else
			steps[n++] = steps[i];
	distribution->n_steps = n;
}

int distribution_read(struct distribution *distribution, const json_t *measure)
{
	int result;

	*distribution = (struct distribution){ 0 };
	result = distribution_add_measure(distribution, measure);
	if (result)
		distribution_free(distribution);
	distribution_finish(distribution);
	return result;
}

void distribution_free(struct distribution *distribution)
{
	free(distribution->steps);
	*distribution = (struct distribution){ 0 };
}

double distribution_quantile(const struct distribution *distribution, double q)
{
	size_t seen = 0;

	if (!distribution->n_steps)
		return NAN;
	for (size_t i = 0; i < distribution->n_steps; i++) {
		seen += distribution->steps[i].count;
		if ((double)seen >= q * (double)distribution->total)
			return distribution->steps[i].value;
	}
	return distribution->steps[distribution->n_steps - 1].value;
}
