// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: sampling hardware counters at absurdly short periods (16, 17, 31) leaves the machine
 * usable: neither a task nor RCU starves, and the kernel brings kernel.perf_event_max_sample_rate
 * down to what the handler's cost and kernel.perf_cpu_time_max_percent imply.
 *
 * Mechanism: with such a period the next PMI is due as soon as the last one has been handled. What
 * leaves time for anything else is that the kernel stops an event that had its samples of the tick,
 * max_sample_rate / HZ; and that these are few enough because it times its handler and lowers the
 * rate until handlers take their percentage. An architecture that does not tell the core how long
 * its handler took (perf_sample_event_took()), or tells it wrongly, spends each tick on PMIs.
 *
 * On a broken kernel the machine stops in the first rows with such a period; or what goes on beside
 * the sampling comes to next to nothing, or the limit ends far from where it has to.
 *
 * Before these come rows with period 10007, and with a limit so low that it needs no lowering: what
 * they say is recorded before anything may stop.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burst.h"
#include "hypothesis.h"
#include "placement.h"
#include "rate_limit.h"
#include "storm.h"
#include "storm_report.h"
#include "sysctl.h"
#include "wrap_watch.h"

#define PERCENT 25   /* as in the report, and the kernel's default */
#define LIMIT 100000 /* too */

#define ROW_MS 1000
#define WARM_UP_NS 500000000 /* or as long as ten rows */
/* 131,000 samples of 32 bytes, more than come in a row: lost ones would cost less than these. */
#define RING_BYTES (4L << 20)
#define BURST_PERIOD 10007
/* Of a burst and of a row: a hypervisor may take the CPU away meanwhile, also from a handler. */
#define BURSTS 3
#define TRIES 3
#define IN_TURN_MAX 8	/* CPUs that are sampled one after the other */
#define LATE 3		/* a row that takes so many times as long as it should, ... */
#define SET_UP_NS 250e6 /* ... and this for opening and closing its events, is the last one */
#define PROGRESS_MIN 5.0
#define STALL_MAX_NS 10e9
#define WRAPS 4 /* one in three finds no handler running (lib/wrap_watch.c); one hit is enough */

enum { CYCLES, INSTRUCTIONS, EVENTS };

static const struct {
	const char *name;
	uint64_t config;
} events[EVENTS] = {
	[CYCLES] = { "cycles", PERF_COUNT_HW_CPU_CYCLES },
	[INSTRUCTIONS] = { "instructions", PERF_COUNT_HW_INSTRUCTIONS },
};

/* From harmless to dangerous, of short periods that of the report first; each for cycles and for
 * instructions. */
static const struct step {
	uint64_t period;
	long limit; /* samples/s when it begins */
	enum { TASK, FIRST_CPU, IN_TURN, ALL_CPUS } where;
	bool both; /* both events at once, in place of one after the other */
} steps[] = {
	{ .period = BURST_PERIOD, .limit = LIMIT, .where = TASK },
	{ .period = BURST_PERIOD, .limit = LIMIT, .where = FIRST_CPU },
	{ .period = 17, .limit = 1024, .where = FIRST_CPU },
	{ .period = 17, .limit = 4096, .where = FIRST_CPU },
	{ .period = 17, .limit = LIMIT, .where = TASK },
	{ .period = 31, .limit = LIMIT, .where = TASK },
	{ .period = 16, .limit = LIMIT, .where = TASK },
	{ .period = 17, .limit = LIMIT, .where = IN_TURN },
	{ .period = 31, .limit = LIMIT, .where = IN_TURN },
	{ .period = 16, .limit = LIMIT, .where = IN_TURN },
	{ .period = 17, .limit = LIMIT, .where = ALL_CPUS },
	{ .period = 17, .limit = LIMIT, .where = ALL_CPUS, .both = true },
};

struct experiment {
	struct run *run;
	struct cpus cpus; /* those whose PMU has cycles */
	struct bystanders all;
	struct bystander_lap alone; /* what they do without sampling */
	bool has[EVENTS];
	struct rate_cost cost[EVENTS];
	struct sampler_plan plan; /* of an ordinary row */
	double least_samples;	  /* of any row */
};

/* A line of the table. */
struct row {
	struct sampler_plan plan;
	struct wrap_watch *wraps; /* NULL: an ordinary row */
	const struct step *step;
	unsigned int events; /* bit mask */
	size_t from, to;     /* CPUs: indexes into experiment->cpus, `to` not included */
	char name[96];
};

