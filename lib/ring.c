// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER sizeof(struct perf_event_header)

/* Largest record: perf_event_header.size is 16 bits and a multiple of 8. */
#define RECORD_MAX ((size_t)UINT16_MAX + 1)

/* Records and all their parts but raw data are aligned to this. */
#define ALIGN sizeof(uint64_t)

int ring_init(struct ring *ring, struct perf_event_mmap_page *page, const void *data, size_t size,
	      bool overwrite)
{
	memset(ring, 0, sizeof(*ring));
	if (size < ALIGN || (size & (size - 1)) || (uintptr_t)data % ALIGN)
		return -EINVAL;
	ring->scratch = malloc(size < RECORD_MAX ? size : RECORD_MAX);
	if (!ring->scratch)
		return -ENOMEM;
	ring->page = page;
	ring->data = data;
	ring->size = size;
	ring->overwrite = overwrite;
	/* Another reader may have used the mapping; in overwrite mode there is no data_tail. */
	ring->tail = overwrite ? 0 : page->data_tail;
	return 0;
}

void ring_free(struct ring *ring)
{
	free(ring->scratch);
	memset(ring, 0, sizeof(*ring));
}

static uint64_t load_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void store_tail(struct ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* The header at ring->tail. Read once: the kernel may be writing there in overwrite mode. */
static struct perf_event_header header_at_tail(const struct ring *ring)
{
	struct perf_event_header header;

	memcpy(&header, ring->data + (ring->tail & (ring->size - 1)), sizeof(header));
	return header;
}

static bool size_possible(size_t size)
{
	return size >= HEADER && size % ALIGN == 0;
}

static int bad_record(const struct ring *ring, size_t size, uint64_t available, struct err *err)
{
	return err_set(err, EBADMSG,
		       "ring: record at offset 0x%" PRIx64 " of 0x%zx (position 0x%" PRIx64
		       ") has size %zu with %" PRIu64 " bytes written",
		       ring->tail & (ring->size - 1), ring->size, ring->tail, size, available);
}

/* Step over `size` bytes and hand them out contiguously. */
static int take_record(struct ring *ring, size_t size, struct ring_record *record)
{
	size_t offset = ring->tail & (ring->size - 1);
	size_t first = ring->size - offset;
	const unsigned char *start = ring->data + offset;

	if (size > first) {
		memcpy(ring->scratch, start, first);
		memcpy(ring->scratch + first, ring->data, size - first);
		start = ring->scratch;
	}
	ring->tail += size;
	record->header = (const struct perf_event_header *)start;
	record->size = size;
	return 1;
}

static int next_forward(struct ring *ring, struct ring_record *record, struct err *err)
{
	uint64_t head = load_head(ring);
	uint64_t available = head - ring->tail;
	size_t size = 0;
	int result;

	/* The record handed out last has been used by now: the kernel may have its space. */
	store_tail(ring);
	if (!available)
		return 0;
	if (available >= HEADER && available <= ring->size && ring->tail % ALIGN == 0) {
		size = header_at_tail(ring).size;
		if (size_possible(size) && size <= available)
			return take_record(ring, size, record);
	}
	result = bad_record(ring, size, available, err);
	ring->tail = head;
	store_tail(ring);
	return result;
}

/* Start a snapshot of what was written since the last one, as far as it is still there. */
static void start_snapshot(struct ring *ring)
{
	uint64_t head = load_head(ring);

	ring->lapped = ring->last - head > ring->size;
	ring->stop = ring->lapped ? head + ring->size : ring->last;
	ring->tail = head;
	ring->last = head;
	ring->reading = true;
}

static int next_backward(struct ring *ring, struct ring_record *record, struct err *err)
{
	uint64_t available;
	size_t size = 0;

	if (!ring->reading)
		start_snapshot(ring);
	available = ring->stop - ring->tail;
	if (available >= HEADER && ring->tail % ALIGN == 0) {
		size = header_at_tail(ring).size;
		if (size_possible(size) && size <= available)
			return take_record(ring, size, record);
	}
	ring->reading = false;
	/* The end, or a record whose end the kernel has overwritten with the newest ones. */
	if (!available || (ring->lapped && size_possible(size)))
		return 0;
	return bad_record(ring, size, available, err);
}

int ring_next(struct ring *ring, struct ring_record *record, struct err *err)
{
	return ring->overwrite ? next_backward(ring, record, err) : next_forward(ring, record, err);
}

uint64_t ring_written(const struct ring *ring)
{
	return load_head(ring);
}

int ring_next_until(struct ring *ring, uint64_t written, struct ring_record *record,
		    struct err *err)
{
	if (ring->overwrite || (int64_t)(written - ring->tail) > 0)
		return ring_next(ring, record, err);
	store_tail(ring);
	return 0;
}

/* What is left of a sample while it is parsed. */
struct parser {
	const unsigned char *at;
	size_t left;
	size_t size; /* of the record */
	const struct perf_event_attr *attr;
	struct ring_sample *sample;
	bool empty_stack_has_index; /* see ring_parse_sample() */
	struct err *err;
};

/*
 * Take nr elements of `size` bytes and return where they begin, or NULL with err set when there are
 * not so many; the product may not fit into 64 bits.
 */
static const void *take(struct parser *p, uint64_t nr, size_t size, const char *what)
{
	const unsigned char *at = p->at;

	if (nr > p->left / size) {
		err_set(p->err, EBADMSG,
			"SAMPLE of %zu bytes: %s wants %" PRIu64 " x %zu bytes, %zu left", p->size,
			what, nr, size, p->left);
		return NULL;
	}
	p->at += nr * size;
	p->left -= nr * size;
	return at;
}

static int take_u64(struct parser *p, uint64_t *value, const char *what)
{
	const void *at = take(p, 1, sizeof(*value), what);

	if (!at)
		return -EBADMSG;
	memcpy(value, at, sizeof(*value));
	return 0;
}

static int take_u32_pair(struct parser *p, uint32_t pair[2], const char *what)
{
	const void *at = take(p, 2, sizeof(*pair), what);

	if (!at)
		return -EBADMSG;
	memcpy(pair, at, 2 * sizeof(*pair));
	return 0;
}

/* A u64 count and as many elements of `size` bytes; NULL as take(). */
static const void *take_counted(struct parser *p, uint64_t *nr, size_t size, const char *what)
{
	return take_u64(p, nr, what) ? NULL : take(p, *nr, size, what);
}

struct field {
	uint64_t bits; /* of attr.sample_type; present if any is set */
	const char *name;
	int (*parse)(struct parser *p, const struct field *field);
	size_t offset; /* in struct ring_sample, of parse_u64() */
};

static int parse_u64(struct parser *p, const struct field *field)
{
	return take_u64(p, (uint64_t *)((char *)p->sample + field->offset), field->name);
}

static int parse_tid(struct parser *p, const struct field *field)
{
	uint32_t pair[2] = { 0, 0 };
	int result = take_u32_pair(p, pair, field->name);

	p->sample->pid = pair[0];
	p->sample->tid = pair[1];
	return result;
}

static int parse_cpu(struct parser *p, const struct field *field)
{
	uint32_t pair[2] = { 0, 0 }; /* the second is reserved */
	int result = take_u32_pair(p, pair, field->name);

	p->sample->cpu = pair[0];
	return result;
}

/* u64s per event in a PERF_SAMPLE_READ: value, and id and lost when asked for. */
static size_t read_stride(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static int parse_read_group(struct parser *p, const struct field *field)
{
	struct ring_sample *s = p->sample;
	uint64_t format = p->attr->read_format;
	struct ring_read leader;
	int result = take_u64(p, &s->read_nr, field->name);

	if (!result && (format & PERF_FORMAT_TOTAL_TIME_ENABLED))
		result = take_u64(p, &s->read_enabled, field->name);
	if (!result && (format & PERF_FORMAT_TOTAL_TIME_RUNNING))
		result = take_u64(p, &s->read_running, field->name);
	if (result)
		return result;
	s->read_group = take(p, s->read_nr, read_stride(format) * sizeof(uint64_t), field->name);
	if (!s->read_group)
		return -EBADMSG;
	if (ring_sample_read(s, p->attr, 0, &leader))
		return err_set(p->err, EBADMSG, "SAMPLE of %zu bytes: a group of no events",
			       p->size);
	s->read_value = leader.value;
	s->read_id = leader.id;
	s->read_lost = leader.lost;
	return 0;
}

static int parse_read(struct parser *p, const struct field *field)
{
	struct ring_sample *s = p->sample;
	uint64_t format = p->attr->read_format;
	int result;

	if (format & PERF_FORMAT_GROUP)
		return parse_read_group(p, field);
	s->read_nr = 1;
	result = take_u64(p, &s->read_value, field->name);
	if (!result && (format & PERF_FORMAT_TOTAL_TIME_ENABLED))
		result = take_u64(p, &s->read_enabled, field->name);
	if (!result && (format & PERF_FORMAT_TOTAL_TIME_RUNNING))
		result = take_u64(p, &s->read_running, field->name);
	if (!result && (format & PERF_FORMAT_ID))
		result = take_u64(p, &s->read_id, field->name);
	if (!result && (format & PERF_FORMAT_LOST))
		result = take_u64(p, &s->read_lost, field->name);
	return result;
}

static int parse_callchain(struct parser *p, const struct field *field)
{
	struct ring_sample *s = p->sample;

	s->callchain = take_counted(p, &s->callchain_nr, sizeof(*s->callchain), field->name);
	return s->callchain ? 0 : -EBADMSG;
}

static int parse_raw(struct parser *p, const struct field *field)
{
	struct ring_sample *s = p->sample;
	const void *at = take(p, 1, sizeof(s->raw_size), field->name);

	if (!at)
		return -EBADMSG;
	memcpy(&s->raw_size, at, sizeof(s->raw_size));
	/* The kernel pads raw data so that its size field and it end on a multiple of 8. */
	if ((sizeof(s->raw_size) + (size_t)s->raw_size) % ALIGN)
		return err_set(p->err, EBADMSG,
			       "SAMPLE of %zu bytes: raw size %" PRIu32
			       " leaves what follows unaligned",
			       p->size, s->raw_size);
	s->raw = take(p, s->raw_size, 1, field->name);
	return s->raw ? 0 : -EBADMSG;
}

static int parse_branches(struct parser *p, const struct field *field)
{
	struct ring_sample *s = p->sample;
	int result = take_u64(p, &s->branch_nr, field->name);

	if (result)
		return result;
	if ((p->attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) &&
	    (s->branch_nr || p->empty_stack_has_index)) {
		s->branch_has_hw_index = true;
		result = take_u64(p, &s->branch_hw_index, "branch hw_idx");
		if (result)
			return result;
	}
	s->branches = take(p, s->branch_nr, sizeof(*s->branches), field->name);
	return s->branches ? 0 : -EBADMSG;
}

static int take_regs(struct parser *p, uint64_t mask, uint64_t *abi, const uint64_t **regs,
		     const char *what)
{
	int result = take_u64(p, abi, what);

	if (result || *abi == PERF_SAMPLE_REGS_ABI_NONE)
		return result;
	*regs = take(p, (uint64_t)__builtin_popcountll(mask), sizeof(**regs), what);
	return *regs ? 0 : -EBADMSG;
}

static int parse_user_regs(struct parser *p, const struct field *field)
{
	return take_regs(p, p->attr->sample_regs_user, &p->sample->user_regs_abi,
			 &p->sample->user_regs, field->name);
}

static int parse_intr_regs(struct parser *p, const struct field *field)
{
	return take_regs(p, p->attr->sample_regs_intr, &p->sample->intr_regs_abi,
			 &p->sample->intr_regs, field->name);
}

/* A u64 size and so many bytes, a multiple of 8 because a u64 may follow. */
static int take_bytes(struct parser *p, uint64_t *size, const void **at, const char *what)
{
	*at = take_counted(p, size, 1, what);
	if (!*at)
		return -EBADMSG;
	if (*size % ALIGN)
		return err_set(p->err, EBADMSG,
			       "SAMPLE of %zu bytes: %s of %" PRIu64
			       " bytes leaves what follows unaligned",
			       p->size, what, *size);
	return 0;
}

static int parse_user_stack(struct parser *p, const struct field *field)
{
	struct ring_sample *s = p->sample;
	int result = take_bytes(p, &s->user_stack_size, &s->user_stack, field->name);

	if (result || !s->user_stack_size)
		return result;
	result = take_u64(p, &s->user_stack_used, "user stack dyn_size");
	if (!result && s->user_stack_used > s->user_stack_size)
		return err_set(p->err, EBADMSG,
			       "SAMPLE of %zu bytes: %" PRIu64 " of %" PRIu64
			       " bytes of user stack used",
			       p->size, s->user_stack_used, s->user_stack_size);
	return result;
}

static int parse_aux(struct parser *p, const struct field *field)
{
	return take_bytes(p, &p->sample->aux_size, &p->sample->aux, field->name);
}

#define U64(bits, member)                                                      \
	{                                                                      \
		bits, #member, parse_u64, offsetof(struct ring_sample, member) \
	}

/*
 * In the order of perf_output_sample() (kernel/events/core.c), which is not everywhere that of the
 * comment in linux/perf_event.h: aux data comes last.
 */
static const struct field fields[] = {
	U64(PERF_SAMPLE_IDENTIFIER, identifier),
	U64(PERF_SAMPLE_IP, ip),
	{ PERF_SAMPLE_TID, "tid", parse_tid, 0 },
	U64(PERF_SAMPLE_TIME, time),
	U64(PERF_SAMPLE_ADDR, addr),
	U64(PERF_SAMPLE_ID, id),
	U64(PERF_SAMPLE_STREAM_ID, stream_id),
	{ PERF_SAMPLE_CPU, "cpu", parse_cpu, 0 },
	U64(PERF_SAMPLE_PERIOD, period),
	{ PERF_SAMPLE_READ, "read", parse_read, 0 },
	{ PERF_SAMPLE_CALLCHAIN, "callchain", parse_callchain, 0 },
	{ PERF_SAMPLE_RAW, "raw", parse_raw, 0 },
	{ PERF_SAMPLE_BRANCH_STACK, "branch stack", parse_branches, 0 },
	{ PERF_SAMPLE_REGS_USER, "user regs", parse_user_regs, 0 },
	{ PERF_SAMPLE_STACK_USER, "user stack", parse_user_stack, 0 },
	U64(PERF_SAMPLE_WEIGHT_TYPE, weight),
	U64(PERF_SAMPLE_DATA_SRC, data_src),
	U64(PERF_SAMPLE_TRANSACTION, transaction),
	{ PERF_SAMPLE_REGS_INTR, "intr regs", parse_intr_regs, 0 },
	U64(PERF_SAMPLE_PHYS_ADDR, phys_addr),
	U64(PERF_SAMPLE_CGROUP, cgroup),
	U64(PERF_SAMPLE_DATA_PAGE_SIZE, data_page_size),
	U64(PERF_SAMPLE_CODE_PAGE_SIZE, code_page_size),
	{ PERF_SAMPLE_AUX, "aux", parse_aux, 0 },
};

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static int parse_fields(const struct ring_record *record, const struct perf_event_attr *attr,
			bool empty_stack_has_index, struct ring_sample *sample, struct err *err)
{
	struct parser p = {
		.at = (const unsigned char *)record->header + HEADER,
		.left = record->size - HEADER,
		.size = record->size,
		.attr = attr,
		.sample = sample,
		.empty_stack_has_index = empty_stack_has_index,
		.err = err,
	};
	int result = 0;

	memset(sample, 0, sizeof(*sample));
	for (size_t i = 0; !result && i < ARRAY_SIZE(fields); i++)
		if (attr->sample_type & fields[i].bits)
			result = fields[i].parse(&p, &fields[i]);
	if (!result && p.left)
		return err_set(err, EBADMSG, "SAMPLE of %zu bytes: %zu left over", p.size, p.left);
	return result;
}

/* Refuse the bits from `end` up: nobody knows what they put into a sample. */
static int check_bits(uint64_t bits, uint64_t end, const char *what, struct err *err)
{
	uint64_t unknown = bits & ~(end - 1);

	if (!unknown)
		return 0;
	return err_set(err, EOPNOTSUPP, "%s bit %d is not known", what, __builtin_ctzll(unknown));
}

static int check_type(const struct ring_record *record, uint32_t type, uint32_t other,
		      struct err *err)
{
	if (record->size < HEADER)
		return err_set(err, EBADMSG, "record of %zu bytes: no header", record->size);
	if (record->header->type != type && record->header->type != other)
		return err_set(err, EINVAL, "record is a %s (%u), not a %s",
			       ring_record_name(record->header->type), record->header->type,
			       ring_record_name(type));
	return 0;
}

int ring_parse_sample(const struct ring_record *record, const struct perf_event_attr *attr,
		      struct ring_sample *sample, struct err *err)
{
	int result = check_type(record, PERF_RECORD_SAMPLE, PERF_RECORD_SAMPLE, err);

	if (!result)
		result = check_bits(attr->sample_type, PERF_SAMPLE_MAX, "sample_type", err);
	if (!result && (attr->sample_type & PERF_SAMPLE_READ))
		result = check_bits(attr->read_format, PERF_FORMAT_MAX, "read_format", err);
	if (!result && (attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		result = check_bits(attr->branch_sample_type, PERF_SAMPLE_BRANCH_MAX,
				    "branch_sample_type", err);
	if (result)
		return result;
	result = parse_fields(record, attr, true, sample, err);
	/*
	 * perf_output_sample() leaves hw_idx out when the PMU gave no branch stack at all, which
	 * only the size of the record tells from an empty one.
	 */
	if (result && sample->branch_has_hw_index && !sample->branch_nr)
		result = parse_fields(record, attr, false, sample, err);
	return result;
}

int ring_sample_read(const struct ring_sample *sample, const struct perf_event_attr *attr,
		     uint64_t index, struct ring_read *read)
{
	const uint64_t *at;

	memset(read, 0, sizeof(*read));
	if (index >= sample->read_nr)
		return -ERANGE;
	if (!sample->read_group) {
		read->value = sample->read_value;
		read->id = sample->read_id;
		read->lost = sample->read_lost;
		return 0;
	}
	at = sample->read_group + index * read_stride(attr->read_format);
	read->value = *at++;
	if (attr->read_format & PERF_FORMAT_ID)
		read->id = *at++;
	if (attr->read_format & PERF_FORMAT_LOST)
		read->lost = *at;
	return 0;
}

/* The nr u64s that follow the header, or NULL with err set when the record is too short. */
static const uint64_t *fixed_part(const struct ring_record *record, size_t nr, struct err *err)
{
	if ((record->size - HEADER) / sizeof(uint64_t) >= nr)
		return (const uint64_t *)(record->header + 1);
	err_set(err, EBADMSG, "%s of %zu bytes: too short", ring_record_name(record->header->type),
		record->size);
	return NULL;
}

int ring_parse_lost(const struct ring_record *record, uint64_t *lost, struct err *err)
{
	const uint64_t *values; /* LOST: id, lost; LOST_SAMPLES: lost */
	size_t nr;
	int result = check_type(record, PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES, err);

	if (result)
		return result;
	nr = record->header->type == PERF_RECORD_LOST ? 2 : 1;
	values = fixed_part(record, nr, err);
	if (!values)
		return -EBADMSG;
	*lost = values[nr - 1];
	return 0;
}

int ring_parse_lost_id(const struct ring_record *record, uint64_t *id, struct err *err)
{
	const uint64_t *values;
	int result = check_type(record, PERF_RECORD_LOST, PERF_RECORD_LOST, err);

	if (result)
		return result;
	values = fixed_part(record, 2, err);
	if (!values)
		return -EBADMSG;
	*id = values[0];
	return 0;
}

int ring_parse_throttle(const struct ring_record *record, struct ring_throttle *throttle,
			struct err *err)
{
	const uint64_t *values;
	int result = check_type(record, PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE, err);

	if (result)
		return result;
	values = fixed_part(record, 3, err);
	if (!values)
		return -EBADMSG;
	throttle->time = values[0];
	throttle->id = values[1];
	throttle->stream_id = values[2];
	return 0;
}

#define NAME(type) [PERF_RECORD_##type] = #type

static const char *const record_names[] = {
	NAME(MMAP),	    NAME(LOST),	     NAME(COMM),
	NAME(EXIT),	    NAME(THROTTLE),  NAME(UNTHROTTLE),
	NAME(FORK),	    NAME(READ),	     NAME(SAMPLE),
	NAME(MMAP2),	    NAME(AUX),	     NAME(ITRACE_START),
	NAME(LOST_SAMPLES), NAME(SWITCH),    NAME(SWITCH_CPU_WIDE),
	NAME(NAMESPACES),   NAME(KSYMBOL),   NAME(BPF_EVENT),
	NAME(CGROUP),	    NAME(TEXT_POKE), NAME(AUX_OUTPUT_HW_ID),
};

const char *ring_record_name(uint32_t type)
{
	return type < ARRAY_SIZE(record_names) && record_names[type] ? record_names[type] : "?";
}
