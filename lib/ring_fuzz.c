// SPDX-License-Identifier: GPL-2.0-or-later
/* Arbitrary bytes as a ring with arbitrary positions, and its records as samples of any attr. */
#include <stdlib.h>
#include <string.h>

#include "ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The head of an input; the ring's data follows. */
struct setup {
	uint64_t head, tail;
	uint64_t sample_type, read_format, branch_sample_type, regs_user, regs_intr;
	uint8_t overwrite;
	uint8_t order; /* log2 of the ring's size, 3 to 12 */
	uint8_t type;  /* of all records when not 0, so that the parsers are reached */
	uint8_t pad[5];
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool inside(const struct ring_record *record, const void *part, uint64_t size)
{
	uintptr_t begin = (uintptr_t)record->header;
	uintptr_t at = (uintptr_t)part;

	return !size ||
	       (at >= begin && at - begin <= record->size && size <= record->size - (at - begin));
}

static void check_sample(const struct ring_record *record, const struct perf_event_attr *attr)
{
	struct ring_sample s;
	struct ring_read read;
	struct err err;

	if (ring_parse_sample(record, attr, &s, &err))
		return;
	require(inside(record, s.callchain, s.callchain_nr * 8));
	require(inside(record, s.raw, s.raw_size));
	require(inside(record, s.branches, s.branch_nr * sizeof(*s.branches)));
	require(inside(record, s.user_stack, s.user_stack_size));
	require(s.user_stack_used <= s.user_stack_size);
	require(inside(record, s.aux, s.aux_size));
	for (uint64_t i = 0; i < s.read_nr; i++)
		require(!ring_sample_read(&s, attr, i, &read));
	require(ring_sample_read(&s, attr, s.read_nr, &read) != 0);
}

/* Parse a copy of exactly the record's size, so that the address sanitizer guards its end. */
static void check_record(const struct ring_record *record, const struct setup *setup)
{
	struct perf_event_attr attr = {
		.sample_type = setup->sample_type,
		.read_format = setup->read_format,
		.branch_sample_type = setup->branch_sample_type,
		.sample_regs_user = setup->regs_user,
		.sample_regs_intr = setup->regs_intr,
	};
	struct perf_event_header *header = malloc(record->size);
	struct ring_record copy = { header, record->size };
	struct ring_throttle throttle;
	uint64_t lost;

	require(header != NULL);
	memcpy(header, record->header, record->size);
	if (setup->type)
		header->type = setup->type;
	require(ring_record_name(header->type) != NULL);
	check_sample(&copy, &attr);
	(void)ring_parse_lost(&copy, &lost, NULL);
	(void)ring_parse_throttle(&copy, &throttle, NULL);
	free(header);
}

static void read_all(struct ring *ring, const struct setup *setup)
{
	struct ring_record record;
	size_t total = 0;
	struct err err;

	for (int pass = 0; pass < 2; pass++)
		while (ring_next(ring, &record, &err) == 1) {
			total += record.size;
			/* Never more than the ring holds, whatever the headers say. */
			require(total <= ring->size);
			check_record(&record, setup);
		}
	require(ring_next(ring, &record, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_event_mmap_page page = { .version = 0 };
	struct setup setup;
	struct ring ring;
	size_t ring_size;
	unsigned char *bytes;

	if (size < sizeof(setup))
		return 0;
	memcpy(&setup, data, sizeof(setup));
	data += sizeof(setup);
	size -= sizeof(setup);
	ring_size = (size_t)8 << setup.order % 10;
	bytes = calloc(1, ring_size);
	require(bytes != NULL);
	memcpy(bytes, data, size < ring_size ? size : ring_size);
	page.data_head = setup.head;
	page.data_tail = setup.tail;
	require(!ring_init(&ring, &page, bytes, ring_size, setup.overwrite & 1));
	read_all(&ring, &setup);
	ring_free(&ring);
	free(bytes);
	return 0;
}
