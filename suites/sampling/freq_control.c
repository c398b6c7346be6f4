// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: an event that is sampled at a frequency settles at the period with which it has so many
 * samples per second of its time, follows its task when the event becomes more or less frequent,
 * and says in each sample which period that was.
 *
 * Mechanism: the kernel estimates the rate of the event at each overflow, and at each tick, and
 * moves the period an eighth of the way to where it should be (perf_adjust_period()). Profiles add
 * up the periods that the samples say. The tick is for events that are so rare, or sampled so
 * seldom, that there is no overflow for long; it also ends a period that has become far too long.
 *
 * On a broken kernel the period is far from the rate of the event by the frequency: it never moves,
 * or in one direction only; it is another event's; single ones are absurdly low, which is an
 * interrupt at nearly every instruction; the periods of the samples do not add up to the count; or
 * there is no sample for long when the event becomes rare.
 *
 * Time is that in which the event itself was on the PMU, so that other tasks do not matter.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "background.h"
#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "event.h"
#include "freq_track.h"
#include "hypothesis.h"
#include "placement.h"
#include "rate_limit.h"
#include "sysctl.h"
#include "throttles.h"
#include "workload.h"
#include "zeros.h"

#define FREQUENCY 4000
#define FREQUENCY_LOW 1000
#define FREQUENCY_NEW 2000
#define NS_PER_S UINT64_C(1000000000)
#define STRETCH_NS 60000000	 /* 240 samples at 4000 Hz, 15 ticks at 250 Hz */
#define STRETCH_LOW_NS 120000000 /* 120 samples at 1000 Hz */
#define PART_ROUNDS 500		 /* of a loop, between two looks at the clock */
#define PROBE_ROUNDS 20000	 /* to find its rate */
#define PARTS_PER_DRAIN 200
#define RING_PAGES 64
#define SPEEDS_MIN 3.0 /* how much one loop must be faster than the other */
#define OFF_MAX 1.15
#define LOWEST_MIN 0.05
#define RECORDED_MAX 1.25
#define TRIES 3
#define TICKS_RARE 5 /* a period is so many ticks: more than two, and the tick alone adjusts it */
#define HZ_UNKNOWN 250
#define SETTLE_TICKS 30
#define SAMPLE_PERIODS 50 /* in which there must be one */
#define RARE_MIN 90.0	  /* how much rarer the event becomes */
#define RARE_ENOUGH 20.0  /* where the period had not settled, and is shorter */
#define RARE_READS 20	  /* at a time */
#define RARE_TRIES 2
#define ZEROS_MIN 512
#define WAITED_MAX 0.5
#define WAIT_MAX 0.55  /* when nobody waits any more */
#define WAIT_TICKS 500 /* ten times what it takes */

static const struct kind {
	const char *name;
	uint64_t config;
} kinds[] = {
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
};

enum { SLOW, FAST, SPEEDS };

/* Who works. */
enum who { SELF, CHILD };

/* A stretch at one speed, and the check that it is for. */
struct stretch {
	const char *check;
	int speed;
	enum who who;
	uint64_t frequency; /* to be set first; 0: as it is */
};

/* Events of a row: one, or two at once that share its stretches. */
struct plan {
	const char *name;
	size_t events;
	uint64_t frequency[2];
	enum { TASK, INHERITED, CPU } where;
	uint64_t stretch_ns;
	struct stretch stretches[5];
};

