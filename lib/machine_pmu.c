// SPDX-License-Identifier: GPL-2.0-or-later
/* The PMUs: what the kernel offers in sysfs, and what the CPU says of itself. */
#include <limits.h>

#include "event.h"
#include "machine_parts.h"

#define DEVICES "/sys/bus/event_source/devices"

/* Room for the directory of one device. */
#define DIR_MAX (sizeof(DEVICES "//") + NAME_MAX)

/* Files of a PMU that say what it is, where it counts, and how it behaves on overflow. */
static const struct machine_file files[] = {
	{ "type", "type", FORM_INTEGER },
	{ "cpus", "cpus", FORM_TEXT },
	{ "cpumask", "cpumask", FORM_TEXT },
	{ "rdpmc", "rdpmc", FORM_INTEGER },
	{ "freeze_on_smi", "freeze_on_smi", FORM_FLAG },
	{ "mux_interval_ms", "perf_event_mux_interval_ms", FORM_INTEGER },
	{ NULL },
};

/* caps/<name> -> value of each file. */
static json_t *caps(struct machine *m, const char *dir)
{
	json_t *object = json_object();
	char path[DIR_MAX + 8], text[MACHINE_TEXT_MAX];
	struct dirent **names;
	int n;

	snprintf(path, sizeof(path), "%scaps", dir);
	n = machine_list(m, path, &names);
	for (int i = 0; i < n; i++)
		if (machine_readf(m->root, text, sizeof(text), "%scaps/%s", dir, names[i]->d_name) >
		    0)
			machine_put_scalar(m, object, names[i]->d_name, text);
	machine_list_free(names, n);
	return object;
}

static json_t *format(struct machine *m, const char *dir)
{
	json_t *array = json_array();
	char path[DIR_MAX + 8];
	struct dirent **names;
	int n;

	snprintf(path, sizeof(path), "%sformat", dir);
	n = machine_list(m, path, &names);
	for (int i = 0; i < n; i++)
		if (json_array_append_new(array, json_string(names[i]->d_name)))
			m->no_memory = true;
	machine_list_free(names, n);
	return array;
}

static json_t *device(struct machine *m, const char *name)
{
	json_t *object = json_object();
	char dir[DIR_MAX];

	snprintf(dir, sizeof(dir), DEVICES "/%s/", name);
	machine_put_files(m, object, dir, files);
	machine_put_group(m, object, "caps", caps(m, dir));
	machine_put_group(m, object, "format", format(m, dir));
	return object;
}

/* Is there a PMU at all? A counter is opened and must count; what sysfs lists may not (a VM). */
static json_t *counting(struct machine *m)
{
	struct perf_event_attr cycles = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	json_t *object = json_object();
	struct err err = { .text = "" };
	bool counts = !event_probe(&cycles, &err);

	machine_put(m, object, "counts", json_boolean(counts));
	if (!counts)
		machine_put_text(m, object, "tried", err.text, (size_t)-1);
	return object;
}

json_t *machine_pmu(struct machine *m)
{
	json_t *pmu = json_object(), *devices = json_object();
	struct dirent **names;
	int n = machine_list(m, DEVICES, &names);

	for (int i = 0; i < n; i++)
		machine_put_group(m, devices, names[i]->d_name, device(m, names[i]->d_name));
	machine_list_free(names, n);
	machine_put_group(m, pmu, "devices", devices);
	if (!m->root[0]) {
		machine_put_group(m, pmu, "counting", counting(m));
		machine_put_group(m, pmu, "cpuid", machine_cpuid_pmu_kinds(m));
		machine_cpuid_put_perf_capabilities(m, pmu);
	}
	return pmu;
}
