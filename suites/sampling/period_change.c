// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: PERF_EVENT_IOC_PERIOD takes effect at once. The period that is under way ends, one of the
 * new length begins, and samples say it.
 *
 * Mechanism: the event is stopped, what was left of its period forgotten, and started again
 * (__perf_event_period()); an event that is not running keeps what was left for when it is started.
 * A profiler that finds it has too few samples asks for more of them now.
 *
 * On a broken kernel what was left of the old period goes by first: after a much shorter one was
 * set there is no sample for long, after a longer one there is one too soon. That is how Linux was
 * before 3.14.
 *
 * All is told by the event's own count, which each sample carries.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>

#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "event.h"
#include "hypothesis.h"
#include "period_change.h"
#include "placement.h"
#include "rate_limit.h"
#include "workload.h"

#define PERIOD 100003		/* the short one */
#define CLOCK_PERIOD_NS 1000000 /* the same of cpu-clock */
#define TIMES 20		/* as long is the long one */
#define ROUNDS 5
#define ODD_MAX 2 /* of these, which others may disturb */
#define EARLY 0.9
#define LATE 4.0 /* short periods; what is left of the long one is 19 */
#define OFF_MAX 0.75
#define CPU_MAX_NS 1000000000 /* of a round */
#define RING_PAGES 16

static const struct kind {
	const char *name;
	uint32_t type;
	uint64_t config, period;
	uint64_t rounds; /* of the loop, 19 instructions each, between two looks at the event */
} kinds[] = {
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERIOD, 100 },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD, 100 },
	/* A clock that goes off in the kernel has no sample: there is to be little of that. */
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK_PERIOD_NS, 5000 },
};

/* How a period is changed. */
static const struct way {
	const char *name;
	bool longer;  /* from the short to the long one, not the other way round */
	bool stopped; /* while the event is disabled */
	double end;   /* so many new periods are waited */
} ways[] = {
	{ "longer", true, false, 1.5 },
	{ "longer, while disabled", true, true, 1.5 },
	{ "shorter", false, false, 5.5 },
	{ "shorter, while disabled", false, true, 5.5 },
};

struct experiment {
	struct run *run;
	const struct kind *kind;
	uint64_t period; /* the short one here */
	struct event event;
	struct drained drained;
	struct period_change change;
	uint64_t newest; /* count of the newest sample; 0: none */
	struct err err;
};

/* What rounds showed. */
struct tally {
	uint64_t rounds, samples, early, late, odd, other;
	double least, most; /* new periods to the first sample */
};

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	all->newest = sample->read_value;
	if (all->change.period)
		period_change_take(&all->change, sample->read_value, sample->period);
}

static struct perf_event_attr attr_of(const struct experiment *all, uint64_t period)
{
	struct perf_event_attr attr = event_attr(all->kind->type, all->kind->config);

	attr.exclude_kernel = 1;
	attr.exclude_hv = all->kind->type == PERF_TYPE_HARDWARE;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ;
	return attr;
}

static int read_value(struct experiment *all, uint64_t *value)
{
	struct event_count count = { 0 };
	int result = event_read(&all->event, &count, &all->err);

	*value = count.value;
	return result;
}

/* Work until the event has counted so much, or there is a sample where that is enough. */
static int work(struct experiment *all, double until, bool to_sample)
{
	struct workload_job part = { workload_find("multiply"), all->kind->rounds };
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t value = 0;
	int result = read_value(all, &value);

	while (!result && (double)value < until && !(to_sample && all->newest) &&
	       clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < CPU_MAX_NS) {
		workload_do(&part);
		result = event_drain(&all->event, &all->drained, take, all, &all->err);
		if (!result)
			result = read_value(all, &value);
	}
	return result;
}

/*
 * To the middle of a period: of the first one, in which there is no sample yet, or after one that
 * there is, where the period is short.
 */
static int work_to_middle(struct experiment *all, bool has_sample)
{
	const double half = (double)all->period / 2;
	int result = has_sample ? work(all, 4.0 * (double)all->period, true) : 0;

	return result ? result : work(all, (double)all->newest + half, false);
}

