// SPDX-License-Identifier: GPL-2.0-or-later
/* Ring images and samples are laid out here by hand from the kernel's perf_output_sample(). */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

Suite *suite(void);

#define SIZE 256 /* of the test rings; small, so that every offset is tried */

/* A ring as the kernel would write it. */
struct image {
	struct perf_event_mmap_page page;
	_Alignas(8) unsigned char data[SIZE];
};

static void put_bytes(struct image *image, uint64_t at, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memcpy(&image->data[(at + i) % SIZE], (const unsigned char *)bytes + i, 1);
}

/* A record of `size` bytes whose body counts up from `mark`. */
static void put_record(struct image *image, uint64_t at, uint16_t size, unsigned char mark)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };

	put_bytes(image, at, &header, sizeof(header));
	for (size_t i = sizeof(header); i < size; i++) {
		unsigned char byte = (unsigned char)(mark + i);

		put_bytes(image, at + i, &byte, 1);
	}
}

static void append_record(struct image *image, uint16_t size, unsigned char mark)
{
	put_record(image, image->page.data_head, size, mark);
	image->page.data_head += size;
}

static void prepend_record(struct image *image, uint16_t size, unsigned char mark)
{
	image->page.data_head -= size;
	put_record(image, image->page.data_head, size, mark);
}

static void expect_record(struct ring *ring, uint16_t size, unsigned char mark)
{
	struct ring_record record;
	struct err err;
	const unsigned char *body;

	ck_assert_int_eq(ring_next(ring, &record, &err), 1);
	ck_assert_uint_eq(record.size, size);
	ck_assert_uint_eq(record.header->type, PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(record.header->size, size);
	body = (const unsigned char *)record.header;
	for (size_t i = sizeof(*record.header); i < size; i++)
		ck_assert_uint_eq(body[i], (unsigned char)(mark + i));
}

static void expect_end(struct ring *ring)
{
	struct ring_record record;

	ck_assert_int_eq(ring_next(ring, &record, NULL), 0);
}

static void expect_bad(struct ring *ring, struct image *image)
{
	struct ring_record record;
	struct err err = { "" };

	ck_assert_int_eq(ring_next(ring, &record, &err), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(err.text, "EBADMSG"));
	if (!ring->overwrite)
		ck_assert_uint_eq(image->page.data_tail, image->page.data_head);
	expect_end(ring);
}

static void start(struct ring *ring, struct image *image, bool overwrite)
{
	ck_assert_int_eq(ring_init(ring, &image->page, image->data, SIZE, overwrite), 0);
}

START_TEST(init_refuses)
{
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	ck_assert_int_eq(ring_init(&ring, &image.page, image.data, 0, false), -EINVAL);
	ck_assert_int_eq(ring_init(&ring, &image.page, image.data, 4, false), -EINVAL);
	ck_assert_int_eq(ring_init(&ring, &image.page, image.data, SIZE - 8, false), -EINVAL);
	ck_assert_int_eq(ring_init(&ring, &image.page, image.data + 4, SIZE / 2, false), -EINVAL);
	ring_free(&ring);
}
END_TEST

/* Every offset at which two records of every size can lie, so that header, body and none wrap. */
START_TEST(wraps_at_every_offset)
{
	uint64_t offset = (uint64_t)_i * 8;

	for (uint16_t size = 8; size <= SIZE - 8; size = (uint16_t)(size + 8)) {
		/* Close to the wrap of the 64-bit position as well. */
		uint64_t position = -(uint64_t)SIZE + offset;
		struct image image = {
			.page = { .data_head = position, .data_tail = position },
		};
		struct ring ring;

		start(&ring, &image, false);
		append_record(&image, size, 7);
		append_record(&image, 8, 99);
		expect_record(&ring, size, 7);
		expect_record(&ring, 8, 99);
		expect_end(&ring);
		ck_assert_uint_eq(image.page.data_tail, position + size + 8);
		ring_free(&ring);
	}
}
END_TEST

/* The space of a record must not go back to the kernel while the record is in use. */
START_TEST(tail_follows_use)
{
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, false);
	append_record(&image, 24, 1);
	append_record(&image, 32, 2);
	expect_record(&ring, 24, 1);
	ck_assert_uint_eq(image.page.data_tail, 0);
	expect_record(&ring, 32, 2);
	ck_assert_uint_eq(image.page.data_tail, 24);
	expect_end(&ring);
	ck_assert_uint_eq(image.page.data_tail, 56);
	ring_free(&ring);
}
END_TEST

