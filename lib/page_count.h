/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PAGE_COUNT_H
#define PMIPROOF_PAGE_COUNT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "event.h"

/*
 * A thread reads its own counter without a system call: the first page of an event's mapping says
 * on which counter the event is and what to add to it. The protocol is that of struct
 * perf_event_mmap_page in linux/perf_event.h. Pure functions, but for page_reader_here().
 */

/* How counters and the clock of this CPU are read from user mode. */
struct page_reader {
	uint64_t (*counter)(void *context, uint32_t number); /* valid in the page's pmc_width */
	uint64_t (*clock)(void *context);		     /* that of time_mult, time_shift */
	void *context;
};

/* That of this architecture (x86-64: RDPMC and RDTSC); NULL: none that is known here. */
const struct page_reader *page_reader_here(void);

/* Does the page allow counters to be read? Else it has counts of events that are on none. */
bool page_count_allowed(const struct perf_event_mmap_page *page);

/* What a page says of its event at one instant. */
struct page_reading {
	uint32_t index;	    /* number of the counter + 1; 0: on none */
	unsigned int width; /* of that counter, in bits */
	uint64_t value;
	uint64_t enabled, running; /* ns, when the kernel wrote them */
	bool timed;		   /* `since` is known: cap_user_time */
	uint64_t since;		   /* ns that have passed from then to now */
};

/*
 * Read it, again as long as the kernel writes to it meanwhile. -EAGAIN when it does so a thousand
 * times, or has left it locked; -EACCES for an event that is on a counter which may not be read;
 * -EBADMSG for a width of counters that is not 1 to 64, or a shift for times of more than 32.
 */
int page_count_read(const struct perf_event_mmap_page *page, const struct page_reader *reader,
		    struct page_reading *reading, struct err *err);

/* A counter's raw value, sign-extended from its width (1 to 64 bits), and what the page adds. */
uint64_t page_count_fold(int64_t offset, uint64_t raw, unsigned int width);

/*
 * Readings of one event's page, each between two read(2) of the event: value and times only grow,
 * so that they lie between what those gave. Zero at first.
 */
struct page_watch {
	uint64_t readings;
	uint64_t on;	   /* of these: the event was on a counter */
	uint64_t outside;  /* the value is below the read before or above the one after */
	double worst;	   /* how far that was at the most; negative: below */
	uint64_t high;	   /* it is between, but for a multiple of 2^width, on a counter */
	uint64_t waiting;  /* the reads show that the event waited for a counter */
	uint64_t timed;	   /* times could be judged */
	uint64_t off_time; /* of these: one does not lie between */
};

/*
 * Times are judged up to now while the event is on a counter. While it waits for one (it is
 * enabled, as the reads show, and on none) its time enabled is, and its time running must not be
 * below the read before; it may be above the one after, as the page is written when the event has
 * been taken off its counter, and its time ends when that begins. Those of an event that is
 * disabled cannot be told from it by the page alone, and are not judged.
 */
void page_watch_take(struct page_watch *watch, const struct event_count *before,
		     const struct page_reading *reading, const struct event_count *after);

#endif
