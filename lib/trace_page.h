/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TRACE_PAGE_H
#define PMIPROOF_TRACE_PAGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Walks the records of one sub-buffer ("page") of the kernel's trace ring buffer, in the binary
 * form that trace_pipe_raw gives. The layout is the one events/header_page and events/header_event
 * in tracefs describe; all numbers are in host byte order. libtraceevent's kbuffer does the same
 * at about four times the cost per record, which alone would use up what a reader may cost
 * (docs/bench.md); the unit tests compare the two on the same pages.
 */
struct trace_page {
	const unsigned char *next; /* the record header to decode next */
	const unsigned char *end;  /* end of the records */
	uint64_t time;		   /* of the record given last; ns with the "mono" clock */
	uint64_t lost; /* records the kernel overwrote right before this page, or TRACE_LOST_SOME */
	size_t used;   /* bytes of records in this page */
};

/*
 * Start on a page of `size` bytes. `word` is the size of the header's commit field (that of the
 * kernel's long: 4 or 8). Returns 0, or -EBADMSG when the header claims more than there is.
 */
int trace_page_open(struct trace_page *page, const void *data, size_t size, size_t word);

/*
 * The next record: *data and *size, which point into the page; its time is page->time. Returns 1,
 * 0 at the end, or -EBADMSG for a record that would reach beyond the page.
 */
int trace_page_next(struct trace_page *page, const void **data, size_t *size);

#endif