START_TEST(exactly_full)
{
	uint64_t position = (uint64_t)_i * 8;
	struct image image = { .page = { .data_head = position, .data_tail = position } };
	struct ring ring;

	start(&ring, &image, false);
	for (unsigned char i = 0; i < SIZE / 32; i++)
		append_record(&image, 32, i);
	for (unsigned char i = 0; i < SIZE / 32; i++)
		expect_record(&ring, 32, i);
	expect_end(&ring);
	append_record(&image, SIZE, 5);
	expect_record(&ring, SIZE, 5);
	expect_end(&ring);
	ring_free(&ring);
}
END_TEST

/* Sizes that no record can have; 40 bytes have been written. */
static const uint16_t bad_sizes[] = { 0, 4, 7, 9, 12, 20, 33, 39, 48, SIZE + 8, 65528, 65535 };

START_TEST(corrupt_size)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = bad_sizes[_i] };

	for (uint64_t at = 0; at < 2 * SIZE; at += 8) {
		struct image image = { .page = { .data_head = at, .data_tail = at } };
		struct ring ring;

		start(&ring, &image, false);
		append_record(&image, 40, 1);
		put_bytes(&image, at, &header, sizeof(header));
		expect_bad(&ring, &image);
		/* The reader goes on with what comes after. */
		append_record(&image, 48, 3);
		expect_record(&ring, 48, 3);
		expect_end(&ring);
		ring_free(&ring);
	}
}
END_TEST

START_TEST(corrupt_after_good)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 0 };
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, false);
	append_record(&image, 16, 1);
	append_record(&image, 16, 2);
	put_bytes(&image, 16, &header, sizeof(header));
	expect_record(&ring, 16, 1);
	expect_bad(&ring, &image);
	ring_free(&ring);
}
END_TEST

/* Positions that the kernel never writes: more than the ring holds, backwards, misaligned. */
START_TEST(corrupt_head)
{
	static const struct {
		uint64_t tail, head;
	} bad[] = { { 0, SIZE + 8 }, { 64, 56 }, { 0, UINT64_MAX }, { 4, 36 }, { 0, 4 } };
	struct image image = { .page = { .data_tail = bad[_i].tail, .data_head = bad[_i].head } };
	struct ring ring;

	for (uint64_t at = 0; at < SIZE; at += 16)
		put_record(&image, at, 16, 0);
	start(&ring, &image, false);
	if (bad[_i].tail == 4)
		put_record(&image, 4, 32, 0);
	expect_bad(&ring, &image);
	ring_free(&ring);
}
END_TEST

START_TEST(overwrite_newest_first)
{
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, true);
	expect_end(&ring);
	prepend_record(&image, 16, 1);
	prepend_record(&image, 40, 2);
	prepend_record(&image, 8, 3);
	expect_record(&ring, 8, 3);
	expect_record(&ring, 40, 2);
	expect_record(&ring, 16, 1);
	expect_end(&ring);
	expect_end(&ring); /* nothing is delivered twice */
	prepend_record(&image, 24, 4);
	expect_record(&ring, 24, 4);
	expect_end(&ring);
	ck_assert_uint_eq(image.page.data_tail, 0); /* the mapping is read-only */
	ring_free(&ring);
}
END_TEST

/* What is written during a snapshot belongs to the next one. */
START_TEST(overwrite_snapshot)
{
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, true);
	prepend_record(&image, 16, 1);
	prepend_record(&image, 16, 2);
	expect_record(&ring, 16, 2);
	prepend_record(&image, 16, 3);
	expect_record(&ring, 16, 1);
	expect_end(&ring);
	expect_record(&ring, 16, 3);
	expect_end(&ring);
	ring_free(&ring);
}
END_TEST

/* `_i` records of 40 bytes into 256: from the seventh on the oldest are overwritten. */
START_TEST(overwrite_lapped)
{
	struct image image = { .page.data_head = 0 };
	struct ring ring;
	int kept = _i < SIZE / 40 ? _i : SIZE / 40;

	start(&ring, &image, true);
	for (int i = 0; i < _i; i++)
		prepend_record(&image, 40, (unsigned char)i);
	for (int i = _i - 1; i >= _i - kept; i--)
		expect_record(&ring, 40, (unsigned char)i);
	expect_end(&ring);
	expect_end(&ring);
	ring_free(&ring);
}
END_TEST

