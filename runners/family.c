// SPDX-License-Identifier: GPL-2.0-or-later
#include "family.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct process {
	pid_t pid;
	pid_t parent;
	char state;
	bool counted;
};

/* Parse /proc/<pid>/stat: the name is in parentheses and may itself contain any character. */
static bool read_process(pid_t pid, struct process *process, char *name, size_t size)
{
	char path[64];
	char text[512];
	char *open, *close;
	size_t got;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[got] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || strlen(close) < 5)
		return false;
	*close = '\0';
	snprintf(name, size, "%s", open + 1);
	process->pid = pid;
	process->state = close[2];
	process->parent = (pid_t)strtol(close + 4, NULL, 10);
	process->counted = false;
	return true;
}

static struct process *read_all(size_t *n)
{
	DIR *proc = opendir("/proc");
	struct process *all = NULL;
	size_t size = 0;
	const struct dirent *entry;
	char name[64];

	*n = 0;
	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (*n == size) {
			struct process *larger;

			size = size ? size * 2 : 256;
			larger = realloc(all, size * sizeof(*all));
			if (!larger)
				break;
			all = larger;
		}
		if (pid > 0 && read_process(pid, &all[*n], name, sizeof(name)))
			++*n;
	}
	if (proc)
		closedir(proc);
	return all;
}

static bool is_counted(const struct process *all, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].pid == pid)
			return all[i].counted;
	return false;
}

size_t family_descendants(pid_t ancestor, pid_t except, pid_t *pids, size_t max)
{
	size_t n;
	struct process *all = read_all(&n);
	size_t found = 0;
	bool more = true;

	while (more) { /* each round finds at least the next generation */
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (all[i].counted || all[i].pid == except ||
			    (all[i].parent != ancestor && !is_counted(all, n, all[i].parent)))
				continue;
			all[i].counted = true;
			more = true;
			if (all[i].state != 'Z' && found < max)
				pids[found++] = all[i].pid;
		}
	}
	free(all);
	return found;
}

const char *family_name(pid_t pid, char *name, size_t size)
{
	struct process process;

	if (!read_process(pid, &process, name, size))
		snprintf(name, size, "?");
	return name;
}

char family_state(pid_t pid)
{
	struct process process;
	char name[64];

	return read_process(pid, &process, name, sizeof(name)) ? process.state : 0;
}
