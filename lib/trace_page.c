// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace_page.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace.h"

/*
 * The commit field of the page header: number of bytes, and two flags (kernel/trace/ring_buffer.c:
 * RB_MISSED_EVENTS, RB_MISSED_STORED). libtraceevent keeps 27 bits for the number, as here.
 */
#define COMMIT_MASK ((1ull << 27) - 1)
#define COMMIT_LOST (1ull << 31)
#define COMMIT_LOST_STORED (1ull << 30)

/* A record starts with 5 bits of type or length and 27 bits of time. */
#define TIME_BITS 27
#define TIME_MASK ((1u << TIME_BITS) - 1)
#define WORD sizeof(uint32_t)

/* Values of the first 5 bits (events/header_event); 1..28 is the length in words. */
enum {
	TYPE_LONG = 0, /* the length is in the next word, which it includes */
	TYPE_DATA_MAX = 28,
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

/* An absolute time stamp has 59 bits: the upper five stay as they were. */
#define STAMP_KEPT (~0ull << 59)

static uint32_t word_at(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* A number of the size of the kernel's long. */
static uint64_t long_at(const unsigned char *at, size_t size)
{
	uint64_t value;

	if (size == WORD)
		return word_at(at);
	memcpy(&value, at, sizeof(value));
	return value;
}

int trace_page_open(struct trace_page *page, const void *data, size_t size, size_t word)
{
	const unsigned char *start = data;
	size_t header = sizeof(uint64_t) + word;
	uint64_t commit;

	if ((word != WORD && word != sizeof(uint64_t)) || size < header)
		return -EBADMSG;
	memcpy(&page->time, start, sizeof(page->time));
	commit = long_at(start + sizeof(page->time), word);
	page->used = commit & COMMIT_MASK;
	if (page->used > size - header)
		return -EBADMSG;
	page->next = start + header;
	page->end = page->next + page->used;
	page->lost = 0;
	if (!(commit & COMMIT_LOST))
		return 0;
	/* The number is behind the records, if it fitted there. */
	page->lost = TRACE_LOST_SOME;
	if ((commit & COMMIT_LOST_STORED) && size - header - page->used >= word)
		page->lost = long_at(page->end, word);
	return 0;
}

int trace_page_next(struct trace_page *page, const void **data, size_t *size)
{
	while ((size_t)(page->end - page->next) >= WORD) {
		const unsigned char *body = page->next + WORD;
		size_t left = (size_t)(page->end - body);
		uint32_t head = word_at(page->next);
		uint32_t type = __BYTE_ORDER == __LITTLE_ENDIAN ? head & 31 : head >> TIME_BITS;
		uint64_t time = __BYTE_ORDER == __LITTLE_ENDIAN ? head >> 5 : head & TIME_MASK;
		size_t length = type * WORD;

		if (type == TYPE_PADDING && !time)
			break; /* nothing behind it */
		if (type == TYPE_LONG || type > TYPE_DATA_MAX) {
			if (left < WORD)
				return -EBADMSG;
			length = word_at(body);
		}
		if (type >= TYPE_TIME_EXTEND) {
			time |= (uint64_t)length << TIME_BITS;
			page->time = type == TYPE_TIME_EXTEND ? page->time + time
							      : (page->time & STAMP_KEPT) | time;
			page->next = body + WORD;
			continue;
		}
		if (length > left || (type == TYPE_LONG && length < WORD))
			return -EBADMSG;
		page->time += time;
		page->next = body + ((length + WORD - 1) & ~(WORD - 1));
		if (page->next > page->end)
			return -EBADMSG;
		if (type == TYPE_PADDING)
			continue; /* a record that the kernel discarded */
		*data = type == TYPE_LONG ? body + WORD : body;
		*size = type == TYPE_LONG ? length - WORD : length;
		return 1;
	}
	page->next = page->end;
	return 0;
}
