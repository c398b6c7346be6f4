/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RING_H
#define PMIPROOF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/*
 * Reader of a perf ring buffer: data_head is loaded with acquire, data_tail stored with release
 * order, as linux/perf_event.h asks for. A record that wraps is copied into `scratch`, so that a
 * record is always contiguous and aligned to 8 bytes.
 *
 * Normal mode: the kernel writes upwards, records come oldest first, and the space of a record is
 * given back by the ring_next() that follows it.
 *
 * Overwrite mode: a read-only mapping of an event with attr.write_backward. The kernel writes
 * downwards from the end of the data area and never waits, so that the newest record always starts
 * at data_head. ring_next() takes a snapshot: records come newest first, then 0 once, and the next
 * call takes a new snapshot. A record is delivered at most once. What the kernel has overwritten
 * is silently missing at the old end. Nothing keeps the kernel from writing during a snapshot:
 * pause the output around it (event_pause()), or expect damaged records.
 */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: none */
	const unsigned char *data;
	size_t size; /* of the data area; a power of two */
	bool overwrite;
	uint64_t tail; /* next byte to read */
	uint64_t stop; /* overwrite mode: end of the snapshot */
	uint64_t last; /* overwrite mode: data_head of the newest snapshot so far */
	bool reading;  /* overwrite mode: a snapshot is being read */
	bool lapped;   /* overwrite mode: the oldest record of the snapshot may be cut */
	unsigned char *scratch;
};

/* A record: header and body, `size` bytes in all, valid until the next ring_next(). */
struct ring_record {
	const struct perf_event_header *header;
	size_t size;
};

/*
 * Wrap an existing mapping (page + data, both the caller's) in a reader; used by event_map() and by
 * tests. -ENOMEM; -EINVAL when size is not a power of two of at least 8, or data not aligned to 8.
 */
int ring_init(struct ring *ring, struct perf_event_mmap_page *page, const void *data, size_t size,
	      bool overwrite);

/* Free what the reader allocated (not the mapping) and clear it. Safe on a cleared reader. */
void ring_free(struct ring *ring);

/*
 * The next record. Returns 1, 0 when there is none, or -EBADMSG when the header is impossible (size
 * below a header, beyond what was written, not a multiple of 8): err says where; the ring is then
 * drained to its head so that a reader cannot loop.
 */
int ring_next(struct ring *ring, struct ring_record *record, struct err *err);

/*
 * The same, up to what ring_written() said: what comes meanwhile is for the next time. A reader
 * that is slower than the kernel would never end without. In overwrite mode a snapshot is all.
 */
uint64_t ring_written(const struct ring *ring);
int ring_next_until(struct ring *ring, uint64_t written, struct ring_record *record,
		    struct err *err);

/*
 * Parsed fields; which are valid follows from the attr that the record was taken with, all others
 * are 0. Pointers point into the record.
 */
struct ring_sample {
	uint64_t identifier, ip, time, addr, id, stream_id, period, weight, data_src, transaction,
		phys_addr, cgroup, data_page_size, code_page_size;
	uint32_t pid, tid, cpu;
	uint64_t read_value, read_enabled, read_running; /* value: of the leader if a group */
	uint64_t read_id, read_lost;			 /* of the leader if a group */
	uint64_t read_nr;	    /* events in the group, 1 without PERF_FORMAT_GROUP */
	const uint64_t *read_group; /* for ring_sample_read(); NULL without PERF_FORMAT_GROUP */
	const uint64_t *callchain;  /* entries, with PERF_CONTEXT_* markers */
	uint64_t callchain_nr;
	const void *raw; /* not aligned to 8 */
	uint32_t raw_size;
	const struct perf_branch_entry *branches; /* newest first */
	uint64_t branch_nr;
	bool branch_has_hw_index;
	uint64_t branch_hw_index;
	uint64_t user_regs_abi;
	const uint64_t *user_regs; /* as many as bits in attr.sample_regs_user, when abi != 0 */
	const void *user_stack;
	uint64_t user_stack_size; /* bytes dumped */
	uint64_t user_stack_used; /* bytes of it that are real (dyn_size) */
	uint64_t intr_regs_abi;
	const uint64_t *intr_regs;
	const void *aux;
	uint64_t aux_size;
};

/*
 * Parse a PERF_RECORD_SAMPLE whose header is aligned to 8, as ring_next() returns it. Every
 * variable part is checked against the record's size; -EBADMSG when one does not fit or when bytes
 * are left over, never a read beyond it. -EOPNOTSUPP when attr has a sample_type, read_format or
 * branch_sample_type bit that Linux 6.1 does not define: it might change the layout. -EINVAL for
 * any other record type.
 */
int ring_parse_sample(const struct ring_record *record, const struct perf_event_attr *attr,
		      struct ring_sample *sample, struct err *err);

/* One event of PERF_SAMPLE_READ; what attr.read_format does not ask for is 0. */
struct ring_read {
	uint64_t value, id, lost;
};

/* The read value number `index` (0: the leader), -ERANGE if there are not so many. */
int ring_sample_read(const struct ring_sample *sample, const struct perf_event_attr *attr,
		     uint64_t index, struct ring_read *read);

/*
 * PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES: how many. A trailing sample_id
 * (attr.sample_id_all) is ignored, here and below. -EBADMSG when too short, -EINVAL for any other
 * record type.
 */
int ring_parse_lost(const struct ring_record *record, uint64_t *lost, struct err *err);

/* Whose samples a PERF_RECORD_LOST is about. Errors as above; -EINVAL for a LOST_SAMPLES. */
int ring_parse_lost_id(const struct ring_record *record, uint64_t *id, struct err *err);

/* PERF_RECORD_THROTTLE and _UNTHROTTLE. */
struct ring_throttle {
	uint64_t time, id, stream_id;
};
int ring_parse_throttle(const struct ring_record *record, struct ring_throttle *throttle,
			struct err *err);

/* Name of a record type ("SAMPLE"), "?" for an unknown one. */
const char *ring_record_name(uint32_t type);

#endif
