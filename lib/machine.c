// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine_parts.h"

/*
 * Letters of the taint flags, bit 0 first: taint_flags[] of kernel/panic.c, and
 * Documentation/admin-guide/tainted-kernels.rst. Bit 0 has 'G' for "clear".
 */
static const char taint_letters[] = "PFSRMBUDAWCIOELKXTNJ";

struct group {
	const char *key;
	const char *dir;
	const struct machine_file *files;
};

static const struct machine_file clocksource[] = {
	{ "current", "current_clocksource", FORM_TEXT },
	{ "available", "available_clocksource", FORM_WORDS },
	{ NULL },
};

static const struct machine_file watchdog[] = {
	{ "nmi_watchdog", "nmi_watchdog", FORM_INTEGER },
	{ "soft_watchdog", "soft_watchdog", FORM_INTEGER },
	{ "watchdog_thresh_s", "watchdog_thresh", FORM_INTEGER },
	{ NULL },
};

static const struct machine_file perf[] = {
	{ "event_paranoid", "perf_event_paranoid", FORM_INTEGER },
	{ "event_max_sample_rate", "perf_event_max_sample_rate", FORM_INTEGER },
	{ "cpu_time_max_percent", "perf_cpu_time_max_percent", FORM_INTEGER },
	{ "event_mlock_kb", "perf_event_mlock_kb", FORM_INTEGER },
	{ "event_max_stack", "perf_event_max_stack", FORM_INTEGER },
	{ NULL },
};

static const struct machine_file rcu[] = {
	{ "cpu_stall_timeout_s", "rcu_cpu_stall_timeout", FORM_INTEGER },
	{ "cpu_stall_suppress", "rcu_cpu_stall_suppress", FORM_INTEGER },
	{ "exp_cpu_stall_timeout_ms", "rcu_exp_cpu_stall_timeout", FORM_INTEGER },
	{ "expedited", "rcu_expedited", FORM_INTEGER },
	{ "normal", "rcu_normal", FORM_INTEGER },
	{ NULL },
};

static const struct machine_file isolation[] = {
	{ "isolated", "isolated", FORM_TEXT },
	{ "nohz_full", "nohz_full", FORM_TEXT },
	{ NULL },
};

static const struct group groups[] = {
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/", clocksource },
	{ "watchdog", "/proc/sys/kernel/", watchdog },
	{ "perf", "/proc/sys/kernel/", perf },
	{ "rcu", "/sys/module/rcupdate/parameters/", rcu },
	{ "isolation", "/sys/devices/system/cpu/", isolation },
	{ NULL },
};

static json_t *put_table(struct machine *m, const char *dir, const struct machine_file *files)
{
	json_t *object = json_object();

	machine_put_files(m, object, dir, files);
	return object;
}

/* Every file of a directory as name -> text. */
static json_t *put_directory(struct machine *m, const char *dir)
{
	json_t *object = json_object();
	char text[MACHINE_TEXT_MAX];
	struct dirent **names;
	int n = machine_list(m, dir, &names);

	for (int i = 0; i < n; i++) {
		ssize_t len =
			machine_readf(m->root, text, sizeof(text), "%s/%s", dir, names[i]->d_name);

		if (len > 0)
			machine_put_text(m, object, names[i]->d_name, text, (size_t)len);
	}
	machine_list_free(names, n);
	return object;
}

static json_t *taint(struct machine *m)
{
	json_t *object = json_object();
	long value = machine_taint(m->root, NULL);
	char flags[sizeof(taint_letters)];
	size_t n = 0;

	if (value < 0)
		return object;
	for (size_t bit = 0; taint_letters[bit]; bit++)
		if (value >> bit & 1)
			flags[n++] = taint_letters[bit];
	flags[n] = '\0';
	machine_put(m, object, "value", json_integer(value));
	machine_put(m, object, "flags", json_string(flags));
	return object;
}

static json_t *lockdep(struct machine *m)
{
	int state = machine_lockdep(m->root);
	json_t *object = json_object();

	if (state >= 0)
		machine_put(m, object, "alive", json_boolean(state));
	return object;
}

static json_t *memory(struct machine *m)
{
	json_t *object = json_object();
	char text[64];

	if (machine_line_value(m->root, "/proc/meminfo", "MemTotal", text, sizeof(text)) > 0 &&
	    strtoll(text, NULL, 10) > 0)
		machine_put(m, object, "total_kb", json_integer(strtoll(text, NULL, 10)));
	return object;
}

json_t *machine_inventory(const char *root, bool identify, struct err *err)
{
	struct machine m = { .root = root, .identify = identify };
	json_t *all = json_object();

	machine_put(&m, all, "type", json_string("machine"));
	machine_put_group(&m, all, "cpu", machine_cpu(&m));
	machine_put_group(&m, all, "pmu", machine_pmu(&m));
	machine_put_group(&m, all, "hypervisor", machine_hypervisor(&m));
	machine_put_group(&m, all, "kernel", machine_kernel(&m));
	machine_put_group(&m, all, "taint", taint(&m));
	machine_put_group(&m, all, "lockdep", lockdep(&m));
	machine_put_group(&m, all, "idle", machine_idle(&m));
	machine_put_group(&m, all, "cpufreq", machine_cpufreq(&m));
	for (const struct group *group = groups; group->key; group++)
		machine_put_group(&m, all, group->key, put_table(&m, group->dir, group->files));
	machine_put_group(&m, all, "numa", machine_numa(&m));
	machine_put_group(&m, all, "memory", memory(&m));
	machine_put_group(&m, all, "firmware", machine_firmware(&m));
	machine_put_group(&m, all, "mitigations",
			  put_directory(&m, "/sys/devices/system/cpu/vulnerabilities"));
	if (identify)
		machine_put_group(&m, all, "identity", machine_identity(&m));
	if (!m.no_memory)
		return all;
	json_decref(all);
	err_set(err, ENOMEM, "machine inventory");
	return NULL;
}

long machine_taint(const char *root, struct err *err)
{
	static const char path[] = "/proc/sys/kernel/tainted";
	char text[32];
	ssize_t len = machine_read(root, path, text, sizeof(text));
	json_int_t value;

	if (len < 0)
		return err_set(err, (int)-len, "read %s%s", root, path);
	if (machine_parse_integer(text, &value) || value < 0)
		return err_set(err, 0, "%s%s: \"%s\" is not a number", root, path, text);
	return (long)value;
}

int machine_lockdep(const char *root)
{
	char text[32];
	ssize_t len =
		machine_line_value(root, "/proc/lockdep_stats", "debug_locks", text, sizeof(text));

	if (len < 0)
		return (int)len;
	if (strcmp(text, "0") && strcmp(text, "1"))
		return -EBADMSG;
	return text[0] == '1';
}
