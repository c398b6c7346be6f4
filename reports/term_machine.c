// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "term.h"

/*
 * What of the inventory (lib/machine.h) is shown, line by line. A path leads through objects; what
 * the inventory does not have is left out.
 */
static const struct part {
	const char *line;
	const char *label;
	const char *path;
} parts[] = {
	{ "CPU", "", "cpu.name" },
	{ "CPU", "family ", "cpu.family" },
	{ "CPU", "model ", "cpu.model" },
	{ "CPU", "stepping ", "cpu.stepping" },
	{ "CPU", "microcode ", "cpu.microcode" },
	{ "CPUs", "online ", "cpu.online" },
	{ "CPUs", "cores ", "cpu.cores" },
	{ "CPUs", "sockets ", "cpu.sockets" },
	{ "CPUs", "SMT ", "cpu.smt" },
	{ "CPUs", "isolated ", "isolation.isolated" },
	{ "kernel", "", "kernel.release" },
	{ "kernel", "", "kernel.machine" },
	{ "kernel", "preempt ", "kernel.preempt" },
	{ "kernel", "HZ ", "kernel.hz" },
	{ "kernel", "taint ", "taint.flags" },
	{ "clock", "", "clocksource.current" },
	{ "clock", "idle driver ", "idle.driver" },
	{ "clock", "NMI watchdog ", "watchdog.nmi_watchdog" },
	{ "virtual", "", "hypervisor.type" },
	{ "virtual", "", "hypervisor.signature" },
	{ "lab", "", "lab.cpu_model" },
	{ "lab", "mode ", "lab.mode" },
	{ "lab", "variant ", "lab.variant" },
	{ "lab", "faults ", "lab.faults" },
	{ "lab", "kernel parameters ", "lab.params" },
};

/* One line of all parts from `first` that have its name. Returns the part after them. */
static size_t put_line(struct term *term, size_t first)
{
	const char *line = parts[first].line;
	const char *separator = "";
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = first; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const json_t *value = facts_at(term->report->machine, parts[i].path);

		if (strcmp(parts[i].line, line) != 0)
			break;
		if (!out || facts_empty(value))
			continue;
		fprintf(out, "%s%s", separator, parts[i].label);
		facts_put(out, value);
		separator = ", ";
	}
	if (!out || fclose(out))
		term->result = -ENOMEM;
	else
		term_line(term, line, text);
	free(text);
	return i;
}

/*
 * Is this event source the PMU of the CPU cores? The kernel calls it "cpu" (x86, powerpc, alpha),
 * "cpu_core" and "cpu_atom" (hybrid x86), "cpum_cf" (s390), "armv8_..." and the like; uncore PMUs
 * of Arm systems are "arm_...".
 */
static bool is_core_pmu(const char *name)
{
	static const char *const prefixes[] = { "cpu", "armv" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void put_pmu(struct term *term)
{
	const json_t *devices = facts_at(term->report->machine, "pmu.devices");
	const char *separator = "";
	char *text = NULL;
	const char *name;
	json_t *device;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		term->result = -ENOMEM;
		return;
	}
	json_object_foreach((json_t *)devices, name, device)
	{
		const json_t *model = facts_at(device, "caps.pmu_name");

		if (!is_core_pmu(name))
			continue;
		fprintf(out, "%s%s%s", separator, name, model ? " " : "");
		if (model)
			facts_put(out, model);
		separator = ", ";
	}
	/* What sysfs lists need not count; the record says whether it did. */
	if (json_is_false(facts_at(term->report->machine, "pmu.counting.counts"))) {
		const json_t *tried = facts_at(term->report->machine, "pmu.counting.tried");

		fprintf(out, "%snone that counts", separator);
		if (tried) {
			fputs(": ", out);
			facts_put(out, tried);
		}
	}
	if (fclose(out))
		term->result = -ENOMEM;
	else if (devices)
		term_line(term, "PMU", size ? text : "none listed");
	free(text);
}

void term_machine(struct term *term)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]);)
		i = put_line(term, i);
	put_pmu(term);
	if (term->report->emulated)
		term_line(term, "emulated", "figures describe the emulation, not silicon");
}
