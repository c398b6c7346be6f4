// SPDX-License-Identifier: GPL-2.0-or-later
#include "branch_leak.h"

static bool in(const struct code_range *range, uint64_t address)
{
	return address >= range->begin && address < range->end;
}

bool branches_touch(const struct ring_sample *sample, const struct code_range *range)
{
	for (uint64_t i = 0; i < sample->branch_nr; i++)
		if (in(range, sample->branches[i].from) || in(range, sample->branches[i].to))
			return true;
	return false;
}

void leak_watch_take(struct leak_watch *watch, const struct ring_sample *sample)
{
	bool victim = branches_touch(sample, &watch->victim);
	bool sled = in(&watch->sled, sample->ip);

	if (sample->tid != watch->observer) {
		watch->victim_seen += victim;
		return;
	}
	watch->samples++;
	watch->in_sled += sled;
	watch->own_seen += branches_touch(sample, &watch->own);
	watch->leaky += victim;
	watch->leaky_in_sled += victim && sled;
}

double leak_watch_power(const struct leak_watch *watch, uint64_t switched, uint64_t rounds)
{
	return rounds ? (double)watch->in_sled * (double)switched / (double)rounds : 0;
}