static int change_period(struct experiment *all, const struct way *way, uint64_t period)
{
	struct period_change *change = &all->change;
	int result = way->stopped ? event_disable(&all->event, &all->err) : 0;

	if (!result)
		result = read_value(all, &change->from);
	if (!result && ioctl(all->event.fd, PERF_EVENT_IOC_PERIOD, &period))
		result = err_set(&all->err, errno, "PERF_EVENT_IOC_PERIOD");
	if (!result)
		result = read_value(all, &change->to);
	change->period = period;
	if (!result && way->stopped)
		result = event_enable(&all->event, &all->err);
	return result;
}

static void add_up(const struct period_change *change, uint64_t end, struct tally *tally)
{
	double waited = period_change_waited(change, end);

	tally->rounds++;
	tally->samples += change->samples;
	tally->early += waited < EARLY;
	tally->late += waited > LATE;
	tally->odd += period_change_off(change, end) > OFF_MAX;
	tally->other += change->other;
	tally->least = tally->rounds > 1 ? fmin(tally->least, waited) : waited;
	tally->most = fmax(tally->most, waited);
}

static int one_round(struct experiment *all, const struct way *way, struct tally *tally)
{
	const uint64_t longest = TIMES * all->period;
	const struct perf_event_attr attr = attr_of(all, way->longer ? all->period : longest);
	const uint64_t next = way->longer ? longest : all->period;
	uint64_t end;
	int result = event_open_self(&all->event, &attr, &all->err);

	all->change = (struct period_change){ 0 };
	all->newest = 0;
	if (!result)
		result = event_map(&all->event, RING_PAGES, false, &all->err);
	if (!result)
		result = event_enable(&all->event, &all->err);
	if (!result)
		result = work_to_middle(all, way->longer);
	if (!result)
		result = change_period(all, way, next);
	if (!result)
		result = work(all, (double)all->change.to + way->end * (double)next, false);
	if (!result)
		result = event_disable(&all->event, &all->err);
	if (!result)
		result = read_value(all, &end);
	if (!result)
		result = event_drain(&all->event, &all->drained, take, all, &all->err);
	if (!result)
		add_up(&all->change, end, tally);
	event_close(&all->event);
	return result;
}

/*
 * A clock makes up for no period that it missed, and its samples say the one that it was opened
 * with: Linux sets that once (hw_perf_event.last_period).
 */
static void judge(const struct experiment *all, const struct way *way, const struct tally *tally)
{
	struct run *run = all->run;
	char row[64];

	snprintf(row, sizeof(row), "%s: %s", all->kind->name, way->name);
	run_figure(run, "changed", row, "rounds", (double)tally->rounds, "1");
	run_figure(run, "changed", row, "samples", (double)tally->samples, "1");
	run_figure(run, "changed", row, "too early", (double)tally->early, "1");
	run_figure(run, "changed", row, "too late", (double)tally->late, "1");
	run_figure(run, "changed", row, "off", (double)tally->odd, "1");
	run_figure(run, "changed", row, "least periods to a sample", tally->least, "1");
	run_figure(run, "changed", row, "most", tally->most, "1");
	if (way->longer)
		run_check_le(run, "longer_at_once", row, (double)tally->early, ODD_MAX, "rounds");
	else
		run_check_le(run, "shorter_at_once", row, (double)tally->late, ODD_MAX, "rounds");
	if (all->kind->type != PERF_TYPE_HARDWARE) {
		if (tally->other)
			run_note(run, "%s: %u samples say the old period", row,
				 (unsigned int)tally->other);
		return;
	}
	run_check_le(run, "as_often", row, (double)tally->odd, ODD_MAX, "rounds");
	run_check_eq(run, "says_new", row, (double)tally->other, 0, "samples");
}

