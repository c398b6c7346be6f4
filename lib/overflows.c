// SPDX-License-Identifier: GPL-2.0-or-later
#include "overflows.h"

uint64_t overflows_due(const struct overflows *overflows, uint64_t count)
{
	return count / overflows->period;
}

/* So many overflows have no sample, and LOST records say `lost` in all. */
static void account(struct overflows *overflows, uint64_t absent, uint64_t lost)
{
	uint64_t told = lost - overflows->lost;

	if (absent > told)
		overflows->missing += absent - told;
	else
		overflows->excess += told - absent;
	overflows->lost = lost;
}

void overflows_add(struct overflows *overflows, uint64_t count, uint64_t lost)
{
	uint64_t number = overflows_due(overflows, count);

	overflows->samples++;
	overflows->late += count % overflows->period >= (overflows->period + 3) / 4;
	if (number <= overflows->last) {
		overflows->twice++;
		account(overflows, 0, lost);
		return;
	}
	account(overflows, number - overflows->last - 1, lost);
	overflows->last = number;
}

void overflows_end(struct overflows *overflows, uint64_t count, uint64_t lost)
{
	uint64_t due = overflows_due(overflows, count);

	/* A final count below that of the last sample leaves that one without its overflow. */
	if (due < overflows->last)
		overflows->twice += overflows->last - due;
	account(overflows, due > overflows->last ? due - overflows->last : 0, lost);
}
