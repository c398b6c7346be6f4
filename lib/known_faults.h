/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KNOWN_FAULTS_H
#define PMIPROOF_KNOWN_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/*
 * What a sample must carry to be judged by known_faults_take(). With times and id in read_format
 * it has 72 bytes, which no ring is a multiple of: records lie across its end at all places.
 */
#define KNOWN_FAULTS_SAMPLE                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_READ)

/*
 * Samples of page faults, one for each, of which all content is known: the pages of a piece of
 * memory are touched one after the other, round and round. A record that is torn, shifted, or of
 * something else differs.
 */
struct known_faults {
	uint64_t id;		   /* of the event */
	uint64_t begin, page_size; /* of the memory */
	uint64_t pages;		   /* how many */
	uint64_t offset;	   /* in a page, of what is touched */
	/* Results, to be zero at first: */
	uint64_t right, wrong;
	uint64_t elsewhere; /* not in that memory: a fault of somebody else, of which only the ids
			       are judged */
	/* The one before: */
	uint64_t last_value, last_page;
	bool has_last;
};

/* A sample, in its order. */
void known_faults_take(struct known_faults *faults, const struct ring_sample *sample);

/*
 * Records of an overwritten ring, newest first: their counts must come down by one, from the last
 * one there was. Set `next` to that.
 */
struct countdown {
	uint64_t next;
	/* Results, to be zero at first: */
	uint64_t n;	 /* records */
	uint64_t breaks; /* whose count is not the next one */
};

void countdown_take(struct countdown *countdown, uint64_t value);

#endif
