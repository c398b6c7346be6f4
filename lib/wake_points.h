/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_WAKE_POINTS_H
#define PMIPROOF_WAKE_POINTS_H

#include <stdint.h>

/*
 * With which records of a ring its reader is to be woken: with every Nth sample
 * (attr.wakeup_events), or with each that brings what was written above another multiple of so many
 * bytes (attr.wakeup_watermark). Set one of the two, and what is below to 0.
 */
struct wake_points {
	uint64_t events;
	uint64_t watermark; /* bytes */
	/* Results: */
	uint64_t records, bytes;
	uint64_t due;	  /* wake-ups that had to come */
	uint64_t missing; /* that did not */
	uint64_t early;	  /* that came where none was due */
};

/* How many wake-ups are due with `records` more of `size` bytes each. */
uint64_t wake_points_due(const struct wake_points *points, uint64_t records, uint64_t size);

/* They were written, and the reader was woken `seen` times. */
void wake_points_take(struct wake_points *points, uint64_t records, uint64_t size, uint64_t seen);

#endif
