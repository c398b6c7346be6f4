// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: an event that overflows faster than kernel.perf_event_max_sample_rate allows has exactly
 * the samples of the limit in a tick, is then stopped, goes on at the next tick or when its task
 * comes back, and disturbs no other event.
 *
 * Mechanism: each overflow is counted against max_samples_per_tick, which is the limit by HZ,
 * rounded up. The one that reaches it writes a THROTTLE record, has its sample taken and stops the
 * counter; so the count stands still, too. The tick, or the scheduling in of the event, starts it
 * again with an UNTHROTTLE record. Who reads samples takes the time in between for unsampled by
 * these records.
 *
 * On a broken kernel there are more samples than the limit, or it stops early; the event stays
 * silent; samples come though it is said to be stopped; records do not come in pairs, or with
 * another event's id or a wrong time; or another event of the task is stopped as well.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "counters.h"
#include "event.h"
#include "hypothesis.h"
#include "placement.h"
#include "rate_limit.h"
#include "sysctl.h"
#include "throttles.h"
#include "turns.h"
#include "workload.h"

#define LIMIT 4000	      /* samples per second: 4 to 40 per tick */
#define PERIOD 5003	      /* far shorter than what fits between two of these */
#define CYCLES_PERIOD 20011   /* the same where the kernel is counted: above what masks the PMI */
#define CLOCK_PERIOD_NS 20000 /* the same of cpu-clock, whose shortest is 10 us */
#define OTHER_PERIOD 2000003  /* within the limit at 8 * 10^9 events per second */
#define PART_ROUNDS 100	      /* of the loop, about 2000 instructions */
#define STOPS 25	      /* of a row */
#define STOPS_MIN 5	      /* where ticks come late */
#define BELOW_TICKS 5	      /* samples of so many ticks, of an event below the limit */
#define LOOK_PARTS 20	      /* between two looks at the rings */
#define CPU_MAX_NS 600000000  /* a row ends then: 60 ticks and more */
#define SWITCHES 10	      /* while it is stopped */
#define SWITCH_PARTS 10	      /* about four periods: after each */
#define STOP_PARTS 4000	      /* in which it must have been stopped: 3 of 4 fits a CPU at 10 GHz */
#define FIT_ROUNDS 20000      /* ticks, which times on the PMU may be counted in */
#define RING_PAGES 16
#define MEMBERS 3 /* the event as member of a group, its leader, and the one beside it */
#define PAUSE_MAX 1.25
#define MASKED 0.05    /* of overflows, where the kernel is counted */
#define ABOVE_MAX 20.0 /* percent */

static const struct kind {
	const char *name;
	uint32_t type;
	uint64_t config, period;
	uint64_t with_kernel; /* the period where the PMU cannot leave out the kernel */
	unsigned int ticks;   /* a row ends with as many samples as the limit allows in these */
} kinds[] = {
	/* On Intel a fixed counter and a general-purpose one. */
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERIOD, PERIOD,
	  4 * STOPS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD, CYCLES_PERIOD,
	  4 * STOPS },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK_PERIOD_NS,
	  CLOCK_PERIOD_NS, 4 * STOPS },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* At half of the limit, which a clock keeps to: it has no samples to catch up with. */
static const struct kind below = { "cpu-clock at half of the limit",
				   PERF_TYPE_SOFTWARE,
				   PERF_COUNT_SW_CPU_CLOCK,
				   2000000000 / LIMIT,
				   2000000000 / LIMIT,
				   BELOW_TICKS };

/* The event that is stopped and the one beside it. */
struct pair {
	struct run *run;
	const struct kind *kind, *other_kind;
	bool whole; /* the PMU counts the kernel, too */
	struct workload_job part;
	uint64_t parts; /* done */
	unsigned int hz;
	struct event event, other;
	struct event leader; /* of the event, where it is member of a group; it only counts */
	bool member;
	struct throttles throttles, beside;
	struct event_count count, count_beside;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	long limit;		   /* at the end: the kernel itself may lower it */
	struct err err;
};

