// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double check_excess(const json_t *check)
{
	const char *op = json_string_value(json_object_get(check, "op"));
	double value = json_number_value(json_object_get(check, "value"));
	double bound = json_number_value(json_object_get(check, "bound"));
	double excess = value - bound;

	if (!json_object_get(check, "value") || !op)
		return INFINITY;
	if (!strcmp(op, ">="))
		excess = -excess;
	else if (!strcmp(op, "=="))
		excess = fabs(excess);
	return fabs(bound) > 0 ? excess / fabs(bound) : excess;
}

bool check_holds(const json_t *check)
{
	const char *op = json_string_value(json_object_get(check, "op"));
	double value = json_number_value(json_object_get(check, "value"));
	double bound = json_number_value(json_object_get(check, "bound"));

	if (!json_object_get(check, "value") || !json_object_get(check, "bound") || !op)
		return false;
	if (!strcmp(op, "<="))
		return value <= bound;
	if (!strcmp(op, ">="))
		return value >= bound;
	return !strcmp(op, "==") && value == bound;
}

/* The summary of that name; `index` knows where each is, as there may be a million of them. */
static struct check_summary *find(struct check_summary **summaries, size_t *n, json_t *index,
				  const char *name)
{
	const json_t *place = json_object_get(index, name);
	struct check_summary *larger;

	if (place)
		return &(*summaries)[json_integer_value(place)];
	larger = reallocarray(*summaries, *n + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	*summaries = larger;
	if (json_object_set_new(index, name, json_integer((json_int_t)*n)))
		return NULL;
	larger += (*n)++;
	*larger = (struct check_summary){ .name = name };
	return larger;
}

static void add(struct check_summary *summary, const json_t *check, unsigned int iter)
{
	bool failed = !json_is_true(json_object_get(check, "ok"));
	double excess = check_excess(check);
	bool worse = failed ? !summary->failed || excess > summary->excess
			    : !summary->failed && excess > summary->excess;

	if (!summary->worst || worse) {
		summary->worst = check;
		summary->iter = iter;
		summary->excess = excess;
	}
	summary->evaluations++;
	summary->failed += failed;
}

static int add_all(const struct report_test *test, struct check_summary **summaries, size_t *n,
		   json_t *index)
{
	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *check;
		size_t i;

		json_array_foreach(test->executions[e].checks, i, check)
		{
			const char *name = json_string_value(json_object_get(check, "name"));
			struct check_summary *summary = find(summaries, n, index, name);

			if (!summary)
				return -ENOMEM;
			add(summary, check, test->executions[e].iter);
		}
	}
	return 0;
}

int check_summaries(const struct report_test *test, struct check_summary **summaries, size_t *n)
{
	json_t *index = json_object();
	int result;

	*summaries = NULL;
	*n = 0;
	result = index ? add_all(test, summaries, n, index) : -ENOMEM;
	json_decref(index);
	if (result)
		free(*summaries);
	return result;
}

const struct check_summary *check_closest(const struct check_summary *summaries, size_t n)
{
	const struct check_summary *closest = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *op = json_string_value(json_object_get(summaries[i].worst, "op"));

		if (op && strcmp(op, "==") != 0 &&
		    (!closest || summaries[i].excess > closest->excess))
			closest = &summaries[i];
	}
	return closest;
}
