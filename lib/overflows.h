/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_OVERFLOWS_H
#define PMIPROOF_OVERFLOWS_H

#include <stdint.h>

/*
 * Did every overflow of an event with a fixed period become exactly one record?
 *
 * Each sample carries the event's own count (PERF_SAMPLE_READ). An event overflows whenever its
 * count reaches another multiple of its period, and what it counts until the handler reads it
 * (skid) is far below a period, so that the count of a sample divided by the period is the number
 * of its overflow: 1, 2, 3, ... A number that is missing was not recorded, one that does not go
 * beyond the one before was recorded twice, or there was no overflow.
 *
 * Samples come late by skid, but not later and later: if what is counted until the handler has
 * loaded the counter anew does not shorten the next period, their places go through all of it.
 *
 * LOST records stand where samples are missing, before the next one that had room: how many numbers
 * are left out there must be what they say.
 */
struct overflows {
	uint64_t period;
	/* Results, to be zero at first: */
	uint64_t samples;
	uint64_t twice;	  /* samples whose overflow had been recorded, or had not happened */
	uint64_t missing; /* overflows without a sample that no LOST record accounts for */
	uint64_t excess;  /* told by LOST records although nothing is missing there */
	uint64_t late;	  /* samples a quarter of a period and more after their overflow */
	uint64_t last;	  /* number of the last overflow seen */
	uint64_t lost;	  /* as told by LOST records up to there */
};

/* A sample in its order: the count it carries, and what LOST records have said so far in all. */
void overflows_add(struct overflows *overflows, uint64_t count, uint64_t lost);

/* The end: the event's final count, after its last record was read. */
void overflows_end(struct overflows *overflows, uint64_t count, uint64_t lost);

/* How many overflows a count holds. */
uint64_t overflows_due(const struct overflows *overflows, uint64_t count);

#endif
