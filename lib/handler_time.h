/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HANDLER_TIME_H
#define PMIPROOF_HANDLER_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"
#include "err.h"
#include "trace.h"

/* Where the handler's time is read from. */
enum handler_kind {
	/* nmi:nmi_handler, only perf_event_nmi_handler: delta_ns is the handler alone */
	HANDLER_NMI,
	/*
	 * irq_vectors:local_timer_entry to local_timer_exit: the whole timer interrupt, in which
	 * the cpu-clock event takes its samples
	 */
	HANDLER_TIMER,
};

/* One handler invocation, CLOCK_MONOTONIC ns. */
struct handler_span {
	uint64_t start_ns;
	uint64_t length_ns;
};

struct handler_cpu {
	int cpu;
	struct handler_span *span;
	size_t n, max; /* spans beyond max are counted in `dropped` */
	uint64_t dropped;
	uint64_t entry_ns; /* of the timer interrupt being handled; 0: none */
};

struct handler_time {
	enum handler_kind kind;
	struct trace *trace;
	struct handler_cpu *cpu; /* as many as cpus->n, in that order */
	size_t n;
	struct trace_field delta, handled;
	uint64_t lost; /* trace events lost, set by handler_time_stop() */
};

/* The event that a kind is read from, "system/event", for a need or a message. */
const char *handler_event(enum handler_kind kind);

/*
 * Add nmi:nmi_handler to a trace, for the handler of PMIs alone. Returns its index, or -errno:
 * -ENOENT also when /proc/kallsyms hides addresses.
 */
int handler_nmi_enable(struct trace *trace, struct err *err);

/*
 * Set up tracing of the handler on `cpus`, keeping up to `max` invocations per CPU. To be called
 * before the process has threads (see trace_open()).
 */
int handler_time_open(struct handler_time *time, enum handler_kind kind, const struct cpus *cpus,
		      size_t max, struct err *err);

/* Forget what was kept and record from now on. */
int handler_time_start(struct handler_time *time, struct err *err);

/* Stop; spans and `lost` can be read now. */
int handler_time_stop(struct handler_time *time, struct err *err);

/*
 * Is everything there? -ENOBUFS when trace events were lost or there were more invocations than are
 * kept: what they took is in no sum then.
 */
int handler_time_complete(const struct handler_time *time, struct err *err);

void handler_time_close(struct handler_time *time);

/*
 * Keep only the spans of a CPU that hold one of the given times (ascending, as the ring gives
 * them). Returns how many of the times lay in a span.
 */
size_t handler_spans_with(struct handler_cpu *cpu, const uint64_t *times, size_t n);

#endif
