// SPDX-License-Identifier: GPL-2.0-or-later
#include "gaps.h"

#include <stdbool.h>

void gaps_add(struct gaps *gaps, const struct gap_mark *mark)
{
	const struct gap_mark last = gaps->last;
	bool switched = mark->switches != last.switches;
	struct gap_kind *kind = switched ? &gaps->switched : &gaps->running;

	gaps->last = *mark;
	if (mark->count < last.count) {
		gaps->backwards++;
		return;
	}
	if (mark->lost != last.lost || mark->pauses != last.pauses) {
		gaps->excluded++;
		return;
	}
	kind->n++;
	if (mark->count - last.count > kind->longest)
		kind->longest = mark->count - last.count;
}