/* 32 divides the ring: nothing is cut when it is exactly full, or lapped. */
START_TEST(overwrite_exactly_full)
{
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, true);
	for (int i = 0; i < _i; i++)
		prepend_record(&image, 32, (unsigned char)i);
	for (int i = _i - 1; i >= _i - SIZE / 32; i--)
		expect_record(&ring, 32, (unsigned char)i);
	expect_end(&ring);
	ring_free(&ring);
}
END_TEST

START_TEST(overwrite_corrupt)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = bad_sizes[_i] };
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, true);
	prepend_record(&image, 40, 1);
	put_bytes(&image, image.page.data_head, &header, sizeof(header));
	expect_bad(&ring, &image);
	prepend_record(&image, 48, 2);
	expect_record(&ring, 48, 2);
	expect_end(&ring);
	ring_free(&ring);
}
END_TEST

/* Exactly full is not lapped: nothing has been overwritten, so no record may go beyond the end. */
START_TEST(overwrite_corrupt_full)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 48 };
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, true);
	prepend_record(&image, 32, 1);
	prepend_record(&image, SIZE - 32, 2);
	put_bytes(&image, SIZE - 32, &header, sizeof(header));
	expect_record(&ring, SIZE - 32, 2);
	expect_bad(&ring, &image);
	ring_free(&ring);
}
END_TEST

START_TEST(overwrite_corrupt_lapped)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 12 };
	struct image image = { .page.data_head = 0 };
	struct ring ring;

	start(&ring, &image, true);
	for (int i = 0; i < 10; i++)
		prepend_record(&image, 40, (unsigned char)i);
	put_bytes(&image, image.page.data_head + 40, &header, sizeof(header));
	expect_record(&ring, 40, 9);
	expect_bad(&ring, &image);
	ring_free(&ring);
}
END_TEST

/*
 * Samples. A record is built on the heap at its exact size, so that the address sanitizer sees any
 * read beyond it.
 */
struct builder {
	unsigned char bytes[1024];
	size_t size;
};

static void add(struct builder *b, const void *bytes, size_t n)
{
	memcpy(b->bytes + b->size, bytes, n);
	b->size += n;
}

static void add_u64(struct builder *b, uint64_t value)
{
	add(b, &value, sizeof(value));
}

static void add_u32(struct builder *b, uint32_t value)
{
	add(b, &value, sizeof(value));
}

static void begin(struct builder *b, uint32_t type)
{
	struct perf_event_header header = { .type = type };

	b->size = 0;
	add(b, &header, sizeof(header));
}

/* The first `size` bytes of it as a record; the caller frees record.header. */
static struct ring_record cut(const struct builder *b, size_t size)
{
	struct perf_event_header *header = malloc(size);

	ck_assert_ptr_nonnull(header);
	memcpy(header, b->bytes, size);
	if (size >= sizeof(*header))
		header->size = (uint16_t)size;
	return (struct ring_record){ header, size };
}

static void drop(struct ring_record record)
{
	free((void *)record.header);
}

/* Parse what was built; the record stays with the caller. */
static struct ring_record parse(const struct builder *b, const struct perf_event_attr *attr,
				struct ring_sample *sample, int expected, struct err *err)
{
	struct ring_record record = cut(b, b->size);

	ck_assert_int_eq(ring_parse_sample(&record, attr, sample, err), expected);
	return record;
}

/* All that 6.1 knows but WEIGHT_STRUCT, which the kernel allows only in place of WEIGHT. */
#define EVERYTHING ((uint64_t)(PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT)

static const struct perf_event_attr everything = {
	.sample_type = EVERYTHING,
	.read_format = PERF_FORMAT_MAX - 1,
	.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
	.sample_regs_user = 0x8000000000000101, /* three registers */
	.sample_regs_intr = 0x3,		/* two */
};

static void add_read_group(struct builder *b)
{
	add_u64(b, 2); /* nr */
	add_u64(b, 0x501);
	add_u64(b, 0x502);
	for (uint64_t i = 0; i < 2; i++) {
		add_u64(b, 0x510 + i); /* value */
		add_u64(b, 0x520 + i); /* id */
		add_u64(b, 0x530 + i); /* lost */
	}
}

static void add_branches(struct builder *b)
{
	struct perf_branch_entry entries[2] = {
		{ .from = 0x700, .to = 0x710, .mispred = 1 },
		{ .from = 0x701, .to = 0x711, .cycles = 9 },
	};

	add_u64(b, 2); /* nr */
	add_u64(b, 5); /* hw_idx */
	add(b, entries, sizeof(entries));
}