static const struct plan plans[] = {
	{ .name = "task",
	  .events = 1,
	  .frequency = { FREQUENCY },
	  .where = TASK,
	  .stretch_ns = STRETCH_NS,
	  .stretches = { { .check = "converges", .speed = SLOW },
			 { .check = "follows_up", .speed = FAST },
			 { .check = "follows_down", .speed = SLOW },
			 { .check = "changed_frequency",
			   .speed = SLOW,
			   .frequency = FREQUENCY_NEW } } },
	{ .name = "two events",
	  .events = 2,
	  .frequency = { FREQUENCY, FREQUENCY_LOW },
	  .where = TASK,
	  .stretch_ns = STRETCH_LOW_NS,
	  .stretches = { { .check = "each_own", .speed = SLOW },
			 { .check = "each_own", .speed = FAST } } },
	{ .name = "children",
	  .events = 1,
	  .frequency = { FREQUENCY },
	  .where = INHERITED,
	  .stretch_ns = STRETCH_NS,
	  .stretches = { { .check = "inherited", .speed = SLOW },
			 { .check = "inherited", .speed = FAST, .who = CHILD },
			 { .check = "inherited", .speed = SLOW, .who = CHILD } } },
	{ .name = "CPU",
	  .events = 1,
	  .frequency = { FREQUENCY },
	  .where = CPU,
	  .stretch_ns = STRETCH_NS,
	  .stretches = { { .check = "per_cpu", .speed = SLOW },
			 { .check = "per_cpu", .speed = FAST } } },
};

/* An event and what it did in a stretch. */
struct subject {
	struct event event;
	struct drained drained;
	struct freq_track track;
	struct event_count before;
	uint64_t frequency;
	uint32_t without; /* thread whose samples do not count; 0: none */
	struct freq_signs signs;
};

struct experiment {
	struct run *run;
	int cpu;
	const struct kind *kind;
	const struct workload *loop[SPEEDS];
	struct subject subjects[2];
	struct err err;
};

static struct perf_event_attr attr_of(const struct experiment *all, uint64_t frequency)
{
	struct perf_event_attr attr = counters_user_attr(all->kind->config);

	attr.freq = 1;
	attr.sample_freq = frequency;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	return attr;
}

static int open_subject(struct experiment *all, const struct plan *plan, size_t i)
{
	struct subject *subject = &all->subjects[i];
	struct perf_event_attr attr = attr_of(all, plan->frequency[i]);
	int result;

	*subject = (struct subject){ .event = EVENT_CLOSED, .frequency = plan->frequency[i] };
	attr.inherit = plan->where == INHERITED;
	if (plan->where == CPU)
		result = event_open_cpu(&subject->event, &attr, all->cpu, &all->err);
	else
		/* The ring of an inherited event must be of one CPU. */
		result = event_open_task_cpu(&subject->event, &attr, gettid(), all->cpu, &all->err);
	if (!result)
		result = event_map(&subject->event, RING_PAGES, false, &all->err);
	return result ? result : event_enable(&subject->event, &all->err);
}

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct subject *subject = context;

	(void)misc;
	if (sample->tid != subject->without)
		freq_track_take(&subject->track, sample->period);
}

static int drain(struct experiment *all, const struct plan *plan)
{
	int result = 0;

	for (size_t i = 0; !result && i < plan->events; i++)
		result = event_drain(&all->subjects[i].event, &all->subjects[i].drained, take,
				     &all->subjects[i], &all->err);
	return result;
}

/* So much CPU time of one loop. */
struct spell {
	const struct workload *loop;
	uint64_t ns;
};

/* Some of it; false when it is over. */
static bool work_some(const struct spell *spell, uint64_t start)
{
	for (int i = 0; i < PARTS_PER_DRAIN; i++) {
		if (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start >= spell->ns)
			return false;
		spell->loop->run(PART_ROUNDS);
	}
	return true;
}

static void work_all(const void *argument)
{
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (work_some(argument, start))
		;
}

static int work_in_child(struct experiment *all, const struct spell *spell)
{
	pid_t child = background_start(work_all, spell, &all->err);

	if (child < 0)
		return child;
	while (waitpid(child, NULL, 0) < 0)
		if (errno != EINTR)
			return err_set(&all->err, errno, "waitpid");
	return 0;
}

static int work_here(struct experiment *all, const struct plan *plan, const struct spell *spell)
{
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool more = true;
	int result = 0;

	while (!result && more) {
		more = work_some(spell, start);
		result = drain(all, plan);
	}
	return result;
}

