// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes to the kernel log faster than anybody reads it, in the lab, and passes. */
#include <fcntl.h>

#include "planted.h"

#define LINES 200000

static int run_it(struct run *run)
{
	static const char line[] =
		"<7>flood of the kernel log: nothing of this means anything, but "
		"there is a lot of it and it comes fast\n";
	int fd;

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	planted_pass(run);
	for (int i = 0; i < LINES; i++)
		if (fd < 0 || write(fd, line, strlen(line)) < 0)
			return run_broken(run, "cannot write /dev/kmsg");
	close(fd);
	return 0;
}

PLANTED("floods_log", run_it, 600, .danger = DANGER_SAFE);