static void build_everything(struct builder *b)
{
	begin(b, PERF_RECORD_SAMPLE);
	add_u64(b, 0x101);  /* identifier */
	add_u64(b, 0x102);  /* ip */
	add_u32(b, 0x103);  /* pid */
	add_u32(b, 0x104);  /* tid */
	add_u64(b, 0x105);  /* time */
	add_u64(b, 0x106);  /* addr */
	add_u64(b, 0x107);  /* id */
	add_u64(b, 0x108);  /* stream_id */
	add_u32(b, 0x109);  /* cpu */
	add_u32(b, 0xdead); /* reserved */
	add_u64(b, 0x10a);  /* period */
	add_read_group(b);
	add_u64(b, 3); /* callchain nr */
	add_u64(b, PERF_CONTEXT_USER);
	add_u64(b, 0x602);
	add_u64(b, 0x603);
	add_u32(b, 12); /* raw size */
	add(b, "raw bytes...", 12);
	add_branches(b);
	add_u64(b, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < 3; i++)
		add_u64(b, 0x800 + i);
	add_u64(b, 16); /* user stack size */
	add(b, "0123456789abcdef", 16);
	add_u64(b, 10);	   /* dyn_size */
	add_u64(b, 0x201); /* weight */
	add_u64(b, 0x202); /* data_src */
	add_u64(b, 0x203); /* transaction */
	add_u64(b, PERF_SAMPLE_REGS_ABI_32);
	add_u64(b, 0x900);
	add_u64(b, 0x901);
	add_u64(b, 0x204); /* phys_addr */
	add_u64(b, 0x205); /* cgroup */
	add_u64(b, 0x206); /* data_page_size */
	add_u64(b, 0x207); /* code_page_size */
	add_u64(b, 8);	   /* aux size */
	add(b, "aux data", 8);
}

static void expect_scalars(const struct ring_sample *s)
{
	ck_assert_uint_eq(s->identifier, 0x101);
	ck_assert_uint_eq(s->ip, 0x102);
	ck_assert_uint_eq(s->pid, 0x103);
	ck_assert_uint_eq(s->tid, 0x104);
	ck_assert_uint_eq(s->time, 0x105);
	ck_assert_uint_eq(s->addr, 0x106);
	ck_assert_uint_eq(s->id, 0x107);
	ck_assert_uint_eq(s->stream_id, 0x108);
	ck_assert_uint_eq(s->cpu, 0x109);
	ck_assert_uint_eq(s->period, 0x10a);
	ck_assert_uint_eq(s->weight, 0x201);
	ck_assert_uint_eq(s->data_src, 0x202);
	ck_assert_uint_eq(s->transaction, 0x203);
	ck_assert_uint_eq(s->phys_addr, 0x204);
	ck_assert_uint_eq(s->cgroup, 0x205);
	ck_assert_uint_eq(s->data_page_size, 0x206);
	ck_assert_uint_eq(s->code_page_size, 0x207);
}

static void expect_group(const struct ring_sample *s)
{
	struct ring_read read;

	ck_assert_uint_eq(s->read_nr, 2);
	ck_assert_uint_eq(s->read_enabled, 0x501);
	ck_assert_uint_eq(s->read_running, 0x502);
	ck_assert_uint_eq(s->read_value, 0x510);
	ck_assert_uint_eq(s->read_id, 0x520);
	ck_assert_uint_eq(s->read_lost, 0x530);
	ck_assert_int_eq(ring_sample_read(s, &everything, 1, &read), 0);
	ck_assert_uint_eq(read.value, 0x511);
	ck_assert_uint_eq(read.id, 0x521);
	ck_assert_uint_eq(read.lost, 0x531);
	ck_assert_int_eq(ring_sample_read(s, &everything, 2, &read), -ERANGE);
}

