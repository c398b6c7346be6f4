// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel: what it is, how it was configured and started; idle states and frequency. */
#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine.h"
#include "machine_parts.h"

/* Options of which a kernel has one, and the word for it, the most telling first. */
static const struct {
	const char *option;
	const char *word;
} preempt_models[] = {
	{ "PREEMPT_RT", "rt" }, { "PREEMPT_DYNAMIC", "dynamic" },     { "PREEMPT_LAZY", "lazy" },
	{ "PREEMPT", "full" },	{ "PREEMPT_VOLUNTARY", "voluntary" }, { "PREEMPT_NONE", "none" },
};

static void put_digest(struct machine *m, json_t *kernel, const char *config, const char *path)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	char text[sizeof("sha256:") + 2 * SHA256_DIGEST_SIZE] = "sha256:";
	size_t used = strlen(text);
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, strlen(config), (const uint8_t *)config);
	sha256_digest(&context, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%02x", digest[i]);
	machine_put(m, kernel, "config", json_string(text));
	machine_put_text(m, kernel, "config_from", path, (size_t)-1);
}

static void put_config(struct machine *m, json_t *kernel)
{
	char path[256], value[64], *config;
	json_int_t hz;
	int result = machine_config_load(m->root, &config, path, sizeof(path));

	if (result == -ENOMEM)
		m->no_memory = true;
	if (result)
		return;
	put_digest(m, kernel, config, path);
	if (!machine_config_value(config, "HZ", value, sizeof(value)) &&
	    !machine_parse_integer(value, &hz))
		machine_put(m, kernel, "hz", json_integer(hz));
	for (size_t i = 0; i < sizeof(preempt_models) / sizeof(preempt_models[0]); i++)
		if (!json_object_get(kernel, "preempt") &&
		    !machine_config_value(config, preempt_models[i].option, value, sizeof(value)) &&
		    !strcmp(value, "y"))
			machine_put(m, kernel, "preempt", json_string(preempt_models[i].word));
	free(config);
}

/* Take over an allocated text; NULL means that memory ran out. */
static void put_owned(struct machine *m, json_t *object, const char *key, char *text)
{
	if (text)
		machine_put_text(m, object, key, text, (size_t)-1);
	else
		m->no_memory = true;
	free(text);
}

/*
 * The installers of some distributions name the root volume after the host, and a network boot its
 * directory. No machine is named by "(none)" and "localhost".
 */
static char *mask_host(struct machine *m, char *text)
{
	char host[256], *masked;
	size_t domain;

	if (!text || m->identify ||
	    machine_read(m->root, "/proc/sys/kernel/hostname", host, sizeof(host)) < 0 ||
	    !strcmp(host, "(none)") || !strcmp(host, "localhost"))
		return text;
	masked = machine_mask_word(text, host);
	free(text);
	domain = strcspn(host, ".");
	if (!masked || !host[domain])
		return masked;
	host[domain] = '\0';
	text = machine_mask_word(masked, host);
	free(masked);
	return text;
}

static void put_started(struct machine *m, json_t *kernel)
{
	char text[MACHINE_TEXT_MAX];

	if (machine_read(m->root, "/proc/version", text, sizeof(text)) > 0)
		put_owned(m, kernel, "build",
			  m->identify ? strdup(text) : machine_mask_builder(text));
	if (machine_read(m->root, "/proc/cmdline", text, sizeof(text)) > 0)
		put_owned(m, kernel, "cmdline",
			  mask_host(m, machine_mask_cmdline(text, m->identify)));
}

json_t *machine_kernel(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "release", "/proc/sys/kernel/osrelease", FORM_TEXT },
		{ "version", "/proc/sys/kernel/version", FORM_TEXT },
		{ "machine", "/proc/sys/kernel/arch", FORM_TEXT },
		{ "preempt_mode", "/sys/kernel/debug/sched/preempt", FORM_SELECTED },
		{ "realtime", "/sys/kernel/realtime", FORM_FLAG },
		{ NULL },
	};
	json_t *kernel = json_object();
	struct utsname uts;

	if (!kernel)
		return NULL;
	/* /proc has the machine name only since Linux 6.1. */
	if (!m->root[0] && !uname(&uts))
		machine_put_text(m, kernel, "machine", uts.machine, (size_t)-1);
	machine_put_files(m, kernel, "", files);
	put_started(m, kernel);
	put_config(m, kernel);
	return kernel;
}

