/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MSR_TRACE_H
#define PMIPROOF_MSR_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"
#include "err.h"
#include "msr.h"
#include "trace.h"

enum msr_op {
	MSR_READ,  /* rdmsr */
	MSR_WRITE, /* wrmsr */
	MSR_RDPMC, /* rdpmc; the register is the number of the counter */
	MSR_PMI,   /* no access: the end of the PMI handler */
};

/* An access, or the end of a handler. */
struct msr_access {
	uint64_t time;	/* CLOCK_MONOTONIC ns, right after the instruction */
	uint64_t value; /* MSR_PMI: how long the handler took, in ns */
	uint32_t msr;	/* MSR_PMI: what it returned, 0 for an NMI that was not its own */
	enum msr_op op;
};

/* Of one CPU, in their order. */
struct msr_log {
	int cpu;
	struct msr_access *access;
	size_t n, max;
	uint64_t dropped; /* beyond max */
};

struct msr_trace {
	struct trace *trace;
	struct msr_log *log; /* as many as cpus->n, in that order */
	size_t n;
	int event[4]; /* index in the trace of each msr_op, -1: not traced */
	struct trace_field msr[3], value[3], delta, handled;
};

/*
 * Set up tracing (msr:read_msr, write_msr, rdpmc) of registers of the given kinds on `cpus`, and,
 * with `pmis`, of the end of the PMI handler. rdpmc is traced when MSR_COUNTER is among the kinds.
 * Up to `max` accesses a CPU are kept. -errno as of trace_open() and trace_enable(): -ENOENT where
 * the kernel has no such tracepoints. What is not seen: accesses through XSAVES and XRSTORS, those
 * of the hypervisor or firmware, and the local APIC where it is memory-mapped (xAPIC mode).
 */
int msr_trace_open(struct msr_trace *trace, const struct cpus *cpus, unsigned int kinds, bool pmis,
		   size_t max, struct err *err);

/* Forget what was kept and record from now on. */
int msr_trace_start(struct msr_trace *trace, struct err *err);

/* Stop; the logs can be read now. -ENOBUFS when something was lost. */
int msr_trace_stop(struct msr_trace *trace, struct err *err);

/* Safe on one that is all zero. */
void msr_trace_close(struct msr_trace *trace);

/* Of the accesses in a log: how many of that op to registers of the given kinds. */
uint64_t msr_count(const struct msr_log *log, enum msr_op op, unsigned int kinds);

/* How many different registers of the given kinds were read or written. */
size_t msr_registers(const struct msr_log *log, unsigned int kinds);

/*
 * How often the writes in a log clear the branch records: all entries that the log knows of
 * (written or read) one by one, or all at once through the depth register of architectural LBR.
 */
double msr_lbr_clearings(const struct msr_log *log);

/* The accesses of one run of the PMI handler. */
struct msr_pmi {
	const struct msr_access *access;
	size_t n;
	uint32_t handled; /* what the handler returned */
	/* What was last written before it; the values as they are unless known is false. */
	uint64_t ctrl, pebs;
	bool ctrl_known, pebs_known;
};

/* Where in a log msr_pmi_next() is; starts as all zero. */
struct msr_pmi_cursor {
	size_t next;
	struct msr_pmi state;
};

/*
 * How much earlier than its computed start, in ns, an access may be and still belong to a handler.
 * nmi:nmi_handler comes after the handler and tells its length; the time of the event minus that is
 * the start, later than the true one by what lies between the second reading of the clock and the
 * event. The first access follows the start by about as much. What was interrupted is further
 * back: an NMI from user mode alone goes through two hundred instructions before the handler.
 */
#define MSR_PMI_SLACK_NS 100

/*
 * The next run of the handler in a log that was recorded with `pmis`. False at the end; what comes
 * after the last run belongs to none.
 *
 * Its accesses are those from its computed start on. As that is too late when a virtual CPU was
 * stopped between the clock and the event, they also go back to the first reading of the overflow
 * status, which nobody else reads, and to what the handler did for that: disable the counters, or
 * unmask LVTPC.
 */
bool msr_pmi_next(const struct msr_log *log, struct msr_pmi_cursor *cursor, struct msr_pmi *pmi);

#endif
