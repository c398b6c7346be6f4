/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HANDLER_COST_H
#define PMIPROOF_HANDLER_COST_H

#include "handler_time.h"
#include "sampler.h"
#include "stats.h"

/*
 * What sampling costs: a sampler and a trace of the handler that takes the samples, over the same
 * time and on the same CPUs in the same order.
 */
struct handler_cost {
	struct handler_time time;
	struct sampler sampler;
};

/*
 * Sample `attr` for `ns` on the CPUs that cost->time was opened for, with the handler traced. Rings
 * of `pages`, at most `max` samples a CPU. -errno, also as of handler_time_complete(). Each success
 * or failure is followed by handler_cost_end() before the next.
 */
int handler_cost_observe(struct handler_cost *cost, const struct perf_event_attr *attr,
			 const struct cpus *cpus, uint64_t ns, unsigned int pages, size_t max,
			 struct err *err);
void handler_cost_end(struct handler_cost *cost);

/* Samples of all CPUs together. */
struct handler_cost_samples {
	double taken, lost;
	double matched; /* of those taken, in a traced interrupt; with HANDLER_NMI not looked for */
};

/*
 * Count samples, and with HANDLER_TIMER keep the spans of only those interrupts that took one.
 * Which did is known from the samples' times.
 */
struct handler_cost_samples handler_cost_match(struct handler_cost *cost);

/*
 * The share of a CPU's time, in %, that went into the spans kept: that of row `i` of both tables.
 * With HANDLER_TIMER samples that did not fit into the ring cannot be matched; they count with what
 * the others took on average.
 */
double handler_cost_share(const struct handler_cost *cost, size_t i);

/* Lengths in ns of the spans of all CPUs, newly allocated, *n of them. NULL without memory. */
double *handler_cost_lengths(const struct handler_cost *cost, size_t *n);

/*
 * What is added to the median of `base` to come to that of `stats`, and from the least to the most
 * that the confidence intervals of both medians leave room for. NAN where these are.
 */
struct handler_cost_added {
	double p50, low, high;
};
struct handler_cost_added handler_cost_added(const struct stats *stats, const struct stats *base);

#endif
