/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TRACE_H
#define PMIPROOF_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"
#include "err.h"

/* Prefix of the names of our tracefs instances: what the supervisor removes after a dead test. */
#define TRACE_INSTANCE_PREFIX "pmiproof-"

/* A tracing session in a tracefs instance of its own. Opaque. */
struct trace;

/* One event as it comes from a CPU's buffer. `data` is the raw record, valid during the call. */
struct trace_event {
	uint64_t time; /* ns, of the instance's clock */
	int cpu;
	int event; /* index of the event in the order of trace_enable() calls */
	const void *data;
	size_t size;
};

/* A field of an event, resolved once: where in the raw record it is. */
struct trace_field {
	unsigned int offset;
	unsigned int size;
	bool is_signed;
};

/*
 * Create an instance (clock "mono"; where tracefs is not mounted it is mounted in a private mount
 * namespace of the calling process). buffer_kb per CPU.
 */
int trace_open(struct trace **trace, const struct cpus *cpus, size_t buffer_kb, struct err *err);

/* Does system/event exist? 1, 0, -errno when tracefs cannot be reached. */
int trace_has(const char *system, const char *event, struct err *err);

/* Add an event, with an optional kernel-side filter (NULL: none). Returns its index, or -errno. */
int trace_enable(struct trace *trace, const char *system, const char *event, const char *filter,
		 struct err *err);

/* Resolve a field of an added event. -ENOENT when this kernel's event has none of that name. */
int trace_field(struct trace *trace, int event, const char *name, struct trace_field *field,
		struct err *err);

/* Value of a field in a raw record (sign-extended where signed). False when it does not fit. */
bool trace_value(const struct trace_event *event, const struct trace_field *field, int64_t *value);

/*
 * Start and stop recording. While it records, one reader thread per CPU drains that CPU's raw pages
 * and calls `handle` for each event, in order per CPU, from that CPU's reader thread (so state must
 * be per CPU). After trace_stop() everything recorded has been handled.
 */
typedef void (*trace_handler)(const struct trace_event *event, void *context);
int trace_start(struct trace *trace, trace_handler handle, void *context, struct err *err);
int trace_stop(struct trace *trace, struct err *err);

/* Events that the kernel dropped or overwrote, summed over CPUs, and events handled. */
uint64_t trace_lost(const struct trace *trace);
uint64_t trace_handled(const struct trace *trace);

/* Remove the instance; safe on NULL. */
void trace_close(struct trace *trace);

/*
 * Remove instances left by a dead process (names "pmiproof-<pid>-..." whose pid is gone, or is
 * `pid` if not 0). Returns how many, or -errno.
 */
int trace_remove_leftovers(long pid, struct err *err);

#endif