static struct perf_event_attr event_of(int event, uint64_t period)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, events[event].config);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	return attr;
}

static void name_row(const struct experiment *experiment, struct row *row)
{
	const struct step *step = row->step;
	const char *name = row->events == 1U << CYCLES	       ? events[CYCLES].name
			   : row->events == 1U << INSTRUCTIONS ? events[INSTRUCTIONS].name
							       : "cycles and instructions";
	char where[32], more[64] = "";

	if (step->where == TASK)
		snprintf(where, sizeof(where), "task");
	else if (row->to - row->from > 1)
		snprintf(where, sizeof(where), "all CPUs");
	else
		snprintf(where, sizeof(where), "cpu %d", experiment->cpus.cpu[row->from]);
	if (step->limit != LIMIT)
		snprintf(more, sizeof(more), ", limit %ld", step->limit);
	if (row->wraps)
		snprintf(more, sizeof(more), ", beyond wraps of %s", row->wraps->counter->name);
	snprintf(row->name, sizeof(row->name), "%s, %llu, %s%s", name,
		 (unsigned long long)step->period, where, more);
}

/* What a sample of the row costs: with two events a PMI may have to handle both. */
static struct rate_cost cost_of(const struct experiment *experiment, const struct row *row)
{
	struct rate_cost cost = { INFINITY, 0 };

	for (int event = 0; event < EVENTS; event++)
		if (row->events & 1U << event) {
			cost.least_ns = fmin(cost.least_ns, experiment->cost[event].least_ns);
			cost.most_ns += experiment->cost[event].most_ns;
		}
	return cost;
}

static void judge_samples(struct experiment *experiment, const struct row *row,
			  const struct storm *storm)
{
	const struct sampler *sampler = &storm->sampler;
	struct run *run = experiment->run;

	for (size_t i = 0; i < sampler->n; i++) {
		const struct sampler_cpu *one = &sampler->cpu[i];

		/* An event of a task begins anew with each switch to it. */
		if (row->step->where != TASK)
			run_check_le(
				run, "rate_limit", row->name, (double)(one->samples + one->lost),
				rate_limit_samples(storm->before, sampler_seconds(sampler)), "1");
		if (row->step->limit != LIMIT)
			run_check_ge(run, "throttle_starts", row->name, (double)one->throttled, 1,
				     "1");
		for (int slice = 0; !row->plan.limit && slice < SAMPLER_SLICES; slice++)
			run_check_ge(run, "keeps_coming", row->name, (double)one->slice[slice], 1,
				     "1");
		experiment->least_samples = fmin(experiment->least_samples, (double)one->samples);
	}
}

static void judge_progress(const struct experiment *experiment, const struct row *row,
			   const struct storm *storm)
{
	const struct bystander_lap *lap = &storm->lap, *alone = &experiment->alone;
	const struct bystanders *all = &experiment->all;
	struct run *run = experiment->run;

	for (size_t kind = 0; kind < BYSTANDER_KINDS; kind++)
		run_check_ge(run, "worker_progress", row->name,
			     bystander_lap_left(lap, alone, all, kind, row->from, row->to),
			     PROGRESS_MIN, "%");
	if (all->rcu)
		run_check_ge(run, "rcu_progress", row->name,
			     100 * lap->grace_rate / alone->grace_rate, PROGRESS_MIN, "%");
	run_check_le(run, "no_stall", row->name, storm->longest_ns, STALL_MAX_NS, "ns");
}

static void judge_limit(struct run *run, const struct row *row, long limit,
			const struct rate_band *band)
{
	/* What asks for less than the cost implies need not lower it. */
	if (row->step->period == BURST_PERIOD || row->step->limit != LIMIT)
		return;
	run_check_le(run, "limit_comes_down", row->name, (double)limit, band->high, "1/s");
	run_check_ge(run, "limit_stays_up", row->name, (double)limit, band->low, "1/s");
}

static void judge(struct experiment *experiment, const struct row *row, const struct storm *storm,
		  const struct rate_band *band)
{
	storm_report(experiment->run, storm,
		     &(struct storm_line){ .row = row->name,
					   .planned_ns = row->plan.planned_ns,
					   .from = row->from,
					   .to = row->to,
					   .all = &experiment->all,
					   .alone = &experiment->alone,
					   .percent = PERCENT,
					   .band = *band });
	judge_samples(experiment, row, storm);
	judge_progress(experiment, row, storm);
	judge_limit(experiment->run, row, storm->after, band);
}

