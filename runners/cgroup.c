// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"

/* A killed process is gone within milliseconds unless it sits in the kernel. */
#define DESTROY_TRIES 200
#define DESTROY_WAIT_MS 10

/* Pids looked at in one round of killing one by one; further ones come in the next. */
#define KILL_BATCH 512

/*
 * The mount point (field 5) of a line of mountinfo whose file system type (the field after " - ")
 * is cgroup2; see proc(5).
 */
static bool cgroup2_mount(char *line, const char **mount_point)
{
	char *type = strstr(line, " - ");
	char *save = NULL;
	char *field = NULL;

	if (!type || strncmp(type + 3, "cgroup2 ", 8))
		return false;
	*type = '\0';
	for (int i = 0; i < 5; i++)
		field = strtok_r(i ? NULL : line, " ", &save);
	*mount_point = field;
	return field != NULL;
}

/* Our place in the version 2 hierarchy is the line "0::/path"; see cgroups(7). */
static int own_path(FILE *membership, char *path, size_t size, struct err *err)
{
	char *line = NULL;
	size_t line_size = 0;
	int result = -ENOENT;

	while (result && getline(&line, &line_size, membership) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3))
			continue;
		result = (size_t)snprintf(path, size, "%s", line + 3) < size ? 0 : -ENAMETOOLONG;
	}
	free(line);
	return result ? err_set(err, -result, "our place among the cgroups") : 0;
}

int cgroup_place(FILE *mountinfo, FILE *membership, char *path, size_t size, struct err *err)
{
	const char *mount_point = NULL;
	char *line = NULL;
	size_t line_size = 0;
	char own[512];
	int result = own_path(membership, own, sizeof(own), err);

	if (result)
		return result;
	while (!mount_point && getline(&line, &line_size, mountinfo) > 0)
		cgroup2_mount(line, &mount_point);
	if (!mount_point)
		result = err_set(err, ENOENT, "a cgroup2 mount");
	else if ((size_t)snprintf(path, size, "%s%s", mount_point, own) >= size)
		result = err_set(err, ENAMETOOLONG, "%s%s", mount_point, own);
	free(line);
	return result;
}

int cgroup_own_place(char *path, size_t size, struct err *err)
{
	FILE *mountinfo = fopen("/proc/self/mountinfo", "re");
	FILE *membership = fopen("/proc/self/cgroup", "re");
	int result;

	if (!mountinfo || !membership)
		result = err_set(err, errno, "/proc/self/mountinfo, /proc/self/cgroup");
	else
		result = cgroup_place(mountinfo, membership, path, size, err);
	if (mountinfo)
		fclose(mountinfo);
	if (membership)
		fclose(membership);
	return result;
}

int cgroup_open_place(struct err *err)
{
	char path[1024];
	int result = cgroup_own_place(path, sizeof(path), err);
	int fd;

	if (result)
		return result;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "open %s", path);
	return fd;
}

int cgroup_create(struct cgroup *cgroup, int place, unsigned int number, struct err *err)
{
	*cgroup = (struct cgroup){ .dir = -1, .parent = place };
	snprintf(cgroup->name, sizeof(cgroup->name), CGROUP_PREFIX "%d-%u", (int)getpid(), number);
	if (mkdirat(place, cgroup->name, 0755))
		return err_set(err, errno, "make cgroup %s", cgroup->name);
	cgroup->dir = openat(place, cgroup->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup->dir < 0) {
		int result = err_set(err, errno, "open cgroup %s", cgroup->name);

		unlinkat(place, cgroup->name, AT_REMOVEDIR);
		return result;
	}
	return 0;
}

int cgroup_open_procs(const struct cgroup *cgroup)
{
	return cgroup->dir < 0 ? -1 : openat(cgroup->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
}

size_t cgroup_pids(const struct cgroup *cgroup, pid_t *pids, size_t max)
{
	size_t n = 0;
	FILE *file;
	int fd;
	int pid;

	if (cgroup->dir < 0)
		return 0;
	fd = openat(cgroup->dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return 0;
	}
	/* Written by the kernel: one decimal pid per line. */
	while (n < max && fscanf(file, "%d", &pid) == 1) /* NOLINT(cert-err34-c) */
		pids[n++] = pid;
	fclose(file);
	return n;
}

void cgroup_kill(const struct cgroup *cgroup)
{
	pid_t pids[KILL_BATCH];
	int fd;

	if (cgroup->dir < 0)
		return;
	fd = openat(cgroup->dir, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t written = write(fd, "1", 1);

		close(fd);
		if (written == 1)
			return;
	}
	for (int round = 0; round < DESTROY_TRIES; round++) {
		size_t n = cgroup_pids(cgroup, pids, KILL_BATCH);

		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
		clock_sleep_ms(1);
	}
}

/* Remove a cgroup's directory and those that were made inside it. */
static int remove_tree(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -errno;
	}
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			remove_tree(dirfd(dir), entry->d_name);
	closedir(dir);
	return unlinkat(parent, name, AT_REMOVEDIR) ? -errno : 0;
}

int cgroup_destroy(struct cgroup *cgroup, struct err *err)
{
	int result = 0;

	if (cgroup->dir < 0)
		return 0;
	for (int try = 0; try < DESTROY_TRIES; try++) {
		cgroup_kill(cgroup);
		result = remove_tree(cgroup->parent, cgroup->name);
		if (result != -EBUSY)
			break;
		clock_sleep_ms(DESTROY_WAIT_MS);
	}
	close(cgroup->dir);
	cgroup->dir = -1;
	return result ? err_set(err, -result, "remove cgroup %s", cgroup->name) : 0;
}

/* The pid in a name of ours, or 0 when it is no name of ours. */
static pid_t owner(const char *name)
{
	size_t prefix = strlen(CGROUP_PREFIX);
	char *end;
	long pid;

	if (strncmp(name, CGROUP_PREFIX, prefix))
		return 0;
	pid = strtol(name + prefix, &end, 10);
	return *end == '-' && pid > 0 ? (pid_t)pid : 0;
}

size_t cgroup_remove_leftovers(int place, pid_t pid)
{
	int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t removed = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((entry = readdir(dir))) {
		pid_t made_by = owner(entry->d_name);
		struct cgroup left = { .parent = place };

		if (!made_by || (pid ? made_by != pid : process_is_alive(made_by)))
			continue;
		snprintf(left.name, sizeof(left.name), "%.63s", entry->d_name);
		left.dir = openat(place, left.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (left.dir >= 0 && !cgroup_destroy(&left, NULL))
			removed++;
	}
	closedir(dir);
	return removed;
}