/* What setting this period of an event with these attributes says: 0, or -errno. */
static void check_refused(struct experiment *all, const char *what,
			  const struct perf_event_attr *attr, uint64_t period)
{
	char row[64];
	int result;

	snprintf(row, sizeof(row), "%s: %s", all->kind->name, what);
	if (event_open_self(&all->event, attr, &all->err)) {
		run_broken(all->run, "%s: %s", row, all->err.text);
		return;
	}
	result = ioctl(all->event.fd, PERF_EVENT_IOC_PERIOD, &period) ? errno : 0;
	run_check_eq(all->run, "refused", row, result, EINVAL, "1");
	event_close(&all->event);
}

static void run_kind(struct experiment *all)
{
	struct perf_event_attr attr = attr_of(all, all->period), counting = attr_of(all, 0);

	all->drained = (struct drained){ 0 };
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct tally tally = { 0 };
		int result = 0;

		run_progress(all->run, "%s, %s", all->kind->name, ways[i].name);
		for (int round = 0; !result && round < ROUNDS; round++)
			result = one_round(all, &ways[i], &tally);
		if (result) {
			run_broken(all->run, "%s: %s", all->kind->name, all->err.text);
			return;
		}
		if (!i && !run_control(all->run, "samples", (double)all->drained.samples, 0, "1"))
			return;
		judge(all, &ways[i], &tally);
	}
	check_refused(all, "a period of 0", &attr, 0);
	check_refused(all, "one of 2^63", &attr, UINT64_C(1) << 63);
	check_refused(all, "of an event without", &counting, all->period);
}

/* Timers may be no finer than the tick. */
static uint64_t period_of(const struct kind *kind)
{
	struct timespec resolution;

	if (kind->type == PERF_TYPE_SOFTWARE && !clock_getres(CLOCK_MONOTONIC, &resolution) &&
	    resolution.tv_nsec > (long)kind->period)
		return (uint64_t)resolution.tv_nsec;
	return kind->period;
}

static int run_period_change(struct run *run)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment all = { .run = run, .event = EVENT_CLOSED };
	int cpu = run_cpus(run)->cpu[0];
	struct placement placement;
	struct err err;
	bool pmu;

	if (placement_pin(&placement, cpu, &err))
		return run_broken(run, "%s", err.text);
	pmu = !event_probe(&attr, &err);
	if (!pmu)
		run_note(run, "without hardware events: CPU %d: %s", cpu, err.text);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		all.kind = &kinds[i];
		all.period = period_of(all.kind);
		if (pmu || kinds[i].type == PERF_TYPE_SOFTWARE)
			run_kind(&all);
	}
	placement_restore(&placement, NULL);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_CPU_CLOCK },
	{ .kind = NEED_END },
};

#define ROUNDS_ORIGIN \
	"perf_event_open(2), PERF_EVENT_IOC_PERIOD: \"takes effect immediately\"; in most of "

static const struct check checks[] = {
	{ .name = "shorter_at_once",
	  .claim = "after a much shorter period was set the next sample does not wait for the end "
		   "of the one that was under way",
	  .origin = ROUNDS_ORIGIN "five rounds within four of 20 new periods: timers come late" },
	{ .name = "longer_at_once",
	  .claim = "after a longer one was set there is no sample before as much was counted",
	  .origin = ROUNDS_ORIGIN "five rounds; a tenth for a timer by another clock" },
	{ .name = "as_often",
	  .claim = "there is a sample for each new period",
	  .origin = "the event's count, to the middle of a period; a quarter of one for skid, in "
		    "most rounds",
	  .optional = true },
	{ .name = "says_new",
	  .claim = "samples that come after it say the new period",
	  .origin =
		  "perf_event_open(2), PERF_SAMPLE_PERIOD; not of cpu-clock, whose samples say the "
		  "first one, up to Linux 6.18 at least",
	  .optional = true },
	{ .name = "refused",
	  .claim = "a period of 0 or of 2^63, and one for an event without, is EINVAL",
	  .origin = "_perf_event_period(), kernel/events/core.c" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "period_change",
	.claim = "PERF_EVENT_IOC_PERIOD takes effect at once: the period that is under way ends, "
		 "one of the new length begins, and samples say it.",
	.source = "perf_event_open(2), PERF_EVENT_IOC_PERIOD",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_period_change,
};
