// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: sampling cpu-clock at absurdly short periods on every CPU starves neither a worker nor
 * RCU, and the sample rate stays within kernel.perf_event_max_sample_rate.
 *
 * Mechanism: the kernel limits interrupts per tick (max_samples_per_tick) and stops an event that
 * exceeds them until the next tick: THROTTLE and UNTHROTTLE records tell. Without a working limit,
 * handling samples leaves no time for anything else; on an Alpha ES40 hardware sampling with period
 * 17 ended in starvation of the RCU grace-period thread and a machine that had to be reset by hand.
 *
 * The stimulus is bounded: each event stops itself after so many samples, so that a machine on
 * which a sample costs more than 10 us stalls for seconds, not for ever.
 *
 * On a broken kernel a rate far above the limit, a worker or RCU near zero progress against the
 * control period of 1 ms, throttled events that never come back (a silent quarter of the run), or
 * a stall in the kernel log are seen.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "burst.h"
#include "bystander.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "sampler.h"
#include "sysctl.h"

#define ROW_MS 1500
#define RING_PAGES 1024 /* 4 MiB: a second of samples at the kernel's shortest period of 10 us */
#define SAMPLES_MS 133	/* at most, per CPU: one per 10 us makes 100 */
#define LEFT_MIN 0.05	/* share of a CPU: less is next to nothing */
#define WORKER_MIN 0.1	/* %, unless the lab sets another: see the checks' origins */
#define RCU_MIN 1.0

static const struct setting {
	const char *row;
	uint64_t period_ns;
	long limit; /* samples/s; 0: as found */
} settings[] = {
	{ "control, 1000003 ns", 1000003, 0 },
	{ "10007 ns", 10007, 0 },
	{ "31 ns", 31, 0 },
	{ "17 ns", 17, 0 },
	{ "16 ns", 16, 0 },
	{ "1 ns", 1, 0 },
	{ "17 ns, limit 4096", 17, 4096 },
	{ "17 ns, limit 1024", 17, 1024 },
};

/* Progress per second of the control run, which the others are compared with. */
struct progress {
	uint64_t row_ns; /* how long each runs */
	double rounds, grace;
	double least_samples; /* of any row */
};

/* One run at one setting: sampling and bystanders together for so long. */
static int sample(const struct setting *setting, uint64_t ns, const struct cpus *cpus,
		  struct sampler *sampler, struct bystanders *all, struct err *err)
{
	const struct timespec length = { .tv_sec = (time_t)(ns / 1000000000),
					 .tv_nsec = (long)(ns % 1000000000) };
	struct perf_event_attr attr = event_attr_cpu_clock(setting->period_ns);
	int result;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	result = bystanders_start(all, cpus, 1, err);
	if (result)
		return result;
	result = sampler_start(sampler, &attr, cpus,
			       &(struct sampler_plan){ .pages = RING_PAGES,
						       .limit = (int)(ns / 1000000 * SAMPLES_MS),
						       .planned_ns = ns },
			       err);
	if (!result) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
		result = sampler_stop(sampler, err);
	}
	bystanders_stop(all);
	if (result) {
		sampler_close(sampler);
		bystanders_free(all);
	}
	return result;
}

/* Of the timers behind cpu-clock: 1, or the tick without high-resolution timers, as on Alpha. */
static uint64_t timer_resolution_ns(void)
{
	struct timespec resolution;

	clock_getres(CLOCK_MONOTONIC, &resolution);
	return (uint64_t)resolution.tv_sec * 1000000000 + (uint64_t)resolution.tv_nsec;
}

static void judge_cpu(struct run *run, const struct setting *setting,
		      const struct rate_limit *limit, double seconds, const struct sampler_cpu *cpu)
{
	double most = rate_limit_most(limit);
	char row[64];

	snprintf(row, sizeof(row), "%s, cpu %d", setting->row, cpu->event.cpu);
	run_figure(run, "samples", row, "samples", (double)cpu->samples, "1");
	run_figure(run, "samples", row, "lost", (double)cpu->lost, "1");
	run_figure(run, "samples", row, "throttle", (double)cpu->throttled, "1");
	run_figure(run, "samples", row, "unthrottle", (double)cpu->unthrottled, "1");
	/* A period that asks for no more than that cannot exceed it. */
	if (rate_limit_asked(setting->period_ns) > most)
		run_check_le(run, "rate_limit", row, (double)(cpu->samples + cpu->lost) / seconds,
			     most, "1/s");
	/* A lost record may have been a THROTTLE: then the order proves nothing. */
	if (!cpu->lost)
		run_check_eq(run, "throttle_pairs", row, (double)cpu->disorder, 0, "1");
	if (setting->limit &&
	    rate_limit_possible(setting->period_ns, timer_resolution_ns()) > (double)setting->limit)
		run_check_ge(run, "throttle_starts", row, (double)cpu->throttled, 1, "1");
	for (int i = 0; i < SAMPLER_SLICES; i++)
		run_check_ge(run, "keeps_coming", row, (double)cpu->slice[i], 1, "1");
}

