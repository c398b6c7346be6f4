/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LBR_FREEZE_H
#define PMIPROOF_LBR_FREEZE_H

#include <stdbool.h>

#include "err.h"

/*
 * Freezes the last branch records of a CPU from outside the kernel, as an overflow in the PMI
 * handler does, through the msr driver: bit 58, LBR_FRZ, of IA32_PERF_GLOBAL_STATUS_SET (0x391);
 * undone through IA32_PERF_GLOBAL_STATUS_RESET (0x390). Both are in the Intel SDM, volume 3B,
 * "Architectural Performance Monitoring Version 4".
 */

/*
 * Open /dev/cpu/<cpu>/msr. Returns a descriptor, or -ENODEV where the CPU has no such bit: not an
 * Intel CPU with performance monitoring version 4 or later; or -errno of the driver (-ENOENT: not
 * there).
 */
int lbr_freeze_open(int cpu, struct err *err);

/* Freeze, or let go: both whatever the state. Returns 0 or -errno. */
int lbr_freeze(int fd, bool freeze, struct err *err);

/*
 * Is this CPU an emulated one (QEMU's TCG)? The driver's writes taint the kernel until it is booted
 * again, which matters on a machine that is someone's.
 */
bool lbr_freeze_harmless(void);

#endif
