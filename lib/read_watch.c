// SPDX-License-Identifier: GPL-2.0-or-later
#include "read_watch.h"

#include <math.h>
#include <stdbool.h>

/* Of numbers that may be anything. */
static double difference(uint64_t a, uint64_t b)
{
	return (double)(int64_t)(a - b);
}

static bool was_away(const struct event_count *start, const struct event_count *stopped)
{
	return stopped->running - start->running != stopped->enabled - start->enabled;
}

void read_watch_take(struct read_watch *watch, const struct event_count *start, uint64_t running,
		     const struct event_count *stopped)
{
	const double counted = difference(stopped->value, start->value);
	const double part = counted != 0 ? 100 * difference(running, start->value) / counted : 0;

	if (was_away(start, stopped)) {
		watch->away++;
		return;
	}
	watch->above += running > stopped->value;
	watch->least = watch->reads ? fmin(watch->least, part) : part;
	watch->most = watch->reads ? fmax(watch->most, part) : part;
	watch->counted_least = watch->reads ? fmin(watch->counted_least, counted) : counted;
	watch->counted_most = watch->reads ? fmax(watch->counted_most, counted) : counted;
	watch->reads++;
}

double read_watch_changed(const struct read_watch *with, const struct read_watch *without)
{
	const double bare = fmax(without->counted_least, 1);

	return fmax(fmax(with->counted_most, 1) / bare, bare / fmax(with->counted_least, 1));
}
