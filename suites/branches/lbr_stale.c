// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: the branch stack of a sample is of the moment of the sample, also when a counter overflows
 * while the PMI handler still runs.
 *
 * Mechanism: an overflow freezes the last branch records, and the handler unfreezes them when it
 * acknowledges the status. Where it starts the counters again before it unmasks the local APIC's
 * vector, a counter with a short period may overflow in between: the PMI of that overflow is
 * dropped, and the records stay frozen until the next PMI. All that time the program runs on, and
 * the next sample has the branches of long ago.
 *
 * On a broken kernel or CPU some samples show branches of code that the program left long before,
 * or none at all. The program visits sixteen regions of code in a cycle: of the branches in a
 * stack, the newest in any region must be of the region that the sample is in, or of the one
 * before, where a sample with skid may end up. Nothing here depends on how large the skid is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "drain.h"
#include "event.h"
#include "freshness.h"
#include "hypothesis.h"
#include "lbr_freeze.h"
#include "rate_limit.h"
#include "regions.h"
#include "stats.h"

#define RING_PAGES 64
#define LAPS_SKIPPED 4 /* after enabling: the first samples rightly find few branches or none */
#define LAPS_PART 128  /* between two readings of the ring, which holds 300 deep stacks */
#define STALE_MAX 2
#define WANTED 2600
#define POWER_MIN 70.0
#define INJECTIONS 40
#define INJECTIONS_MIN 50.0

/* A way to sample. The counter overflows in the handler only where that itself is counted. */
static const struct mode {
	const char *check, *row;
	uint64_t period, frequency; /* one of them */
	unsigned int openings;
	uint64_t ns;	 /* CPU time of an opening, at the most */
	uint64_t wanted; /* samples judged, after which an opening ends; 0: none */
	double floor;	 /* as many must be judged in all */
} modes[] = {
	{ "long_period", "every 100003 cycles", 100003, 0, 1, 10000000000, WANTED, 2499 },
	{ "short_period", "every 10007 cycles", 10007, 0, 1, 10000000000, WANTED, 2499 },
	{ "adaptive", "4 kHz, opened anew", 0, 4000, 60, 5000000, 0, 299 },
};

/* A sampling that is going on. */
struct sampling {
	struct event event;
	struct freshness_tally *tally;
	struct drained drained;
	uint32_t seed;
	uint64_t seen;	/* samples handed over */
	uint64_t limit; /* take only so many of them */
};

static struct perf_event_attr mode_attr(const struct mode *mode)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.exclude_hv = 1;
	attr.freq = !!mode->frequency;
	if (attr.freq) {
		attr.sample_freq = mode->frequency;
		return attr;
	}
	attr.sample_period = mode->period;
	attr.exclude_kernel = 1;
	return attr;
}

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct sampling *sampling = context;

	(void)misc;
	if (sampling->seen++ < sampling->limit)
		freshness_take(sampling->tally, sample);
}

static void laps(struct sampling *sampling, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		regions_lap(&sampling->seed);
}

/* Open, and get past the first samples. */
static int sampling_start(struct sampling *sampling, const struct mode *mode, struct err *err)
{
	struct perf_event_attr attr = mode_attr(mode);
	struct drained skipped = { 0 };
	int result = event_open_self(&sampling->event, &attr, err);

	if (!result)
		result = event_map(&sampling->event, RING_PAGES, false, err);
	if (!result)
		result = event_enable(&sampling->event, err);
	if (result)
		return result;
	laps(sampling, LAPS_SKIPPED);
	return event_drain(&sampling->event, &skipped, NULL, NULL, err);
}

static int part(struct sampling *sampling, unsigned int n, struct err *err)
{
	laps(sampling, n);
	return event_drain(&sampling->event, &sampling->drained, take, sampling, err);
}

static int opening(struct sampling *sampling, const struct mode *mode, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + mode->ns;
	int result = sampling_start(sampling, mode, err);

	while (!result && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end &&
	       (!mode->wanted || sampling->tally->judged < mode->wanted))
		result = part(sampling, LAPS_PART, err);
	event_close(&sampling->event);
	return result;
}

static void report(struct run *run, const struct mode *mode, const struct sampling *sampling)
{
	const struct freshness_tally *tally = sampling->tally;
	double power = stats_percent(tally->noticed, tally->paired);
	double hits = (double)(tally->stale + tally->empty);
	char name[64];

	run_figure(run, "branch stacks", mode->row, "judged", (double)tally->judged, "1");
	run_figure(run, "branch stacks", mode->row, "stale", (double)tally->stale, "1");
	run_figure(run, "branch stacks", mode->row, "empty", (double)tally->empty, "1");
	run_figure(run, "branch stacks", mode->row, "repeated", (double)tally->repeated, "1");
	run_figure(run, "branch stacks", mode->row, "elsewhere", (double)tally->elsewhere, "1");
	run_figure(run, "branch stacks", mode->row, "lost", (double)sampling->drained.lost, "1");
	if (tally->judged && power > 0)
		run_figure(run, "branch stacks", mode->row, "stale by power",
			   100 * stats_percent(tally->stale + tally->empty, tally->judged) / power,
			   "%");
	snprintf(name, sizeof(name), "samples, %s", mode->row);
	if (!run_control(run, name, (double)tally->judged, mode->floor, "1"))
		return;
	snprintf(name, sizeof(name), "power, %s", mode->row);
	if (run_control(run, name, power, POWER_MIN, "%"))
		run_check_le(run, mode->check, mode->row, hits, STALE_MAX, "1");
}