static int set_frequency(struct experiment *all, const struct plan *plan,
			 const struct stretch *stretch)
{
	for (size_t i = 0; stretch->frequency && i < plan->events; i++) {
		struct subject *subject = &all->subjects[i];

		subject->frequency = stretch->frequency;
		if (ioctl(subject->event.fd, PERF_EVENT_IOC_PERIOD, &subject->frequency))
			return err_set(&all->err, errno, "PERF_EVENT_IOC_PERIOD");
	}
	return 0;
}

static int begin_stretch(struct experiment *all, const struct plan *plan,
			 const struct stretch *stretch)
{
	int result = 0;

	for (size_t i = 0; !result && i < plan->events; i++) {
		struct subject *subject = &all->subjects[i];

		subject->without = stretch->who == CHILD ? (uint32_t)gettid() : 0;
		subject->track = (struct freq_track){ 0 };
		result = event_read(&subject->event, &subject->before, &all->err);
	}
	return result;
}

static int end_stretch(struct experiment *all, const struct plan *plan)
{
	int result = drain(all, plan);

	for (size_t i = 0; !result && i < plan->events; i++) {
		struct subject *subject = &all->subjects[i];
		struct event_count now;
		struct freq_stretch seen;

		result = event_read(&subject->event, &now, &all->err);
		seen = (struct freq_stretch){ .frequency = subject->frequency,
					      .count = now.value - subject->before.value,
					      .running = now.running - subject->before.running };
		if (!result)
			subject->signs = freq_track_signs(&subject->track, &seen);
	}
	return result;
}

/* Nobody can look at a child in the middle: its samples must say how it ended. */
static double off_of(const struct stretch *stretch, const struct freq_signs *signs)
{
	return stretch->who == CHILD ? signs->settled_off : signs->off;
}

static bool all_right(const struct experiment *all, const struct plan *plan,
		      const struct stretch *stretch)
{
	bool right = true;

	for (size_t i = 0; i < plan->events; i++) {
		const struct freq_signs *signs = &all->subjects[i].signs;

		right &= off_of(stretch, signs) <= OFF_MAX && signs->lowest >= LOWEST_MIN &&
			 signs->recorded <= RECORDED_MAX;
	}
	return right;
}

static void judge(const struct experiment *all, const struct plan *plan,
		  const struct stretch *stretch)
{
	struct run *run = all->run;

	for (size_t i = 0; i < plan->events; i++) {
		const struct subject *subject = &all->subjects[i];
		const struct freq_signs *signs = &subject->signs;
		char row[128];

		snprintf(row, sizeof(row), "%s, %s: %s at %u Hz, %s loop%s", plan->name,
			 stretch->check, all->kind->name, (unsigned int)subject->frequency,
			 stretch->speed == FAST ? "fast" : "slow",
			 stretch->who == CHILD ? " of a child" : "");
		run_figure(run, "periods", row, "samples", (double)subject->track.n, "1");
		run_figure(run, "periods", row, "expected", signs->expected, "1");
		run_figure(run, "periods", row, "settled", signs->settled, "1");
		run_figure(run, "periods", row, "lowest / expected", signs->lowest, "1");
		run_check_le(run, stretch->check, row, off_of(stretch, signs), OFF_MAX, "1");
		run_check_ge(run, "no_low_period", row, signs->lowest, LOWEST_MIN, "1");
		/* A child's last period is unfinished, and so is its parent's. */
		run_check_le(run, "period_recorded", row, signs->recorded, RECORDED_MAX, "1");
	}
}

/*
 * A stretch, of which the first half is there to settle; again while it is not as it should be:
 * what a hypervisor or another task takes away makes the kernel err, too, but not each time.
 */
static int run_stretch(struct experiment *all, const struct plan *plan,
		       const struct stretch *stretch)
{
	const struct spell spell = { all->loop[stretch->speed], plan->stretch_ns };
	int result = 0;

	for (int tries = 0; !result && tries < TRIES; tries++) {
		result = set_frequency(all, plan, stretch);
		if (!result && stretch->who == SELF)
			result = work_here(all, plan, &spell);
		if (!result)
			result = begin_stretch(all, plan, stretch);
		if (!result)
			result = stretch->who == CHILD ? work_in_child(all, &spell)
						       : work_here(all, plan, &spell);
		if (!result)
			result = end_stretch(all, plan);
		if (!result && all_right(all, plan, stretch))
			break;
	}
	if (!result)
		judge(all, plan, stretch);
	return result;
}

