// SPDX-License-Identifier: GPL-2.0-or-later
/* A tracing session: an instance in tracefs, its events, and the readers of its buffers. */
#include "trace.h"

#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <tracefs.h>
#include <unistd.h>

#include "trace_fs.h"
#include "trace_reader.h"

/*
 * Sub-buffer size to aim at, in KiB: fewer reads and no page-wise work. Above it the gain is below
 * the noise (docs/bench.md). A buffer keeps at least SUBBUF_MIN_COUNT of them, so that "half full"
 * means something.
 */
#define SUBBUF_KB 64
#define SUBBUF_MIN_COUNT 16

/* Fill level, in percent, at which the kernel wakes a reader: half to fill, half to spare. */
#define WAKE_PERCENT "50"

struct added {
	char *system;
	char *name;
	struct tep_event *event; /* owned by the session's tep handle */
};

struct trace {
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct trace_shared shared;
	struct trace_reader *readers;
	size_t readers_n;
	struct added *added;
	int added_n;
	int16_t *index; /* what shared.index points to */
	bool recording;
	uint64_t lost;
};

static int put(struct trace *trace, const char *file, const char *text, struct err *err)
{
	if (tracefs_instance_file_write(trace->instance, file, text) < 0)
		return err_set(err, errno, "write %s to %s of the trace instance", text, file);
	return 0;
}

static int put_number(struct trace *trace, const char *file, size_t number, struct err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return put(trace, file, text, err);
}

static int create_instance(struct trace *trace, struct err *err)
{
	char name[64];

	for (unsigned int n = 0; !trace->instance; n++) {
		snprintf(name, sizeof(name), TRACE_INSTANCE_PREFIX "%ld-%u", (long)getpid(), n);
		trace->instance = tracefs_instance_create(name);
		if (!trace->instance)
			return err_set(err, errno, "create trace instance %s", name);
		if (!tracefs_instance_is_new(trace->instance)) {
			tracefs_instance_free(trace->instance);
			trace->instance = NULL;
		}
	}
	return 0;
}

static int record_on(struct trace *trace, const struct cpus *cpus, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	int result = 0;

	if (!set)
		return err_set(err, ENOMEM, "CPU set");
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < cpus->n; i++)
		CPU_SET_S(cpus->cpu[i], size, set);
	if (tracefs_instance_set_affinity_set(trace->instance, set, size) < 0)
		result = err_set(err, errno, "set tracing_cpumask of the trace instance");
	CPU_FREE(set);
	return result;
}

/* Make sub-buffers large where the kernel can (6.8 and later), and learn their size. */
static int size_pages(struct trace *trace, size_t buffer_kb, struct err *err)
{
	static const char file[] = "buffer_subbuf_size_kb";
	size_t page_kb = (size_t)sysconf(_SC_PAGESIZE) / 1024;
	size_t kb = SUBBUF_KB;
	long long real;

	trace->shared.page_size = page_kb * 1024;
	if (!tracefs_file_exists(trace->instance, file))
		return 0;
	while (kb > page_kb && buffer_kb / kb < SUBBUF_MIN_COUNT)
		kb /= 2;
	/* A fragmented memory may not have that many pages in one piece. */
	while (kb > page_kb && put_number(trace, file, kb, NULL))
		kb /= 2;
	if (tracefs_instance_file_read_number(trace->instance, file, &real) || real <= 0)
		return err_set(err, EIO, "read %s of the trace instance", file);
	trace->shared.page_size = (size_t)real * 1024;
	return 0;
}

/* Learn the layout of a page's header. */
static int read_header(struct trace *trace, struct err *err)
{
	int size = 0;
	char *text = tracefs_instance_file_read(NULL, "events/header_page", &size);
	int bad = !text ||
		  tep_parse_header_page(trace->tep, text, (unsigned long)size, (int)sizeof(long));

	free(text);
	if (bad)
		return err_set(err, EIO, "read events/header_page");
	trace->shared.word = (size_t)tep_get_header_page_size(trace->tep);
	return 0;
}

static int open_reader(struct trace *trace, struct trace_reader *reader, int cpu, size_t buffer_kb,
		       struct err *err)
{
	char file[64];
	int result;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpu);
	result = put_number(trace, file, buffer_kb, err);
	if (result)
		return result;
	reader->page = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), trace->shared.page_size);
	if (!reader->page)
		return err_set(err, ENOMEM, "trace page of CPU %d", cpu);
	snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	reader->fd = tracefs_instance_file_open(trace->instance, file,
						O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (reader->fd < 0)
		return err_set(err, errno, "open %s of the trace instance", file);
	return 0;
}

