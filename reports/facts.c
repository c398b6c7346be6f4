// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts.h"

#include <errno.h>
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

/* "a.b.c" of what is in an object, and in those in it. */
static int flatten(json_t *flat, const char *prefix, const json_t *object)
{
	const char *key;
	json_t *value;
	int result = 0;

	json_object_foreach((json_t *)object, key, value)
	{
		char *path = NULL, *text = NULL;

		if (asprintf(&path, "%s%s%s", prefix, *prefix ? "." : "", key) < 0)
			return -ENOMEM;
		if (json_is_object(value))
			result = flatten(flat, path, value);
		else
			text = json_is_array(value) ? json_dumps(value, JSON_COMPACT)
						    : facts_text(value);
		if (!json_is_object(value) &&
		    (!text || json_object_set_new(flat, path, json_string(text))))
			result = -ENOMEM;
		free(text);
		free(path);
		if (result)
			return result;
	}
	return 0;
}

json_t *facts_flat(const json_t *machine)
{
	static const char *const stamps[] = { "v", "seq", "boot", "time", "type" };
	json_t *rest = machine ? json_copy((json_t *)machine) : json_object();
	json_t *flat = json_object();

	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++)
		json_object_del(rest, stamps[i]);
	if (!rest || !flat || flatten(flat, "", rest)) {
		json_decref(flat);
		flat = NULL;
	}
	json_decref(rest);
	return flat;
}