static size_t set_targets(const struct experiment *experiment, const struct row *row,
			  struct sampler_target *targets)
{
	const bool task = row->step->where == TASK;
	size_t n = 0;

	for (size_t cpu = row->from; cpu < row->to; cpu++)
		for (int event = 0; event < EVENTS; event++)
			if (row->events & 1U << event)
				targets[n++] = (struct sampler_target){
					.attr = event_of(event, row->step->period),
					.cpu = task ? -1 : experiment->cpus.cpu[cpu],
					.tid = task ? bystanders_worker(&experiment->all, cpu,
									BYSTANDER_COMPUTES)
							       ->tid
						    : -1,
				};
	return n;
}

static int write_number(const char *name, long value, struct err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	return sysctl_write(name, text, err);
}

static int observe(const struct experiment *experiment, const struct row *row, struct storm *storm,
		   struct err *err)
{
	struct sampler_target *targets = calloc(EVENTS * (row->to - row->from), sizeof(*targets));
	int result;

	if (!targets)
		return err_set(err, ENOMEM, "targets");
	/* The kernel forgets a limit that it lowered only when it is written. */
	result = write_number(RATE_LIMIT_SYSCTL, row->step->limit, err);
	if (!result)
		result = storm_run(storm, targets, set_targets(experiment, row, targets),
				   &row->plan, &experiment->all, err);
	free(targets);
	return result;
}

/* Is there something that a hypervisor may have done as well as the kernel? */
static bool may_be_disturbed(const struct row *row, const struct storm *storm,
			     const struct rate_band *band)
{
	const struct sampler *sampler = &storm->sampler;
	bool silent = false;

	for (size_t i = 0; !row->plan.limit && i < sampler->n; i++)
		for (int slice = 0; slice < SAMPLER_SLICES; slice++)
			silent |= !sampler->cpu[i].slice[slice];
	return silent || (double)storm->after < band->low;
}

/* One line of the table. False: no more. */
static bool run_row(struct experiment *experiment, const struct row *row)
{
	const struct rate_cost cost = cost_of(experiment, row);
	const struct rate_band band = rate_limit_band((double)row->step->limit, PERCENT, &cost);
	struct run *run = experiment->run;
	struct storm storm = { .look = row->wraps ? wrap_watch_look : NULL, .context = row->wraps };
	struct err err;
	bool on_time;

	run_progress(run, "%s", row->name);
	for (int try = 1; try <= (row->wraps ? 1 : TRIES); try++) {
		storm_free(&storm);
		if (observe(experiment, row, &storm, &err)) {
			storm_free(&storm);
			run_broken(run, "%s: %s", row->name, err.text);
			return false;
		}
		if (!may_be_disturbed(row, &storm, &band))
			break;
		run_note(run, "%s: try %d: a quarter without samples, or a limit of %ld", row->name,
			 try, storm.after);
	}
	judge(experiment, row, &storm, &band);
	on_time = storm.seconds * 1e9 < LATE * (double)row->plan.planned_ns + SET_UP_NS;
	if (!on_time)
		run_broken(run, "%s took %.2f s in place of %.2f s: no more rows were run",
			   row->name, storm.seconds, (double)row->plan.planned_ns / 1e9);
	storm_free(&storm);
	return on_time;
}

/* A step: for each event, on each CPU that it is meant for. */
static bool run_step(struct experiment *experiment, const struct step *step)
{
	const unsigned int all = (1U << EVENTS) - 1;
	const size_t n = experiment->cpus.n;
	const size_t turns = step->where != IN_TURN ? 1 : n < IN_TURN_MAX ? n : IN_TURN_MAX;
	bool go_on = true;

	if (step->both && !(experiment->has[CYCLES] && experiment->has[INSTRUCTIONS]))
		return true;
	if (step->where == ALL_CPUS && n == 1 && !step->both)
		return true;
	for (int event = 0; go_on && event < (step->both ? 1 : EVENTS); event++)
		for (size_t turn = 0; go_on && turn < turns && experiment->has[event]; turn++) {
			struct row row = { .plan = experiment->plan,
					   .step = step,
					   .events = step->both ? all : 1U << event,
					   .from = turn * n / turns };

			row.to = step->where == ALL_CPUS ? n : row.from + 1;
			name_row(experiment, &row);
			go_on = run_row(experiment, &row);
		}
	return go_on;
}