static void expect_variable_parts(const struct ring_sample *s)
{
	ck_assert_uint_eq(s->callchain_nr, 3);
	ck_assert_uint_eq(s->callchain[0], PERF_CONTEXT_USER);
	ck_assert_uint_eq(s->callchain[2], 0x603);
	ck_assert_uint_eq(s->raw_size, 12);
	ck_assert_mem_eq(s->raw, "raw bytes...", 12);
	ck_assert_uint_eq(s->branch_nr, 2);
	ck_assert(s->branch_has_hw_index);
	ck_assert_uint_eq(s->branch_hw_index, 5);
	ck_assert_uint_eq(s->branches[0].from, 0x700);
	ck_assert_uint_eq(s->branches[0].mispred, 1);
	ck_assert_uint_eq(s->branches[1].to, 0x711);
	ck_assert_uint_eq(s->branches[1].cycles, 9);
	ck_assert_uint_eq(s->user_regs_abi, PERF_SAMPLE_REGS_ABI_64);
	ck_assert_uint_eq(s->user_regs[0], 0x800);
	ck_assert_uint_eq(s->user_regs[2], 0x802);
	ck_assert_uint_eq(s->user_stack_size, 16);
	ck_assert_uint_eq(s->user_stack_used, 10);
	ck_assert_mem_eq(s->user_stack, "0123456789abcdef", 16);
	ck_assert_uint_eq(s->intr_regs_abi, PERF_SAMPLE_REGS_ABI_32);
	ck_assert_uint_eq(s->intr_regs[1], 0x901);
	ck_assert_uint_eq(s->aux_size, 8);
	ck_assert_mem_eq(s->aux, "aux data", 8);
}

START_TEST(sample_everything)
{
	struct builder b;
	struct ring_sample sample;
	struct ring_record record;

	build_everything(&b);
	record = parse(&b, &everything, &sample, 0, NULL);
	expect_scalars(&sample);
	expect_group(&sample);
	expect_variable_parts(&sample);
	drop(record);
}
END_TEST

/* Cut anywhere it is an error; and one byte more than the fields is one, too. */
START_TEST(sample_truncated)
{
	struct builder b;
	struct ring_sample sample;
	struct err err;

	build_everything(&b);
	for (size_t size = 1; size < b.size; size++) {
		struct ring_record record = cut(&b, size);

		ck_assert_int_eq(ring_parse_sample(&record, &everything, &sample, &err), -EBADMSG);
		drop(record);
	}
	add_u64(&b, 0);
	drop(parse(&b, &everything, &sample, -EBADMSG, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "8 left over"));
}
END_TEST

/* Bits of sample_type whose part begins with a count, and the size of an element. */
static const struct {
	uint64_t bit, element;
} counted[] = {
	{ PERF_SAMPLE_READ, 24 },	  { PERF_SAMPLE_CALLCHAIN, 8 },
	{ PERF_SAMPLE_BRANCH_STACK, 24 }, { PERF_SAMPLE_STACK_USER, 1 },
	{ PERF_SAMPLE_AUX, 1 },
};

/* Counts whose product with the element's size wraps to something small, and plain large ones. */
START_TEST(sample_huge_count)
{
	struct perf_event_attr attr = everything;
	uint64_t element = counted[_i].element;
	uint64_t huge[] = { UINT64_MAX,	       UINT64_MAX / element + 1, (UINT64_MAX - 7) / 8 + 1,
			    (uint64_t)1 << 61, (uint64_t)1 << 63,	 8192 };

	attr.sample_type = counted[_i].bit;
	for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		struct ring_sample sample;
		struct builder b;

		begin(&b, PERF_RECORD_SAMPLE);
		add_u64(&b, huge[i]);
		for (int n = 0; n < 16; n++)
			add_u64(&b, 0);
		drop(parse(&b, &attr, &sample, -EBADMSG, NULL));
	}
}
END_TEST

/*
 * 2^61 elements of 8 or 24 bytes are 2^64 or 3 * 2^64 bytes: a product in 64 bits would find just
 * the n elements that are there.
 */
START_TEST(sample_count_wraps_to_fit)
{
	struct perf_event_attr attr = everything;
	struct ring_sample sample;
	struct builder b;
	const uint64_t n = 2;

	attr.sample_type = counted[_i].bit;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr.branch_sample_type = 0;
	for (int wrap = 0; wrap < 2; wrap++) {
		begin(&b, PERF_RECORD_SAMPLE);
		add_u64(&b, wrap ? ((uint64_t)1 << 61) + n : n);
		for (uint64_t i = 0; i < n * counted[_i].element / 8; i++)
			add_u64(&b, 0);
		drop(parse(&b, &attr, &sample, wrap ? -EBADMSG : 0, NULL));
	}
}
END_TEST

START_TEST(sample_raw_size)
{
	static const struct {
		uint32_t size;
		int result;
	} cases[] = { { 4, 0 },	       { 12, -EBADMSG },	 { 5, -EBADMSG },
		      { 0, -EBADMSG }, { UINT32_MAX, -EBADMSG }, { UINT32_MAX - 3, -EBADMSG } };
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_RAW };
	struct ring_sample sample;
	struct builder b;

	begin(&b, PERF_RECORD_SAMPLE);
	add_u32(&b, cases[_i].size);
	add_u32(&b, 0);
	drop(parse(&b, &attr, &sample, cases[_i].result, NULL));
}
END_TEST

