// SPDX-License-Identifier: GPL-2.0-or-later
/* What reports were made on: may they be compared, and what may explain a difference? */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "facts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct compare_circumstance compare_circumstances[] = {
	{ "kernel.release", NULL, "kernel" },
	{ "kernel.config", NULL, "kernel configuration" },
	{ "kernel.cmdline", NULL, "kernel command line" },
	{ "taint.flags", NULL, "taint" },
	{ "cpu.stepping", NULL, "stepping" },
	{ "cpu.microcode", NULL, "microcode" },
	{ "cpu.online", NULL, "CPUs online" },
	{ "cpu.smt", NULL, "SMT" },
	{ "hypervisor.type", NULL, "hypervisor" },
	{ "clocksource.current", NULL, "clock source" },
	{ "cpufreq.kinds", "driver", "frequency driver" },
	{ "cpufreq.kinds", "governor", "governor" },
	{ "cpufreq.kinds", "preference", "energy preference" },
	{ "cpufreq.kinds", "max_khz", "highest frequency" },
	{ "cpufreq.turbo", NULL, "turbo" },
	{ "watchdog.nmi_watchdog", NULL, "NMI watchdog" },
	{ "idle.driver", NULL, "idle driver" },
	{ "idle.governor", NULL, "idle governor" },
	{ "lab.variant", NULL, "kernel variant" },
	{ "lab.faults", NULL, "faults" },
	{ "lab.params", NULL, "kernel parameters" },
	{ NULL },
};

_Static_assert(COUNT(compare_circumstances) <= 8 * sizeof(((struct compare_column *)0)->mixed),
	       "a bit for each circumstance");

/* Of a list of kinds of CPUs: what each has, without saying it twice. */
static json_t *of_kinds(const json_t *kinds, const char *member)
{
	json_t *values = json_array();
	const json_t *kind;
	size_t i;

	json_array_foreach((json_t *)kinds, i, kind)
	{
		json_t *value = json_object_get(kind, member), *other;
		bool there = !value;
		size_t k;

		json_array_foreach(values, k, other)
		{
			there |= json_equal(value, other);
		}
		if (!there)
			json_array_append(values, value);
	}
	if (json_array_size(values))
		return values;
	json_decref(values);
	return NULL;
}

json_t *compare_value(const json_t *machine, const struct compare_circumstance *circumstance)
{
	const json_t *value = facts_at(machine, circumstance->path);

	return circumstance->member ? of_kinds(value, circumstance->member)
				    : json_incref((json_t *)value);
}

static bool same_value(const json_t *a, const json_t *b)
{
	return !a == !b && (!a || json_equal(a, b));
}

static bool same_circumstance(const json_t *one, const json_t *other,
			      const struct compare_circumstance *circumstance)
{
	json_t *a = compare_value(one, circumstance);
	json_t *b = compare_value(other, circumstance);
	bool same = same_value(a, b);

	json_decref(a);
	json_decref(b);
	return same;
}

bool compare_mixed(const struct comparison *all, size_t column,
		   const struct compare_circumstance *circumstance)
{
	return all->column[column].mixed & 1UL << (circumstance - compare_circumstances);
}

bool compare_same(const struct comparison *all, size_t column,
		  const struct compare_circumstance *circumstance)
{
	return !compare_mixed(all, 0, circumstance) && !compare_mixed(all, column, circumstance) &&
	       same_circumstance(all->column[0].machine, all->column[column].machine, circumstance);
}

/* What must be the same for a difference to be called a change. */
static const char *why_apart(const json_t *base, const json_t *other)
{
	static const struct {
		const char *path, *reason;
	} same[] = {
		{ "cpu.vendor", "another CPU model" },	   { "cpu.family", "another CPU model" },
		{ "cpu.model", "another CPU model" },	   { "lab.cpu_model", "another CPU model" },
		{ "lab.mode", "another mode of the lab" },
	};

	if (json_is_true(json_object_get(base, "emulated")) !=
	    json_is_true(json_object_get(other, "emulated")))
		return "emulated against real";
	for (size_t i = 0; i < COUNT(same); i++)
		if (!same_value(facts_at(base, same[i].path), facts_at(other, same[i].path)))
			return same[i].reason;
	return NULL;
}

/* Whoever is apart from the first machine of all is so from some of the baseline, or its column. */
void comparison_add_machine(struct comparison *all, size_t column, json_t *machine, json_t *run)
{
	struct compare_column *to = &all->column[column];
	const char *apart;

	if (!to->reports++) {
		to->machine = json_incref(machine);
		to->run = json_incref(run);
	}
	for (const struct compare_circumstance *i = compare_circumstances; i->path; i++)
		if (!same_circumstance(to->machine, machine, i))
			to->mixed |= 1UL << (i - compare_circumstances);
	apart = why_apart(all->column[0].machine, machine);
	if (apart)
		to->apart = apart;
}

bool compare_emulated(const struct comparison *all, size_t column)
{
	return json_is_true(json_object_get(all->column[column].machine, "emulated"));
}

bool compare_all_emulated(const struct comparison *all)
{
	for (size_t c = 0; c < all->n_columns; c++)
		if (!compare_emulated(all, c))
			return false;
	return true;
}