/* On a hybrid machine the generic events are of one PMU, which not all CPUs have. */
static void choose_cpus(struct experiment *experiment)
{
	const struct perf_event_attr attr = event_of(CYCLES, BURST_PERIOD);
	const struct cpus *cpus = run_cpus(experiment->run);

	for (size_t i = 0; i < cpus->n; i++) {
		struct event event;
		struct err err;

		if (event_open_cpu(&event, &attr, cpus->cpu[i], &err)) {
			run_note(experiment->run, "cpu %d left out: %s", cpus->cpu[i], err.text);
			continue;
		}
		event_close(&event);
		experiment->cpus.cpu[experiment->cpus.n++] = cpus->cpu[i];
	}
}

/* What a sample costs, as seen from outside: a machine survives these however much it is. */
static bool measure_cost(struct experiment *experiment, int event)
{
	const struct perf_event_attr attr = event_of(event, BURST_PERIOD);
	struct rate_cost *cost = &experiment->cost[event];
	struct run *run = experiment->run;
	struct burst burst;
	struct err err;

	*cost = (struct rate_cost){ INFINITY, 0 };
	for (size_t i = 0; i < BURSTS * experiment->cpus.n; i++) {
		const int cpu = experiment->cpus.cpu[i / BURSTS];
		char row[64];

		snprintf(row, sizeof(row), "%s, cpu %d, burst %zu", events[event].name, cpu,
			 i % BURSTS + 1);
		if (burst_record(run, row, &burst, &attr, cpu, &err)) {
			run_note(run, "%s left out: %s", row, err.text);
			return false;
		}
		if (!(burst.cost_ns > 0)) {
			run_note(run, "%s left out: samples cost nothing", row);
			return false;
		}
		cost->least_ns = fmin(cost->least_ns, burst.cost_ns);
		cost->most_ns = fmax(cost->most_ns, burst.cost_ns);
	}
	return true;
}

/* What goes on beside the sampling, when there is none. */
static bool measure_alone(struct experiment *experiment)
{
	const struct sampler_plan warm_up = {
		.planned_ns = fmin(WARM_UP_NS, 10 * (double)experiment->plan.planned_ns)
	};
	struct storm storm = { 0 };
	struct err err;
	int result;

	run_progress(experiment->run, "without sampling");
	result = storm_run(&storm, NULL, 0, &warm_up, &experiment->all, &err);
	storm_free(&storm);
	if (!result)
		result = storm_run(&storm, NULL, 0, &experiment->plan, &experiment->all, &err);
	experiment->alone = storm.lap;
	if (result)
		run_broken(experiment->run, "without sampling: %s", err.text);
	return !result;
}

/* Where handlers are timed with a counter that wraps: cycles on the first CPU, beyond that. */
static void run_wrap(struct experiment *experiment)
{
	static const struct step step = { 17, LIMIT, FIRST_CPU };
	struct row row = {
		.plan = experiment->plan, .step = &step, .events = 1U << CYCLES, .to = 1
	};
	struct placement placement;
	struct wrap_watch wraps;
	struct err err;

	if (!experiment->has[CYCLES])
		return;
	if (wrap_watch_open(&wraps, &err) ||
	    placement_pin(&placement, experiment->cpus.cpu[0], &err)) {
		run_broken(experiment->run, "wraps of a counter: %s", err.text);
		return;
	}
	if (wraps.counter) {
		row.wraps = &wraps;
		row.plan.planned_ns = wrap_watch_ns(&wraps, WRAPS);
		name_row(experiment, &row);
		run_row(experiment, &row);
	}
	placement_restore(&placement, NULL);
}

static void run_steps(struct experiment *experiment)
{
	const size_t n = sizeof(steps) / sizeof(steps[0]);
	bool go_on = measure_alone(experiment);

	for (size_t i = 0; go_on && i < n; i++)
		go_on = run_step(experiment, &steps[i]);
	if (go_on)
		run_wrap(experiment);
	bystander_lap_free(&experiment->alone);
}