static void run_plan(struct experiment *all, const struct plan *plan)
{
	int result = 0;

	run_progress(all->run, "%s", plan->name);
	for (size_t i = 0; i < plan->events; i++)
		all->subjects[i].event = (struct event)EVENT_CLOSED;
	for (size_t i = 0; !result && i < plan->events; i++)
		result = open_subject(all, plan, i);
	if (plan->where == CPU && (result == -EACCES || result == -EPERM)) {
		run_note(all->run, "%s: not measured: %s", plan->name, all->err.text);
		result = 0;
	} else if (!result) {
		for (const struct stretch *stretch = plan->stretches; !result && stretch->check;
		     stretch++)
			if (all->loop[stretch->speed])
				result = run_stretch(all, plan, stretch);
	}
	for (size_t i = 0; i < plan->events; i++)
		event_close(&all->subjects[i].event);
	if (result)
		run_broken(all->run, "%s: %s", plan->name, all->err.text);
}

/* How often the event happens in some work, per second of the event's time; 0: it does not count.
 */
static double rate_of(const struct kind *kind, void (*work)(void *context), void *context)
{
	const struct perf_event_attr attr = counters_user_attr(kind->config);
	struct event_count count;
	struct err err;

	if (counters_count(&attr, 1, work, context, &count, &err) || !count.running)
		return 0;
	return (double)count.value * 1e9 / (double)count.running;
}

static double rate(const struct kind *kind, const struct workload *loop)
{
	struct workload_job job = { loop, PROBE_ROUNDS };

	return rate_of(kind, workload_do, &job);
}

/*
 * The first event that one loop has much more often than another one. False, with the first event
 * and a slow loop only, where there is none.
 */
static bool find_speeds(struct experiment *all)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct workload *loops[] = { workload_find("multiply"),
						   workload_find("branches") };
		const double rates[] = { rate(&kinds[i], loops[0]), rate(&kinds[i], loops[1]) };
		int slow = rates[1] < rates[0];

		if (!(rates[slow] > 0) || rates[!slow] < SPEEDS_MIN * rates[slow])
			continue;
		all->kind = &kinds[i];
		all->loop[SLOW] = loops[slow];
		all->loop[FAST] = loops[!slow];
		run_control(all->run, "fast loop by slow loop", rates[!slow] / rates[slow],
			    SPEEDS_MIN, "1");
		return true;
	}
	all->kind = &kinds[1];
	all->loop[SLOW] = workload_find("multiply");
	run_control(all->run, "events per second", rate(all->kind, all->loop[SLOW]), 0, "1/s");
	return false;
}

/* --- Rare --- */

static void read_some(void *context)
{
	struct err err;

	for (int i = 0; i < RARE_READS; i++)
		zeros_read(context, &err);
}

/* Reads of a size that makes the event much rarer than it is in the loop. False: there is none. */
static bool find_rare(const struct experiment *all, struct zeros *zeros,
		      const struct workload *loop)
{
	const double often = rate(all->kind, loop);

	for (zeros->bytes = ZEROS_MIN; zeros->bytes <= ZEROS_MAX;
	     zeros->bytes += zeros->bytes / 2) {
		double seldom = rate_of(all->kind, read_some, zeros);

		if (seldom > 0 && often > RARE_MIN * seldom)
			return true;
	}
	return false;
}

/* Until the next sample is there, so that a period has just begun. */
static int work_to_sample(struct experiment *all, const struct plan *plan,
			  const struct workload *loop)
{
	const uint64_t limit = SAMPLE_PERIODS * NS_PER_S / plan->frequency[0];
	struct subject *subject = &all->subjects[0];
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int result = 0;

	subject->track = (struct freq_track){ 0 };
	while (!result && !subject->track.n && clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < limit) {
		loop->run(PART_ROUNDS);
		result = drain(all, plan);
	}
	return result;
}

