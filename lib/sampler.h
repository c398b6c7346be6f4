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

/* What the ring of one event said: of a CPU, or of a task. */
struct sampler_cpu {
	struct event event;
	uint64_t samples;
	uint64_t lost; /* as told by LOST records */
	uint64_t throttled;
	uint64_t unthrottled;
	uint64_t disorder; /* THROTTLE while throttled, or UNTHROTTLE while not */
	bool is_throttled;
	uint64_t slice[SAMPLER_SLICES]; /* samples per slice of the run */
	uint64_t throttled_slice[SAMPLER_SLICES];
	uint64_t *times;	   /* CLOCK_MONOTONIC ns of each sample, when wanted */
	size_t times_max, times_n; /* samples beyond times_max are counted only */
};

/* Sampling on a set of CPUs or of tasks, with a thread that drains the rings. */
struct sampler {
	struct sampler_cpu *cpu; /* one for each target, in that order */
	size_t n;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC, of the time the events were enabled */
	uint64_t planned_ns;	   /* how long the run is meant to last, for the slices */
	pthread_t drainer;
	bool draining;
	volatile bool stop;
	int result;	/* of the drainer: a corrupt ring ends it */
	struct err err; /* why */
};

/* One event of a sampler. */
struct sampler_target {
	struct perf_event_attr attr;
	int cpu;   /* -1: wherever the task runs */
	pid_t tid; /* -1: everything on the CPU */
};

/* How a sampler samples. */
struct sampler_plan {
	unsigned int pages; /* of each ring; a power of two */
	size_t times_max;   /* sample times that are kept, for each event */
	/*
	 * Each event stops itself, in the kernel, after so many samples
	 * (PERF_EVENT_IOC_REFRESH), out of reach of a sound run: where taking a sample costs more
	 * than the period, interrupts leave no time for anybody to stop it, and the machine would
	 * be gone for good. 0: it does not.
	 */
	int limit;
	uint64_t planned_ns; /* how long the run is meant to last, for the slices */
};

/*
 * Open an event for each target (times are added to its sample_type, on CLOCK_MONOTONIC), in that
 * order, and enable all. The drainer runs as SCHED_FIFO 1 where that is permitted, so that what it
 * watches cannot keep it from reading.
 *
 * `sampler` is zeroed first. On error nothing stays open.
 */
int sampler_start_targets(struct sampler *sampler, const struct sampler_target *targets, size_t n,
			  const struct sampler_plan *plan, struct err *err);

/* The same with one target for each CPU: everything on it. */
int sampler_start(struct sampler *sampler, const struct perf_event_attr *attr,
		  const struct cpus *cpus, const struct sampler_plan *plan, struct err *err);

/* Disable, read the rings to their end. -errno when a ring was corrupt. Counts stay readable. */
int sampler_stop(struct sampler *sampler, struct err *err);

/* Close and free; safe after a failed start. */
void sampler_close(struct sampler *sampler);

/* Seconds that the events were enabled. */
double sampler_seconds(const struct sampler *sampler);

#endif
