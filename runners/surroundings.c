// SPDX-License-Identifier: GPL-2.0-or-later
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hotplug.h"
#include "machine.h"

#define CLEAR_WARN_ONCE "/sys/kernel/debug/clear_warn_once"

/*
 * Sysctls that belong to the subject of these tests. perf_cpu_time_max_percent comes before
 * perf_event_max_sample_rate because the kernel refuses to set the second while the first is 0 or
 * 100 (kernel/events/core.c).
 */
static const char *const watched[] = {
	"kernel.perf_cpu_time_max_percent",
	"kernel.perf_event_max_sample_rate",
	"kernel.perf_event_mlock_kb",
	"kernel.perf_event_paranoid",
	"kernel.perf_event_max_stack",
	"kernel.perf_event_max_contexts_per_stack",
	"kernel.nmi_watchdog",
	"kernel.soft_watchdog",
	"kernel.watchdog_thresh",
	"kernel.unknown_nmi_panic",
	"kernel.panic_on_warn",
	"kernel.panic_on_oops",
	"kernel.panic",
	"kernel.sched_rt_runtime_us",
	"kernel.sched_rt_period_us",
	NULL,
};

/* Taint flags, Documentation/admin-guide/tainted-kernels.rst. */
static const struct {
	unsigned int bit;
	char letter;
	enum verdict effect;
	const char *meaning;
} taints[] = {
	{ 0, 'P', VERDICT_BROKEN, "a proprietary module was loaded" },
	{ 1, 'F', VERDICT_BROKEN, "a module was force-loaded" },
	{ 3, 'R', VERDICT_BROKEN, "a module was force-unloaded" },
	{ 4, 'M', VERDICT_FAIL, "machine check" },
	{ 5, 'B', VERDICT_FAIL, "bad page" },
	{ 7, 'D', VERDICT_FAIL, "oops or BUG" },
	{ 9, 'W', VERDICT_FAIL, "warning" },
	{ 14, 'L', VERDICT_FAIL, "soft lockup" },
};

static size_t count(const char *const *names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return n;
}

int surroundings_save(struct surroundings *before, const char *const *declared, struct err *err)
{
	int result;

	before->n_declared = count(declared);
	before->n = before->n_declared + count(watched);
	before->saved = calloc(before->n, sizeof(*before->saved));
	if (!before->saved)
		return err_set(err, ENOMEM, "saved sysctls");
	result = sysctl_save(before->saved, declared, err);
	if (!result)
		result = sysctl_save(before->saved + before->n_declared, watched, err);
	if (result) {
		surroundings_free(before);
		return result;
	}
	before->taint = machine_taint("", NULL);
	before->lockdep = machine_lockdep("");
	hotplug_online(before->online);
	return 0;
}

static void restore_one(const struct sysctl_saved *saved, bool declared, json_t *restored,
			struct judge *judge)
{
	char now[SYSCTL_VALUE_MAX] = "?";
	size_t changed = 0;
	struct err err;

	sysctl_read(saved->name, now, sizeof(now), NULL);
	if (sysctl_restore(saved, 1, &changed, &err))
		judge_add(judge, VERDICT_BROKEN, "not put back: %s", err.text);
	else if (changed)
		json_array_append_new(restored, json_string(saved->name));
	if (changed && !declared)
		judge_add(judge, VERDICT_BROKEN, "changed %s from %s to %s without declaring it",
			  saved->name, saved->value, now);
}

struct offline {
	json_t *restored;
	struct judge *judge;
};

static void came_back(int cpu, void *context)
{
	const struct offline *offline = context;
	char name[32];

	snprintf(name, sizeof(name), "CPU %d", cpu);
	json_array_append_new(offline->restored, json_string(name));
	judge_add(offline->judge, VERDICT_BROKEN, "left CPU %d offline", cpu);
}

void surroundings_restore(const struct surroundings *before, json_t *restored, struct judge *judge)
{
	struct offline offline = { restored, judge };
	struct err err;

	/* A sysctl in both lists is put back as declared; then it no longer differs. */
	for (size_t i = 0; i < before->n; i++)
		restore_one(&before->saved[i], i < before->n_declared, restored, judge);
	if (hotplug_restore(before->online, came_back, &offline, &err))
		judge_add(judge, VERDICT_BROKEN, "not put back: %s", err.text);
}

void surroundings_judge_taint(unsigned long before, unsigned long after, struct judge *judge)
{
	for (size_t i = 0; i < sizeof(taints) / sizeof(taints[0]); i++)
		if (~before & after & 1UL << taints[i].bit)
			judge_add(judge, taints[i].effect, "new kernel taint flag %c: %s",
				  taints[i].letter, taints[i].meaning);
}

void surroundings_judge(const struct surroundings *before, const struct klog_tally *tally,
			struct judge *judge)
{
	long taint = machine_taint("", NULL);

	if (before->taint >= 0 && taint >= 0)
		surroundings_judge_taint((unsigned long)before->taint, (unsigned long)taint, judge);
	if (before->lockdep == 1 && machine_lockdep("") == 0 && !tally->count[KLOG_LOCKDEP_LIMIT])
		judge_add(judge, VERDICT_FAIL, "lockdep turned itself off: it found a problem");
}

void surroundings_free(struct surroundings *before)
{
	free(before->saved);
	before->saved = NULL;
	before->n = 0;
}

int surroundings_rearm_warnings(struct err *err)
{
	int fd = open(CLEAR_WARN_ONCE, O_WRONLY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return err_set(err, errno, "open %s", CLEAR_WARN_ONCE);
	if (write(fd, "1", 1) != 1)
		result = err_set(err, errno, "write %s", CLEAR_WARN_ONCE);
	close(fd);
	return result;
}
