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

static struct check_summary *find(struct check_summary **summaries, size_t *n, const char *name)
{
	struct check_summary *larger;

	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*summaries)[i].name, name))
			return &(*summaries)[i];
	larger = reallocarray(*summaries, *n + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	*summaries = larger;
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

int check_summaries(const struct report_test *test, struct check_summary **summaries, size_t *n)
{
	*summaries = NULL;
	*n = 0;
	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *check;
		size_t i;

		json_array_foreach(test->executions[e].checks, i, check)
		{
			const char *name = json_string_value(json_object_get(check, "name"));
			struct check_summary *summary = find(summaries, n, name);

			if (!summary) {
				free(*summaries);
				return -ENOMEM;
			}
			add(summary, check, test->executions[e].iter);
		}
	}
	return 0;
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
