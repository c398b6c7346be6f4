// SPDX-License-Identifier: GPL-2.0-or-later
#include "gaps.h"

#include <stdbool.h>

static bool judged(const struct gap_mark *from, const struct gap_mark *to)
{
	return from->lost == to->lost && from->pauses == to->pauses;
}

static void lengthen(struct gap_kind *kind, uint64_t gap)
{
	if (gap > kind->longest)
		kind->longest = gap;
}

/* From the last look to here, if nothing came in between. */
static void lengthen_since(struct gaps *gaps, const struct gap_mark *mark)
{
	const struct gap_mark *since = &gaps->since;

	if (judged(since, mark) && since->switches == mark->switches && mark->count > since->count)
		lengthen(&gaps->running, mark->count - since->count);
}

void gaps_add(struct gaps *gaps, const struct gap_mark *mark)
{
	struct gap_kind *kind =
		mark->switches != gaps->last.switches ? &gaps->switched : &gaps->running;

	if (mark->count < gaps->last.count) {
		gaps->backwards++;
	} else if (!judged(&gaps->last, mark)) {
		gaps->excluded++;
	} else {
		kind->n++;
		lengthen(kind, mark->count - gaps->last.count);
		lengthen_since(gaps, mark);
	}
	gaps->last = *mark;
	gaps->since = *mark;
}

void gaps_look(struct gaps *gaps, const struct gap_mark *mark)
{
	lengthen_since(gaps, mark);
	/* The newest sample may have come after the count was read. */
	if (mark->count > gaps->since.count && mark->switches != gaps->since.switches)
		gaps->since = *mark;
}
