// SPDX-License-Identifier: GPL-2.0-or-later
/* A fork bomb, up to the limit that is set for the run: its cgroup's, or a thousand by itself. */
#include <sys/resource.h>

#include "planted.h"

#define FORKS_MAX 1000

static int run_it(struct run *run)
{
	unsigned int n = 0;
	pid_t pid;

	planted_pass(run);
	while (n < FORKS_MAX && (pid = fork()) >= 0) {
		if (!pid)
			for (;;)
				pause();
		n++;
	}
	run_note(run, "%u processes", n);
	return 0;
}

PLANTED("forks", run_it, 60, .danger = DANGER_SAFE);
