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

int placement_policy(int policy, int priority, struct err *err)
{
	const struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, policy, &param))
		return err_set(err, errno, "set scheduling policy %d, priority %d", policy,
			       priority);
	return 0;
}

int placement_restore(const struct placement *placement, struct err *err)
{
	int result = placement_policy(placement->policy, placement->param.sched_priority, err);
	int unpinned = cpus_unpin(&placement->allowed, result ? NULL : err);

	return result ? result : unpinned;
}
