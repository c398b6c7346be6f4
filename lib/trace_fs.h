/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TRACE_FS_H
#define PMIPROOF_TRACE_FS_H

#include "err.h"

/*
 * Make tracefs reachable for this process. Where it is not mounted, the process gets a mount
 * namespace of its own and mounts it in there, so that nothing is left even after SIGKILL; a child
 * inherits that namespace. Mounting needs root and must happen before the process starts threads
 * (a namespace belongs to a thread): -EBUSY otherwise. -ENODEV when the kernel has no tracefs.
 */
int trace_fs_reach(struct err *err);

#endif
