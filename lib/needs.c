// SPDX-License-Identifier: GPL-2.0-or-later
#include "needs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "event.h"
#include "machine.h"
#include "trace.h"

/* Each returns 0 or -errno with err saying what was tried. */
typedef int (*need_test)(const struct need *need, const struct cpus *cpus, struct err *err);

static int need_root(const struct need *need, const struct cpus *cpus, struct err *err)
{
	(void)need;
	(void)cpus;
	if (!geteuid())
		return 0;
	return err_set(err, EPERM, "needs root, running as uid %d", (int)geteuid());
}

/*
 * cycles of user code: counting the kernel takes a privilege (kernel.perf_event_paranoid), and a
 * hypothesis that does says that it needs root.
 */
static struct perf_event_attr user_cycles(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static int need_pmu(const struct need *need, const struct cpus *cpus, struct err *err)
{
	const struct perf_event_attr any = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	const struct perf_event_attr attr = need->value ? any : user_cycles();
	int result = event_probe(&attr, err);

	(void)cpus;
	if (!result)
		return 0;
	/* Alpha's counts all there is. */
	if (!need->value && !event_probe(&any, NULL))
		err_prefix(err, "needs a hardware PMU that can leave out the kernel");
	else
		err_prefix(err, "needs a hardware PMU");
	return result;
}

static int need_branch_stack(const struct need *need, const struct cpus *cpus, struct err *err)
{
	struct perf_event_attr attr = user_cycles();
	int result;

	(void)need;
	(void)cpus;
	attr.sample_period = 100003;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	result = event_probe(&attr, err);
	if (result)
		err_prefix(err, "needs a branch stack");
	return result;
}

static int need_precise(const struct need *need, const struct cpus *cpus, struct err *err)
{
	struct perf_event_attr attr = user_cycles();
	int result;

	(void)cpus;
	attr.sample_period = 100003;
	attr.precise_ip = (unsigned int)need->value & 3;
	result = event_probe(&attr, err);
	if (result)
		err_prefix(err, "needs precise_ip %ld", need->value);
	return result;
}

static int need_cpu_clock(const struct need *need, const struct cpus *cpus, struct err *err)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	int result = event_probe(&attr, err);

	(void)need;
	(void)cpus;
	if (result)
		err_prefix(err, "needs the cpu-clock event");
	return result;
}

static int need_tracepoint(const struct need *need, const struct cpus *cpus, struct err *err)
{
	char system[64];
	const char *slash = strchr(need->what, '/');
	int result;

	(void)cpus;
	if (!slash || (size_t)(slash - need->what) >= sizeof(system))
		return err_set(err, EINVAL, "tracepoint %s", need->what);
	memcpy(system, need->what, (size_t)(slash - need->what));
	system[slash - need->what] = '\0';
	result = trace_has(system, slash + 1, err);
	if (result > 0)
		return 0;
	if (!result)
		return err_set(err, ENOENT, "needs tracepoint %s", need->what);
	err_prefix(err, "needs tracepoint %s", need->what);
	return result;
}

static int need_arch(const struct need *need, const struct cpus *cpus, struct err *err)
{
	struct utsname name;

	(void)cpus;
	if (uname(&name))
		return err_set(err, errno, "uname");
	if (!strcmp(name.machine, need->what))
		return 0;
	return err_set(err, ENODEV, "needs %s, this is %s", need->what, name.machine);
}

static int need_kconfig(const struct need *need, const struct cpus *cpus, struct err *err)
{
	int set = machine_kconfig("", need->what);

	(void)cpus;
	if (set > 0)
		return 0;
	if (!set)
		return err_set(err, ENOTSUP, "needs CONFIG_%s, this kernel is without", need->what);
	return err_set(err, -set, "needs CONFIG_%s, kernel configuration", need->what);
}

static int need_cpus(const struct need *need, const struct cpus *cpus, struct err *err)
{
	if (cpus->n >= (size_t)need->value)
		return 0;
	return err_set(err, ENODEV, "needs %ld CPUs, may use %zu", need->value, cpus->n);
}

static int need_command(const struct need *need, const struct cpus *cpus, struct err *err)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *state = NULL;

	(void)cpus;
	if (!copy)
		return err_set(err, ENOMEM, "PATH");
	for (char *dir = strtok_r(copy, ":", &state); dir; dir = strtok_r(NULL, ":", &state)) {
		char file[PATH_MAX];

		snprintf(file, sizeof(file), "%s/%s", dir, need->what);
		if (!access(file, X_OK)) {
			free(copy);
			return 0;
		}
	}
	free(copy);
	return err_set(err, ENOENT, "needs the program %s, not in PATH", need->what);
}

static int need_file(const struct need *need, const struct cpus *cpus, struct err *err)
{
	int fd = open(need->what, (need->value ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);

	(void)cpus;
	if (fd < 0)
		return err_set(err, errno, "needs %s, open for %s", need->what,
			       need->value ? "reading and writing" : "reading");
	close(fd);
	return 0;
}

static const struct {
	const char *name;
	need_test test;
} kinds[] = {
	[NEED_ROOT] = { "root", need_root },
	[NEED_PMU] = { "pmu", need_pmu },
	[NEED_BRANCH_STACK] = { "branch-stack", need_branch_stack },
	[NEED_PRECISE] = { "precise", need_precise },
	[NEED_TRACEPOINT] = { "tracepoint", need_tracepoint },
	[NEED_ARCH] = { "arch", need_arch },
	[NEED_KCONFIG] = { "kconfig", need_kconfig },
	[NEED_CPUS] = { "cpus", need_cpus },
	[NEED_COMMAND] = { "command", need_command },
	[NEED_FILE] = { "file", need_file },
	[NEED_CPU_CLOCK] = { "cpu-clock", need_cpu_clock },
};

const char *need_name(enum need_kind kind)
{
	return kinds[kind].name;
}

int needs_met(const struct need *needs, const struct cpus *cpus, struct err *err)
{
	for (; needs && needs->kind != NEED_END; needs++) {
		int result = kinds[needs->kind].test(needs, cpus, err);

		if (result)
			return result;
	}
	return 0;
}
