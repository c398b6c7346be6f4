// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: no wake-up comes before its deadline and none is missing; where the lab sets a bound, the
 * longest warm one stays within it.
 *
 * Mechanism: a timer interrupt has to be delivered to the CPU, leave its idle state, pass through a
 * hypervisor if there is one, and get the sleeping task to run. Clock event devices that are
 * programmed for too little, clocks that differ between CPUs, interrupt controllers (virtual ones
 * above all) that drop or defer a pending interrupt, and idle states in which the timer stops all
 * show in this one figure.
 *
 * On a broken machine a wake-up precedes its deadline (negative minimum), a deadline is answered
 * never, twice or only when the next timer fires, or warm_max leaves the range of the rows beside
 * it. The rows vary what the latency is made of: policy (the wait for the scheduler), idle states
 * (the way out of idle; forbidding them is the native counterpart of Xen's vwfi=native against
 * vwfi=trap), and load. max includes the first, cold, wake-ups; warm_max leaves out two of them, as
 * the tool does that the vGIC series was measured with.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "dma_latency.h"
#include "hypothesis.h"
#include "load.h"
#include "placement.h"
#include "stats.h"
#include "wakeup.h"

#define WARM_SKIP 2
#define ROUNDS 1500	  /* 2 s a row; below 1000 p99.9 is nothing but the maximum */
#define ROUNDS_MAX 100000 /* 2 minutes a row */
#define ROWS 8		  /* 2 policies x idle states allowed or not x load or none */
#define FIFO_PRIORITY 80  /* above threaded interrupts (50), below the kernel's own at 99 */
#define CLOCK_READS 10000

/* PM_QOS_CPU_LATENCY_DEFAULT_VALUE of include/linux/pm_qos.h: nobody asked for less. */
#define IDLE_UNRESTRICTED_US 2000000000

/* What differs between rows. */
struct condition {
	bool fifo;
	bool idle_forbidden;
	bool loaded;
};

/* What the whole run shares. */
struct bench {
	struct run *run;
	struct cpus cpu; /* the one measured */
	struct wakeup_source source;
	struct wakeup_plan plan;
	double resolution;
	bool available; /* the rows that can be measured are enough */
	bool bounded;
	double bound;
	size_t answered;
	size_t missing; /* rows that could not be measured ... */
	char why[256];	/* ... the first of them, because */
	bool dead; /* a series was given up: the timer does not work, more rows only cost time */
};

/* Record what became of a row's deadlines, and judge it. */
static void judge(struct bench *bench, const struct condition *condition, const char *row,
		  const struct wakeup_series *series)
{
	const char *const labels[] = {
		"policy", condition->fifo ? "fifo" : "other",
		"idle",	  condition->idle_forbidden ? "forbidden" : "allowed",
		"load",	  condition->loaded ? "stress-ng" : "none",
		NULL
	};
	struct stats stats = { .warm_max = NAN };

	run_measure(bench->run,
		    &(struct measure){ .table = "wake-up latency",
				       .row = row,
				       .name = "latency",
				       .unit = "ns",
				       .columns = "max warm_max min avg ewma stddev p50 p99 p999 n",
				       .labels = labels,
				       .resolution = bench->resolution,
				       .warm_skip = WARM_SKIP,
				       .samples = series->latency,
				       .n = series->n });
	bench->answered += series->answered;
	bench->dead = series->programmed < bench->plan.rounds;
	run_check_eq(bench->run, "no_early_wakeup", row, (double)series->early, 0, "1");
	run_check_eq(bench->run, "none_missing", row, (double)series->answered,
		     (double)series->programmed, "1");
	/* Under load SCHED_OTHER waits for its turn by design; no lab bounds that. */
	if (!bench->bounded || (condition->loaded && !condition->fifo))
		return;
	(void)stats_summarise(&stats, series->latency, series->n, WARM_SKIP);
	run_check_le(bench->run, "warm_max", row, stats.warm_max, bench->bound, "ns");
}

/* Rows that cannot be measured here, which the claim is about all the same. */
static void miss_rows(struct bench *bench, size_t rows, const char *which, const struct err *err)
{
	run_note(bench->run, "not measured: %s: %s", which, err->text);
	if (!bench->missing)
		snprintf(bench->why, sizeof(bench->why), "%s: %s", which, err->text);
	bench->missing += rows;
}

/* Forbid idle states and set the policy, as the row asks. 0, or -errno; *idle is to be released. */
static int enter(const struct condition *condition, int *idle, struct err *err)
{
	int result;

	*idle = condition->idle_forbidden ? dma_latency_hold(0, err) : -1;
	if (condition->idle_forbidden && *idle < 0)
		return *idle;
	result = placement_policy(condition->fifo ? SCHED_FIFO : SCHED_OTHER,
				  condition->fifo ? FIFO_PRIORITY : 0, err);
	if (result)
		dma_latency_release(*idle);
	return result;
}

static void measure_row(struct bench *bench, const struct condition *condition)
{
	struct wakeup_series series;
	struct err err;
	char row[64];
	int idle;

	snprintf(row, sizeof(row), "%s, idle %s, %s", condition->fifo ? "fifo" : "other",
		 condition->idle_forbidden ? "forbidden" : "allowed",
		 condition->loaded ? "stress-ng" : "no load");
	run_progress(bench->run, "%s", row);
	if (enter(condition, &idle, &err)) {
		miss_rows(bench, 1, row, &err);
		return;
	}
	if (wakeup_measure(&series, &bench->plan, &bench->source, &err))
		run_broken(bench->run, "%s: %s", row, err.text);
	else
		judge(bench, condition, row, &series);
	dma_latency_release(idle);
	wakeup_free(&series);
}

