// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes all memory of the machine, in the lab: the kernel has to kill somebody. */
#include "planted.h"

#define CHUNK (1 << 20)

static int run_it(struct run *run)
{
	char *memory;

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	while ((memory = malloc(CHUNK)))
		memset(memory, 1, CHUNK);
	return run_broken(run, "there is no more, and nobody was killed");
}

PLANTED("eats_memory", run_it, 60, .danger = DANGER_SAFE);
