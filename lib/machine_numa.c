// SPDX-License-Identifier: GPL-2.0-or-later
/* NUMA nodes: from libnuma on this machine, from sysfs in a tree. */
#include <ctype.h>
#include <limits.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>

#include "machine_parts.h"

static void append(struct machine *m, json_t *nodes, json_t *node)
{
	if (json_array_append_new(nodes, node))
		m->no_memory = true;
}

static void put_live_cpus(struct machine *m, json_t *node, int number)
{
	struct bitmask *mask = numa_allocate_cpumask();
	struct machine_cpu_list list = { 0 };

	if (!numa_node_to_cpus(number, mask))
		for (unsigned int cpu = 0; cpu < mask->size; cpu++)
			if (numa_bitmask_isbitset(mask, cpu) && !machine_cpu_list_add(&list, cpu))
				m->no_memory = true;
	if (list.text)
		machine_put(m, node, "cpus", json_string(list.text));
	machine_cpu_list_free(&list);
	numa_free_cpumask(mask);
}

static json_t *live_nodes(struct machine *m)
{
	json_t *nodes = json_array();

	for (int i = 0; i <= numa_max_node(); i++) {
		long long bytes;
		json_t *node;

		if (!numa_bitmask_isbitset(numa_nodes_ptr, (unsigned int)i))
			continue;
		node = json_object();
		machine_put(m, node, "node", json_integer(i));
		put_live_cpus(m, node, i);
		bytes = numa_node_size64(i, NULL);
		if (bytes >= 0)
			machine_put(m, node, "memory_kb", json_integer(bytes / 1024));
		append(m, nodes, node);
	}
	return nodes;
}

static json_t *tree_node(struct machine *m, long number)
{
	char path[PATH_MAX], key[64], text[64];
	static const struct machine_file files[] = { { "cpus", "cpulist", FORM_TEXT }, { NULL } };
	json_t *node = json_object();

	machine_put(m, node, "node", json_integer(number));
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%ld/", number);
	machine_put_files(m, node, path, files);
	strncat(path, "meminfo", sizeof(path) - strlen(path) - 1);
	snprintf(key, sizeof(key), "Node %ld MemTotal", number);
	if (machine_line_value(m->root, path, key, text, sizeof(text)) > 0 &&
	    isdigit((unsigned char)text[0]))
		machine_put(m, node, "memory_kb", json_integer(strtoll(text, NULL, 10)));
	return node;
}

json_t *machine_numa(struct machine *m)
{
	json_t *nodes;
	struct dirent **names;
	int n;

	if (!m->root[0] && numa_available() >= 0)
		return live_nodes(m);
	nodes = json_array();
	n = machine_list(m, "/sys/devices/system/node", &names);
	for (int i = 0; i < n; i++) {
		long number = machine_numbered(names[i]->d_name, "node");

		if (number >= 0)
			append(m, nodes, tree_node(m, number));
	}
	machine_list_free(names, n);
	return nodes;
}