static void judge_progress(struct run *run, const struct setting *setting, double seconds,
			   const struct bystanders *all, struct progress *control)
{
	const char *const labels[] = { "period", setting->row, NULL };
	double worker_min = WORKER_MIN, rcu_min = RCU_MIN;
	double rounds = 0, grace = (double)all->grace_total / seconds;

	run_bound(run, "worker_progress", &worker_min);
	run_bound(run, "rcu_progress", &rcu_min);
	for (size_t i = 0; i < all->n; i++)
		rounds += (double)all->worker[i].rounds / seconds;
	run_measure(run, &(struct measure){ .table = "RCU grace period",
					    .row = setting->row,
					    .name = "grace_period",
					    .unit = "ns",
					    .labels = labels,
					    .samples = all->grace_ns,
					    .n = all->grace_total < BYSTANDER_GRACE_MAX
							 ? all->grace_total
							 : BYSTANDER_GRACE_MAX });
	if (setting == settings)
		*control = (struct progress){ control->row_ns, rounds, grace, INFINITY };
	run_figure(run, "progress", setting->row, "worker rounds", rounds, "1/s");
	run_figure(run, "progress", setting->row, "grace periods", grace, "1/s");
	run_check_ge(run, "worker_progress", setting->row, 100 * rounds / control->rounds,
		     worker_min, "%");
	if (all->rcu)
		run_check_ge(run, "rcu_progress", setting->row, 100 * grace / control->grace,
			     rcu_min, "%");
}

/* Set the limit the setting asks for; tell which limit holds. */
static int set_limit(const struct setting *setting, long *limit, struct err *err)
{
	char text[32];
	int result = 0;

	if (setting->limit) {
		snprintf(text, sizeof(text), "%ld", setting->limit);
		result = sysctl_write(RATE_LIMIT_SYSCTL, text, err);
	}
	return result ? result : sysctl_read_long(RATE_LIMIT_SYSCTL, limit, err);
}

/*
 * Did the limit hold for the whole row? Lowered, the larger one is what the row is judged by.
 * Raised, by another program, as the kernel does not, nothing can be said.
 */
static bool limit_held(struct run *run, const struct setting *setting, struct rate_limit *limit)
{
	struct err err;

	if (sysctl_read_long(RATE_LIMIT_SYSCTL, &limit->after, &err)) {
		run_broken(run, "%s: %s", setting->row, err.text);
		return false;
	}
	if (limit->after > limit->before) {
		run_broken(run, "%s: another program raised %s from %ld to %ld meanwhile",
			   setting->row, RATE_LIMIT_SYSCTL, limit->before, limit->after);
		return false;
	}
	if (limit->after < limit->before)
		run_note(run,
			 "%s: %s was lowered from %ld to %ld meanwhile, by the kernel (hardware "
			 "events of somebody else) or another program; judged by the former",
			 setting->row, RATE_LIMIT_SYSCTL, limit->before, limit->after);
	return true;
}

static bool run_setting(struct run *run, const struct setting *setting, struct progress *control)
{
	const struct cpus *cpus = run_cpus(run);
	struct sampler sampler;
	struct bystanders all;
	struct rate_limit limit;
	double samples = 0;
	struct err err;
	bool held;

	run_progress(run, "period %s", setting->row);
	if (set_limit(setting, &limit.before, &err) ||
	    sample(setting, control->row_ns, cpus, &sampler, &all, &err)) {
		run_broken(run, "%s: %s", setting->row, err.text);
		return false;
	}
	held = limit_held(run, setting, &limit);
	for (size_t i = 0; held && i < sampler.n; i++) {
		judge_cpu(run, setting, &limit, sampler_seconds(&sampler), &sampler.cpu[i]);
		samples += (double)sampler.cpu[i].samples;
	}
	if (held) {
		judge_progress(run, setting, sampler_seconds(&sampler), &all, control);
		control->least_samples = fmin(control->least_samples, samples);
	}
	sampler_close(&sampler);
	bystanders_free(&all);
	return held && samples > 0;
}

