// SPDX-License-Identifier: GPL-2.0-or-later
#include "wake_points.h"

/* How many wake-ups so many records and bytes are worth. */
static uint64_t worth(const struct wake_points *points, uint64_t records, uint64_t bytes)
{
	if (points->events)
		return records / points->events;
	/* The multiple itself is not above it. */
	return bytes ? (bytes - 1) / points->watermark : 0;
}

uint64_t wake_points_due(const struct wake_points *points, uint64_t records, uint64_t size)
{
	return worth(points, points->records + records, points->bytes + records * size) -
	       worth(points, points->records, points->bytes);
}

void wake_points_take(struct wake_points *points, uint64_t records, uint64_t size, uint64_t seen)
{
	uint64_t due = wake_points_due(points, records, size);

	points->records += records;
	points->bytes += records * size;
	points->due += due;
	if (seen < due)
		points->missing += due - seen;
	else
		points->early += seen - due;
}