/* Eight bytes of raw data fit here, but whatever followed them would not be aligned. */
START_TEST(sample_raw_unaligned)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_RAW };
	struct ring_sample sample;
	struct builder b;

	begin(&b, PERF_RECORD_SAMPLE);
	add_u32(&b, 8);
	add_u64(&b, 0);
	drop(parse(&b, &attr, &sample, -EBADMSG, NULL));
}
END_TEST

START_TEST(sample_stack_more_used_than_there)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_STACK_USER };
	struct ring_sample sample;
	struct builder b;

	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, 8);
	add_u64(&b, 0);
	add_u64(&b, 9);
	drop(parse(&b, &attr, &sample, -EBADMSG, NULL));
}
END_TEST

/* A kernel thread has neither user registers nor a user stack: abi 0, size 0 and no dyn_size. */
START_TEST(sample_kernel_thread)
{
	struct perf_event_attr attr = everything;
	struct ring_sample sample;
	struct builder b;

	attr.sample_type =
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CODE_PAGE_SIZE;
	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	add_u64(&b, 0);
	add_u64(&b, 4096);
	drop(parse(&b, &attr, &sample, 0, NULL));
	ck_assert_ptr_null(sample.user_regs);
	ck_assert_uint_eq(sample.user_stack_size, 0);
	ck_assert_uint_eq(sample.code_page_size, 4096);
}
END_TEST

/* The kernel leaves hw_idx out where the PMU gave no branch stack, but not where it was empty. */
START_TEST(sample_empty_branch_stack)
{
	struct perf_event_attr attr = everything;
	struct ring_sample sample;
	struct builder b;

	attr.sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT;
	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, 0); /* nr */
	if (_i)
		add_u64(&b, 5);
	add_u64(&b, 77); /* weight */
	drop(parse(&b, &attr, &sample, 0, NULL));
	ck_assert_int_eq(sample.branch_has_hw_index, _i);
	ck_assert_uint_eq(sample.branch_hw_index, _i ? 5 : 0);
	ck_assert_uint_eq(sample.weight, 77);
}
END_TEST

START_TEST(sample_without_hw_index)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK };
	struct perf_branch_entry entry = { .from = 1, .to = 2 };
	struct ring_sample sample;
	struct ring_record record;
	struct builder b;

	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, 1);
	add(&b, &entry, sizeof(entry));
	record = parse(&b, &attr, &sample, 0, NULL);
	ck_assert_uint_eq(sample.branch_nr, 1);
	ck_assert_uint_eq(sample.branches[0].to, 2);
	drop(record);
}
END_TEST

/* A lone event: value first, then the times, then id and lost. */
START_TEST(sample_read_alone)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_READ };
	struct ring_sample sample;
	struct ring_read read;
	struct builder b;

	attr.read_format = (PERF_FORMAT_MAX - 1) & ~PERF_FORMAT_GROUP;
	begin(&b, PERF_RECORD_SAMPLE);
	for (uint64_t i = 1; i <= 5; i++)
		add_u64(&b, i);
	drop(parse(&b, &attr, &sample, 0, NULL));
	ck_assert_uint_eq(sample.read_value, 1);
	ck_assert_uint_eq(sample.read_enabled, 2);
	ck_assert_uint_eq(sample.read_running, 3);
	ck_assert_int_eq(ring_sample_read(&sample, &attr, 0, &read), 0);
	ck_assert_uint_eq(read.value, 1);
	ck_assert_uint_eq(read.id, 4);
	ck_assert_uint_eq(read.lost, 5);
	ck_assert_int_eq(ring_sample_read(&sample, &attr, 1, &read), -ERANGE);
}
END_TEST

/* A group without ids is values only, and a group of nobody is impossible. */
START_TEST(sample_read_group_values)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_READ,
					.read_format = PERF_FORMAT_GROUP };
	struct ring_sample sample;
	struct ring_record record;
	struct ring_read read;
	struct builder b;

	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, 2);
	add_u64(&b, 11);
	add_u64(&b, 12);
	record = parse(&b, &attr, &sample, 0, NULL);
	ck_assert_uint_eq(sample.read_value, 11);
	ck_assert_int_eq(ring_sample_read(&sample, &attr, 1, &read), 0);
	ck_assert_uint_eq(read.value, 12);
	drop(record);
	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, 0);
	drop(parse(&b, &attr, &sample, -EBADMSG, NULL));
}
END_TEST

