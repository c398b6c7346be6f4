// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPUs: what /proc/cpuinfo calls them on each architecture, and how many there are. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "machine_parts.h"

/* Longest value kept of a line of /proc/cpuinfo; a model name has at most 48 characters on x86. */
#define VALUE_MAX 256

/*
 * Lines of /proc/cpuinfo and what they are to us. For one key, the first line of this table that
 * is there counts, whatever their order in the file. From show_cpuinfo() of arch/{x86,arm64,arm,
 * alpha,powerpc,riscv}. Nothing else is taken: Alpha prints serial numbers, s390 its machine's id.
 */
static const struct {
	const char *line;
	const char *key;
	bool number; /* what follows a number is left out */
} fields[] = {
	{ "vendor_id", "vendor" },	  /* x86 */
	{ "CPU implementer", "vendor" },  /* arm */
	{ "mvendorid", "vendor" },	  /* riscv */
	{ "cpu family", "family" },	  /* x86 */
	{ "CPU architecture", "family" }, /* arm */
	{ "model", "model" },		  /* x86 */
	{ "CPU part", "model" },	  /* arm */
	{ "marchid", "model" },		  /* riscv */
	{ "cpu variation", "model" },	  /* alpha */
	{ "CPU variant", "variant" },	  /* arm */
	{ "stepping", "stepping" },	  /* x86 */
	{ "CPU revision", "stepping" },	  /* arm */
	{ "mimpid", "stepping" },	  /* riscv */
	{ "cpu revision", "stepping" },	  /* alpha */
	{ "revision", "stepping" },	  /* powerpc */
	{ "model name", "name" },	  /* x86, arm */
	{ "cpu model", "name" },	  /* alpha, where "cpu" is just "Alpha" */
	{ "cpu", "name" },		  /* powerpc */
	{ "uarch", "name" },		  /* riscv */
	{ "microcode", "microcode" },	  /* x86 */
	/* alpha: "666666666 est." */
	{ "cycle frequency [Hz]", "frequency_hz", true },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* The lines between two blank ones: one CPU, or, without a "processor" line, the whole machine. */
struct block {
	long cpu;
	bool has_cpu;
	char value[FIELDS][VALUE_MAX];
};

/* Cut blanks from both ends of [from, to). */
static size_t trim(const char **from, const char *to)
{
	while (*from < to && strchr(" \t\r\n", **from))
		++*from;
	while (to > *from && strchr(" \t\r\n", to[-1]))
		to--;
	return (size_t)(to - *from);
}

static void take_line(struct block *block, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *end = line + len, *value;
	size_t key_len, value_len;

	if (!colon)
		return;
	key_len = trim(&line, colon);
	value = colon + 1;
	value_len = trim(&value, end);
	if (key_len == strlen("processor") && !memcmp(line, "processor", key_len)) {
		char number[VALUE_MAX];
		json_int_t cpu;

		snprintf(number, sizeof(number), "%.*s", (int)value_len, value);
		if (!machine_parse_integer(number, &cpu) && cpu >= 0 && cpu <= INT_MAX) {
			block->has_cpu = true;
			block->cpu = (long)cpu;
		}
		return;
	}
	for (size_t i = 0; i < FIELDS; i++) {
		if (block->value[i][0] || strlen(fields[i].line) != key_len ||
		    memcmp(fields[i].line, line, key_len) != 0)
			continue;
		snprintf(block->value[i], VALUE_MAX, "%.*s", (int)value_len, value);
		if (fields[i].number)
			block->value[i][strcspn(block->value[i], " ")] = '\0';
	}
}

static json_t *block_object(struct machine *m, const struct block *block)
{
	json_t *object = json_object();

	for (size_t i = 0; i < FIELDS; i++)
		if (block->value[i][0] && !json_object_get(object, fields[i].key))
			machine_put_scalar(m, object, fields[i].key, block->value[i]);
	return object;
}

/* A block has ended: count its CPU, or keep what it says of the machine as a whole. */
static void end_block(struct machine *m, struct block *block, struct machine_kinds *kinds,
		      json_t *whole)
{
	json_t *object = block_object(m, block);

	if (block->has_cpu && json_object_size(object))
		machine_kinds_add(m, kinds, json_incref(object), block->cpu);
	else if (!object || json_object_update_missing(whole, object))
		m->no_memory = true;
	json_decref(object);
	memset(block, 0, sizeof(*block));
}

static void read_cpuinfo(struct machine *m, struct machine_kinds *kinds, json_t *whole)
{
	FILE *file = machine_fopen(m->root, "/proc/cpuinfo");
	struct block *block = calloc(1, sizeof(*block));
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!block)
		m->no_memory = true;
	while (file && block && (len = getline(&line, &room, file)) > 0) {
		const char *start = line;

		if (trim(&start, line + len))
			take_line(block, line, (size_t)len);
		else
			end_block(m, block, kinds, whole);
	}
	if (block)
		end_block(m, block, kinds, whole);
	free(block);
	free(line);
	if (file)
		fclose(file);
}