static int open_readers(struct trace *trace, const struct cpus *cpus, size_t buffer_kb,
			struct err *err)
{
	int result = 0;

	trace->readers =
		aligned_alloc(_Alignof(struct trace_reader), cpus->n * sizeof(*trace->readers));
	if (!trace->readers)
		return err_set(err, ENOMEM, "trace readers");
	memset(trace->readers, 0, cpus->n * sizeof(*trace->readers));
	for (size_t i = 0; i < cpus->n; i++) {
		trace->readers[i].shared = &trace->shared;
		trace->readers[i].cpu = cpus->cpu[i];
		trace->readers[i].fd = -1;
	}
	trace->readers_n = cpus->n;
	for (size_t i = 0; i < cpus->n && !result; i++)
		result = open_reader(trace, &trace->readers[i], cpus->cpu[i], buffer_kb, err);
	return result;
}

static int set_up(struct trace *trace, const struct cpus *cpus, size_t buffer_kb, struct err *err)
{
	int result;

	trace->tep = tep_alloc();
	if (!trace->tep)
		return err_set(err, ENOMEM, "trace event parser");
	result = create_instance(trace, err);
	if (!result)
		result = put(trace, "tracing_on", "0", err);
	if (!result)
		result = put(trace, "trace_clock", "mono", err);
	if (!result)
		result = record_on(trace, cpus, err);
	if (!result)
		result = read_header(trace, err);
	if (!result)
		result = size_pages(trace, buffer_kb, err);
	/* Kernels before 5.0 have no buffer_percent and wake at every event: correct, but dear. */
	if (!result && tracefs_file_exists(trace->instance, "buffer_percent"))
		result = put(trace, "buffer_percent", WAKE_PERCENT, err);
	if (!result)
		result = open_readers(trace, cpus, buffer_kb, err);
	return result;
}

int trace_open(struct trace **trace, const struct cpus *cpus, size_t buffer_kb, struct err *err)
{
	struct trace *new;
	int result;

	if (!cpus->n || !buffer_kb)
		return err_set(err, 0, "trace: no CPU or no buffer");
	result = trace_fs_reach(err);
	if (result)
		return result;
	new = calloc(1, sizeof(*new));
	if (!new)
		return err_set(err, ENOMEM, "trace session");
	new->shared.stop_fd = -1;
	result = set_up(new, cpus, buffer_kb, err);
	if (result) {
		trace_close(new);
		return result;
	}
	*trace = new;
	return 0;
}

/* Is the event's id where and what the readers take it for? */
static bool has_plain_type(struct tep_event *event)
{
	const struct tep_format_field *type = tep_find_common_field(event, "common_type");

	return type && !type->offset && type->size == sizeof(uint16_t) && event->id <= UINT16_MAX;
}

/*
 * Let the kernel's description of an event be parsed. Returns it, owned by the tep handle, or NULL
 * with -errno in *result.
 */
static struct tep_event *parse_event(struct trace *trace, const char *system, const char *name,
				     int *result, struct err *err)
{
	struct tep_event *event;
	int size = 0;
	char *text;

	if (!tracefs_event_file_exists(trace->instance, system, name, "format")) {
		*result = err_set(err, ENOENT, "trace event %s/%s", system, name);
		return NULL;
	}
	text = tracefs_event_file_read(trace->instance, system, name, "format", &size);
	if (!text) {
		*result = err_set(err, errno, "read format of trace event %s/%s", system, name);
		return NULL;
	}
	/* May fail on a print format that the library cannot parse; the fields are there then. */
	tep_parse_event(trace->tep, text, (unsigned long)size, system);
	free(text);
	event = tep_find_event_by_name(trace->tep, system, name);
	if (!event || !has_plain_type(event)) {
		*result = err_set(err, ENOTSUP, "format of trace event %s/%s", system, name);
		return NULL;
	}
	return event;
}

static bool is_added(const struct trace *trace, size_t id)
{
	return id < trace->shared.index_n && trace->shared.index[id] >= 0;
}

static int grow_index(struct trace *trace, size_t id, struct err *err)
{
	int16_t *index;

	if (id < trace->shared.index_n)
		return 0;
	index = reallocarray(trace->index, id + 1, sizeof(*index));
	if (!index)
		return err_set(err, ENOMEM, "trace event index");
	for (size_t i = trace->shared.index_n; i <= id; i++)
		index[i] = -1;
	trace->index = index;
	trace->shared.index = index;
	trace->shared.index_n = id + 1;
	return 0;
}

