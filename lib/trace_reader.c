// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread that drains one CPU's trace buffer. */
#include "trace_reader.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"
#include "trace_page.h"

/*
 * How often a reader looks when the kernel does not wake it, in ms. It bounds how old an event of
 * a quiet CPU is when it is handled; nothing is lost by waiting longer.
 */
#define LOOK_MS 1000

static int event_index(const struct trace_shared *shared, const void *data, size_t size)
{
	uint16_t type; /* common_type: trace_enable() made sure that it is the first field */

	if (size < sizeof(type))
		return -1;
	memcpy(&type, data, sizeof(type));
	return type < shared->index_n ? shared->index[type] : -1;
}

static void add_lost(uint64_t *lost, uint64_t more)
{
	if (*lost == TRACE_LOST_SOME || more == TRACE_LOST_SOME)
		*lost = TRACE_LOST_SOME;
	else
		*lost += more;
}

/* Hand all events of a page over. Returns the bytes of records in it, or -errno. */
static ssize_t handle_page(struct trace_reader *reader, size_t size)
{
	const struct trace_shared *shared = reader->shared;
	struct trace_event event = { .cpu = reader->cpu };
	struct trace_page page;
	uint64_t handled = 0;
	int result = trace_page_open(&page, reader->page, size, shared->word);

	if (result)
		return result;
	if (page.lost != TRACE_LOST_SOME)
		atomic_fetch_add_explicit(&reader->lost_seen, page.lost, memory_order_relaxed);
	add_lost(&reader->lost, page.lost);
	while ((result = trace_page_next(&page, &event.data, &event.size)) > 0) {
		event.event = event_index(shared, event.data, event.size);
		if (event.event < 0)
			continue; /* written into our instance by somebody else */
		event.time = page.time;
		event.lost = reader->lost;
		reader->lost = 0;
		shared->handle(&event, shared->context);
		handled++;
	}
	atomic_fetch_add_explicit(&reader->handled, handled, memory_order_relaxed);
	return result ? result : (ssize_t)page.used;
}

/*
 * Read and handle pages: until the buffer is empty, or, while recording, until a page that is not
 * nearly full says that we have caught up. Without that a reader would chase a busy writer with
 * ever smaller reads.
 */
static int drain(struct trace_reader *reader, bool all)
{
	size_t size = reader->shared->page_size;

	for (;;) {
		ssize_t got = read(reader->fd, reader->page, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			return err_set(&reader->err, errno, "read trace_pipe_raw of CPU %d",
				       reader->cpu);
		if (got <= 0)
			return 0;
		got = handle_page(reader, (size_t)got);
		if (got < 0)
			return err_set(&reader->err, (int)-got, "trace page of CPU %d",
				       reader->cpu);
		if (!all && (size_t)got < size - size / 4)
			return 0;
	}
}

/* Wait for a buffer half full (buffer_percent), for the time to look anyway, or for the end. */
static bool wait_until_stop(const struct trace_reader *reader)
{
	struct pollfd fds[] = {
		{ .fd = reader->fd, .events = POLLIN },
		{ .fd = reader->shared->stop_fd, .events = POLLIN },
	};

	return poll(fds, 2, LOOK_MS) > 0 && fds[1].revents;
}

static void stay_on_cpu(int cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);

	if (!set)
		return; /* it only costs more */
	if (!sched_getaffinity(0, size, set) && CPU_ISSET_S(cpu, size, set)) {
		CPU_ZERO_S(size, set);
		CPU_SET_S(cpu, size, set);
		sched_setaffinity(0, size, set);
	}
	CPU_FREE(set);
}

static void *read_cpu(void *context)
{
	struct trace_reader *reader = context;
	bool stop;

	stay_on_cpu(reader->cpu);
	do {
		stop = wait_until_stop(reader);
		reader->result = drain(reader, stop);
	} while (!stop && !reader->result);
	return NULL;
}

int trace_reader_start(struct trace_reader *reader, struct err *err)
{
	sigset_t all, before;
	int failed;

	reader->result = 0;
	reader->lost = 0;
	/* A signal to the process belongs to the threads of the test. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&reader->thread, NULL, read_cpu, reader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed ? err_set(err, failed, "start the trace reader of CPU %d", reader->cpu) : 0;
}

int trace_reader_join(struct trace_reader *reader, struct err *err)
{
	int failed = pthread_join(reader->thread, NULL);

	if (failed)
		return err_set(err, failed, "join the trace reader of CPU %d", reader->cpu);
	if (reader->result && err)
		*err = reader->err;
	return reader->result;
}