static void sample_mode(struct run *run, const struct mode *mode)
{
	struct freshness_tally tally = { .regions = &regions };
	struct sampling sampling = { .event = EVENT_CLOSED, .tally = &tally, .limit = UINT64_MAX };
	struct err err;

	for (unsigned int i = 0; i < mode->openings; i++) {
		if (opening(&sampling, mode, &err)) {
			run_broken(run, "%s: %s", mode->row, err.text);
			return;
		}
	}
	report(run, mode, &sampling);
}

/* Freeze the records and judge the one sample after that. */
static int inject(struct sampling *sampling, int fd, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 1000000000;
	int result = lbr_freeze(fd, true, err);

	sampling->seen = 0;
	while (!result && !sampling->seen && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		result = part(sampling, 1, err);
	return result;
}

static void report_injections(struct run *run, const struct freshness_tally *tally)
{
	run_figure(run, "injections", "frozen", "judged", (double)tally->judged, "1");
	run_figure(run, "injections", "frozen", "stale", (double)tally->stale, "1");
	run_control(run, "frozen records noticed",
		    stats_percent(tally->stale + tally->empty, tally->judged), INJECTIONS_MIN, "%");
}

/* Positive control: records that are left from before for certain are noticed. */
static void control_injection(struct run *run, int fd)
{
	struct freshness_tally tally = { .regions = &regions };
	struct sampling sampling = { .event = EVENT_CLOSED, .tally = &tally, .limit = 1 };
	struct err err;
	int result = sampling_start(&sampling, &modes[0], &err);

	for (int i = 0; !result && i < INJECTIONS; i++)
		result = inject(&sampling, fd, &err);
	event_close(&sampling.event);
	if (!result)
		report_injections(run, &tally);
	else
		run_note(run, "records were not frozen on purpose: %s", err.text);
	if (lbr_freeze(fd, false, &err) && !result)
		run_broken(run, "%s", err.text);
}

static void try_injection(struct run *run)
{
	const char *option = run_option(run, "inject");
	struct err err;
	int fd;

	if (option ? !strcmp(option, "no") : !lbr_freeze_harmless()) {
		run_note(run, "records were not frozen on purpose: writing an MSR taints the "
			      "kernel; --inject=yes does it");
		return;
	}
	fd = lbr_freeze_open(run_cpus(run)->cpu[0], &err);
	if (fd < 0) {
		run_note(run, "records were not frozen on purpose: %s", err.text);
		return;
	}
	control_injection(run, fd);
	close(fd);
}

static int run_lbr_stale(struct run *run)
{
	struct perf_event_attr attr = mode_attr(&modes[0]);
	struct err err;

	if (!regions.n)
		return run_skip(run, "no regions of code for this architecture");
	if (cpus_pin(run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (event_probe(&attr, &err))
		return run_skip(run, "CPU %d: %s", run_cpus(run)->cpu[0], err.text);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		run_progress(run, "%s", modes[i].row);
		sample_mode(run, &modes[i]);
	}
	run_progress(run, "injection");
	try_injection(run);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT }, /* counts the kernel */
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

/* The same bound for all ways to sample. */
#define ORIGIN                                                                                    \
	"none is right; 2 for what a busy machine may do just as its task is switched in, where " \
	"the records start empty. "

/* Binomial: 1 - P(at most 2) with the number of stacks and the power that are demanded. */
#define ORIGIN_FIXED                                                                             \
	ORIGIN "Of 2500 stacks of a kernel with 0.5 % stale ones, three are found in 99 of 100 " \
	       "runs"

static const struct check checks[] = {
	{ .name = "long_period",
	  .claim = "no stale or empty branch stacks at a long fixed period",
	  .origin = ORIGIN_FIXED },
	{ .name = "short_period",
	  .claim = "nor at a short fixed period, the handler not counted",
	  .origin = ORIGIN_FIXED },
	{ .name = "adaptive",
	  .claim = "nor while the kernel finds the period for a frequency, its own code counted",
	  .origin = ORIGIN "Where a period starts at 1 one in thirty is empty: of 300 stacks three "
			   "in 99 of 100 runs" },
	{ 0 },
};

static const char *const yes_no[] = { "yes", "no", NULL };

static const struct option_spec options[] = {
	{ .name = "inject",
	  .value = "yes|no",
	  .help = "freeze the records on purpose as a control; taints the kernel (default: no, but "
		  "yes on an emulated CPU)",
	  .words = yes_no },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lbr_stale",
	.claim = "The branch stack of a sample is of the moment of the sample, also when a counter "
		 "overflows while the PMI handler still runs.",
	.source = "Andi Kleen, \"x86, perf: Use a new PMU ack sequence on Skylake\"",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.options = options,
	.run = run_lbr_stale,
};
