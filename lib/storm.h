/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_STORM_H
#define PMIPROOF_STORM_H

#include <stdint.h>

#include "bystander.h"
#include "err.h"
#include "sampler.h"

/*
 * Heavy sampling beside bystanders, watched by the calling thread: it sleeps, looks at
 * kernel.perf_event_max_sample_rate, and sleeps again, which is the main loop that a starved
 * machine would no longer run.
 */
struct storm {
	/* Results: */
	struct sampler sampler; /* with no targets: nothing was sampled */
	struct bystander_lap lap;
	double seconds; /* from before sampling began until it had ended */
	uint64_t looks;
	double longest_ns;	   /* from one look to the next */
	long before, after, least; /* the limit, samples per second */
	long at[SAMPLER_SLICES];   /* as last seen in each slice of the planned time */
	/* Called at each look, when there is one. */
	void (*look)(struct storm *storm, void *context);
	void *context;
};

/* The most looks in a second, and the least in a storm of whatever length. */
#define STORM_LOOKS_PER_S 100
#define STORM_LOOKS_MIN 20

/* Looks of a storm that was planned so long and was not held up. */
uint64_t storm_looks(uint64_t planned_ns);

/*
 * Sample `n` targets (0: none) by `plan`, for plan->planned_ns, beside `all`. storm->look and
 * ->context are the caller's, all else is set here. 0, or -errno: then nothing goes on. Each
 * success or failure is followed by storm_free().
 */
int storm_run(struct storm *storm, const struct sampler_target *targets, size_t n,
	      const struct sampler_plan *plan, const struct bystanders *all, struct err *err);
void storm_free(struct storm *storm);

#endif
