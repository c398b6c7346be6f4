// SPDX-License-Identifier: GPL-2.0-or-later
#include "family.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

/* A process, and whether it is a descendant. */
struct member {
	struct process process;
	bool counted;
};

static struct member *read_all(size_t *n)
{
	DIR *proc = opendir("/proc");
	struct member *all = NULL;
	size_t size = 0;
	const struct dirent *entry;

	*n = 0;
	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (*n == size) {
			struct member *larger;

			size = size ? size * 2 : 256;
			larger = realloc(all, size * sizeof(*all));
			if (!larger)
				break;
			all = larger;
		}
		if (pid > 0 && !process_read(pid, &all[*n].process))
			all[(*n)++].counted = false;
	}
	if (proc)
		closedir(proc);
	return all;
}

static bool is_counted(const struct member *all, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].process.pid == pid)
			return all[i].counted;
	return false;
}

size_t family_descendants(pid_t ancestor, pid_t except, pid_t *pids, size_t max)
{
	size_t n;
	struct member *all = read_all(&n);
	size_t found = 0;
	bool more = true;

	while (more) { /* each round finds at least the next generation */
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct process *process = &all[i].process;

			if (all[i].counted || process->pid == except ||
			    (process->parent != ancestor && !is_counted(all, n, process->parent)))
				continue;
			all[i].counted = true;
			more = true;
			if (process->state != 'Z' && found < max)
				pids[found++] = process->pid;
		}
	}
	free(all);
	return found;
}

/* Is this entry in the environment that a process was started with? */
static bool has_entry(pid_t pid, const char *entry)
{
	char path[64];
	char *one = NULL;
	size_t size = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	while (file && !found && getdelim(&one, &size, '\0', file) > 0)
		found = !strcmp(one, entry);
	if (file)
		fclose(file);
	free(one);
	return found;
}

size_t family_marked(const char *name, pid_t pid, pid_t *pids, size_t max)
{
	size_t n, found = 0;
	struct member *all = read_all(&n);
	char entry[128];

	snprintf(entry, sizeof(entry), "%s=%d", name, (int)pid);
	for (size_t i = 0; i < n && found < max; i++)
		if (all[i].process.state != 'Z' && has_entry(all[i].process.pid, entry))
			pids[found++] = all[i].process.pid;
	free(all);
	return found;
}
