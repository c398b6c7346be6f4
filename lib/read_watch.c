// SPDX-License-Identifier: GPL-2.0-or-later
#include "read_watch.h"

#include <math.h>

void read_watch_take(struct read_watch *watch, uint64_t start, uint64_t running, uint64_t stopped)
{
	/* Of numbers that may be anything, as differences with a sign. */
	const double all = (double)(int64_t)(stopped - start);
	const double part = 100 * (double)(int64_t)(running - start) / all;

	if (stopped == start) {
		watch->idle++;
		return;
	}
	watch->above += running > stopped;
	watch->least = watch->reads ? fmin(watch->least, part) : part;
	watch->most = watch->reads ? fmax(watch->most, part) : part;
	watch->counted_least = watch->reads ? fmin(watch->counted_least, all) : all;
	watch->counted_most = watch->reads ? fmax(watch->counted_most, all) : all;
	watch->reads++;
}

double read_watch_changed(const struct read_watch *with, const struct read_watch *without)
{
	if (!(with->counted_least > 0 && without->counted_least > 0))
		return INFINITY;
	return fmax(with->counted_most / without->counted_least,
		    without->counted_least / with->counted_least);
}
