/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_STORM_REPORT_H
#define PMIPROOF_STORM_REPORT_H

#include "hypothesis.h"
#include "rate_limit.h"
#include "storm.h"

/* What a storm came to is read against this. */
struct storm_line {
	const char *row;
	uint64_t planned_ns;
	size_t from, to; /* CPUs that were sampled: numbers in the list of the bystanders */
	const struct bystanders *all;
	const struct bystander_lap *alone; /* without sampling */
	double percent;			   /* kernel.perf_cpu_time_max_percent */
	struct rate_band band;
};

/*
 * Record a storm as a line of the tables "samples" (of all events together), "left" (progress in %
 * of that without sampling), "RCU grace period" (the series) and "limit" (at the beginning, at each
 * quarter and at the end, the band, and what that leaves a sample of the time of handlers) and
 * "throttling" (how often in a second, in each quarter).
 */
void storm_report(struct run *run, const struct storm *storm, const struct storm_line *line);

#endif