/* Some rare work. What looks at the event is user code, too, and must be little beside. */
static int work_rarely(struct experiment *all, const struct plan *plan, const struct zeros *zeros,
		       struct freq_rare *rare)
{
	struct subject *subject = &all->subjects[0];
	struct event_count now = { 0 };
	int result = 0;

	for (int i = 0; !result && i < RARE_READS; i++)
		result = zeros_read(zeros, &all->err);
	if (!result)
		result = event_read(&subject->event, &now, &all->err);
	rare->count = now.value - subject->before.value;
	rare->running = now.running - subject->before.running;
	return result ? result : drain(all, plan);
}

/* Until the next sample is there, or should long have been. */
static int wait_for_sample(struct experiment *all, const struct plan *plan,
			   const struct zeros *zeros, struct freq_rare *rare)
{
	const uint64_t limit = WAIT_TICKS * NS_PER_S / (TICKS_RARE * plan->frequency[0]);
	struct subject *subject = &all->subjects[0];
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int result = event_read(&subject->event, &subject->before, &all->err);

	rare->period = subject->track.recent[0];
	subject->track = (struct freq_track){ 0 };
	while (!result && !subject->track.n &&
	       (double)rare->count <= WAIT_MAX * (double)rare->period &&
	       clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < limit)
		result = work_rarely(all, plan, zeros, rare);
	rare->sampled = subject->track.n;
	return result;
}

static int become_rare(struct experiment *all, const struct zeros *zeros,
		       const struct workload *loop, struct freq_rare *rare)
{
	const unsigned int known = throttles_hz();
	const unsigned int hz = known ? known : HZ_UNKNOWN;
	const struct plan plan = { .events = 1, .frequency = { hz / TICKS_RARE }, .where = TASK };
	const struct spell spell = { loop, SETTLE_TICKS * NS_PER_S / hz };
	int result = open_subject(all, &plan, 0);

	*rare = (struct freq_rare){ .frequency = plan.frequency[0] };
	if (!result)
		result = work_here(all, &plan, &spell);
	if (!result)
		result = work_to_sample(all, &plan, loop);
	if (!result)
		result = wait_for_sample(all, &plan, zeros, rare);
	event_close(&all->subjects[0].event);
	return result;
}

/*
 * Again while it waits too long: a hypervisor or another task may take the ticks, but not each
 * time.
 */
static void run_rare(struct experiment *all, const struct zeros *zeros, const struct workload *loop)
{
	const char *row = "a loop, then the kernel alone";
	struct run *run = all->run;
	struct freq_rare rare;
	int result = 0;

	run_progress(run, "rare");
	for (int tries = 0; tries < RARE_TRIES; tries++) {
		result = become_rare(all, zeros, loop, &rare);
		if (result || freq_rare_waited(&rare) <= WAITED_MAX)
			break;
	}
	if (result) {
		run_broken(run, "rare: %s", all->err.text);
		return;
	}
	run_figure(run, "becoming rare", row, "period", (double)rare.period, "1");
	run_figure(run, "becoming rare", row, "times as rare", freq_rare_times(&rare), "1");
	run_figure(run, "becoming rare", row, "next sample", (double)rare.running, "ns");
	if (rare.count && freq_rare_times(&rare) < RARE_ENOUGH)
		run_note(run, "follows_rare: the period was not too long");
	else
		run_check_le(run, "follows_rare", row, freq_rare_waited(&rare), WAITED_MAX,
			     "periods");
}

static void try_rare(struct experiment *all)
{
	const struct workload *loop = all->loop[all->loop[FAST] ? FAST : SLOW];
	struct zeros zeros;

	if (zeros_open(&zeros, &all->err)) {
		run_note(all->run, "follows_rare: %s", all->err.text);
		return;
	}
	if (find_rare(all, &zeros, loop))
		run_rare(all, &zeros, loop);
	else
		run_note(all->run, "follows_rare: no work in which the event is rare");
	zeros_close(&zeros);
}

