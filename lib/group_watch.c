// SPDX-License-Identifier: GPL-2.0-or-later
#include "group_watch.h"

#include <math.h>
#include <stdbool.h>

/*
 * What is left for the way from an overflow to its handler, and between reading one member and the
 * next, of a period.
 */
#define PERIOD_PART 0.25
#define RATIO_PART 0.1

static bool named(const struct group_watch *watch, const struct group_read *read)
{
	for (size_t i = 0; i < watch->n; i++)
		if (read->member[i].id != watch->id[i])
			return false;
	return true;
}

static bool back(const struct group_watch *watch, const struct group_read *read)
{
	for (size_t i = 0; i < watch->n; i++)
		if (read->member[i].value < watch->value[i])
			return true;
	return read->enabled < watch->enabled || read->running < watch->running;
}

static bool at_period(const struct group_watch *watch, const struct group_read *read)
{
	double over =
		(double)read->member[0].value - (double)watch->samples * (double)watch->period;

	return over >= 0 && over <= PERIOD_PART * (double)watch->period;
}

static bool in_ratio(const struct group_watch *watch, const struct group_read *read)
{
	double leader = (double)read->member[0].value - (double)watch->value[0];

	for (size_t i = 1; i < watch->n; i++) {
		double own = (double)read->member[i].value - (double)watch->value[i];

		if (!(fabs(own - watch->ratio[i] * leader) <= RATIO_PART * (double)watch->period))
			return false;
	}
	return true;
}

void group_watch_take(struct group_watch *watch, const struct group_read *read)
{
	watch->samples++;
	watch->off_time += read->running > read->enabled;
	if (read->nr != watch->n) {
		watch->misnumbered++;
		return;
	}
	watch->misnamed += !named(watch, read);
	watch->backwards += back(watch, read);
	watch->off_period += !at_period(watch, read);
	watch->off_ratio += !in_ratio(watch, read);
	for (size_t i = 0; i < watch->n; i++)
		watch->value[i] = read->member[i].value;
	watch->enabled = read->enabled;
	watch->running = read->running;
}
