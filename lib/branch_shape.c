// SPDX-License-Identifier: GPL-2.0-or-later
#include "branch_shape.h"

static void see_flags(struct shape_tally *tally, const struct perf_branch_entry *entry)
{
	bool sometimes = entry->from == tally->loop->sometimes_from;
	bool always = entry->from == tally->loop->always_from;

	tally->entries++;
	tally->both += entry->mispred && entry->predicted;
	tally->neither += !entry->mispred && !entry->predicted;
	tally->transaction += entry->in_tx || entry->abort;
	tally->told += entry->mispred || entry->predicted || entry->cycles;
	tally->sometimes += sometimes;
	tally->sometimes_missed += sometimes && entry->mispred;
	tally->always += always;
	tally->always_missed += always && entry->mispred;
}

/*
 * `entry` is the branch after `before`. Between the two of a round are a few instructions, before
 * the first of them all the others.
 */
static void see_cycles(struct shape_tally *tally, const struct perf_branch_entry *entry,
		       const struct perf_branch_entry *before)
{
	const struct random_loop *loop = tally->loop;

	if (entry->cycles > SHAPE_CYCLES_MAX)
		return;
	tally->timed++;
	tally->cycles += entry->cycles;
	if (entry->from == loop->sometimes_from && before->from == loop->always_from &&
	    !entry->mispred) {
		tally->long_timed++;
		tally->long_cycles += entry->cycles;
	}
	/* What a misprediction costs comes after it. */
	if (entry->from == loop->always_from && before->from == loop->sometimes_from &&
	    !before->mispred) {
		tally->short_timed++;
		tally->short_cycles += entry->cycles;
	}
}

static void see_index(struct shape_tally *tally, const struct ring_sample *sample)
{
	uint64_t index = sample->branch_hw_index;

	if (!sample->branch_has_hw_index || index == UINT64_MAX)
		tally->index_none++;
	else if (index >= SHAPE_DEPTH_MAX)
		tally->index_above++;
	else
		tally->index_seen |= 1ULL << index;
}

void shape_tally_take(struct shape_tally *tally, const struct ring_sample *sample)
{
	uint64_t nr = sample->branch_nr;
	int behind;

	if (sample->ip < tally->loop->begin || sample->ip >= tally->loop->end ||
	    !sample->intr_regs_abi)
		return;
	tally->stacks++;
	tally->deep[nr < SHAPE_DEPTH_MAX ? nr : SHAPE_DEPTH_MAX]++;
	see_index(tally, sample);
	for (uint64_t i = 0; i < nr; i++) {
		const struct perf_branch_entry *entry = &sample->branches[i];

		see_flags(tally, entry);
		if (i + 1 < nr)
			see_cycles(tally, entry, &sample->branches[i + 1]);
	}
	behind = random_loop_behind(tally->loop, sample->intr_regs[0], sample->branches, nr,
				    tally->behind_most);
	tally->judged += behind >= -1;
	tally->stale += behind == -1;
}

uint64_t shape_deepest(const struct shape_tally *tally, uint64_t lack, uint64_t *n)
{
	uint64_t deepest = SHAPE_DEPTH_MAX;

	while (deepest && !tally->deep[deepest])
		deepest--;
	*n = 0;
	for (uint64_t depth = deepest > lack ? deepest - lack : 0; depth <= deepest; depth++)
		*n += tally->deep[depth];
	return deepest;
}

unsigned int shape_indexes(const struct shape_tally *tally)
{
	return (unsigned int)__builtin_popcountll(tally->index_seen);
}

int shape_index_most(const struct shape_tally *tally)
{
	return tally->index_seen ? 63 - __builtin_clzll(tally->index_seen) : -1;
}
