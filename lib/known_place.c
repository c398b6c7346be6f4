// SPDX-License-Identifier: GPL-2.0-or-later
#include "known_place.h"

#include <linux/perf_event.h>
#include <string.h>

bool known_is_user(uint64_t address)
{
	return !(address >> 63);
}

/* One of PERF_CONTEXT_*, which are the last few thousand numbers. */
static bool is_marker(uint64_t entry)
{
	return entry >= (uint64_t)PERF_CONTEXT_MAX;
}

bool known_mode_right(uint64_t ip, uint16_t misc)
{
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
	       (known_is_user(ip) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
}

static bool in_place(const struct known_place *place, uint64_t address)
{
	return address >= place->begin && address < place->end;
}

/* Entry number `at` and those after it: the marker, an address in the place, its callers. */
static bool user_part_right(const struct known_place *place, const struct ring_sample *sample,
			    uint64_t at)
{
	if (sample->callchain_nr - at < 2 + place->depth)
		return false;
	return sample->callchain[at] == (uint64_t)PERF_CONTEXT_USER &&
	       in_place(place, sample->callchain[at + 1]) &&
	       !memcmp(&sample->callchain[at + 2], place->returns,
		       place->depth * sizeof(*place->returns));
}

bool known_chain_right(const struct known_place *place, const struct ring_sample *sample)
{
	uint64_t at = 2;

	if (known_is_user(sample->ip))
		return user_part_right(place, sample, 0) && sample->callchain[1] == sample->ip;
	if (sample->callchain_nr < 2 || sample->callchain[0] != (uint64_t)PERF_CONTEXT_KERNEL ||
	    sample->callchain[1] != sample->ip)
		return false;
	while (at < sample->callchain_nr && !known_is_user(sample->callchain[at]) &&
	       !is_marker(sample->callchain[at]))
		at++;
	return user_part_right(place, sample, at);
}

bool known_chain_limited(const struct known_place *place, const struct ring_sample *sample,
			 uint64_t most)
{
	return sample->callchain_nr == 1 + most &&
	       sample->callchain[0] == (uint64_t)PERF_CONTEXT_USER &&
	       sample->callchain[1] == sample->ip &&
	       !memcmp(&sample->callchain[2], place->returns, (most - 1) * sizeof(*place->returns));
}

bool known_chain_only(const struct ring_sample *sample, bool user)
{
	uint64_t marker = (uint64_t)(user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
	uint64_t addresses = 0;

	for (uint64_t i = 0; i < sample->callchain_nr; i++) {
		uint64_t entry = sample->callchain[i];

		if (is_marker(entry) ? entry != marker : known_is_user(entry) != user)
			return false;
		addresses += !is_marker(entry);
	}
	return addresses > 0;
}

static bool regs_right(const struct known_place *place, const uint64_t *regs, uint64_t ip,
		       bool saved_only)
{
	size_t i = 0;

	for (uint64_t rest = place->regs_mask; rest; rest &= rest - 1, i++) {
		unsigned int reg = (unsigned int)__builtin_ctzll(rest);
		bool right = regs[i] == place->regs[i];

		if (reg == place->ip_reg)
			right = saved_only ? in_place(place, regs[i]) : regs[i] == ip;
		else if (saved_only && (place->regs_unsaved >> reg & 1))
			right |= regs[i] == UINT64_MAX;
		if (!right)
			return false;
	}
	return true;
}

bool known_regs_right(const struct known_place *place, const struct ring_sample *sample)
{
	return sample->user_regs_abi != PERF_SAMPLE_REGS_ABI_NONE &&
	       regs_right(place, sample->user_regs, sample->ip, !known_is_user(sample->ip));
}

bool known_intr_regs_right(const struct known_place *place, const struct ring_sample *sample)
{
	return sample->intr_regs_abi != PERF_SAMPLE_REGS_ABI_NONE &&
	       regs_right(place, sample->intr_regs, sample->ip, false);
}

bool known_stack_right(const struct known_place *place, const struct ring_sample *sample)
{
	size_t size = place->stack_words * sizeof(*place->stack);

	return sample->user_stack_used >= size && !memcmp(sample->user_stack, place->stack, size);
}
