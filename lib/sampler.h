/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SAMPLER_H
#define PMIPROOF_SAMPLER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpus.h"
#include "err.h"
#include "event.h"

/* A run of samples is looked at in this many equal slices of time, to see whether it went silent.
 */
#define SAMPLER_SLICES 4

/* What one CPU's ring said. */
struct sampler_cpu {
	struct event event;
	uint64_t samples;
	uint64_t lost; /* as told by LOST records */
	uint64_t throttled;
	uint64_t unthrottled;
	uint64_t disorder; /* THROTTLE while throttled, or UNTHROTTLE while not */
	bool is_throttled;
	uint64_t slice[SAMPLER_SLICES]; /* samples per slice of the run */
	uint64_t *times;		/* CLOCK_MONOTONIC ns of each sample, when wanted */
	size_t times_max, times_n;	/* samples beyond times_max are counted only */
};

/* Sampling of everything on a set of CPUs, with a thread that drains the rings. */
struct sampler {
	struct sampler_cpu *cpu; /* as many as cpus->n, in that order */
	size_t n;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC, of the time the events were enabled */
	uint64_t planned_ns;	   /* how long the run is meant to last, for the slices */
	pthread_t drainer;
	bool draining;
	volatile bool stop;
	int result;	/* of the drainer: a corrupt ring ends it */
	struct err err; /* why */
};

/*
 * Open `attr` on every CPU (times are added to its sample_type, on CLOCK_MONOTONIC), with rings of
 * `pages` data pages, keep up to times_max sample times per CPU, and enable. The drainer runs as
 * SCHED_FIFO 1 where that is permitted, so that what it watches cannot keep it from reading.
 *
 * Each event stops itself, in the kernel, after `limit` samples (PERF_EVENT_IOC_REFRESH): where
 * taking a sample costs more than the period, interrupts leave no time for anybody to stop it, and
 * the machine would be gone for good. `limit` is to be out of reach of a sound run.
 *
 * `sampler` is zeroed first. On error nothing stays open.
 */
int sampler_start(struct sampler *sampler, const struct perf_event_attr *attr,
		  const struct cpus *cpus, unsigned int pages, size_t times_max, int limit,
		  uint64_t planned_ns, struct err *err);

/* Disable, read the rings to their end. -errno when a ring was corrupt. Counts stay readable. */
int sampler_stop(struct sampler *sampler, struct err *err);

/* Close and free; safe after a failed start. */
void sampler_close(struct sampler *sampler);

/* Seconds that the events were enabled. */
double sampler_seconds(const struct sampler *sampler);

#endif
