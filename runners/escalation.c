// SPDX-License-Identifier: GPL-2.0-or-later
#include "escalation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is set for what (Documentation/admin-guide/sysctl/kernel.rst). Without a reboot after a
 * panic the others would only stop the machine, so kernel.panic comes first and belongs to all.
 * max_rcu_stall_to_panic is how many stalls the kernel lets pass before it panics.
 */
static const struct {
	const char *sysctl;
	unsigned int bits; /* of enum escalate: any of them */
	const char *value;
} rows[] = {
	{ "kernel.panic", ~0U, "10" },
	{ "kernel.max_rcu_stall_to_panic", ESCALATE_RCU_STALL, "1" },
	{ "kernel.panic_on_rcu_stall", ESCALATE_RCU_STALL, "1" },
	{ "kernel.softlockup_panic", ESCALATE_SOFT_LOCKUP, "1" },
	{ "kernel.hardlockup_panic", ESCALATE_HARD_LOCKUP, "1" },
	{ "kernel.unknown_nmi_panic", ESCALATE_UNKNOWN_NMI, "1" },
	{ "kernel.hung_task_panic", ESCALATE_HUNG_TASK, "1" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS <= ESCALATION_MAX, "room for each row");

const char *escalation_sysctl(size_t i)
{
	return i < ROWS ? rows[i].sysctl : NULL;
}

/* Does it do already what is wanted? */
static bool suffices(size_t i, const char *now)
{
	long value = strtol(now, NULL, 10);

	/* Any time but never (0) and a long one; a negative one is "at once". */
	if (!strcmp(rows[i].sysctl, "kernel.panic"))
		return value && value <= ESCALATION_PANIC_S;
	if (!strcmp(rows[i].sysctl, "kernel.max_rcu_stall_to_panic"))
		return value <= 1;
	return value != 0;
}

const char *escalation_value(size_t i, unsigned int bits, const char *now)
{
	return bits & rows[i].bits && !suffices(i, now) ? rows[i].value : NULL;
}

int escalation_plan(struct escalation *escalation, unsigned int bits, struct err *err)
{
	escalation->n = 0;
	for (size_t i = 0; i < ROWS; i++) {
		struct sysctl_saved *saved = &escalation->before[escalation->n];
		const char *const name[] = { rows[i].sysctl, NULL };
		const char *value;
		int result = sysctl_save(saved, name, err);

		if (result)
			return result;
		value = saved->present ? escalation_value(i, bits, saved->value) : NULL;
		if (value)
			snprintf(escalation->set[escalation->n++], SYSCTL_VALUE_MAX, "%s", value);
	}
	return 0;
}

json_t *escalation_record(const struct escalation *escalation, unsigned int bits)
{
	json_t *words = json_array(), *set = json_object(), *before = json_object();

	for (const struct escalate_kind *kind = escalate_kinds; kind->name; kind++)
		if (bits & kind->bit)
			json_array_append_new(words, json_string(kind->name));
	for (size_t i = 0; i < escalation->n; i++) {
		const struct sysctl_saved *saved = &escalation->before[i];

		json_object_set_new(set, saved->name, json_string(escalation->set[i]));
		json_object_set_new(before, saved->name, json_string(saved->value));
	}
	return json_pack("{s:s, s:o, s:o, s:o}", "type", "escalation", "panic_on", words, "set",
			 set, "before", before);
}

int escalation_apply(const struct escalation *escalation, struct err *err)
{
	for (size_t i = 0; i < escalation->n; i++) {
		int result = sysctl_write(escalation->before[i].name, escalation->set[i], err);

		if (!result)
			continue;
		sysctl_restore(escalation->before, i, NULL, NULL);
		return result;
	}
	return 0;
}

int escalation_undo(const struct escalation *escalation, struct err *err)
{
	return sysctl_restore(escalation->before, escalation->n, NULL, err);
}
