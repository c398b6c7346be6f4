// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_variants.h"

#include <errno.h>
#include <string.h>

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

bool lab_variants_next(FILE *table, struct lab_variant *variant)
{
	char line[512];

	while (fgets(line, sizeof(line), table))
		if (line[0] != '#' && sscanf(line, "%47s %15s %15s %255[^\n]", variant->name,
					     variant->kind, variant->arch, variant->what) == 4)
			return true;
	return false;
}

/* Is there a name of this length in the list? */
static bool has(const char *list, const char *name, size_t length)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == length && !memcmp(list, name, n))
			return true;
		list += list[n] ? n + 1 : n;
	}
	return false;
}

bool lab_variants_has(const char *list, const char *name)
{
	return has(list, name, strlen(name));
}

int lab_variants_add(char *list, size_t size, const char *text, struct err *err)
{
	const char *name = text;
	char all[2048];
	size_t used = strlen(list);

	if (used + strlen(text) + 2 > size || size > sizeof(all))
		return err_set(err, E2BIG, "--variant %s: names", text);
	memcpy(all, list, used + 1);
	for (;;) {
		size_t n = strcspn(name, ",");

		if (!n || strspn(name, name_letters) < n)
			return err_set(err, 0, "--variant %s: not a name, or names with commas",
				       text);
		if (has(all, name, n))
			return err_set(err, 0, "--variant %s: %.*s is given twice", text, (int)n,
				       name);
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%.*s", used ? "," : "",
					 (int)n, name);
		if (!name[n])
			break;
		name += n + 1;
	}
	if (lab_variants_has(all, LAB_PLAIN) && strcmp(all, LAB_PLAIN) != 0)
		return err_set(err, 0, "--variant %s: " LAB_PLAIN " is the kernel without others",
			       text);
	memcpy(list, all, used + 1);
	return 0;
}

/* Is the list's name that begins at `name` in the table? */
static bool knows(FILE *table, const char *name, size_t length)
{
	struct lab_variant variant;

	rewind(table);
	while (lab_variants_next(table, &variant))
		if (has(variant.name, name, length))
			return true;
	return false;
}

bool lab_variants_know(FILE *table, const char *name)
{
	return knows(table, name, strlen(name));
}

int lab_variants_check(const char *list, const char *path, struct err *err)
{
	FILE *table;
	int result = 0;

	if (!strcmp(list, LAB_PLAIN))
		return 0;
	table = fopen(path, "re");
	if (!table)
		return err_set(err, errno, "open %s", path);
	for (const char *name = list; !result && *name;) {
		size_t length = strcspn(name, ",");

		if (!knows(table, name, length))
			result = err_set(err, 0,
					 "--variant %.*s: none that the kernel has; see 'pmiproof "
					 "lab variants'",
					 (int)length, name);
		name += name[length] ? length + 1 : length;
	}
	fclose(table);
	return result;
}
