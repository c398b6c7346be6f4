// SPDX-License-Identifier: GPL-2.0-or-later
#include "fork_periods.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>

#include "stats.h"

static struct child_periods *find_child(struct fork_periods *periods, uint32_t tid)
{
	struct child_periods *child = periods->child;

	for (size_t i = 0; i < periods->children; i++, child++)
		if (child->tid == tid)
			return child;
	if (periods->children == FORK_PERIODS_CHILDREN)
		return NULL;
	periods->children++;
	*child = (struct child_periods){ .tid = tid };
	return child;
}

void fork_periods_take(struct fork_periods *periods, const struct ring_sample *sample)
{
	struct child_periods *child;

	if (sample->tid == periods->parent) {
		periods->recent[periods->parent_n++ % FORK_PERIODS_RECENT] = sample->period;
		return;
	}
	child = find_child(periods, sample->tid);
	if (!child) {
		periods->others++;
		return;
	}
	if (child->n < FORK_PERIODS_RAMP)
		child->period[child->n] = sample->period;
	child->n++;
}

bool fork_periods_settled(const struct fork_periods *periods, double band, double *period)
{
	double sorted[FORK_PERIODS_RECENT];

	if (periods->parent_n < FORK_PERIODS_RECENT)
		return false;
	for (size_t i = 0; i < FORK_PERIODS_RECENT; i++)
		sorted[i] = (double)periods->recent[i];
	gsl_sort(sorted, 1, FORK_PERIODS_RECENT);
	if (sorted[FORK_PERIODS_RECENT - 1] > band * sorted[0])
		return false;
	*period = stats_quantile(sorted, FORK_PERIODS_RECENT, 0.5);
	return true;
}

size_t fork_periods_below(const struct fork_periods *periods, double least)
{
	size_t below = 0;

	for (size_t i = 0; i < periods->children; i++)
		below += (double)periods->child[i].period[0] < least;
	return below;
}

static int by_first(const void *a, const void *b)
{
	uint64_t first = ((const struct child_periods *)a)->period[0];
	uint64_t second = ((const struct child_periods *)b)->period[0];

	return (first > second) - (first < second);
}

void fork_periods_sort(struct fork_periods *periods)
{
	qsort(periods->child, periods->children, sizeof(periods->child[0]), by_first);
}
