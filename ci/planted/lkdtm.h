/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLANTED_LKDTM_H
#define PMIPROOF_PLANTED_LKDTM_H

#include <sched.h>

#include "planted.h"

/* Ways to crash or to hang that Linux itself has (drivers/misc/lkdtm), in the lab's own kernel. */
#define LKDTM "/sys/kernel/debug/provoke-crash/DIRECT"

/* A child for each of the first `cpus` processors does it there, all of them at once. */
static inline void lkdtm_on_cpus(const char *what, int cpus)
{
	int go[2];
	char byte;

	if (pipe(go))
		return;
	for (int cpu = 0; cpu < cpus; cpu++) {
		cpu_set_t set;

		if (fork())
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		close(go[1]);
		if (!read(go[0], &byte, 1))
			planted_write(LKDTM, what);
		_exit(0);
	}
	sleep(1); /* until all of them wait */
	close(go[1]);
}

#endif