START_TEST(sample_weight_struct)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_WEIGHT_STRUCT };
	struct ring_sample sample;
	struct builder b;

	begin(&b, PERF_RECORD_SAMPLE);
	add_u64(&b, 0x0003000200000001);
	drop(parse(&b, &attr, &sample, 0, NULL));
	ck_assert_uint_eq(sample.weight, 0x0003000200000001);
}
END_TEST

START_TEST(sample_unknown_bits)
{
	struct perf_event_attr attr = { .sample_type = (uint64_t)1 << _i };
	struct ring_sample sample;
	struct builder b;
	struct err err;
	char name[32];

	begin(&b, PERF_RECORD_SAMPLE);
	drop(parse(&b, &attr, &sample, -EOPNOTSUPP, &err));
	snprintf(name, sizeof(name), "sample_type bit %d ", _i);
	ck_assert_ptr_nonnull(strstr(err.text, name));
}
END_TEST

START_TEST(sample_unknown_format_bits)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_READ,
					.read_format = PERF_FORMAT_MAX };
	struct ring_sample sample;
	struct builder b;
	struct err err;

	begin(&b, PERF_RECORD_SAMPLE);
	drop(parse(&b, &attr, &sample, -EOPNOTSUPP, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "read_format bit 5 "));
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_MAX;
	drop(parse(&b, &attr, &sample, -EOPNOTSUPP, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "branch_sample_type bit 19 "));
	/* They do not matter to a sample without those parts. */
	attr.sample_type = 0;
	drop(parse(&b, &attr, &sample, 0, &err));
}
END_TEST

START_TEST(wrong_type)
{
	struct perf_event_attr attr = { .sample_type = 0 };
	struct ring_throttle throttle;
	struct ring_sample sample;
	struct ring_record record;
	struct builder b;
	uint64_t lost;
	struct err err;

	begin(&b, PERF_RECORD_FORK);
	for (int i = 0; i < 4; i++)
		add_u64(&b, 0);
	record = cut(&b, b.size);
	ck_assert_int_eq(ring_parse_sample(&record, &attr, &sample, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "FORK"));
	ck_assert_int_eq(ring_parse_lost(&record, &lost, &err), -EINVAL);
	ck_assert_int_eq(ring_parse_throttle(&record, &throttle, &err), -EINVAL);
	drop(record);
}
END_TEST

/* LOST has an id before the count, LOST_SAMPLES has not; a sample_id may follow either. */
START_TEST(lost)
{
	struct ring_record record;
	struct builder b;
	uint64_t count = 0, id = 0;
	bool has_id = _i & 1;
	bool trailing = _i & 2;

	begin(&b, has_id ? PERF_RECORD_LOST : PERF_RECORD_LOST_SAMPLES);
	if (has_id)
		add_u64(&b, 4711);
	add_u64(&b, 12345);
	for (int i = 0; trailing && i < 6; i++)
		add_u64(&b, 1);
	record = cut(&b, b.size);
	ck_assert_int_eq(ring_parse_lost(&record, &count, NULL), 0);
	ck_assert_uint_eq(count, 12345);
	ck_assert_int_eq(ring_parse_lost_id(&record, &id, NULL), has_id ? 0 : -EINVAL);
	ck_assert_uint_eq(id, has_id ? 4711 : 0);
	drop(record);
	record = cut(&b, has_id ? 16 : 8);
	ck_assert_int_eq(ring_parse_lost(&record, &count, NULL), -EBADMSG);
	ck_assert_int_eq(ring_parse_lost_id(&record, &id, NULL), has_id ? -EBADMSG : -EINVAL);
	drop(record);
	record = cut(&b, 4);
	ck_assert_int_eq(ring_parse_lost(&record, &count, NULL), -EBADMSG);
	drop(record);
}
END_TEST

START_TEST(throttle)
{
	struct ring_throttle parsed;
	struct ring_record record;
	struct builder b;

	begin(&b, _i ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE);
	add_u64(&b, 1);
	add_u64(&b, 2);
	add_u64(&b, 3);
	record = cut(&b, 24);
	ck_assert_int_eq(ring_parse_throttle(&record, &parsed, NULL), -EBADMSG);
	drop(record);
	for (int i = 0; i < 5; i++) {
		record = cut(&b, b.size);
		ck_assert_int_eq(ring_parse_throttle(&record, &parsed, NULL), 0);
		ck_assert_uint_eq(parsed.time, 1);
		ck_assert_uint_eq(parsed.id, 2);
		ck_assert_uint_eq(parsed.stream_id, 3);
		drop(record);
		add_u64(&b, 99); /* a sample_id */
	}
}
END_TEST

