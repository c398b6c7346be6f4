// SPDX-License-Identifier: GPL-2.0-or-later
#include "hotplug.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpus.h"
#include "io.h"

#define CPUS_ONLINE "/sys/devices/system/cpu/online"

static void path_of(int cpu, char *path, size_t size)
{
	snprintf(path, size, "/sys/devices/system/cpu/cpu%d/online", cpu);
}

bool hotplug_may(int cpu)
{
	char path[64];

	path_of(cpu, path, sizeof(path));
	return !access(path, W_OK);
}

int hotplug_set(int cpu, bool online, struct err *err)
{
	char path[64];
	int fd, result = 0;

	path_of(cpu, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "open %s", path);
	if (write(fd, online ? "1" : "0", 1) != 1)
		result = err_set(err, errno, "write %s", path);
	close(fd);
	return result;
}

void hotplug_online(char list[HOTPLUG_LIST_MAX])
{
	if (io_read_text(CPUS_ONLINE, list, HOTPLUG_LIST_MAX) <= 0)
		*list = 0;
}

static bool has(const struct cpus *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->cpu[i] == cpu)
			return true;
	return false;
}

int hotplug_restore(const char *list, void (*did)(int cpu, void *context), void *context,
		    struct err *err)
{
	/* Before and now: too large for the stack. */
	struct cpus *lists = calloc(2, sizeof(*lists));
	char online[HOTPLUG_LIST_MAX];
	size_t n;
	int result = lists ? 0 : err_set(err, ENOMEM, "lists of CPUs");

	hotplug_online(online);
	if (!result && *list && *online && !cpus_parse(&lists[0], list, NULL, err))
		result = cpus_parse(&lists[1], online, NULL, err);
	n = result || !lists ? 0 : lists[0].n;
	for (size_t i = 0; i < n; i++) {
		int one, cpu = lists[0].cpu[i];

		if (has(&lists[1], cpu))
			continue;
		one = hotplug_set(cpu, true, result ? NULL : err);
		if (!one)
			did(cpu, context);
		result = result ? result : one;
	}
	free(lists);
	return result;
}

double hotplug_count_off(const struct hotplug_seen *seen)
{
	return 100 * fabs((double)seen->count / (double)seen->known - 1);
}

double hotplug_samples_off(const struct hotplug_seen *seen)
{
	const uint64_t implied = seen->count / seen->period;

	return fabs((double)seen->samples - (double)implied);
}

double hotplug_count_short(const struct hotplug_seen *seen)
{
	return 100 * fmax(0, 1 - (double)seen->count / (double)seen->known);
}
