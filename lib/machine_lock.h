/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MACHINE_LOCK_H
#define PMIPROOF_MACHINE_LOCK_H

#include "err.h"

/*
 * One run at a time on a machine: runs would see each other's sysctls and load, and two that sample
 * at the shortest period were seen to stop a machine. The lock is on a file that every kernel with
 * perf has, so that none has to be made; whoever may read it may take it.
 *
 * Returns 0 with the descriptor that holds the lock in *fd (close-on-exec; -1 where the kernel has
 * no such file, as then nothing here can do harm), or -EBUSY when another run holds it, or -errno.
 * The lock ends with the last copy of the descriptor, also in children of fork(2).
 */
int machine_lock(int *fd, struct err *err);

#endif
