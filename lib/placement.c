// SPDX-License-Identifier: GPL-2.0-or-later
#include "placement.h"

#include <errno.h>

int placement_pin(struct placement *placement, int cpu, struct err *err)
{
	int result = cpus_allowed(&placement->allowed, err);

	if (result)
		return result;
	placement->policy = sched_getscheduler(0);
	if (placement->policy < 0 || sched_getparam(0, &placement->param))
		return err_set(err, errno, "scheduling policy");
	return cpus_pin(cpu, err);
}

static const char *policy_name(int policy)
{
	static const struct {
		int policy;
		const char *name;
	} names[] = {
		{ SCHED_OTHER, "SCHED_OTHER" }, { SCHED_FIFO, "SCHED_FIFO" },
		{ SCHED_RR, "SCHED_RR" },	{ SCHED_BATCH, "SCHED_BATCH" },
		{ SCHED_IDLE, "SCHED_IDLE" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].policy == policy)
			return names[i].name;
	return "unknown policy";
}

int placement_policy(int policy, int priority, struct err *err)
{
	const struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, policy, &param))
		return err_set(err, errno, "set %s, priority %d", policy_name(policy), priority);
	return 0;
}

int placement_restore(const struct placement *placement, struct err *err)
{
	int result = placement_policy(placement->policy, placement->param.sched_priority, err);
	int unpinned = cpus_unpin(&placement->allowed, result ? NULL : err);

	return result ? result : unpinned;
}

int placement_migrate(void *migration, struct err *err)
{
	struct migration *between = migration;

	between->here ^= 1;
	return cpus_pin(between->cpu[between->here], err);
}
