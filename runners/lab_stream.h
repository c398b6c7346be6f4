/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_STREAM_H
#define PMIPROOF_LAB_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

/* What a line of the guest's journal is for us. */
enum lab_line {
	LAB_LINE_BAD,	/* no record, or not one that may come now; counted */
	LAB_LINE_OTHER, /* to be journaled */
	LAB_LINE_MACHINE,
	LAB_LINE_START, /* the next test of the plan begins */
	LAB_LINE_END,	/* the next test of the plan is over, or was passed over */
	LAB_LINE_DONE,	/* the guest's own first or last record; not journaled */
};

/*
 * The journal of one guest after the other, checked against the plan that they and we go through. A
 * guest is not trusted: it may be broken by what a test does to it.
 */
struct lab_stream {
	const struct plan *plan;
	size_t next;	  /* index of the test that runs, or else is the next */
	bool running;	  /* it has started and not ended */
	bool done;	  /* the guest has said that it is through */
	bool booted;	  /* this guest has sent a record */
	uint64_t seq;	  /* of its last record */
	char boot[40];	  /* its boot id, once booted */
	unsigned int bad; /* bad lines since the last end of a test */
	char first_bad[256];
};

void lab_stream_init(struct lab_stream *stream, const struct plan *plan);

/* Another guest begins. */
void lab_stream_boot(struct lab_stream *stream);

/*
 * One line (`cut`: it was too long to be read). *record is a new reference to what is to be
 * journaled, NULL when nothing is.
 */
enum lab_line lab_stream_line(struct lab_stream *stream, const char *line, size_t len, bool cut,
			      json_t **record);

/* The test that runs, or else is the next; NULL at the end of the plan. */
struct planned *lab_stream_planned(const struct lab_stream *stream);

/* That test is over: go on to the next. */
void lab_stream_advance(struct lab_stream *stream);

#endif
