/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROCESS_H
#define PMIPROOF_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* What /proc/<pid>/stat says of a process, proc(5). */
struct process {
	pid_t pid;
	pid_t parent;
	char state;    /* 'R' runs, 'D' sleeps and takes no signal, 'Z' ended and not waited for */
	char name[64]; /* "comm" */
};

/* Returns 0, or -ESRCH when there is no such process. */
int process_read(pid_t pid, struct process *process);

/*
 * Does it still do anything? A process that has ended and was not waited for yet does not: its pid
 * is taken, but it holds nothing any more.
 */
bool process_is_alive(pid_t pid);

#endif
