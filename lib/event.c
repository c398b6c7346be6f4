// SPDX-License-Identifier: GPL-2.0-or-later
#include "event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* From perf_event_open(2) and the returns of perf_event_open() in kernel/events/core.c. */
static const struct {
	int errnum;
	const char *meaning;
} meanings[] = {
	{ E2BIG, "attr has a size or a bit that this kernel does not know" },
	{ EACCES, "not allowed: kernel.perf_event_paranoid, CAP_PERFMON or a security module" },
	{ EBADF, "the group leader is not an open event" },
	{ EBUSY, "the PMU is in exclusive use" },
	{ EINVAL, "this event does not take these attributes, or no such CPU" },
	{ EMFILE, "too many open files" },
	{ ENODEV, "the CPU is offline or lacks a feature that this event needs" },
	{ ENOENT, "no such event on this PMU, or no such PMU" },
	{ ENOSPC, "no hardware breakpoint is free" },
	{ ENOSYS, "kernel without CONFIG_PERF_EVENTS, or the system call is blocked" },
	{ EOPNOTSUPP, "the PMU cannot sample, or not with this precise_ip or branch stack" },
	{ EOVERFLOW, "sample_max_stack is above kernel.perf_event_max_stack" },
	{ EPERM, "not allowed: kernel.perf_event_paranoid, CAP_PERFMON or a security module" },
	{ ESRCH, "no such task" },
};

const char *event_errno_meaning(int errnum)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].errnum == errnum)
			return meanings[i].meaning;
	return "";
}

/* The first PERF_TYPE_*; later types are numbered at run time. */
static const char *type_name(uint32_t type)
{
	static const char *const names[] = {
		[PERF_TYPE_HARDWARE] = " (hardware)",
		[PERF_TYPE_SOFTWARE] = " (software)",
		[PERF_TYPE_TRACEPOINT] = " (tracepoint)",
		[PERF_TYPE_HW_CACHE] = " (cache)",
		[PERF_TYPE_RAW] = " (raw)",
		[PERF_TYPE_BREAKPOINT] = " (breakpoint)",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "";
}

struct perf_event_attr event_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID,
		.disabled = 1,
	};
}

struct perf_event_attr event_attr_cpu_clock(uint64_t period_ns)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);

	attr.sample_period = period_ns;
	return attr;
}

#define NUMBER_LEN 24 /* room for an int and a word */

static const char *number_or(char text[NUMBER_LEN], int number, const char *otherwise)
{
	if (number < 0)
		return otherwise;
	snprintf(text, NUMBER_LEN, "%d", number);
	return text;
}

/* Write what was asked for, errno and its meaning into err; return -errnum. */
static int open_error(int errnum, const struct perf_event_attr *attr, pid_t pid, int cpu,
		      struct err *err)
{
	const char *meaning = event_errno_meaning(errnum);
	char task[NUMBER_LEN], on[NUMBER_LEN];

	err_set(err, errnum,
		"perf_event_open: type %" PRIu32 "%s, config 0x%" PRIx64 ", %s %" PRIu64
		", precise_ip %d, task %s, CPU %s",
		attr->type, type_name(attr->type), (uint64_t)attr->config,
		attr->freq ? "frequency" : "period", (uint64_t)attr->sample_period,
		(int)attr->precise_ip, number_or(task, pid, "any"), number_or(on, cpu, "any"));
	if (err && *meaning) {
		size_t used = strlen(err->text);

		snprintf(err->text + used, sizeof(err->text) - used, " (%s)", meaning);
	}
	return -errnum;
}

static int open_event(struct event *event, const struct perf_event_attr *attr, pid_t pid, int cpu,
		      int group_fd, struct err *err)
{
	struct perf_event_attr copy = *attr; /* the kernel writes attr.size on E2BIG */

	*event = (struct event){ .fd = -1, .attr = *attr, .pid = pid, .cpu = cpu };
	event->fd =
		(int)syscall(SYS_perf_event_open, &copy, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	if (event->fd < 0)
		return open_error(errno, attr, pid, cpu, err);
	event->owner = getpid();
	if (ioctl(event->fd, PERF_EVENT_IOC_ID, &event->id)) {
		int result = err_set(err, errno, "PERF_EVENT_IOC_ID");

		event_close(event);
		return result;
	}
	return 0;
}

int event_open_self(struct event *event, const struct perf_event_attr *attr, struct err *err)
{
	/* Not 0 for "self": a member of the group may be opened by another thread. */
	return open_event(event, attr, gettid(), -1, -1, err);
}

int event_open_task(struct event *event, const struct perf_event_attr *attr, pid_t pid,
		    struct err *err)
{
	return open_event(event, attr, pid, -1, -1, err);
}

int event_open_cpu(struct event *event, const struct perf_event_attr *attr, int cpu,
		   struct err *err)
{
	return open_event(event, attr, -1, cpu, -1, err);
}

int event_open_task_cpu(struct event *event, const struct perf_event_attr *attr, pid_t pid, int cpu,
			struct err *err)
{
	return open_event(event, attr, pid, cpu, -1, err);
}

int event_open_member(struct event *event, const struct perf_event_attr *attr,
		      const struct event *leader, struct err *err)
{
	struct perf_event_attr member = *attr;

	member.disabled = 0;
	return open_event(event, &member, leader->pid, leader->cpu, leader->fd, err);
}

/* "event type 1 config 0x0" for messages after the open. */
static int event_error(const struct event *event, int errnum, const char *what, struct err *err)
{
	return err_set(err, errnum, "event type %" PRIu32 "%s, config 0x%" PRIx64 ": %s",
		       event->attr.type, type_name(event->attr.type), (uint64_t)event->attr.config,
		       what);
}

int event_map(struct event *event, unsigned int pages, bool overwrite, struct err *err)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = pages * page_size;
	int protection = overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	char *base;
	int result;

	if (event->ring.page || !pages || (pages & (pages - 1)))
		return event_error(
			event, EINVAL,
			event->ring.page ? "mapped already" : "ring pages not a power of two", err);
	if (overwrite && !event->attr.write_backward)
		return event_error(event, EINVAL, "overwrite mode without attr.write_backward",
				   err);
	/* One page of control data comes first. */
	base = mmap(NULL, page_size + size, protection, MAP_SHARED, event->fd, 0);
	if (base == MAP_FAILED)
		return event_error(event, errno,
				   errno == EPERM ? "map a ring above kernel.perf_event_mlock_kb"
						  : "map a ring",
				   err);
	result = ring_init(&event->ring, (struct perf_event_mmap_page *)base, base + page_size,
			   size, overwrite);
	if (result) {
		munmap(base, page_size + size);
		return event_error(event, -result, "reader of the ring", err);
	}
	return 0;
}

