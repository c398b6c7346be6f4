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

/* A number of lost events that the kernel did not tell. */
#define TRACE_LOST_SOME UINT64_MAX

/* A tracing session in a tracefs instance of its own. Opaque; used from one thread at a time. */
struct trace;

/* One event as it comes from a CPU's buffer. `data` is the raw record, valid during the call. */
struct trace_event {
	uint64_t time; /* ns, of the instance's clock */
	int cpu;
	int event; /* index of the event in the order of trace_enable() calls */
	const void *data;
	size_t size;
	/*
	 * Events of this CPU that were lost right before this one, or TRACE_LOST_SOME: whoever
	 * pairs an entry with its exit starts anew here.
	 */
	uint64_t lost;
};

/* A field of an event, resolved once: where in the raw record it is. */
struct trace_field {
	unsigned int offset;
	unsigned int size; /* bytes: 1, 2, 4 or 8 */
	bool is_signed;
};

/*
 * Create an instance named "pmiproof-<pid>-<n>", with clock "mono", that records on `cpus` only.
 * buffer_kb per CPU: the oldest events are overwritten when it is full, the readers start at half.
 *
 * Where tracefs is not mounted it is mounted in a private mount namespace of the calling process:
 * call this from the main thread, before the process starts threads. -EBUSY when it has threads
 * already, -EPERM when it may not mount, -EINVAL for no CPU or no buffer.
 */
int trace_open(struct trace **trace, const struct cpus *cpus, size_t buffer_kb, struct err *err);

/*
 * Does system/event exist? 1, 0, -errno when tracefs cannot be reached. Looks from a child
 * process: leaves the caller's mount namespace alone and may be called at any time.
 */
int trace_has(const char *system, const char *event, struct err *err);

/*
 * Add an event, with an optional kernel-side filter (NULL: none). Returns its index, or -errno:
 * -ENOENT when the kernel has none of that name, -EINVAL for a filter it does not take, -EEXIST
 * when already added, -EBUSY while recording.
 */
int trace_enable(struct trace *trace, const char *system, const char *event, const char *filter,
		 struct err *err);

/*
 * Resolve a field of an added event. -ENOENT when this kernel's event has none of that name,
 * -ENOTSUP for one that is not a single number: an array, a string, data elsewhere in the record
 * (__data_loc, __rel_loc).
 */
int trace_field(struct trace *trace, int event, const char *name, struct trace_field *field,
		struct err *err);

/* Value of a field in a raw record (sign-extended where signed). False when it does not fit. */
bool trace_value(const struct trace_event *event, const struct trace_field *field, int64_t *value);

/*
 * Start and stop recording. While it records, one reader thread per CPU drains that CPU's raw pages
 * and calls `handle` for each event, in order per CPU, from that CPU's reader thread (so state must
 * be per CPU). Events of a quiet CPU come with a delay of up to a second. After trace_stop()
 * everything recorded has been handled, and the session can be started again: the counts go on.
 *
 * A reader runs on the CPU it reads if the caller of trace_start() may run there, else where the
 * caller may run. To keep readers off a CPU, leave it out of the affinity of the calling thread.
 * Readers take no signals and have the scheduling policy of the caller.
 */
typedef void (*trace_handler)(const struct trace_event *event, void *context);
int trace_start(struct trace *trace, trace_handler handle, void *context, struct err *err);
int trace_stop(struct trace *trace, struct err *err);

/*
 * Events that the kernel dropped or overwrote, summed over CPUs. After trace_stop() the kernel's
 * own count of all (overrun, commit overrun, dropped); while recording, the part of it that the
 * readers have come across.
 */
uint64_t trace_lost(const struct trace *trace);

/* Events handled, summed over CPUs; exact after trace_stop(). */
uint64_t trace_handled(const struct trace *trace);

/* Stop, where recording, and remove the instance; safe on NULL. */
void trace_close(struct trace *trace);

/*
 * Remove instances left by a dead process (names "pmiproof-<pid>-..." whose pid is gone, or is
 * `pid` if not 0). Works in a child process, like trace_has(). Returns how many, or -errno: -EBUSY
 * when a survivor still holds one open.
 */
int trace_remove_leftovers(long pid, struct err *err);

#endif