/* The four rows without load, or those with it. */
static void measure_rows(struct bench *bench, bool loaded)
{
	struct load load = { 0 };
	struct err err;

	if (loaded && load_start(&load, &bench->cpu, &err)) {
		miss_rows(bench, ROWS / 2, "all rows with load", &err);
		return;
	}
	for (unsigned int i = 0; i < ROWS / 2 && !bench->dead; i++)
		measure_row(bench, &(struct condition){ .fifo = i & 1,
							.idle_forbidden = i & 2,
							.loaded = loaded });
	if (loaded && !load_running(&load))
		run_broken(bench->run, "the load ended before the rows that it was for");
	load_stop(&load);
}

/* Say under what conditions the rows are measured. */
static void note_conditions(struct bench *bench)
{
	int32_t allowed;
	struct err err;

	run_note(bench->run,
		 "CPU %d, the last of those to use; %zu deadlines a row, 1 to 1.5 ms apart (dither "
		 "seed %lu); timerfd on CLOCK_MONOTONIC",
		 bench->cpu.cpu[0], bench->plan.rounds, bench->plan.seed);
	if (!dma_latency_read(&allowed, &err) && allowed < IDLE_UNRESTRICTED_US)
		run_note(bench->run,
			 "idle states with exit latencies above %d us are held off by someone "
			 "else, also in the rows \"idle allowed\"",
			 (int)allowed);
	if (mlockall(MCL_CURRENT | MCL_FUTURE)) {
		err_set(&err, errno, "mlockall");
		run_note(bench->run, "memory is not locked, page faults may count: %s", err.text);
	}
}

static void measure(struct bench *bench)
{
	struct err err;

	bench->bounded = run_bound(bench->run, "warm_max", &bench->bound);
	bench->resolution = stats_clock_resolution(CLOCK_MONOTONIC, CLOCK_READS);
	if (!run_control(bench->run, "clock_resolution", bench->resolution, 0, "ns"))
		return;
	if (wakeup_source_open(&bench->source, &err)) {
		run_broken(bench->run, "%s", err.text);
		return;
	}
	note_conditions(bench);
	measure_rows(bench, false);
	if (!bench->dead)
		measure_rows(bench, true);
	else
		run_note(bench->run, "the remaining rows are left out");
	wakeup_source_close(&bench->source);
	run_control(bench->run, "wakeups", (double)bench->answered, 0, "1");
	/* What was measured may refute the claim, but cannot be said to hold it up. */
	if (bench->missing && !bench->available)
		run_skip(bench->run,
			 "%zu of %d rows could not be measured (--rows=available judges the others "
			 "alone): %s",
			 bench->missing, ROWS, bench->why);
}

static int run_latency(struct run *run)
{
	const struct cpus *cpus = run_cpus(run);
	const char *rows = run_option(run, "rows");
	struct bench bench = {
		.run = run,
		.cpu = { .n = 1, .cpu = { cpus->cpu[cpus->n - 1] } },
		.plan = { .rounds = ROUNDS, .interval = 1000000, .dither = 500000, .seed = 4 },
	};
	struct placement placement;
	struct err err;

	run_option_count(run, "rounds", &bench.plan.rounds);
	bench.available = rows && !strcmp(rows, "available");
	if (placement_pin(&placement, bench.cpu.cpu[0], &err))
		return run_broken(run, "%s", err.text);
	measure(&bench);
	(void)munlockall();
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

const struct hypothesis hypothesis = {
	.name = "irq_latency",
	.claim = "No wake-up comes before its deadline and none is missing, "
		 "whatever the policy, idle states and load.",
	.source = "xen-devel, \"[RFC v2 00/16] Old GIC (gic-vgic) optimizations for GICV2\", "
		  "A. Anisov, 2019-01-16: max, warm_max, min, avg per scheduler and vwfi",
	.danger = DANGER_SAFE,
	/* 16 s; two unanswered deadlines in each of the eight rows cost 80 s more. */
	.budget_s = 120,
	.checks =
		(const struct check[]){
			{ .name = "no_early_wakeup",
			  .claim = "no wake-up precedes its deadline on the deadline's own clock",
			  .origin = "timerfd_settime(2): a timer expires no sooner than its time" },
			{ .name = "none_missing",
			  .claim = "each deadline brings exactly one expiration within 5 s",
			  .origin = "a one-shot timer expires once; 5 s is 3000 distances, "
				    "loose so that only a lost interrupt exceeds it" },
			{ .name = "warm_max",
			  .claim = "the longest warm latency of each row stays within the "
				   "lab's bound (not asked of SCHED_OTHER under load)",
			  .origin = "--bound, set by the lab",
			  .optional = true,
			  .bound_unit = "ns" },
			{ 0 } },
	.options =
		(const struct option_spec[]){
			{ .name = "rounds",
			  .value = "N",
			  .help = "deadlines per row (1500)",
			  .least = WARM_SKIP + 1,
			  .most = ROUNDS_MAX },
			{ .name = "rows",
			  .value = "all|available",
			  .words = (const char *const[]){ "all", "available", NULL },
			  .help = "all: skip if one cannot be measured; available: do without it "
				  "(all)" },
			{ 0 } },
	.run = run_latency,
};