static int control(const struct event *event, unsigned long request, long argument,
		   const char *name, struct err *err)
{
	return ioctl(event->fd, request, argument) ? event_error(event, errno, name, err) : 0;
}

int event_enable(struct event *event, struct err *err)
{
	return control(event, PERF_EVENT_IOC_ENABLE, 0, "enable", err);
}

int event_disable(struct event *event, struct err *err)
{
	return control(event, PERF_EVENT_IOC_DISABLE, 0, "disable", err);
}

int event_refresh(struct event *event, int overflows, struct err *err)
{
	return control(event, PERF_EVENT_IOC_REFRESH, overflows, "refresh", err);
}

int event_pause(struct event *event, bool pause, struct err *err)
{
	return control(event, PERF_EVENT_IOC_PAUSE_OUTPUT, pause, "pause output", err);
}

int event_redirect(struct event *event, const struct event *to, struct err *err)
{
	return control(event, PERF_EVENT_IOC_SET_OUTPUT, to->fd, "redirect output", err);
}

int event_read(const struct event *event, struct event_count *count, struct err *err)
{
	uint64_t format = event->attr.read_format;
	uint64_t values[5]; /* value, both times, id, lost */
	const uint64_t *at = values + 1;
	ssize_t n;

	memset(count, 0, sizeof(*count));
	if (format & PERF_FORMAT_GROUP)
		return event_error(event, EINVAL, "read with PERF_FORMAT_GROUP", err);
	n = read(event->fd, values, sizeof(values));
	if (n < 0)
		return event_error(event, errno, "read", err);
	/* The kernel gives end-of-file for an event in error state. */
	if (n == 0)
		return event_error(event, ENODATA, "read: pinned, but could not be scheduled", err);
	count->value = values[0];
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		count->enabled = *at++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		count->running = *at++;
	if (format & PERF_FORMAT_ID)
		at++;
	if (format & PERF_FORMAT_LOST)
		count->lost = *at;
	return 0;
}

int event_counted(const struct event *event, const struct event_count *count, struct err *err)
{
	char what[128];

	if (count->value)
		return 0;
	if (!count->running)
		snprintf(what, sizeof(what),
			 "open, but never scheduled (enabled %" PRIu64 " ns, running 0)",
			 count->enabled);
	else
		snprintf(what, sizeof(what),
			 "open, but counted nothing (enabled %" PRIu64 " ns, running %" PRIu64
			 " ns)",
			 count->enabled, count->running);
	return event_error(event, ENODATA, what, err);
}

void event_close(struct event *event)
{
	struct ring *ring = &event->ring;

	if (event->fd < 0)
		return;
	/* In a child the address range may be in use for something else. */
	if (ring->page && event->owner == getpid())
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	ring_free(ring);
	close(event->fd);
	event->fd = -1;
}

/* Longest that event_probe() waits for a first count: ten ticks at 100 Hz. */
#define PROBE_LIMIT_NS 100000000LL

/*
 * A little of everything that events count: arithmetic with branches, memory, system calls, page
 * faults, and giving the CPU away.
 */
static void probe_loop(void)
{
	enum { PAGES = 16, ROUNDS = 20000 };
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile uint64_t sink = 1;

	for (size_t page = 0; page < PAGES; page++) {
		if (memory != MAP_FAILED)
			memory[page * page_size] = 1;
		for (int i = 0; i < ROUNDS; i++)
			sink = sink * 3 + (sink & 8 ? 1 : 5);
		(void)syscall(SYS_sched_yield);
	}
	if (memory != MAP_FAILED)
		munmap(memory, PAGES * page_size);
}

/*
 * A clock that advances once per tick (jiffies, down to 100 Hz) may see nothing of a single loop,
 * so the loop is repeated until something counted, PROBE_LIMIT_NS at the most.
 */
static int probe_open_event(struct event *event, struct err *err)
{
	struct event_count count = { 0 };
	struct timespec start, now;
	int64_t spent;
	int result = event_enable(event, err);

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		if (result)
			return result;
		probe_loop();
		result = event_read(event, &count, err);
		clock_gettime(CLOCK_MONOTONIC, &now);
		spent = (now.tv_sec - start.tv_sec) * 1000000000LL + now.tv_nsec - start.tv_nsec;
	} while (!(count.value && count.running) && spent < PROBE_LIMIT_NS);
	if (!result)
		result = event_disable(event, err);
	return result ? result : event_counted(event, &count, err);
}

int event_probe(const struct perf_event_attr *attr, struct err *err)
{
	struct perf_event_attr probe = *attr;
	struct event event;
	int result;

	probe.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	result = event_open_self(&event, &probe, err);
	if (result)
		return result;
	result = probe_open_event(&event, err);
	event_close(&event);
	return result;
}