static void check_above_limit(const struct experiment *all)
{
	struct perf_event_attr attr;
	struct event event;
	struct err err;
	long limit;
	int result;

	if (sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &err)) {
		run_broken(all->run, "%s", err.text);
		return;
	}
	attr = attr_of(all, (uint64_t)limit + 1);
	result = event_open_self(&event, &attr, &err);
	if (!result)
		event_close(&event);
	run_check_eq(all->run, "above_limit_refused", NULL, -result, EINVAL, "1");
}

static int run_freq_control(struct run *run)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment *all = calloc(1, sizeof(*all));
	struct placement placement;
	struct err err;

	if (!all)
		return run_broken(run, "out of memory");
	all->run = run;
	all->cpu = run_cpus(run)->cpu[0];
	if (placement_pin(&placement, all->cpu, &err)) {
		run_broken(run, "%s", err.text);
	} else if (event_probe(&attr, &err)) {
		run_skip(run, "CPU %d: %s", all->cpu, err.text);
	} else {
		if (!find_speeds(all))
			run_note(run,
				 "no event that one loop has %g times as often as another: "
				 "nothing to follow",
				 SPEEDS_MIN);
		for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
			run_plan(all, &plans[i]);
		try_rare(all);
		check_above_limit(all);
		placement_restore(&placement, NULL);
	}
	free(all);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

#define OFF_ORIGIN                                                                                 \
	"samples by the time that the event was on the PMU, within 15 %, after as much time "      \
	"to "                                                                                      \
	"settle: 120 periods and more for a filter of an eighth (perf_adjust_period()); the best " \
	"of "                                                                                      \
	"three, as time that others take is counted in"

static const struct check checks[] = {
	{ .name = "converges",
	  .claim = "the period settles where it makes the asked number of samples per "
		   "second",
	  .origin = OFF_ORIGIN },
	{ .name = "follows_up",
	  .claim = "when the event becomes more frequent, so that the period must grow, too",
	  .origin = OFF_ORIGIN,
	  .optional = true },
	{ .name = "follows_down",
	  .claim = "when it becomes rare again, so that the period must shrink, too",
	  .origin = OFF_ORIGIN },
	{ .name = "follows_rare",
	  .claim = "when it becomes so rare that the period under way would last for seconds, the "
		   "next sample comes before half of that",
	  .origin = "the tick takes the period an eighth of the way, and ends the one under way "
		    "when there are eight left of it (perf_adjust_freq_unthr_context()): of an old "
		    "period of five ticks, 20 times too long, a third goes by until there is a "
		    "sample; less where it is longer",
	  .optional = true },
	{ .name = "changed_frequency",
	  .claim = "after another frequency was set with PERF_EVENT_IOC_PERIOD, too",
	  .origin = OFF_ORIGIN },
	{ .name = "each_own",
	  .claim = "each of two events at once settles at its own frequency",
	  .origin = OFF_ORIGIN },
	{ .name = "inherited",
	  .claim = "an inherited event settles in parent and child, whose speeds are "
		   "different",
	  .origin = OFF_ORIGIN },
	{ .name = "per_cpu",
	  .claim = "an event of a CPU settles, too",
	  .origin = OFF_ORIGIN,
	  .optional = true },
	{ .name = "no_low_period",
	  .claim = "once settled, no period is below a twentieth of what it should be",
	  .origin = "the filter lets a period shrink by an eighth at a time: 23 times in a "
		    "row would "
		    "be needed" },
	{ .name = "period_recorded",
	  .claim = "the periods of the samples add up to the count, within a quarter",
	  .origin = "perf_event_open(2), PERF_SAMPLE_PERIOD; what is under way at both "
		    "ends, and "
		    "what the kernel drops where a period becomes far shorter, is less "
		    "than that" },
	{ .name = "above_limit_refused",
	  .claim = "a frequency above kernel.perf_event_max_sample_rate is EINVAL",
	  .origin = "perf_event_open(2), Errors" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "freq_control",
	.claim = "An event that is sampled at a frequency settles at the period with which it has "
		 "so many samples per second of its time, follows its task when the event becomes "
		 "more or less frequent, and says in each sample which period that was.",
	.source = "perf_event_open(2), freq; perf_adjust_period() in kernel/events/core.c",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_freq_control,
};
