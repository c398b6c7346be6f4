/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CYCLE_COUNTER_H
#define PMIPROOF_CYCLE_COUNTER_H

#include <stdint.h>

#include "err.h"

/*
 * The counter that an architecture's kernel times PMI handlers with, where it wraps within a time
 * that a test can wait for: a difference of two readings is then wrong unless it is taken with
 * care.
 */
struct cycle_counter {
	const char *machine; /* of uname(2) */
	const char *name;
	uint64_t counts; /* from one wrap to the next */
	const char *key; /* its frequency in /proc/cpuinfo */
	uint64_t (*read)(void);
};

/* That of this architecture, or NULL: 64 bits wide, or no counter at all. */
const struct cycle_counter *cycle_counter_here(void);

/*
 * Its frequency in Hz as text in the form of /proc/cpuinfo has it ("key<blanks>: 250000000 est.").
 * -ENODATA when there is none, -EINVAL when it is no number above 0.
 */
int cycle_counter_parse(const struct cycle_counter *counter, const char *cpuinfo, double *hz,
			struct err *err);

/* The same, as this machine says. */
int cycle_counter_frequency(const struct cycle_counter *counter, double *hz, struct err *err);

/* How long until it wraps, in ns, from a reading of `count`. */
double cycle_counter_left_ns(const struct cycle_counter *counter, double hz, uint64_t count);

#endif
