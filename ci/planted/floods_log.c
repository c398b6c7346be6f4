// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes far more to the kernel log than it holds while the supervisor cannot read it, in the lab,
 * and passes.
 */
#include <fcntl.h>
#include <signal.h>

#include "planted.h"

/* 2 MiB; the log holds 128 KiB (CONFIG_LOG_BUF_SHIFT is 17). */
#define LINES 20000

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
	if (fd < 0)
		return run_broken(run, "cannot write /dev/kmsg");
	kill(getppid(), SIGSTOP);
	for (int i = 0; i < LINES; i++)
		if (write(fd, line, strlen(line)) < 0)
			break;
	kill(getppid(), SIGCONT);
	close(fd);
	return 0;
}

PLANTED("floods_log", run_it, 600, .danger = DANGER_SAFE);
