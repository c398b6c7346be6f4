// SPDX-License-Identifier: GPL-2.0-or-later
#include "branch_loop.h"

bool branch_filter_asks(const struct branch_filter *filter, uint64_t type)
{
	return type < 32 && (filter->types & (1U << type));
}

bool branch_in_kernel(uint64_t address)
{
	return address >> 63;
}

static bool in_loop(const struct branch_loop *loop, uint64_t address)
{
	return address >= loop->begin && address < loop->end;
}

/* Which of the loop's branches that is, or -1. */
static long find(const struct branch_loop *loop, const struct perf_branch_entry *entry)
{
	for (size_t i = 0; i < loop->n; i++)
		if (loop->branches[i].from == entry->from && loop->branches[i].to == entry->to)
			return (long)i;
	return -1;
}

/* The nearest branch before (step -1) or after (1) number i that was asked for. */
static long neighbour(const struct branch_tally *tally, long i, int step)
{
	const long n = (long)tally->loop->n;

	for (long tries = 0; tries < n; tries++) {
		i = (i + step + n) % n;
		if (branch_filter_asks(&tally->filter, tally->loop->branches[i].type))
			return i;
	}
	return -1;
}

/* What a walk from the newest branch to the oldest comes across. */
struct walk {
	bool unknown, unasked, mistyped, to_kernel, to_user, from_kernel, call, back;
	uint64_t pairs, backward, forward; /* neighbours in the stack; so many follow the loop */
	long newer;			   /* the branch of the loop before; -1: none */
};

/* A branch that has one end, or both, in the kernel. */
static void see_kernel(const struct branch_tally *tally, const struct perf_branch_entry *entry,
		       struct walk *walk)
{
	bool to_kernel = branch_in_kernel(entry->to);

	walk->to_kernel |= to_kernel && !tally->filter.kernel;
	walk->to_user |= !to_kernel && !tally->filter.user;
	walk->from_kernel |= !to_kernel && !tally->filter.kernel;
	walk->unasked |= entry->type && !branch_filter_asks(&tally->filter, entry->type);
	walk->call |= to_kernel && tally->loop->back && entry->from < tally->loop->back &&
		      tally->loop->back - entry->from <= 2;
	walk->back |= !to_kernel && tally->loop->back && entry->to == tally->loop->back;
}

/* False where the stack has come to what was before the loop. */
static bool see(const struct branch_tally *tally, const struct perf_branch_entry *entry,
		struct walk *walk)
{
	long i;

	if (branch_in_kernel(entry->from) || branch_in_kernel(entry->to)) {
		see_kernel(tally, entry, walk);
		return true;
	}
	walk->to_user |= !tally->filter.user;
	if (!in_loop(tally->loop, entry->from) || !in_loop(tally->loop, entry->to))
		return false;
	i = find(tally->loop, entry);
	walk->unknown |= i < 0;
	if (i < 0)
		return true;
	walk->mistyped |= entry->type != tally->loop->branches[i].type;
	if (!branch_filter_asks(&tally->filter, tally->loop->branches[i].type)) {
		walk->unasked = true;
		return true;
	}
	if (walk->newer >= 0) {
		walk->pairs++;
		walk->backward += neighbour(tally, walk->newer, -1) == i;
		walk->forward += neighbour(tally, walk->newer, 1) == i;
	}
	walk->newer = i;
	return true;
}

void branch_tally_take(struct branch_tally *tally, const struct ring_sample *sample)
{
	struct walk walk = { .newer = -1 };
	bool disordered;

	if (!in_loop(tally->loop, sample->ip))
		return;
	for (uint64_t i = 0; i < sample->branch_nr; i++)
		if (!see(tally, &sample->branches[i], &walk))
			break;
	/* Two branches or fewer follow each other either way. */
	disordered = walk.pairs > 1 && walk.forward == walk.pairs && walk.backward < walk.pairs;
	tally->stacks++;
	tally->unknown += walk.unknown;
	tally->unasked += walk.unasked;
	tally->mistyped += walk.mistyped;
	tally->disordered += disordered;
	tally->missing += !sample->branch_nr || (!disordered && walk.backward < walk.pairs);
	tally->to_kernel += walk.to_kernel;
	tally->to_user += walk.to_user;
	tally->from_kernel += walk.from_kernel;
	tally->calls += walk.call;
	tally->returns += walk.back;
	tally->branches += sample->branch_nr;
	if (sample->branch_nr > tally->deepest)
		tally->deepest = sample->branch_nr;
}