static struct perf_event_attr attr_of(const struct pair *pair, const struct kind *kind,
				      uint64_t period)
{
	struct perf_event_attr attr = event_attr(kind->type, kind->config);

	attr.exclude_kernel = attr.exclude_hv = !pair->whole || kind->type == PERF_TYPE_SOFTWARE;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

static uint64_t period_of(const struct pair *pair)
{
	return pair->whole ? pair->kind->with_kernel : pair->kind->period;
}

/* Is there room for these at once? */
static bool fit(struct pair *pair, const struct kind *const *which, size_t n)
{
	struct workload_job job = { pair->part.work, FIT_ROUNDS };
	struct perf_event_attr attrs[MEMBERS];
	size_t room = 0;

	for (size_t i = 0; i < n; i++)
		attrs[i] = attr_of(pair, which[i], 0);
	return !counters_fit(attrs, n, workload_do, &job, &room, &pair->err) && room == n;
}

/* Instructions beside whatever is stopped; cycles where there is one counter for each only. */
static bool find_other(struct pair *pair)
{
	for (const struct kind *other = kinds; other->type == PERF_TYPE_HARDWARE; other++) {
		const struct kind *const both[] = { pair->kind, other };

		pair->other_kind = other;
		if (fit(pair, both, 2))
			return true;
	}
	return false;
}

static int open_one(struct pair *pair, struct event *event, struct throttles *throttles,
		    const struct perf_event_attr *attr, const struct event *leader)
{
	int result = leader ? event_open_member(event, attr, leader, &pair->err)
			    : event_open_self(event, attr, &pair->err);

	if (!result)
		result = event_map(event, RING_PAGES, false, &pair->err);
	*throttles = (struct throttles){ .rule = throttle_rule(event->id, LIMIT, pair->hz) };
	throttles->rule.after = throttles->started = clock_ns(CLOCK_MONOTONIC);
	return result;
}

static int open_pair(struct pair *pair)
{
	const struct perf_event_attr attr = attr_of(pair, pair->kind, period_of(pair));
	const struct perf_event_attr other = attr_of(pair, pair->other_kind, OTHER_PERIOD);
	const struct perf_event_attr counting = attr_of(pair, pair->kind, 0);
	int result;

	pair->event = pair->other = pair->leader = (struct event)EVENT_CLOSED;
	result = rate_limit_set(LIMIT, &pair->err);
	if (!result)
		result = open_one(pair, &pair->other, &pair->beside, &other, NULL);
	if (!result && pair->member)
		result = event_open_self(&pair->leader, &counting, &pair->err);
	if (!result)
		result = open_one(pair, &pair->event, &pair->throttles, &attr,
				  pair->member ? &pair->leader : NULL);
	pair->start_ns = pair->throttles.rule.after;
	pair->parts = 0;
	if (!result)
		result = event_enable(&pair->other, &pair->err);
	return result ? result
		      : event_enable(pair->member ? &pair->leader : &pair->event, &pair->err);
}

static int drain(struct pair *pair)
{
	int result = throttles_drain(&pair->throttles, &pair->event, &pair->err);

	return result ? result : throttles_drain(&pair->beside, &pair->other, &pair->err);
}

static int end_pair(struct pair *pair)
{
	int result = event_disable(&pair->event, &pair->err);

	if (!result)
		result = event_disable(&pair->other, &pair->err);
	pair->end_ns = clock_ns(CLOCK_MONOTONIC);
	if (!result)
		result = sysctl_read_long(RATE_LIMIT_SYSCTL, &pair->limit, &pair->err);
	if (!result)
		result = event_read(&pair->event, &pair->count, &pair->err);
	if (!result)
		result = event_read(&pair->other, &pair->count_beside, &pair->err);
	pair->throttles.rule.before = pair->end_ns;
	return result ? result : drain(pair);
}

static void close_pair(struct pair *pair)
{
	event_close(&pair->event);
	event_close(&pair->other);
	event_close(&pair->leader);
}

static int work(struct pair *pair, unsigned int parts)
{
	for (unsigned int i = 0; i < parts; i++)
		workload_do(&pair->part);
	pair->parts += parts;
	return drain(pair);
}

/* Until it was stopped often enough, or had so many samples that it should have been. */
static int overflow(struct pair *pair)
{
	const uint64_t enough = pair->kind->ticks * pair->throttles.rule.most;
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int result = 0;

	while (!result && pair->throttles.unthrottled < STOPS &&
	       pair->throttles.samples + pair->throttles.lost < enough &&
	       clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < CPU_MAX_NS)
		result = work(pair, LOOK_PARTS);
	return result;
}

static void show(const struct pair *pair, const char *row)
{
	const struct throttles *seen = &pair->throttles;
	struct run *run = pair->run;

	run_figure(run, "throttled", row, "samples", (double)seen->samples, "1");
	run_figure(run, "throttled", row, "lost", (double)seen->lost, "1");
	run_figure(run, "throttled", row, "THROTTLE", (double)seen->throttled, "1");
	run_figure(run, "throttled", row, "UNTHROTTLE", (double)seen->unthrottled, "1");
	run_figure(run, "throttled", row, "fewest to a stop", (double)seen->fewest, "1");
	run_figure(run, "throttled", row, "most to a stop", (double)seen->most, "1");
	run_figure(run, "throttled", row, "allowed per tick", (double)seen->rule.most, "1");
}

/* What holds wherever an event is stopped and started. */
static void judge_records(const struct pair *pair, const char *row)
{
	const struct throttles *seen = &pair->throttles;
	struct run *run = pair->run;

	run_check_eq(run, "in_pairs", row, (double)seen->unpaired, 0, "1");
	run_check_eq(run, "own_id", row, (double)(seen->wrong_id + pair->beside.wrong_id), 0, "1");
	run_check_eq(run, "own_time", row, (double)seen->wrong_time, 0, "1");
	run_check_eq(run, "stopped_meanwhile", row, (double)seen->while_throttled, 0, "1");
}

/* Most samples of the row: as many per tick, of those that it began and ended in, too. */
static double samples_most(const struct pair *pair)
{
	const struct throttle_rule *rule = &pair->throttles.rule;
	double tick = 1e9 / (double)(pair->hz ? pair->hz : 1024);

	return (double)throttles_per_tick(LIMIT, pair->hz ? pair->hz : 1024) *
		       ((double)(pair->end_ns - pair->start_ns) / tick + 2) +
	       (double)rule->most;
}

/* So many stops were with too few samples. */
static void judge_too_few(const struct pair *pair, const char *row, uint64_t few)
{
	if (pair->limit < LIMIT)
		run_note(pair->run, "%s: handlers were slow, the kernel lowered the limit to %ld",
			 row, pair->limit);
	else
		run_check_eq(pair->run, "not_below_limit", row, (double)few, 0, "1");
}

static void judge_limit(const struct pair *pair, const char *row)
{
	const struct throttles *seen = &pair->throttles;
	struct run *run = pair->run;

	run_check_ge(run, "starts", row, (double)seen->throttled, STOPS_MIN, "1");
	run_check_le(run, "limit_kept", row, (double)(seen->samples + seen->lost),
		     samples_most(pair), "1");
	judge_too_few(pair, row, seen->few);
	if (seen->judged)
		run_check_le(run, "not_above_limit", row,
			     100 * (double)seen->many / (double)seen->judged, ABOVE_MAX, "%");
	if (seen->throttled)
		run_check_le(run, "ends_at_tick", row, throttles_pause(seen, pair->end_ns),
			     PAUSE_MAX, "ticks");
}

/* Each period that was counted is a sample; the task's other event counts all of the loop. */
static void judge_counts(const struct pair *pair, const char *row)
{
	const struct workload_job *part = &pair->part;
	double samples = (double)(pair->throttles.samples + pair->throttles.lost);
	double beside = (double)(pair->beside.samples + pair->beside.lost);
	double least =
		(double)pair->parts * (double)workload_instructions(part->work, part->rounds);
	double masked = pair->whole ? MASKED * samples : 0;
	struct run *run = pair->run;

	if (pair->kind->type == PERF_TYPE_HARDWARE)
		run_check_le(
			run, "count_is_sampled", row,
			fabs((double)pair->count.value / (double)period_of(pair) - samples - 0.5),
			1.5 + masked, "periods");
	run_check_eq(run, "other_goes_on", row, (double)pair->beside.throttled, 0, "1");
	run_check_le(run, "other_goes_on", row,
		     fabs((double)pair->count_beside.value / OTHER_PERIOD - beside - 0.5), 1.5,
		     "periods");
	if (part->work->exact && pair->other_kind == kinds)
		run_check_ge(run, "other_counts", row, (double)pair->count_beside.value, least,
			     "1");
}

/* Open, overflow, close. False, and a broken run, where that is not possible. */
static bool observe(struct pair *pair, const char *row)
{
	int result;

	run_progress(pair->run, "%s", row);
	result = open_pair(pair);
	if (!result)
		result = overflow(pair);
	if (!result)
		result = end_pair(pair);
	close_pair(pair);
	if (result) {
		run_broken(pair->run, "%s: %s", row, pair->err.text);
		return false;
	}
	show(pair, row);
	return run_control(pair->run, "samples", (double)pair->throttles.samples, 0, "1");
}

/* A clock's timer may be no finer than the tick: then it overflows once in each. */
static bool too_coarse(const struct kind *kind)
{
	struct timespec resolution;

	return kind->type == PERF_TYPE_SOFTWARE && !clock_getres(CLOCK_MONOTONIC, &resolution) &&
	       resolution.tv_nsec > CLOCK_PERIOD_NS;
}

static void run_kind(struct pair *pair)
{
	const char *row = pair->kind->name;

	if (too_coarse(pair->kind)) {
		run_note(pair->run, "without %s: its timer is no finer than the tick", row);
		return;
	}
	if (!find_other(pair)) {
		run_note(pair->run, "without %s: no room for another event beside it", row);
		return;
	}
	if (!observe(pair, row))
		return;
	judge_records(pair, row);
	judge_limit(pair, row);
	judge_counts(pair, row);
}

/* Never as many as the limit in a tick, but several times as many in some ticks together. */
static void run_below(struct pair *pair)
{
	pair->kind = &below;
	if (find_other(pair) && observe(pair, below.name) &&
	    run_control(pair->run, "samples, by those of a tick",
			(double)pair->throttles.samples / (double)pair->throttles.rule.most, 1,
			"1"))
		judge_too_few(pair, below.name, pair->throttles.throttled);
}

/*
 * As a member of a group, the records of which have its own id nevertheless. Kernels from 6.16 on
 * stop the group and have its leader say so: then there are none of the member.
 */
static void run_member(struct pair *pair)
{
	const char *row = "member of a group";
	const struct kind *const all[] = { pair->kind, pair->kind, pair->other_kind };

	if (!fit(pair, all, MEMBERS)) {
		run_note(pair->run, "%s: no room for it", row);
		return;
	}
	pair->member = true;
	if (observe(pair, row))
		run_check_eq(pair->run, "own_id", row, (double)pair->throttles.wrong_id, 0, "1");
	pair->member = false;
}

/* Where the task goes while its event is stopped. */
struct leave {
	const char *row, *check;
	int (*go)(void *context, struct err *err);
	void *context;
};

/* Once: work until it is stopped, leave, and see whether there are samples right afterwards. */
static int leave_once(struct pair *pair, const struct leave *leave, bool *was, bool *silent)
{
	uint64_t before, parts = 0;
	int result = 0;

	while (!result && !pair->throttles.is_throttled && parts++ < STOP_PARTS)
		result = work(pair, 1);
	*was = pair->throttles.is_throttled;
	if (!result)
		result = leave->go(leave->context, &pair->err);
	before = pair->throttles.samples + pair->throttles.lost;
	if (!result)
		result = work(pair, SWITCH_PARTS);
	*silent = pair->throttles.samples + pair->throttles.lost == before;
	return result;
}

static void run_leaving(struct pair *pair, const struct leave *leave)
{
	unsigned int stopped = 0, silent = 0;
	int result = open_pair(pair);

	run_progress(pair->run, "%s", leave->row);
	for (int i = 0; !result && i < SWITCHES; i++) {
		bool was = false, quiet = false;

		result = leave_once(pair, leave, &was, &quiet);
		stopped += was;
		silent += was && quiet;
	}
	if (!result)
		result = end_pair(pair);
	close_pair(pair);
	if (result) {
		run_broken(pair->run, "%s: %s", leave->row, pair->err.text);
		return;
	}
	show(pair, leave->row);
	judge_records(pair, leave->row);
	run_figure(pair->run, "left while stopped", leave->row, "stopped", stopped, "1");
	if (stopped)
		run_check_eq(pair->run, leave->check, leave->row, silent, 0, "1");
	else
		run_note(pair->run, "%s: never stopped", leave->row);
}

static int take_turns(void *context, struct err *err)
{
	return turns_take(context, err);
}

static void run_switching(struct pair *pair)
{
	struct turns turns;
	const struct leave leave = { .row = "switched out and in",
				     .check = "ends_with_switch",
				     .go = take_turns,
				     .context = &turns };
	struct err err;

	if (turns_start(&turns, pair->part.work, pair->part.rounds, &err))
		run_broken(pair->run, "%s", err.text);
	else
		run_leaving(pair, &leave);
	turns_stop(&turns);
}

static void run_migrating(struct pair *pair)
{
	const struct perf_event_attr attr = attr_of(pair, &kinds[0], OTHER_PERIOD);
	const struct cpus *cpus = run_cpus(pair->run);
	struct migration migration = { .cpu = { cpus->cpu[0] } };
	const struct leave leave = { .row = "moved",
				     .check = "ends_with_move",
				     .go = placement_migrate,
				     .context = &migration };
	bool found = false;
	struct err err;

	for (size_t i = 1; !found && i < cpus->n; i++) {
		migration.cpu[1] = cpus->cpu[i];
		found = !cpus_pin(cpus->cpu[i], &err) && !event_probe(&attr, &err);
	}
	if (!cpus_pin(migration.cpu[0], &err) && found)
		run_leaving(pair, &leave);
	else
		run_note(pair->run, "no second CPU to move to on which the event can be sampled");
}

static void run_all(struct pair *pair)
{
	pair->kind = &kinds[0];
	if (!find_other(pair)) {
		run_skip(pair->run, "no room for two events at once");
		return;
	}
	for (size_t i = 0; i < KINDS; i++) {
		pair->kind = &kinds[i];
		run_kind(pair);
	}
	run_below(pair);
	pair->kind = &kinds[0];
	if (find_other(pair)) {
		run_member(pair);
		run_switching(pair);
		run_migrating(pair);
	}
}

static int run_throttle(struct run *run)
{
	const struct perf_event_attr user = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct pair *pair = calloc(1, sizeof(*pair));
	int cpu = run_cpus(run)->cpu[0];
	struct perf_event_attr attr;
	struct placement placement;
	struct err err;

	if (!pair)
		return run_broken(run, "out of memory");
	pair->run = run;
	pair->part = (struct workload_job){ workload_find("multiply"), PART_ROUNDS };
	pair->hz = throttles_hz();
	if (!pair->hz)
		run_note(run, "HZ is not known: bounds are for 100 to 1024");
	if (placement_pin(&placement, cpu, &err)) {
		run_broken(run, "%s", err.text);
	} else {
		pair->whole = event_probe(&user, &err) != 0;
		attr = attr_of(pair, &kinds[0], OTHER_PERIOD);
		if (event_probe(&attr, &err))
			run_skip(run, "CPU %d: %s", cpu, err.text);
		else
			run_all(pair);
		placement_restore(&placement, NULL);
	}
	free(pair);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_PMU, .value = 1 },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "starts",
	  .claim = "the event is stopped in each tick",
	  .origin = "it overflows many times as often as the limit allows; a row ends after 25 "
		    "stops, or "
		    "four times the samples that these take, or 0.6 s of CPU time, in which even "
		    "late "
		    "ticks come 5 times" },
	{ .name = "limit_kept",
	  .claim = "no more samples in all than the limit allows",
	  .origin =
		  "DIV_ROUND_UP(limit, HZ) for each tick, and for the two that the row begins and "
		  "ends in (perf_event_max_sample_rate_handler())" },
	{ .name = "not_below_limit",
	  .claim = "it is not stopped with fewer samples than the limit allows in a tick, however "
		   "many there are in several",
	  .origin = "stopped by the overflow that makes DIV_ROUND_UP(limit, HZ) "
		    "(__perf_event_account_interrupt()); HZ by the kernel's configuration, or "
		    "1024; at half of the limit never",
	  .optional = true },
	{ .name = "not_above_limit",
	  .claim = "nor with more, times the ticks that it was not stopped for",
	  .origin = "the same, with HZ of 100 where it is not known; 20 % of the stops, for two "
		    "ticks in a row where one comes late",
	  .optional = true },
	{ .name = "in_pairs",
	  .claim = "THROTTLE and UNTHROTTLE come in turn",
	  .origin = "an event that is stopped cannot be stopped again, perf_event_open(2)" },
	{ .name = "own_id",
	  .claim = "these records have the id and the stream id of their event",
	  .origin =
		  "perf_event_open(2), PERF_RECORD_THROTTLE; not inherited, so that both are what "
		  "PERF_EVENT_IOC_ID says" },
	{ .name = "own_time",
	  .claim = "and a time between those of the records before and after them",
	  .origin =
		  "perf_log_throttle() takes it from the event's clock when it writes the record" },
	{ .name = "stopped_meanwhile",
	  .claim = "after the sample that goes with a THROTTLE none comes before the UNTHROTTLE",
	  .origin = "pmu->stop() has stopped the counter (kernel/events/core.c)" },
	{ .name = "ends_at_tick",
	  .claim = "it goes on at the next tick",
	  .origin = "perf_event_task_tick(): 1 tick, from the stop to the next sample, in a "
		    "quarter of "
		    "the pauses, as ticks may come late, and a quarter of a tick more; or the last "
		    "pause, when it does not end" },
	{ .name = "count_is_sampled",
	  .claim = "count and samples agree: it counts no more and no less while it is stopped",
	  .origin =
		  "a sample for each period; the rest of one, and another for skid at stops. Where "
		  "the kernel is counted, which masks the interrupt: 5 % more" },
	{ .name = "other_goes_on",
	  .claim =
		  "another event of the task, within the limit, is not stopped and has all samples",
	  .origin = "interrupts are counted for each event (hw_perf_event.interrupts)" },
	{ .name = "other_counts",
	  .claim = "and counts all of the loop",
	  .origin = "the number of instructions in the loop's code",
	  .optional = true },
	{ .name = "ends_with_switch",
	  .claim = "a stopped event goes on when its task is scheduled in again",
	  .origin = "event_sched_in(): several periods of work after it must have a sample",
	  .optional = true },
	{ .name = "ends_with_move",
	  .claim = "and when its task comes to another CPU",
	  .origin = "the same",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "throttle",
	.claim = "An event that overflows faster than kernel.perf_event_max_sample_rate allows has "
		 "exactly the samples of the limit in a tick, is then stopped, goes on at the next "
		 "tick or when its task comes back, and disturbs no other event.",
	.source = "perf_event_open(2), PERF_RECORD_THROTTLE; kernel/events/core.c",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_set_sysctls,
	.run = run_throttle,
};
