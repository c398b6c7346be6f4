/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_INTERRUPTS_H
#define PMIPROOF_INTERRUPTS_H

#include <stdint.h>
#include <stdio.h>

#include "cpus.h"
#include "err.h"

/*
 * The row of /proc/interrupts in which counter overflows are counted on this architecture: "NMI" on
 * x86, "PMI" on powerpc and alpha, the name of the PMU's interrupt where it is an ordinary one;
 * NULL where we know of none. On x86 the row "PMI" counts passes of Intel's handler, of which one
 * NMI may need several.
 */
const char *interrupts_overflow_row(void);

/*
 * How many interrupts of a row a CPU had since boot. `row` is what stands before the colon ("NMI"),
 * or, for numbered rows, the name at the end of the line ("arm-pmu"); several rows of a name are
 * added up. The kernel counts in 32 bits: compare with interrupts_since(). -ENOENT: no such row;
 * -ENODEV: no column for this CPU (offline), or the row is not counted per CPU; -EBADMSG: not the
 * form of /proc/interrupts.
 */
int interrupts_read(const char *row, int cpu, uint32_t *count, struct err *err);

/* The same for an open file, read to its end. */
int interrupts_parse(FILE *file, const char *row, int cpu, uint32_t *count, struct err *err);

/*
 * The sum over CPUs, of one reading: the kernel takes long to make the file on a large machine. It
 * wraps around as one count does, and interrupts_since() is right for it as well.
 */
int interrupts_total(const char *row, const struct cpus *cpus, uint32_t *count, struct err *err);

/* How many there were between two counts, which may have wrapped around in between. */
static inline uint32_t interrupts_since(uint32_t before, uint32_t after)
{
	return after - before;
}

#endif
