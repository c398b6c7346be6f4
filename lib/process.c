// SPDX-License-Identifier: GPL-2.0-or-later
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

int process_read(pid_t pid, struct process *process)
{
	char path[64];
	char text[512];
	char *open, *close;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_text(path, text, sizeof(text)) < 0)
		return -ESRCH;
	/* The name is in parentheses and may itself contain any character. */
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || strlen(close) < 5)
		return -ESRCH;
	*close = '\0';
	snprintf(process->name, sizeof(process->name), "%s", open + 1);
	process->pid = pid;
	process->state = close[2];
	process->parent = (pid_t)strtol(close + 4, NULL, 10);
	return 0;
}

bool process_is_alive(pid_t pid)
{
	struct process process;

	if (kill(pid, 0) && errno == ESRCH)
		return false;
	/* One that there is no telling of counts as alive: what is its own is not to be taken away.
	 */
	return process_read(pid, &process) || (process.state != 'Z' && process.state != 'X');
}
