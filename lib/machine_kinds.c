// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of CPUs, and CPUs sorted by what is equal about them. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "machine_parts.h"

/* A CPU number at *at, which is moved behind it. -1 when there is none. */
static long take_number(const char **at)
{
	char *end;
	long number;

	if (!isdigit((unsigned char)**at))
		return -1;
	errno = 0;
	number = strtol(*at, &end, 10);
	*at = end;
	return errno || number > INT_MAX ? -1 : number;
}

long machine_cpu_list_count(const char *text)
{
	long count = 0, next = 0;

	for (;;) {
		long first = take_number(&text), last = first;

		if (*text == '-') {
			text++;
			last = take_number(&text);
		}
		/* The kernel writes ascending lists; in any other a CPU could be counted twice. */
		if (first < next || last < first)
			return -EINVAL;
		count += last - first + 1;
		next = last + 1;
		if (!*text)
			return count;
		if (*text++ != ',')
			return -EINVAL;
	}
}

bool machine_cpu_list_add(struct machine_cpu_list *list, long cpu)
{
	char range[64], *grown;
	int len;

	if (!list->count || cpu != list->last + 1) {
		list->open = list->text ? strlen(list->text) : 0;
		list->first = cpu;
	}
	if (list->first == cpu)
		len = snprintf(range, sizeof(range), "%s%ld", list->open ? "," : "", cpu);
	else
		len = snprintf(range, sizeof(range), "%s%ld-%ld", list->open ? "," : "",
			       list->first, cpu);
	grown = realloc(list->text, list->open + (size_t)len + 1);
	if (!grown)
		return false;
	memcpy(grown + list->open, range, (size_t)len + 1);
	list->text = grown;
	list->last = cpu;
	list->count++;
	return true;
}

void machine_cpu_list_free(struct machine_cpu_list *list)
{
	free(list->text);
	*list = (struct machine_cpu_list){ 0 };
}

void machine_kinds_add(struct machine *m, struct machine_kinds *kinds, json_t *value, long cpu)
{
	size_t i = 0;

	if (!value) {
		m->no_memory = true;
		return;
	}
	while (i < kinds->n && !json_equal(kinds->kind[i].value, value))
		i++;
	if (i == MACHINE_KINDS_MAX) {
		kinds->left_out++;
		json_decref(value);
		return;
	}
	if (i == kinds->n)
		kinds->kind[kinds->n++].value = value;
	else
		json_decref(value);
	if (!machine_cpu_list_add(&kinds->kind[i].cpus, cpu))
		m->no_memory = true;
}

json_t *machine_kinds_array(struct machine *m, const struct machine_kinds *kinds)
{
	json_t *array = json_array();

	for (size_t i = 0; i < kinds->n; i++) {
		json_t *entry = json_object();

		machine_put(m, entry, "cpus",
			    json_string(kinds->kind[i].cpus.text ? kinds->kind[i].cpus.text : ""));
		if (json_object_update(entry, kinds->kind[i].value) ||
		    json_array_append(array, entry))
			m->no_memory = true;
		json_decref(entry);
	}
	return array;
}

void machine_kinds_free(struct machine_kinds *kinds)
{
	for (size_t i = 0; i < kinds->n; i++) {
		json_decref(kinds->kind[i].value);
		machine_cpu_list_free(&kinds->kind[i].cpus);
	}
	kinds->n = 0;
}