/* The names of enum perf_event_type in linux/perf_event.h, without the prefix. */
START_TEST(names)
{
	static const struct {
		uint32_t type;
		const char *name;
	} known[] = {
		{ 1, "MMAP" },
		{ 2, "LOST" },
		{ 3, "COMM" },
		{ 4, "EXIT" },
		{ 5, "THROTTLE" },
		{ 6, "UNTHROTTLE" },
		{ 7, "FORK" },
		{ 8, "READ" },
		{ 9, "SAMPLE" },
		{ 10, "MMAP2" },
		{ 11, "AUX" },
		{ 12, "ITRACE_START" },
		{ 13, "LOST_SAMPLES" },
		{ 14, "SWITCH" },
		{ 15, "SWITCH_CPU_WIDE" },
		{ 16, "NAMESPACES" },
		{ 17, "KSYMBOL" },
		{ 18, "BPF_EVENT" },
		{ 19, "CGROUP" },
		{ 20, "TEXT_POKE" },
		{ 21, "AUX_OUTPUT_HW_ID" },
		{ 0, "?" },
		{ PERF_RECORD_MAX, "?" },
		{ UINT32_MAX, "?" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert_str_eq(ring_record_name(known[i].type), known[i].name);
}
END_TEST

static TCase *records_case(void)
{
	TCase *tcase = tcase_create("records");
	int bad = (int)(sizeof(bad_sizes) / sizeof(bad_sizes[0]));

	tcase_add_test(tcase, init_refuses);
	tcase_add_loop_test(tcase, wraps_at_every_offset, 0, SIZE / 8);
	tcase_add_test(tcase, tail_follows_use);
	tcase_add_loop_test(tcase, exactly_full, 0, SIZE / 8);
	tcase_add_loop_test(tcase, corrupt_size, 0, bad);
	tcase_add_test(tcase, corrupt_after_good);
	tcase_add_loop_test(tcase, corrupt_head, 0, 5);
	tcase_add_test(tcase, overwrite_newest_first);
	tcase_add_test(tcase, overwrite_snapshot);
	tcase_add_loop_test(tcase, overwrite_lapped, 0, 40);
	tcase_add_loop_test(tcase, overwrite_exactly_full, SIZE / 32, SIZE / 32 + 4);
	tcase_add_loop_test(tcase, overwrite_corrupt, 0, bad);
	tcase_add_test(tcase, overwrite_corrupt_full);
	tcase_add_test(tcase, overwrite_corrupt_lapped);
	tcase_add_test(tcase, names);
	return tcase;
}

static TCase *samples_case(void)
{
	TCase *tcase = tcase_create("samples");

	tcase_add_test(tcase, sample_everything);
	tcase_add_test(tcase, sample_truncated);
	tcase_add_loop_test(tcase, sample_huge_count, 0,
			    (int)(sizeof(counted) / sizeof(counted[0])));
	tcase_add_loop_test(tcase, sample_count_wraps_to_fit, 0, 3);
	tcase_add_loop_test(tcase, sample_raw_size, 0, 6);
	tcase_add_test(tcase, sample_raw_unaligned);
	tcase_add_test(tcase, sample_stack_more_used_than_there);
	tcase_add_test(tcase, sample_kernel_thread);
	tcase_add_loop_test(tcase, sample_empty_branch_stack, 0, 2);
	tcase_add_test(tcase, sample_without_hw_index);
	tcase_add_test(tcase, sample_read_alone);
	tcase_add_test(tcase, sample_read_group_values);
	tcase_add_test(tcase, sample_weight_struct);
	tcase_add_loop_test(tcase, sample_unknown_bits, 25, 64);
	tcase_add_test(tcase, sample_unknown_format_bits);
	tcase_add_test(tcase, wrong_type);
	tcase_add_loop_test(tcase, lost, 0, 4);
	tcase_add_loop_test(tcase, throttle, 0, 2);
	return tcase;
}

Suite *suite(void)
{
	Suite *s = suite_create("ring");

	suite_add_tcase(s, records_case());
	suite_add_tcase(s, samples_case());
	return s;
}
