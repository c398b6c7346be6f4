// SPDX-License-Identifier: GPL-2.0-or-later
#include "gaps.h"

#include <stddef.h>

/* What a gap from the last mark to this one is, or NULL when it is not judged. */
static struct gap_kind *kind_of(struct gaps *gaps, const struct gap_mark *mark)
{
	const struct gap_mark *last = &gaps->last;

	if (mark->lost != last->lost || mark->pauses != last->pauses)
		return NULL;
	return mark->switches != last->switches ? &gaps->switched : &gaps->running;
}

static void lengthen(struct gap_kind *kind, uint64_t gap)
{
	if (gap > kind->longest)
		kind->longest = gap;
}

void gaps_add(struct gaps *gaps, const struct gap_mark *mark)
{
	struct gap_kind *kind = kind_of(gaps, mark);

	if (mark->count < gaps->last.count) {
		gaps->backwards++;
	} else if (!kind) {
		gaps->excluded++;
	} else {
		kind->n++;
		lengthen(kind, mark->count - gaps->last.count);
	}
	gaps->last = *mark;
}

void gaps_look(struct gaps *gaps, const struct gap_mark *mark)
{
	struct gap_kind *kind = kind_of(gaps, mark);

	/* The newest sample may have come after the count was read. */
	if (kind && mark->count > gaps->last.count)
		lengthen(kind, mark->count - gaps->last.count);
}