static int run_short_periods(struct run *run)
{
	struct experiment experiment = { .run = run, .least_samples = INFINITY };
	size_t ms = ROW_MS, limit = 0;
	struct err err;

	run_option_count(run, "row-ms", &ms);
	run_option_count(run, "limit", &limit);
	experiment.plan = (struct sampler_plan){
		.pages = (unsigned int)(RING_BYTES / sysconf(_SC_PAGESIZE)),
		.limit = (int)limit,
		.planned_ns = ms * 1000000,
	};
	if (write_number(RATE_PERCENT_SYSCTL, PERCENT, &err) ||
	    write_number(RATE_LIMIT_SYSCTL, LIMIT, &err))
		return run_broken(run, "%s", err.text);
	choose_cpus(&experiment);
	if (!experiment.cpus.n)
		return run_broken(run, "cycles cannot be sampled on any of the CPUs");
	for (int event = 0; event < EVENTS; event++)
		experiment.has[event] = measure_cost(&experiment, event);
	if (bystanders_start(&experiment.all, &experiment.cpus, BYSTANDER_KINDS, &err))
		return run_broken(run, "%s", err.text);
	run_steps(&experiment);
	bystanders_stop(&experiment.all);
	bystanders_free(&experiment.all);
	run_control(run, "samples in the row with fewest",
		    isfinite(experiment.least_samples) ? experiment.least_samples : 0, 0, "1");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_PMU, .value = 1 },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "worker_progress",
	  .claim = "a task that computes and one that uses files get on beside the sampling",
	  .origin = "5 % of what they do without: an event may take the 25 % of "
		    "perf_cpu_time_max_percent and as much again outside of its handler, and two "
		    "are sampled at once; starvation as reported left 0.03 %" },
	{ .name = "rcu_progress",
	  .claim = "RCU grace periods come beside the sampling",
	  .origin = "5 % of those without: a starved grace-period thread completes none",
	  .optional = true },
	{ .name = "no_stall",
	  .claim = "the main loop, which sleeps for 10 ms and looks, is never stopped for long",
	  .origin = "10 s: half of what the kernel calls a soft lockup or an RCU stall" },
	{ .name = "keeps_coming",
	  .claim = "no quarter of a row is without a sample",
	  .origin = "a throttled event resumes at the next tick; a quarter is 250 ms, or of a row "
		    "of --row-ms",
	  .optional = true },
	{ .name = "rate_limit",
	  .claim = "an event gets no more samples than the limit allows",
	  .origin = "limit + HZ (samples per tick are rounded up) for the time of the row and two "
		    "ticks; kernel/events/core.c, HZ of 100 to 1024" },
	{ .name = "throttle_starts",
	  .claim = "a limit far below the asked rate throttles",
	  .origin = "one sample each 17 cycles asks for millions per second" },
	{ .name = "limit_comes_down",
	  .claim = "the kernel lowers the limit until handlers keep to their percentage",
	  .origin = "2.5 times what the cost of a sample implies: entry, exit and cold caches are "
		    "not timed (lib/rate_limit.h, perf_sample_event_took())" },
	{ .name = "limit_stays_up",
	  .claim = "and no lower than that, or than it was",
	  .origin = "0.4 of what the cost of a sample implies, less HZ: it goes a quarter below, "
		    "and samples that come thick may cost twice as much (lib/rate_limit.h)" },
	{ 0 },
};

static const char *const sysctls[] = { RATE_PERCENT_SYSCTL, RATE_LIMIT_SYSCTL, NULL };

static const struct option_spec options[] = {
	{ .name = "row-ms",
	  .value = "MS",
	  .help = "how long each line of the table is measured (1000)",
	  .least = 20,
	  .most = 600000 },
	{ .name = "limit",
	  .value = "N",
	  .help = "let each event stop itself after N samples, so that no machine is lost (no "
		  "limit)",
	  .least = 1,
	  .most = 1000000000 },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "short_period",
	.claim = "Sampling hardware counters at absurdly short periods (16, 17, 31) leaves the "
		 "machine usable: neither a task nor RCU starves, and the kernel brings "
		 "kernel.perf_event_max_sample_rate down to what the handler's cost and "
		 "kernel.perf_cpu_time_max_percent imply.",
	.source = "alpha/perf: Enable duration-based sampling throttling (linux-alpha, period 17)",
	.danger = DANGER_MAY_HANG,
	.budget_s = 240,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = sysctls,
	.options = options,
	.run = run_short_periods,
};
