// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills the disk that the report is on, and keeps it full while it records on and on. */
#include <errno.h>
#include <fcntl.h>

#include "planted.h"

static const struct check checks[] = {
	{ "held", "a number is below another", "planted: 1 < 2", false },
	{ 0 },
};

static const struct option_spec options[] = {
	{ "dir", "DIR", "on the disk" },
	{ 0 },
};

/* Write until nothing more fits, down to the last byte. */
static void fill(int fd)
{
	static const char zeros[65536];
	size_t size = sizeof(zeros);

	while (size) {
		ssize_t n = write(fd, zeros, size);

		if (n > 0)
			continue;
		size /= 2;
	}
	fsync(fd);
}

static int run_it(struct run *run)
{
	const char *dir = run_option(run, "dir");
	int fd = dir ? open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return run_skip(run, "no directory to fill");
	planted_pass(run);
	run_note(run, "about to fill the disk");
	for (unsigned int i = 1;; i++) {
		fill(fd);
		run_note(run, "line %u on a full disk", i);
		usleep(1000);
	}
	return 0;
}

const struct hypothesis hypothesis = {
	.name = "fills_disk",
	.claim = "A run whose disk is full ends, and keeps what it has.",
	.source = "planted",
	.danger = DANGER_SAFE,
	.budget_s = 60,
	.checks = checks,
	.options = options,
	.run = run_it,
};
