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
		/* The kernel writes ascending lists; anything else would count a CPU twice. */
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

static bool append_range(struct machine_cpu_list *list, size_t closed)
{
	char range[32], *grown;
	int len;

	if (list->first == list->last)
		len = snprintf(range, sizeof(range), "%s%ld", closed ? "," : "", list->first);
	else
		len = snprintf(range, sizeof(range), "%s%ld-%ld", closed ? "," : "", list->first,
			       list->last);
	grown = realloc(list->text, closed + (size_t)len + 1);
	if (!grown)
		return false;
	list->text = grown;
	memcpy(grown + closed, range, (size_t)len + 1);
	return true;
}