/*
 * A look before the long rows, which a machine survives whatever a sample costs: does it leave any
 * time at the shortest period? Where not, the rows go on: that sampling starves all else is what
 * the claim denies.
 */
static bool look_ahead(struct run *run)
{
	const struct perf_event_attr attr = event_attr_cpu_clock(RATE_CLOCK_PERIOD_MIN_NS);
	const struct cpus *cpus = run_cpus(run);

	for (size_t i = 0; i < cpus->n; i++) {
		struct burst burst;
		struct err err;
		char row[32];

		snprintf(row, sizeof(row), "cpu %d", cpus->cpu[i]);
		if (burst_record(run, row, &burst, &attr, cpus->cpu[i], &err)) {
			run_broken(run, "burst, %s: %s", row, err.text);
			return false;
		}
		if (burst.left < LEFT_MIN)
			run_note(run,
				 "%s: a sample each %d us leaves %.1f %% of the CPU: what workers "
				 "do below says how much the limit throttles, and little else",
				 row, RATE_CLOCK_PERIOD_MIN_NS / 1000, 100 * burst.left);
	}
	return true;
}

static int run_short_periods(struct run *run)
{
	const size_t n = sizeof(settings) / sizeof(settings[0]);
	struct progress control = { 0 };
	size_t ms = ROW_MS;

	run_option_count(run, "row-ms", &ms);
	control.row_ns = ms * 1000000;
	if (!look_ahead(run))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!run_setting(run, &settings[i], &control))
			break;
	run_control(run, "samples in the row with fewest", control.least_samples, 0, "1");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_CPU_CLOCK },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "rate_limit",
	  .claim = "samples per second and CPU stay within the limit",
	  .origin =
		  "the limit + 2 per tick at HZ <= 1024: samples per tick are rounded up "
		  "(DIV_ROUND_UP) and the one that throttles is delivered; kernel/events/core.c" },
	{ .name = "throttle_starts",
	  .claim = "a limit far below the asked rate throttles",
	  .origin = "17 ns is raised to 10 us by perf_swevent_start_hrtimer(): 100,000/s asked, at "
		    "most 4096/s allowed",
	  .optional = true },
	{ .name = "throttle_pairs",
	  .claim = "THROTTLE and UNTHROTTLE records alternate",
	  .origin = "an event is throttled or it is not; kernel/events/core.c" },
	{ .name = "keeps_coming",
	  .claim = "no quarter of the run is without a sample",
	  .origin = "a throttled event resumes at the next tick; a quarter is 375 ms, or of a "
		    "row of --row-ms" },
	{ .name = "worker_progress",
	  .claim = "workers keep a share of what they do at the control period",
	  .origin =
		  "0.1 %: loose, as 100,000 samples/s may rightly take all but a few percent of a "
		  "slow CPU; starvation as reported left 0.03 %. A lab sets a higher one",
	  .bound_unit = "%" },
	{ .name = "rcu_progress",
	  .claim = "RCU grace periods keep a share of those at the control period",
	  .origin = "1 %: a starved grace-period thread completes none for seconds",
	  .optional = true,
	  .bound_unit = "%" },
	{ 0 },
};

static const struct klog_allow klog[] = {
	/* Hardware events of others (the NMI watchdog) may be slowed down by ours. */
	{ KLOG_THROTTLE, 100 },
	{ KLOG_NONE, 0 },
};

static const struct option_spec options[] = {
	{ .name = "row-ms",
	  .value = "MS",
	  .help = "how long each line of the table is measured (1500)",
	  .least = 100,
	  .most = 600000 },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "short_period_soft",
	.claim = "Sampling cpu-clock at absurdly short periods on every CPU starves neither a "
		 "worker "
		 "nor RCU, and the sample rate stays within kernel.perf_event_max_sample_rate.",
	.source = "alpha/perf: Enable duration-based sampling throttling (linux-alpha, period 17), "
		  "in software form",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = klog,
	.sysctls = rate_limit_sysctls,
	.options = options,
	.run = run_short_periods,
};
