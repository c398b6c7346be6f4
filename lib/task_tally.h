/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TASK_TALLY_H
#define PMIPROOF_TASK_TALLY_H

#include <stddef.h>
#include <stdint.h>

#define TASK_TALLY_MAX 256 /* tasks that are told apart */

/* How many samples each of several tasks has, by their thread ids. */
struct task_tally {
	size_t n;
	struct {
		uint32_t tid;
		uint64_t samples;
	} task[TASK_TALLY_MAX];
	uint64_t others; /* samples of tasks beyond these */
};

/* Add a sample of a task. */
void task_tally_add(struct task_tally *tally, uint32_t tid);

#endif
