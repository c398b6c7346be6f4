// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <numa.h>
#include <stdio.h>
#include <string.h>

#define CUT "..." /* the end of a list that did not fit */
#define WORD_BITS (8 * sizeof(unsigned long))

/*
 * A libnuma mask with its own storage: numa_allocate_cpumask() ends the process when out of memory
 * and is only as large as this machine.
 */
struct set {
	unsigned long words[CPUS_MAX / WORD_BITS];
	struct bitmask mask;
};

static void set_init(struct set *set)
{
	memset(set->words, 0, sizeof(set->words));
	set->mask.size = CPUS_MAX;
	set->mask.maskp = set->words;
}

static void set_list(struct set *set, struct cpus *cpus)
{
	cpus->n = 0;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (numa_bitmask_isbitset(&set->mask, cpu))
			cpus->cpu[cpus->n++] = (int)cpu;
}

int cpus_allowed(struct cpus *cpus, struct err *err)
{
	struct set set;

	set_init(&set);
	if (numa_sched_getaffinity(0, &set.mask) < 0)
		return err_set(err, errno, "sched_getaffinity");
	set_list(&set, cpus);
	return 0;
}

/* A decimal number at *text, which is moved past it. -EINVAL when there is none. */
static int parse_number(const char **text, int *number)
{
	const char *at = *text;
	int value = 0;

	if (!isdigit((unsigned char)*at))
		return -EINVAL;
	for (; isdigit((unsigned char)*at); at++) {
		value = value * 10 + (*at - '0');
		if (value >= CPUS_MAX)
			return -ERANGE;
	}
	*text = at;
	*number = value;
	return 0;
}

/* "3" or "3-5", moving *text past it. */
static int parse_range(const char **text, struct set *set)
{
	int first = 0;
	int result = parse_number(text, &first);
	int last = first;

	if (!result && **text == '-') {
		++*text;
		result = parse_number(text, &last);
	}
	if (result)
		return result;
	if (last < first)
		return -EINVAL;
	for (int cpu = first; cpu <= last; cpu++)
		numa_bitmask_setbit(&set->mask, (unsigned int)cpu);
	return 0;
}

static int parse_list(const char *text, struct set *set)
{
	int result = parse_range(&text, set);

	while (!result && *text == ',') {
		text++;
		result = parse_range(&text, set);
	}
	return !result && *text ? -EINVAL : result;
}

/* The first CPU of `set` that is not in `allowed`, or -1. */
static int first_outside(const struct set *set, const struct cpus *allowed)
{
	struct set rest = *set;

	rest.mask.maskp = rest.words;
	for (size_t i = 0; i < allowed->n; i++)
		numa_bitmask_clearbit(&rest.mask, (unsigned int)allowed->cpu[i]);
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (numa_bitmask_isbitset(&rest.mask, cpu))
			return (int)cpu;
	return -1;
}

int cpus_parse(struct cpus *cpus, const char *text, const struct cpus *allowed, struct err *err)
{
	struct set set;
	int result, outside;

	set_init(&set);
	result = parse_list(text, &set);
	if (result == -ERANGE)
		return err_plain(err, ERANGE, "CPU list \"%s\": CPUs must be below %d", text,
				 CPUS_MAX);
	if (result)
		return err_plain(err, EINVAL, "CPU list \"%s\": not of the form \"0-3,8\"", text);
	outside = allowed ? first_outside(&set, allowed) : -1;
	if (outside >= 0)
		return err_plain(err, ENODEV, "CPU list \"%s\": this process may not run on CPU %d",
				 text, outside);
	set_list(&set, cpus);
	return 0;
}

const char *cpus_format(const struct cpus *cpus, char *text, size_t size)
{
	size_t used = 0;

	if (size)
		*text = '\0';
	for (size_t i = 0, last; i < cpus->n && used < size; i = last + 1) {
		const char *comma = i ? "," : "";
		int written;

		for (last = i; last + 1 < cpus->n && cpus->cpu[last + 1] == cpus->cpu[last] + 1;)
			last++;
		if (last > i)
			written = snprintf(text + used, size - used, "%s%d-%d", comma, cpus->cpu[i],
					   cpus->cpu[last]);
		else
			written = snprintf(text + used, size - used, "%s%d", comma, cpus->cpu[i]);
		used += (size_t)written;
	}
	if (used >= size && size >= sizeof(CUT))
		memcpy(text + size - sizeof(CUT), CUT, sizeof(CUT));
	return text;
}

static int set_affinity(const int *cpu, size_t n, const char *what, struct err *err)
{
	struct set set;

	set_init(&set);
	for (size_t i = 0; i < n; i++) {
		/* libnuma would silently leave out what its mask does not hold. */
		if (cpu[i] < 0 || cpu[i] >= CPUS_MAX)
			return err_set(err, EINVAL, "run on CPU %d", cpu[i]);
		numa_bitmask_setbit(&set.mask, (unsigned int)cpu[i]);
	}
	if (numa_sched_setaffinity(0, &set.mask) < 0)
		return err_set(err, errno, "run on CPU %s", what);
	return 0;
}

int cpus_pin(int cpu, struct err *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", cpu);
	return set_affinity(&cpu, 1, text, err);
}

int cpus_unpin(const struct cpus *cpus, struct err *err)
{
	char text[128];

	return set_affinity(cpus->cpu, cpus->n, cpus_format(cpus, text, sizeof(text)), err);
}
