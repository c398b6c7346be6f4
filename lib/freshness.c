// SPDX-License-Identifier: GPL-2.0-or-later
#include "freshness.h"

#include <string.h>

int freshness_region(const struct code_regions *regions, uint64_t address)
{
	if (address < regions->begin || address - regions->begin >= regions->size * regions->n)
		return -1;
	return (int)((address - regions->begin) / regions->size);
}

/* The region of the newest branch that is of any; -1: none is. */
static int newest_region(const struct code_regions *regions,
			 const struct perf_branch_entry *branches, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		int region = freshness_region(regions, branches[i].to);

		if (region < 0)
			region = freshness_region(regions, branches[i].from);
		if (region >= 0)
			return region;
	}
	return -1;
}

enum freshness freshness_judge(const struct code_regions *regions, uint64_t ip,
			       const struct perf_branch_entry *branches, uint64_t nr)
{
	int here = freshness_region(regions, ip);
	int newest;

	if (here < 0)
		return FRESHNESS_ELSEWHERE;
	if (!nr)
		return FRESHNESS_EMPTY;
	newest = newest_region(regions, branches, nr);
	if (newest < 0)
		return FRESHNESS_STALE;
	return newest == here || (newest + 1) % (int)regions->n == here ? FRESHNESS_FRESH
									: FRESHNESS_STALE;
}

static bool is_repeated(const struct freshness_tally *tally, uint64_t ip,
			const struct perf_branch_entry *branches, uint64_t nr)
{
	return nr && nr == tally->last_nr && ip == tally->last_ip &&
	       !memcmp(branches, tally->last, nr * sizeof(*branches));
}

void freshness_take(struct freshness_tally *tally, const struct ring_sample *sample)
{
	uint64_t nr = sample->branch_nr < FRESHNESS_DEPTH ? sample->branch_nr : FRESHNESS_DEPTH;
	enum freshness freshness;

	if (is_repeated(tally, sample->ip, sample->branches, nr)) {
		tally->repeated++;
		return;
	}
	freshness = freshness_judge(tally->regions, sample->ip, sample->branches, nr);
	tally->elsewhere += freshness == FRESHNESS_ELSEWHERE;
	tally->judged += freshness != FRESHNESS_ELSEWHERE;
	tally->stale += freshness == FRESHNESS_STALE;
	tally->empty += freshness == FRESHNESS_EMPTY;
	if (freshness != FRESHNESS_ELSEWHERE && tally->last_nr) {
		tally->paired++;
		tally->noticed += freshness_judge(tally->regions, sample->ip, tally->last,
						  tally->last_nr) == FRESHNESS_STALE;
	}
	tally->last_ip = sample->ip;
	tally->last_nr = nr;
	if (nr)
		memcpy(tally->last, sample->branches, nr * sizeof(*sample->branches));
}
