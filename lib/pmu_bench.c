// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a known loop costs while it is not observed, counted, sampled, and sampled with branch
 * records, on the machine it runs on: ns per round, one line a mode, the modes taking turns.
 * usage: pmu_bench [REPEATS]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "event.h"
#include "stats.h"
#include "unit.h"
#include "workload.h"

#define REPEATS 9
#define REPEATS_MAX 1000
#define ROUNDS 2000000
#define PERIOD 100003 /* instructions; prime */

static const struct mode {
	const char *name;
	bool counted;
	bool sampled;
	bool branches;
} modes[] = {
	{ "idle", false, false, false },
	{ "counting", true, false, false },
	{ "sampling", true, true, false },
	{ "lbr", true, true, true },
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

static int open_mode(struct event *event, const struct mode *mode, struct err *err)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int result;

	attr.exclude_kernel = 1;
	attr.sample_period = mode->sampled ? PERIOD : 0;
	attr.sample_type =
		mode->branches ? PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK : PERF_SAMPLE_IP;
	if (mode->branches)
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	result = event_open_self(event, &attr, err);
	return result ? result : event_enable(event, err);
}

/* Run the loop in one mode; ns per round, or -errno. */
static int measure(const struct mode *mode, const struct workload *work, double *ns,
		   struct err *err)
{
	struct event event = EVENT_CLOSED;
	int result = mode->counted ? open_mode(&event, mode, err) : 0;
	double start;

	if (result)
		return result;
	start = (double)clock_ns(CLOCK_MONOTONIC);
	work->run(ROUNDS);
	*ns = ((double)clock_ns(CLOCK_MONOTONIC) - start) / ROUNDS;
	event_close(&event);
	return 0;
}

static void print_mode(const struct mode *mode, const double *ns, size_t n)
{
	struct stats stats;

	if (!stats_summarise(&stats, ns, n, 0))
		printf("%-10s ns_per_round %.3f min %.3f max %.3f n %zu\n", mode->name, stats.p50,
		       stats.min, stats.max, n);
}

int main(int argc, char **argv)
{
	const struct workload *work = workload_find("branches");
	size_t repeats = REPEATS;
	double *ns;
	struct err err;

	if (argc > 2 || (argc == 2 && unit_parse_count(argv[1], 1, REPEATS_MAX, &repeats, &err))) {
		fprintf(stderr, "usage: pmu_bench [REPEATS]\n");
		return 2;
	}
	ns = calloc(MODES * repeats, sizeof(*ns));
	if (!ns) {
		fprintf(stderr, "pmu_bench: out of memory\n");
		return 2;
	}
	/* Once around for warmth; then modes take turns, so that a slow moment hits all of them. */
	for (size_t i = 0; i < (repeats + 1) * MODES; i++) {
		size_t slot = i / MODES, mode = i % MODES;

		if (measure(&modes[mode], work, &ns[mode * repeats + (slot ? slot - 1 : 0)],
			    &err)) {
			/* A machine without a PMU has the first line all the same. */
			ns[mode * repeats] = -1;
			continue;
		}
	}
	for (size_t mode = 0; mode < MODES; mode++) {
		if (ns[mode * repeats] < 0)
			printf("%-10s not here: %s\n", modes[mode].name, err.text);
		else
			print_mode(&modes[mode], ns + mode * repeats, repeats);
	}
	free(ns);
	return 0;
}
