// SPDX-License-Identifier: GPL-2.0-or-later
#include "random_loop.h"

uint64_t random_next(uint64_t state)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^ state << 17;
}

/*
 * x ^ (x << n) is undone by the same with n, 2n, 4n, ...: as polynomials over two elements,
 * (1 + L)(1 + L)(1 + L^2)(1 + L^4)... = 1 + L^64 or more, which is 1.
 */
static uint64_t undo_left(uint64_t x, unsigned int n)
{
	for (; n < 64; n *= 2)
		x ^= x << n;
	return x;
}

static uint64_t undo_right(uint64_t x, unsigned int n)
{
	for (; n < 64; n *= 2)
		x ^= x >> n;
	return x;
}

uint64_t random_before(uint64_t state)
{
	return undo_left(undo_right(undo_left(state, 17), 7), 13);
}

bool random_taken(uint64_t state)
{
	return state >> 32 & 1;
}

/* A moment: the generator's state, and whether that round's one branch is behind us. */
struct moment {
	uint64_t state;
	bool decided;
};

/* The newest branch before it: is it the one that is sometimes taken? Then go back before it. */
static bool step_back(struct moment *moment)
{
	bool sometimes = moment->decided && random_taken(moment->state);

	if (!sometimes)
		moment->state = random_before(moment->state);
	/* Before the branch that closed the last round, that round's was decided. */
	moment->decided = !sometimes;
	return sometimes;
}

static bool is(const struct perf_branch_entry *entry, uint64_t from, uint64_t to)
{
	return entry->from == from && entry->to == to;
}

/* Of the stack's newest branches, so many are of the loop. */
static uint64_t own(const struct random_loop *loop, const struct perf_branch_entry *branches,
		    uint64_t nr)
{
	uint64_t n = 0;

	while (n < nr && branches[n].from >= loop->begin && branches[n].from < loop->end &&
	       branches[n].to >= loop->begin && branches[n].to < loop->end)
		n++;
	return n;
}

static bool fits(const struct random_loop *loop, struct moment moment,
		 const struct perf_branch_entry *branches, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		bool right = step_back(&moment)
				     ? is(&branches[i], loop->sometimes_from, loop->sometimes_to)
				     : is(&branches[i], loop->always_from, loop->always_to);

		if (!right)
			return false;
	}
	return true;
}

int random_loop_behind(const struct random_loop *loop, uint64_t state,
		       const struct perf_branch_entry *branches, uint64_t nr, int most)
{
	/* The latest that can be: the branch that closes the round of `state` was taken, too. */
	struct moment moment = { random_next(state), false };

	nr = own(loop, branches, nr);
	if (nr < RANDOM_BRANCHES_MIN)
		return -2;
	for (int behind = 0; behind <= most; behind++) {
		if (fits(loop, moment, branches, nr))
			return behind;
		step_back(&moment);
	}
	return -1;
}
