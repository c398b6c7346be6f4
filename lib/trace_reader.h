/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TRACE_READER_H
#define PMIPROOF_TRACE_READER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "err.h"
#include "trace.h"

/* What all readers of a session share; not changed while they run. */
struct trace_shared {
	size_t page_size;     /* bytes of a sub-buffer, header included */
	size_t word;	      /* size of the commit field of its header */
	const int16_t *index; /* event index of a common_type, -1: not one of ours */
	size_t index_n;
	int stop_fd; /* readable: drain everything and end */
	trace_handler handle;
	void *context;
};

/* One CPU's buffer and the thread that drains it. On cache lines of its own. */
struct trace_reader {
	const struct trace_shared *shared;
	void *page;
	pthread_t thread;
	int fd; /* trace_pipe_raw, non-blocking */
	int cpu;
	int result; /* of the thread: 0 or -errno with err */
	struct err err;
	uint64_t lost;		    /* before the next event; see struct trace_event */
	_Atomic uint64_t handled;   /* over all starts */
	_Atomic uint64_t lost_seen; /* gaps of known size in what was read, over all starts */
} __attribute__((aligned(128)));

/*
 * Start the thread. It runs on the CPU it reads, where the calling thread may run there, and else
 * where the caller may. A reader on another CPU chases the writer in many small reads and moves
 * its cache lines: two to ten times the CPU time (docs/bench.md). Its scheduling policy is the
 * caller's: real-time priority gained nothing, and would disturb what is being measured.
 */
int trace_reader_start(struct trace_reader *reader, struct err *err);

/* Join the thread, which ends after stop_fd became readable. Returns what became of it. */
int trace_reader_join(struct trace_reader *reader, struct err *err);

#endif