static void put_models(struct machine *m, json_t *cpu)
{
	struct machine_kinds *kinds = calloc(1, sizeof(*kinds));
	json_t *whole = json_object();

	if (!kinds || !whole) {
		m->no_memory = true;
		goto out;
	}
	read_cpuinfo(m, kinds, whole);
	if (json_object_update(cpu, kinds->n ? kinds->kind[0].value : whole))
		m->no_memory = true;
	if (kinds->n > 1)
		machine_put(m, cpu, "kinds", machine_kinds_array(m, kinds));
	if (kinds->left_out)
		machine_put(m, cpu, "kinds_left_out", json_integer((json_int_t)kinds->left_out));
	machine_kinds_free(kinds);
out:
	json_decref(whole);
	free(kinds);
}

/* The number a CPU list starts with, or -1. */
static long first_of(const char *list)
{
	return list[0] >= '0' && list[0] <= '9' ? strtol(list, NULL, 10) : -1;
}

/* Is this CPU the first of its siblings? A file of either name (new, old) lists them. */
static bool leads(struct machine *m, long cpu, const char *new_name, const char *old_name,
		  bool *known)
{
	static const char topology[] = "/sys/devices/system/cpu/cpu%ld/topology/%s";
	char list[MACHINE_TEXT_MAX];

	if (machine_readf(m->root, list, sizeof(list), topology, cpu, new_name) < 0 &&
	    machine_readf(m->root, list, sizeof(list), topology, cpu, old_name) < 0)
		return false;
	*known = true;
	return first_of(list) == cpu;
}

/* Cores and sockets with a CPU online: counted by the first CPU of each. */
static void put_topology(struct machine *m, json_t *cpu)
{
	bool cores_known = false, sockets_known = false;
	json_int_t cores = 0, sockets = 0;
	struct dirent **names;
	int n = machine_list(m, "/sys/devices/system/cpu", &names);

	for (int i = 0; i < n; i++) {
		long number = machine_numbered(names[i]->d_name, "cpu");

		if (number < 0)
			continue;
		cores += leads(m, number, "core_cpus_list", "thread_siblings_list", &cores_known);
		sockets +=
			leads(m, number, "package_cpus_list", "core_siblings_list", &sockets_known);
	}
	machine_list_free(names, n);
	if (cores_known)
		machine_put(m, cpu, "cores", json_integer(cores));
	if (sockets_known)
		machine_put(m, cpu, "sockets", json_integer(sockets));
}

json_t *machine_cpu(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "online", "online", FORM_COUNT },	     { "online_list", "online", FORM_TEXT },
		{ "present", "present", FORM_COUNT },	     { "possible", "possible", FORM_COUNT },
		{ "offline_list", "offline", FORM_TEXT },    { "smt", "smt/active", FORM_FLAG },
		{ "smt_control", "smt/control", FORM_TEXT }, { NULL },
	};
	json_t *cpu = json_object();

	if (!cpu)
		return NULL;
	put_models(m, cpu);
	machine_put_files(m, cpu, "/sys/devices/system/cpu/", files);
	put_topology(m, cpu);
	return cpu;
}
