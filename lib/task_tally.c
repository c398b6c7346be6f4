// SPDX-License-Identifier: GPL-2.0-or-later
#include "task_tally.h"

/* Its index, or tally->n. */
static size_t find(const struct task_tally *tally, uint32_t tid)
{
	size_t i = 0;

	while (i < tally->n && tally->task[i].tid != tid)
		i++;
	return i;
}

void task_tally_add(struct task_tally *tally, uint32_t tid)
{
	size_t i = find(tally, tid);

	if (i == TASK_TALLY_MAX) {
		tally->others++;
		return;
	}
	if (i == tally->n) {
		tally->task[i].tid = tid;
		tally->task[i].samples = 0;
		tally->n++;
	}
	tally->task[i].samples++;
}