static json_t *idle_states(struct machine *m, long cpu)
{
	static const struct machine_file files[] = {
		{ "name", "name", FORM_TEXT },
		{ "latency_us", "latency", FORM_INTEGER },
		{ "residency_us", "residency", FORM_INTEGER },
		{ "disabled", "disable", FORM_FLAG },
		{ NULL },
	};
	json_t *kind = json_object(), *states = json_array();
	char dir[128], path[512];
	struct dirent **names;
	int n;

	snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%ld/cpuidle", cpu);
	n = machine_list(m, dir, &names);
	for (int i = 0; i < n; i++) {
		json_t *state;

		if (machine_numbered(names[i]->d_name, "state") < 0)
			continue;
		state = json_object();
		snprintf(path, sizeof(path), "%s/%s/", dir, names[i]->d_name);
		machine_put_files(m, state, path, files);
		if (json_array_append_new(states, state))
			m->no_memory = true;
	}
	machine_list_free(names, n);
	machine_put_group(m, kind, "states", states);
	return kind;
}

static json_t *frequency_policy(struct machine *m, long cpu)
{
	static const struct machine_file files[] = {
		{ "driver", "scaling_driver", FORM_TEXT },
		{ "governor", "scaling_governor", FORM_TEXT },
		{ "min_khz", "scaling_min_freq", FORM_INTEGER },
		{ "max_khz", "scaling_max_freq", FORM_INTEGER },
		{ "preference", "energy_performance_preference", FORM_TEXT },
		{ NULL },
	};
	json_t *kind = json_object();
	char dir[128];

	snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%ld/cpufreq/", cpu);
	machine_put_files(m, kind, dir, files);
	return kind;
}

/* What a function says of each CPU, sorted into kinds, as group[key]. */
static void put_kinds(struct machine *m, json_t *group, const char *key,
		      json_t *(*describe)(struct machine *m, long cpu))
{
	struct machine_kinds *kinds = calloc(1, sizeof(*kinds));
	struct dirent **names;
	int n = machine_list(m, "/sys/devices/system/cpu", &names);

	if (!kinds)
		m->no_memory = true;
	for (int i = 0; kinds && i < n; i++) {
		long cpu = machine_numbered(names[i]->d_name, "cpu");
		json_t *kind = cpu < 0 ? NULL : describe(m, cpu);

		if (kind && json_object_size(kind))
			machine_kinds_add(m, kinds, kind, cpu);
		else
			json_decref(kind);
	}
	machine_list_free(names, n);
	if (kinds) {
		machine_put_group(m, group, key, machine_kinds_array(m, kinds));
		machine_kinds_free(kinds);
	}
	free(kinds);
}

json_t *machine_idle(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "driver", "current_driver", FORM_TEXT },
		{ "governor", "current_governor", FORM_TEXT },
		{ "governor", "current_governor_ro", FORM_TEXT },
		{ NULL },
	};
	json_t *idle = json_object();

	machine_put_files(m, idle, "/sys/devices/system/cpu/cpuidle/", files);
	put_kinds(m, idle, "cpus", idle_states);
	return idle;
}

json_t *machine_cpufreq(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "turbo", "intel_pstate/no_turbo", FORM_NOT_FLAG },
		{ "turbo", "cpufreq/boost", FORM_FLAG },
		{ "intel_pstate", "intel_pstate/status", FORM_TEXT },
		{ "amd_pstate", "amd_pstate/status", FORM_TEXT },
		{ NULL },
	};
	json_t *cpufreq = json_object();

	machine_put_files(m, cpufreq, "/sys/devices/system/cpu/", files);
	put_kinds(m, cpufreq, "cpus", frequency_policy);
	return cpufreq;
}
