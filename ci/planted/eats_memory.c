// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes all memory of the machine, in the lab: the kernel has to kill somebody. */
#include <sys/mman.h>

#include "planted.h"

#define CHUNK (1 << 20)

static int run_it(struct run *run)
{
	void *memory;

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	do
		memory = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	while (memory != MAP_FAILED);
	return run_broken(run, "there is no more, and nobody was killed");
}

PLANTED("eats_memory", run_it, 60, .danger = DANGER_SAFE);
