// SPDX-License-Identifier: GPL-2.0-or-later
#include "call_chain.h"

#include <stdbool.h>

static bool inside(const struct call_chain *chain, uint64_t address)
{
	return address >= chain->begin && address < chain->end;
}

static bool has_branch_of(const struct call_chain *chain, const struct perf_branch_entry *branches,
			  uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (inside(chain, branches[i].from) || inside(chain, branches[i].to))
			return true;
	return false;
}

enum chain_seen call_chain_judge(const struct call_chain *own, const struct call_chain *other,
				 uint64_t ip, const struct perf_branch_entry *branches, uint64_t nr)
{
	if (ip < own->stay_begin || ip >= own->stay_end)
		return CHAIN_ELSEWHERE;
	if (has_branch_of(other, branches, nr))
		return CHAIN_FOREIGN;
	if (nr < own->depth)
		return CHAIN_INCOMPLETE;
	for (size_t i = 0; i < own->depth; i++) {
		const struct call_site *call = &own->calls[own->depth - 1 - i];

		if (branches[i].from != call->from || branches[i].to != call->to)
			return CHAIN_INCOMPLETE;
	}
	return CHAIN_COMPLETE;
}
