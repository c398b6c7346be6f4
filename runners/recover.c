// SPDX-License-Identifier: GPL-2.0-or-later
#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "active.h"
#include "cgroup.h"
#include "clock.h"
#include "family.h"
#include "hotplug.h"
#include "io.h"
#include "record.h"
#include "surroundings.h"
#include "sysctl.h"
#include "trace.h"
#include "watchdog.h"

/* Processes looked at in one round of killing, and how long they get to be gone. */
#define KILL_BATCH 256
#define KILL_MS 5000

static void add_sysctls(json_t *sysctls, const struct surroundings *now)
{
	for (size_t i = 0; i < now->n; i++)
		if (now->saved[i].present && !json_object_get(sysctls, now->saved[i].name))
			record_set_text(sysctls, now->saved[i].name, now->saved[i].value,
					(size_t)-1);
}

json_t *recover_saved(const char *const *sysctls, struct err *err)
{
	struct surroundings now;
	char place[PATH_MAX], online[HOTPLUG_LIST_MAX];
	json_t *record;

	if (surroundings_save(&now, sysctls, err))
		return NULL;
	record = json_pack("{s:s, s:i, s:{}}", "type", "saved", "pid", (int)getpid(), "sysctls");
	if (!record)
		err_set(err, ENOMEM, "saved record");
	else
		add_sysctls(json_object_get(record, "sysctls"), &now);
	surroundings_free(&now);
	hotplug_online(online);
	if (record && *online)
		record_set_text(record, "cpus_online", online, (size_t)-1);
	if (record && !cgroup_own_place(place, sizeof(place), NULL))
		record_set_text(record, "cgroups", place, (size_t)-1);
	return record;
}

__attribute__((format(printf, 2, 3))) static void say(json_t *did, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_array_append_new(did, json_string(text));
}

/* Tests in cgroups, and whatever carries the mark of the supervisor. */
static int end_processes(const json_t *record, json_t *did, struct err *err)
{
	pid_t supervisor = (pid_t)json_integer_value(json_object_get(record, "pid"));
	int place = open(record_text(record, "cgroups"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t cgroups = place < 0 ? 0 : cgroup_remove_leftovers(place, supervisor);
	int64_t until = clock_ms() + KILL_MS;
	pid_t pids[KILL_BATCH];
	size_t n, first = 0;

	if (place >= 0)
		close(place);
	if (cgroups)
		say(did, "removed %zu cgroups of tests, and ended what was in them", cgroups);
	if (!supervisor)
		return 0;
	while ((n = family_marked(RECOVER_MARK, supervisor, pids, KILL_BATCH))) {
		if (!first)
			first = n;
		if (clock_ms() >= until)
			return err_set(err, 0, "%zu processes of tests cannot be ended", n);
		for (size_t i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
		clock_sleep_ms(10);
	}
	if (first)
		say(did, "ended %zu processes of tests", first);
	return 0;
}

static int put_back_sysctl(const char *name, const char *value, json_t *did, json_t *restored,
			   struct err *err)
{
	struct sysctl_saved saved = { .name = name, .present = true };
	char now[SYSCTL_VALUE_MAX] = "?";
	size_t changed = 0;
	int result;

	snprintf(saved.value, sizeof(saved.value), "%s", value);
	sysctl_read(name, now, sizeof(now), NULL);
	result = sysctl_restore(&saved, 1, &changed, err);
	if (!result && changed) {
		say(did, "%s put back from %s to %s", name, now, value);
		json_array_append_new(restored, json_string(name));
	}
	return result;
}

/* Of several values the oldest is the one that was found. */
static int put_back_sysctls(const json_t *saved, json_t *did, json_t *restored, struct err *err)
{
	json_t *values = json_object(), *value;
	const char *name;
	json_t *record;
	int result = 0;
	size_t i;

	json_array_foreach(saved, i, record)
		json_object_update_missing(values, json_object_get(record, "sysctls"));
	/* In the order written: see surroundings.c for why there is one. */
	json_object_foreach(values, name, value)
	{
		const char *text = json_string_value(value);
		int one =
			text ? put_back_sysctl(name, text, did, restored, result ? NULL : err) : 0;

		result = result ? result : one;
	}
	json_decref(values);
	return result;
}

static void came_back(int cpu, void *did)
{
	say(did, "CPU %d is online again", cpu);
}

/* One that nobody feeds any more gives the machine a minute. */
static int stop_watchdog(const json_t *record, json_t *did, struct err *err)
{
	int result = record ? watchdog_stop_abandoned(record, "", &watchdog_system, err) : 0;

	if (result > 0)
		say(did, "stopped %s, which would have reset the machine",
		    record_text(record, "device"));
	return result < 0 ? result : 0;
}

int recover_machine(const struct journal_state *state, json_t *did, json_t *restored,
		    struct err *err)
{
	const json_t *saved = state->saved;
	int result = 0, one, traces;
	json_t *record;
	size_t i;

	json_array_foreach(saved, i, record)
	{
		one = end_processes(record, did, result ? NULL : err);
		result = result ? result : one;
		one = hotplug_restore(record_text(record, "cpus_online"), came_back, did,
				      result ? NULL : err);
		result = result ? result : one;
	}
	one = put_back_sysctls(saved, did, restored, result ? NULL : err);
	result = result ? result : one;
	traces = json_array_size(saved) ? trace_remove_leftovers(0, NULL) : 0;
	if (traces > 0)
		say(did, "removed %d tracefs instances", traces);
	one = stop_watchdog(state->watchdog, did, result ? NULL : err);
	result = result ? result : one;
	return result;
}

int recover_read(struct journal_state *state, const char *dir, struct err *err)
{
	struct journal_reader reader;
	struct journal here;
	int result = journal_begin(&here, NULL, err);

	journal_state_init(state);
	if (!result)
		result = journal_open(&reader, dir, err);
	if (result)
		return result;
	result = journal_state_read(state, &reader, err);
	journal_finish(&reader);
	return result ? result : journal_state_now(state, here.boot, err);
}

int recover_active(const char *dir, json_t *did, struct err *err)
{
	char other[PATH_MAX], *real = realpath(dir, NULL);
	json_t *restored = json_array();
	struct journal_state state = { 0 };
	int result = 0;

	active_get(other, sizeof(other));
	if (*other && real && strcmp(other, real) != 0) {
		result = recover_read(&state, other, err);
		if (json_array_size(state.saved)) {
			say(did, "the run of %s did not put the machine back", other);
			result = recover_machine(&state, did, restored, err);
		}
	}
	journal_state_free(&state);
	json_decref(restored);
	free(real);
	return result;
}
