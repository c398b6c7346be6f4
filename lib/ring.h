/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RING_H
#define PMIPROOF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/*
 * Reader of a perf ring buffer. Memory ordering and wrap as in tools/lib/perf; records that wrap
 * are copied into `scratch`, so that a record is always contiguous.
 */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: none */
	const unsigned char *data;
	size_t size; /* of the data area; a power of two */
	bool overwrite;
	uint64_t tail; /* next byte to read */
	uint64_t stop; /* overwrite mode: end of the snapshot */
	bool reading;  /* overwrite mode: a snapshot is being read */
	unsigned char *scratch;
};

/* A record: header and body, `size` bytes in all, valid until the next ring_next(). */
struct ring_record {
	const struct perf_event_header *header;
	size_t size;
};

/* Wrap an existing mapping (page + data) in a reader; used by event_map() and by tests. -ENOMEM. */
int ring_init(struct ring *ring, struct perf_event_mmap_page *page, const void *data, size_t size,
	      bool overwrite);
void ring_free(struct ring *ring);

/*
 * The next record. Returns 1, 0 when there is none, or -EBADMSG when the header is impossible (size
 * below a header, beyond what was written, not a multiple of 8): err says where; the ring is then
 * drained to its head so that a reader cannot loop.
 */
int ring_next(struct ring *ring, struct ring_record *record, struct err *err);

/* Parsed fields; which are valid follows from the attr that the record was taken with. */
struct ring_sample {
	uint64_t identifier, ip, time, addr, id, stream_id, period, weight, data_src, transaction,
		phys_addr;
	uint32_t pid, tid, cpu;
	uint64_t read_value, read_enabled, read_running;
	const uint64_t *callchain; /* entries, with PERF_CONTEXT_* markers */
	uint64_t callchain_nr;
	const void *raw;
	uint32_t raw_size;
	const struct perf_branch_entry *branches;
	uint64_t branch_nr;
	uint64_t user_regs_abi;
	const uint64_t *user_regs; /* as many as bits in attr.sample_regs_user, when abi != 0 */
	const void *user_stack;
	uint64_t user_stack_size; /* bytes dumped */
	uint64_t user_stack_used; /* bytes of it that are real (dyn_size) */
	uint64_t intr_regs_abi;
	const uint64_t *intr_regs;
};

/*
 * Parse a PERF_RECORD_SAMPLE. Every variable part is checked against the record's size; -EBADMSG
 * when one does not fit, never a read beyond it.
 */
int ring_parse_sample(const struct ring_record *record, const struct perf_event_attr *attr,
		      struct ring_sample *sample, struct err *err);

/* PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES: how many. */
int ring_parse_lost(const struct ring_record *record, uint64_t *lost, struct err *err);

/* PERF_RECORD_THROTTLE and _UNTHROTTLE. */
struct ring_throttle {
	uint64_t time, id, stream_id;
};
int ring_parse_throttle(const struct ring_record *record, struct ring_throttle *throttle,
			struct err *err);

/* Name of a record type ("SAMPLE"), "?" for an unknown one. */
const char *ring_record_name(uint32_t type);

#endif
