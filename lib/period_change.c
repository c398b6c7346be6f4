// SPDX-License-Identifier: GPL-2.0-or-later
#include "period_change.h"

#include <math.h>

void period_change_take(struct period_change *change, uint64_t count, uint64_t period)
{
	if (count <= change->to)
		return;
	if (!change->samples++)
		change->first = count;
	change->other += period != change->period;
}

static double in_periods(const struct period_change *change, uint64_t count)
{
	return ((double)count - (double)change->from) / (double)change->period;
}

double period_change_waited(const struct period_change *change, uint64_t end)
{
	return in_periods(change, change->samples ? change->first : end);
}

double period_change_off(const struct period_change *change, uint64_t end)
{
	/* Half of a period is left over where it ends in the middle of one. */
	return fabs(in_periods(change, end) - 0.5 - (double)change->samples);
}