/* Append to the table of added events and make its id known. Returns the index or -errno. */
static int add_event(struct trace *trace, struct tep_event *event, const char *system,
		     const char *name, struct err *err)
{
	size_t id = (size_t)event->id;
	struct added *added;
	int result;

	if (trace->added_n == INT16_MAX)
		return err_set(err, ENOSPC, "trace event %s/%s", system, name);
	added = reallocarray(trace->added, (size_t)trace->added_n + 1, sizeof(*added));
	if (!added)
		return err_set(err, ENOMEM, "trace events");
	trace->added = added;
	result = grow_index(trace, id, err);
	if (result)
		return result;
	added += trace->added_n;
	*added = (struct added){ strdup(system), strdup(name), event };
	if (!added->system || !added->name) {
		free(added->system);
		free(added->name);
		return err_set(err, ENOMEM, "trace events");
	}
	trace->index[id] = (int16_t)trace->added_n;
	return trace->added_n++;
}

int trace_enable(struct trace *trace, const char *system, const char *event, const char *filter,
		 struct err *err)
{
	struct tep_event *parsed;
	int result = 0;

	if (trace->recording)
		return err_set(err, EBUSY, "add trace event %s/%s while recording", system, event);
	parsed = parse_event(trace, system, event, &result, err);
	if (!parsed)
		return result;
	if (is_added(trace, (size_t)parsed->id))
		return err_set(err, EEXIST, "trace event %s/%s", system, event);
	if (filter &&
	    tracefs_event_file_write(trace->instance, system, event, "filter", filter) < 0)
		return err_set(err, errno, "filter of trace event %s/%s: %s", system, event,
			       filter);
	return add_event(trace, parsed, system, event, err);
}

int trace_field(struct trace *trace, int event, const char *name, struct trace_field *field,
		struct err *err)
{
	const struct tep_format_field *found;
	const struct added *added;

	if (event < 0 || event >= trace->added_n)
		return err_set(err, 0, "no trace event %d was added", event);
	added = &trace->added[event];
	found = tep_find_any_field(added->event, name);
	if (!found)
		return err_set(err, ENOENT, "field %s of trace event %s/%s", name, added->system,
			       added->name);
	if ((found->flags & (TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING)) ||
	    (found->size != 1 && found->size != 2 && found->size != 4 && found->size != 8))
		return err_set(err, ENOTSUP, "field %s of trace event %s/%s is not a number", name,
			       added->system, added->name);
	*field = (struct trace_field){ .offset = (unsigned int)found->offset,
				       .size = (unsigned int)found->size,
				       .is_signed = found->flags & TEP_FIELD_IS_SIGNED };
	return 0;
}

bool trace_value(const struct trace_event *event, const struct trace_field *field, int64_t *value)
{
	const unsigned char *at = event->data;
	union {
		int8_t s8;
		uint8_t u8;
		int16_t s16;
		uint16_t u16;
		int32_t s32;
		uint32_t u32;
		int64_t s64;
	} raw;

	if (field->offset > event->size || field->size > event->size - field->offset ||
	    field->size > sizeof(raw))
		return false;
	memcpy(&raw, at + field->offset, field->size);
	switch (field->size) {
	case 1:
		*value = field->is_signed ? (int64_t)raw.s8 : raw.u8;
		return true;
	case 2:
		*value = field->is_signed ? (int64_t)raw.s16 : raw.u16;
		return true;
	case 4:
		*value = field->is_signed ? (int64_t)raw.s32 : raw.u32;
		return true;
	case 8:
		*value = raw.s64;
		return true;
	default:
		return false;
	}
}

/* Switch all added events on or off; all are tried, the first error is reported. */
static int switch_events(struct trace *trace, const char *state, struct err *err)
{
	int result = 0;

	for (int i = 0; i < trace->added_n; i++) {
		const struct added *added = &trace->added[i];

		if (tracefs_event_file_write(trace->instance, added->system, added->name, "enable",
					     state) >= 0)
			continue;
		if (!result)
			result = err_set(err, errno, "write %s to enable of trace event %s/%s",
					 state, added->system, added->name);
	}
	return result;
}

/* End the first n readers, which drain what there is. Returns the first error of one. */
static int end_readers(struct trace *trace, size_t n, struct err *err)
{
	const uint64_t one = 1;
	int result = 0;

	if (write(trace->shared.stop_fd, &one, sizeof(one)) != sizeof(one))
		return err_set(err, errno, "stop the trace readers");
	for (size_t i = 0; i < n; i++) {
		int joined = trace_reader_join(&trace->readers[i], result ? NULL : err);

		if (!result)
			result = joined;
	}
	close(trace->shared.stop_fd);
	trace->shared.stop_fd = -1;
	return result;
}

