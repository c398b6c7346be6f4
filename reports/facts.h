/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FACTS_H
#define PMIPROOF_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What identifies the machine and kernel that figures are of, for formats that list little else. */
struct fact {
	const char *name;
	const char *path; /* into the inventory (lib/machine.h), keys separated by dots */
};

/* The last has no name. */
extern const struct fact facts[];

/* The value at a path, or NULL. */
const json_t *facts_at(const json_t *machine, const char *path);

/* Nothing to show: no taint is an empty text, no faults are an empty array. */
bool facts_empty(const json_t *value);

/* Write a value as text, not escaped; of an array its words. */
void facts_put(FILE *out, const json_t *value);

/* The same as a new string; NULL when memory ran out. */
char *facts_text(const json_t *value);

/*
 * All of an inventory as one object: a text for each value, by its path; without what stands in
 * every record. A new reference, or NULL when memory ran out.
 */
json_t *facts_flat(const json_t *machine);

#endif
