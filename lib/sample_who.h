/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SAMPLE_WHO_H
#define PMIPROOF_SAMPLE_WHO_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/* What a sample must carry to be judged. */
#define SAMPLE_WHO_TYPE                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/*
 * Whose a sample is, and when and where it was taken, against what is known. Two tasks may have
 * samples in the ring: the one that opened the event, and one that has inherited it.
 */
struct sample_who {
	/* What is known of the samples that follow; may be changed between them: */
	uint64_t id;		       /* of the event */
	uint64_t period;	       /* fixed */
	uint32_t pid, tid;	       /* of the opener */
	uint32_t child_pid, child_tid; /* 0: there is none */
	uint32_t cpu;
	uint64_t from_ns, to_ns; /* they were taken in this time of the event's clock */
	bool coarse;		 /* that clock may stand still from one sample to the next */
	/* Results, to be zero at first; of samples: */
	uint64_t samples, of_child;
	uint64_t wrong_id;	/* id or identifier is not the event's */
	uint64_t wrong_stream;	/* stream id is not the event's or, with a child, none */
	uint64_t other_streams; /* stream id is not the event's: that of an inherited event */
	uint64_t wrong_task, wrong_cpu, wrong_period;
	uint64_t outside;    /* of that time */
	uint64_t not_later;  /* than the one before */
	uint64_t wrong_read; /* count or times went backwards, or the id is another */
	/* The one before: */
	uint64_t last_ns;
	uint64_t last_value, last_enabled, last_running;
};

/* A sample, in its order. */
void sample_who_take(struct sample_who *who, const struct ring_sample *sample);

/* The same of what it carries with PERF_SAMPLE_READ (times and id); only where nobody inherits. */
void sample_who_read(struct sample_who *who, const struct ring_sample *sample);

/* Another child comes, in the place of the one before. */
void sample_who_child(struct sample_who *who, uint32_t pid, uint32_t tid);

#endif
