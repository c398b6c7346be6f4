// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"

#include <stdlib.h>
#include <string.h>

const struct fact facts[] = {
	{ "cpu", "cpu.name" },
	{ "cpu vendor", "cpu.vendor" },
	{ "cpu family", "cpu.family" },
	{ "cpu model", "cpu.model" },
	{ "cpu stepping", "cpu.stepping" },
	{ "microcode", "cpu.microcode" },
	{ "cpus online", "cpu.online" },
	{ "kernel", "kernel.release" },
	{ "architecture", "kernel.machine" },
	{ "taint", "taint.flags" },
	{ "clocksource", "clocksource.current" },
	{ "nmi watchdog", "watchdog.nmi_watchdog" },
	{ "hypervisor", "hypervisor.type" },
	{ "lab cpu model", "lab.cpu_model" },
	{ "lab mode", "lab.mode" },
	{ "lab variant", "lab.variant" },
	{ "lab faults", "lab.faults" },
	{ NULL },
};

const json_t *facts_at(const json_t *machine, const char *path)
{
	while (machine && *path) {
		size_t length = strcspn(path, ".");

		machine = json_object_getn(machine, path, length);
		path += length + (path[length] == '.');
	}
	return machine;
}

static void put_word(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_number(value))
		fprintf(out, "%g", json_number_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "on" : "off", out);
	else
		fputs("?", out);
}

void facts_put(FILE *out, const json_t *value)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		put_word(out, value);
	json_array_foreach((json_t *)value, i, item)
	{
		fputs(i ? " " : "", out);
		put_word(out, item);
	}
}

bool facts_empty(const json_t *value)
{
	return !value || (json_is_string(value) && !json_string_length(value)) ||
	       (json_is_array(value) && !json_array_size(value));
}

char *facts_text(const json_t *value)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	facts_put(out, value);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