static int start_readers(struct trace *trace, struct err *err)
{
	trace->shared.stop_fd = eventfd(0, EFD_CLOEXEC);
	if (trace->shared.stop_fd < 0)
		return err_set(err, errno, "eventfd of the trace readers");
	for (size_t i = 0; i < trace->readers_n; i++) {
		int result = trace_reader_start(&trace->readers[i], err);

		if (result) {
			end_readers(trace, i, NULL);
			return result;
		}
	}
	return 0;
}

int trace_start(struct trace *trace, trace_handler handle, void *context, struct err *err)
{
	int result;

	if (trace->recording)
		return err_set(err, EBUSY, "trace is recording already");
	if (!trace->added_n)
		return err_set(err, 0, "trace has no event");
	trace->shared.handle = handle;
	trace->shared.context = context;
	result = start_readers(trace, err);
	if (result)
		return result;
	trace->recording = true;
	result = switch_events(trace, "1", err);
	if (!result)
		result = put(trace, "tracing_on", "1", err);
	if (result)
		trace_stop(trace, NULL);
	return result;
}

/* What per_cpu/cpuN/stats calls the ways to lose an event. */
static const char *const lost_keys[] = { "\noverrun: ", "\ncommit overrun: ",
					 "\ndropped events: " };

/*
 * Add up what a CPU lost, by the kernel's own count over the life of the instance. A gap that
 * the readers see in the pages is part of it, so the two are never added. -EIO when events are
 * still in the buffer: then not everything was handled.
 */
static int read_stats(struct trace *trace, const struct trace_reader *reader, uint64_t *lost,
		      struct err *err)
{
	static const char entries_key[] = "entries: ";
	unsigned long long entries;
	char file[64];
	char *text;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", reader->cpu);
	text = tracefs_instance_file_read(trace->instance, file, NULL);
	if (!text || strncmp(text, entries_key, strlen(entries_key)) != 0) {
		free(text);
		return err_set(err, EIO, "read %s of the trace instance", file);
	}
	entries = strtoull(text + strlen(entries_key), NULL, 10);
	for (size_t i = 0; i < sizeof(lost_keys) / sizeof(*lost_keys); i++) {
		const char *at = strstr(text, lost_keys[i]);

		/* "dropped events" is younger than the others. */
		if (at)
			*lost += strtoull(at + strlen(lost_keys[i]), NULL, 10);
	}
	free(text);
	if (entries)
		return err_set(err, EIO, "%llu events of CPU %d were left in the trace buffer",
			       entries, reader->cpu);
	return 0;
}

static int count_lost(struct trace *trace, struct err *err)
{
	uint64_t lost = 0;
	int result = 0;

	for (size_t i = 0; i < trace->readers_n; i++) {
		int one = read_stats(trace, &trace->readers[i], &lost, result ? NULL : err);

		if (!result)
			result = one;
	}
	trace->lost = lost;
	return result;
}

int trace_stop(struct trace *trace, struct err *err)
{
	int result[4];

	if (!trace->recording)
		return err_set(err, 0, "trace is not recording");
	trace->recording = false;
	result[0] = put(trace, "tracing_on", "0", err);
	result[1] = switch_events(trace, "0", result[0] ? NULL : err);
	/*
	 * A CPU may be in the middle of writing a record. It does that with preemption disabled, so
	 * an RCU grace period, which this call waits for, ends after it. Where the kernel has no
	 * such call, the count of entries left tells.
	 */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	result[2] = end_readers(trace, trace->readers_n, result[0] || result[1] ? NULL : err);
	result[3] = count_lost(trace, result[0] || result[1] || result[2] ? NULL : err);
	for (size_t i = 0; i < 4; i++)
		if (result[i])
			return result[i];
	return 0;
}

uint64_t trace_lost(const struct trace *trace)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < trace->readers_n; i++)
		seen += atomic_load_explicit(&trace->readers[i].lost_seen, memory_order_relaxed);
	return seen > trace->lost ? seen : trace->lost;
}

uint64_t trace_handled(const struct trace *trace)
{
	uint64_t handled = 0;

	for (size_t i = 0; i < trace->readers_n; i++)
		handled += atomic_load_explicit(&trace->readers[i].handled, memory_order_relaxed);
	return handled;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	if (trace->recording)
		trace_stop(trace, NULL);
	for (size_t i = 0; i < trace->readers_n; i++) {
		if (trace->readers[i].fd >= 0)
			close(trace->readers[i].fd);
		free(trace->readers[i].page);
	}
	free(trace->readers);
	for (int i = 0; i < trace->added_n; i++) {
		free(trace->added[i].system);
		free(trace->added[i].name);
	}
	free(trace->added);
	free(trace->index);
	if (trace->instance) {
		tracefs_instance_destroy(trace->instance);
		tracefs_instance_free(trace->instance);
	}
	tep_free(trace->tep);
	free(trace);
}
