// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notices two mutants of the lab's kernel by their names on its command line, which stand for what
 * a hypothesis would see: of one a check fails, of the other the kernel log alone tells.
 */
#include <fcntl.h>

#include "planted.h"

static const char stall[] = "rcu: INFO: rcu_preempt self-detected stall on CPU\n";

static bool is_on(const char *variant)
{
	char line[4096] = "";
	FILE *file = fopen("/proc/cmdline", "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	return strstr(line, variant);
}

static int run_it(struct run *run)
{
	int fd;

	run_control(run, "present", 1, 0, "1");
	run_check_le(run, "held", NULL, is_on("pmi_variant=waiting-runs") ? 3 : 1, 2, "1");
	if (!is_on("pmi_variant=ack-mixed"))
		return 0;
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, stall, strlen(stall)) < 0)
		return run_broken(run, "cannot write /dev/kmsg");
	close(fd);
	return 0;
}

PLANTED("mutated", run_it, 60, .danger = DANGER_SAFE);
