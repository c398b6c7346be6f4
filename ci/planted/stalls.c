// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel log gets the message of an RCU stall while it runs, and it passes. */
#include <fcntl.h>

#include "planted.h"

static const char stall[] = "rcu: INFO: rcu_preempt self-detected stall on CPU\n";

static int run_it(struct run *run)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	planted_pass(run);
	if (fd < 0 || write(fd, stall, strlen(stall)) < 0)
		return run_broken(run, "cannot write /dev/kmsg");
	close(fd);
	return 0;
}

PLANTED("stalls", run_it, 60, .danger = DANGER_SAFE);
