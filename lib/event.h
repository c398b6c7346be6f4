/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_EVENT_H
#define PMIPROOF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"
#include "ring.h"

/*
 * An open perf event and, after event_map(), its ring buffer. Owned by the caller. The descriptor
 * is close-on-exec; a child of fork(2) inherits it, but not the mapping (the kernel does not copy
 * it), and may call event_close() on its copy.
 */
struct event {
	int fd;
	struct perf_event_attr attr;
	pid_t pid;   /* task, the opener's own id for event_open_self(); -1: all on `cpu` */
	int cpu;     /* -1: any */
	pid_t owner; /* process that opened it, which alone has the mapping */
	uint64_t id;
	struct ring ring; /* ring.page == NULL: not mapped */
};

/* Initializer of an event that is not open. */
#define EVENT_CLOSED     \
	{                \
		.fd = -1 \
	}

/* What read(2) returns with TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING | ID | LOST. Times in ns. */
struct event_count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
	uint64_t lost; /* samples that had no room in the ring */
};

/*
 * An attr of that type and config, disabled at open, size set, read_format with times and id, and
 * nothing excluded. sample_type is 0: samples carry nothing until the caller asks for it.
 */
struct perf_event_attr event_attr(uint32_t type, uint64_t config);

/* event_attr() for the software cpu-clock with a fixed period in ns (0: counting only). */
struct perf_event_attr event_attr_cpu_clock(uint64_t period_ns);

/*
 * Open for the calling thread on any CPU / a task on any CPU / everything on one CPU / a task only
 * while on one CPU. Errors name type, config, period or frequency, precise_ip, task, CPU and errno,
 * with what that errno means to perf_event_open ("EOPNOTSUPP: the PMU cannot sample", ...). On an
 * error the event is closed.
 */
int event_open_self(struct event *event, const struct perf_event_attr *attr, struct err *err);
int event_open_task(struct event *event, const struct perf_event_attr *attr, pid_t pid,
		    struct err *err);
int event_open_cpu(struct event *event, const struct perf_event_attr *attr, int cpu,
		   struct err *err);
int event_open_task_cpu(struct event *event, const struct perf_event_attr *attr, pid_t pid, int cpu,
			struct err *err);
/*
 * The same as a member of leader's group, with the leader's task and CPU. attr.disabled is taken
 * as 0, so that the member counts whenever the leader does.
 */
int event_open_member(struct event *event, const struct perf_event_attr *attr,
		      const struct event *leader, struct err *err);

/*
 * Map a ring of `pages` data pages, a power of two. In overwrite mode the kernel never waits for
 * us; it needs attr.write_backward (-EINVAL without), because in a ring that is written forward
 * nobody knows where the oldest whole record starts once it was lapped. -EPERM: more than
 * kernel.perf_event_mlock_kb.
 */
int event_map(struct event *event, unsigned int pages, bool overwrite, struct err *err);

int event_enable(struct event *event, struct err *err);
int event_disable(struct event *event, struct err *err);
/* Enable for so many more overflows, after which the kernel disables the event. */
int event_refresh(struct event *event, int overflows, struct err *err);
/* Stop (or go on) writing to the ring while the event keeps counting; for reading a snapshot. */
int event_pause(struct event *event, bool pause, struct err *err);

/* Let an event that is not mapped write to the ring of another one, of the same task or CPU. */
int event_redirect(struct event *event, const struct event *to, struct err *err);

/*
 * Read the count; what attr.read_format does not ask for is 0. -EINVAL with
 * PERF_FORMAT_GROUP; -ENODATA for a pinned event that could not be scheduled.
 */
int event_read(const struct event *event, struct event_count *count, struct err *err);

/*
 * Did it count? Returns 0, or -ENODATA when the value is 0, with err saying whether the event was
 * never scheduled (no time running) or ran and counted nothing.
 */
int event_counted(const struct event *event, const struct event_count *count, struct err *err);

/* Unmap and close; safe on an event that is not open (fd -1). */
void event_close(struct event *event);

/*
 * Does this event count? Opens it for the calling thread, runs a short loop with arithmetic, system
 * calls and page faults (some ms) and reads. Returns 0, or -errno of the open, or -ENODATA when it
 * opened but counted nothing or never ran; err says which.
 */
int event_probe(const struct perf_event_attr *attr, struct err *err);

/* What an errno of perf_event_open means, in a few words ("no such event on this PMU"); "" if
 * general. */
const char *event_errno_meaning(int errnum);

#endif
