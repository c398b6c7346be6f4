// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: PERF_EVENT_IOC_REFRESH n lets an event overflow exactly n times; then it is disabled and
 * says POLL_HUP, until the next REFRESH. Counts add up, and events that cannot be refreshed say so.
 *
 * Mechanism: each overflow takes one off event_limit; the one that makes it 0 tells its signal to
 * say POLL_HUP, has the event disabled from an irq_work, and stops the counter at once. A profiler
 * that re-arms its event, or wants one sample only, relies on each of these.
 *
 * On a broken kernel there are samples more or fewer, the count or the time enabled goes on, the
 * last signal says POLL_IN or an earlier one POLL_HUP, a second REFRESH replaces the first, or an
 * inherited event, whose children would each have a limit of their own, takes one.
 *
 * Re-arming from the signal handler is what clock_refresh tries.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "event.h"
#include "hypothesis.h"
#include "placement.h"
#include "poll_signals.h"
#include "rate_limit.h"
#include "turns.h"
#include "workload.h"

#define PERIOD 100003	       /* one signal has come before the next overflow */
#define CLOCK_PERIOD_NS 200000 /* the same of cpu-clock */
#define PART_ROUNDS 2000       /* of the loop: about 38,000 instructions */
#define PARTS_PER_OVERFLOW 8   /* three periods of instructions, or cycles at 2.5 of these each */
#define MORE 3		       /* overflows that there is work for beyond the limit */
#define RING_PAGES 16
#define FREE_OVERFLOWS 10 /* without a limit */

static const struct kind {
	const char *name;
	uint32_t type;
	uint64_t config, period;
} kinds[] = {
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERIOD },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK_PERIOD_NS },
};

/* How an event is armed, one row after the other with the same event. */
static const struct arming {
	const char *name, *check;
	int first, added; /* REFRESH, and another one at once (0: none) */
	bool switches;	  /* the task is switched out and in meanwhile */
} armings[] = {
	{ "five", "exactly_n", 5, 0, false },
	{ "one", "exactly_n", 1, 0, false },
	{ "three and four", "adds_up", 3, 4, false },
	{ "six, with switches", "exactly_n", 6, 0, true },
};

struct armed {
	struct run *run;
	const struct kind *kind;
	bool whole; /* the PMU counts the kernel, too */
	struct workload_job part;
	struct event event;
	struct turns turns;
	struct poll_signals signals;
	struct drained drained; /* since it was armed */
	struct event_count stopped, later;
	struct err err;
};

/* Timers may be no finer than the tick. */
static uint64_t period_of(const struct kind *kind)
{
	struct timespec resolution;

	if (kind->type == PERF_TYPE_SOFTWARE && !clock_getres(CLOCK_MONOTONIC, &resolution) &&
	    resolution.tv_nsec > (long)kind->period)
		return (uint64_t)resolution.tv_nsec;
	return kind->period;
}

static struct perf_event_attr attr_of(const struct armed *armed)
{
	const struct kind *kind = armed->kind;
	struct perf_event_attr attr = event_attr(kind->type, kind->config);

	attr.exclude_kernel = attr.exclude_hv = !armed->whole || kind->type == PERF_TYPE_SOFTWARE;
	attr.sample_period = period_of(kind);
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	return attr;
}

/* Work for so many overflows and more: counted by instructions, and for a clock by CPU time. */
static int work(struct armed *armed, int overflows, bool switches)
{
	const uint64_t ns = armed->kind->type == PERF_TYPE_SOFTWARE
				    ? (uint64_t)overflows * 2 * period_of(armed->kind)
				    : 0;
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int result = 0;

	for (int i = 0; !result && (i < overflows * PARTS_PER_OVERFLOW ||
				    clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < ns);
	     i++) {
		workload_do(&armed->part);
		if (switches)
			result = turns_take(&armed->turns, &armed->err);
	}
	return result ? result
		      : event_drain(&armed->event, &armed->drained, NULL, NULL, &armed->err);
}

/* Arm it, work until it has long been used up, and look whether it stands still then. */
static int use_up(struct armed *armed, const struct arming *arming)
{
	const int n = arming->first + arming->added;
	int result;

	armed->drained = (struct drained){ 0 };
	armed->signals = (struct poll_signals){ 0 };
	result = event_refresh(&armed->event, arming->first, &armed->err);
	if (!result && arming->added)
		result = event_refresh(&armed->event, arming->added, &armed->err);
	if (!result)
		result = work(armed, n + MORE, arming->switches);
	if (!result)
		result = event_read(&armed->event, &armed->stopped, &armed->err);
	if (!result)
		result = work(armed, MORE, arming->switches);
	return result ? result : event_read(&armed->event, &armed->later, &armed->err);
}

static void judge(struct armed *armed, const struct arming *arming)
{
	const struct poll_signals *signals = &armed->signals;
	double samples = (double)(armed->drained.samples + armed->drained.lost);
	struct run *run = armed->run;
	char row[64];

	snprintf(row, sizeof(row), "%s: %s", armed->kind->name, arming->name);
	run_figure(run, "refreshed", row, "n", arming->first + arming->added, "1");
	run_figure(run, "refreshed", row, "samples", samples, "1");
	run_figure(run, "refreshed", row, "POLL_IN", (double)signals->in, "1");
	run_figure(run, "refreshed", row, "POLL_HUP", (double)signals->hup, "1");
	run_check_eq(run, arming->check, row, samples, arming->first + arming->added, "1");
	run_check_eq(run, "stands_still", row, (double)(armed->later.value - armed->stopped.value),
		     0, "1");
	run_check_eq(run, "disabled", row, (double)(armed->later.enabled - armed->stopped.enabled),
		     0, "ns");
	run_check_eq(run, "hang_up", row, (double)signals->hup, 1, "1");
	run_check_eq(run, "hang_up_last", row, (double)(signals->after_hup + signals->other), 0,
		     "1");
}

/* Enabled as usual, the event that was used up has no limit any more. */
static int enable_again(struct armed *armed)
{
	int result = event_enable(&armed->event, &armed->err);

	armed->drained = (struct drained){ 0 };
	if (!result)
		result = work(armed, FREE_OVERFLOWS + MORE, false);
	if (!result)
		result = event_disable(&armed->event, &armed->err);
	if (!result)
		run_check_ge(armed->run, "enable_has_none", armed->kind->name,
			     (double)(armed->drained.samples + armed->drained.lost), FREE_OVERFLOWS,
			     "1");
	return result;
}

static int run_armings(struct armed *armed)
{
	const struct perf_event_attr attr = attr_of(armed);
	int result = event_open_self(&armed->event, &attr, &armed->err);

	if (!result)
		result = event_map(&armed->event, RING_PAGES, false, &armed->err);
	if (!result)
		result = poll_signals_watch(&armed->signals, &armed->event, &armed->err);
	for (size_t i = 0; !result && i < sizeof(armings) / sizeof(armings[0]); i++) {
		result = use_up(armed, &armings[i]);
		if (!result && !i &&
		    !run_control(armed->run, "samples or signals",
				 (double)(armed->drained.samples + armed->signals.hup +
					  armed->signals.in),
				 0, "1"))
			break;
		if (!result)
			judge(armed, &armings[i]);
	}
	if (!result)
		result = enable_again(armed);
	poll_signals_end();
	event_close(&armed->event);
	return result;
}

/* What REFRESH of an event with these attributes says: 0, or -errno. */
static void check_refused(struct armed *armed, const char *what, const struct perf_event_attr *attr)
{
	struct event event;
	struct err err;
	char row[64];
	int result;

	snprintf(row, sizeof(row), "%s: %s", armed->kind->name, what);
	result = event_open_self(&event, attr, &err);
	if (result) {
		run_broken(armed->run, "%s: %s", row, err.text);
		return;
	}
	result = event_refresh(&event, 1, &err);
	run_check_eq(armed->run, "refused", row, -result, EINVAL, "1");
	event_close(&event);
}

static void run_kind(struct armed *armed)
{
	struct perf_event_attr inherited = attr_of(armed), counting = attr_of(armed);

	run_progress(armed->run, "%s", armed->kind->name);
	if (run_armings(armed)) {
		run_broken(armed->run, "%s: %s", armed->kind->name, armed->err.text);
		return;
	}
	inherited.inherit = 1;
	check_refused(armed, "inherited", &inherited);
	counting.sample_period = 0;
	check_refused(armed, "without a period", &counting);
}

static int run_refresh_limit(struct run *run)
{
	const struct perf_event_attr user = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_attr attr;
	struct armed armed = { .kind = kinds,
			       .run = run,
			       .part = { workload_find("multiply"), PART_ROUNDS } };
	int cpu = run_cpus(run)->cpu[0];
	struct placement placement;
	struct err err;
	bool pmu;

	if (placement_pin(&placement, cpu, &err))
		return run_broken(run, "%s", err.text);
	armed.whole = event_probe(&user, &err) != 0;
	attr = attr_of(&armed);
	pmu = !event_probe(&attr, &err);
	if (!pmu)
		run_note(run, "without hardware events: CPU %d: %s", cpu, err.text);
	if (turns_start(&armed.turns, armed.part.work, 1, &err))
		run_broken(run, "%s", err.text);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		armed.kind = &kinds[i];
		if (pmu || kinds[i].type == PERF_TYPE_SOFTWARE)
			run_kind(&armed);
	}
	turns_stop(&armed.turns);
	placement_restore(&placement, NULL);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_CPU_CLOCK },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "exactly_n",
	  .claim = "after REFRESH n there are n samples, also across context switches",
	  .origin = "perf_event_open(2), PERF_EVENT_IOC_REFRESH" },
	{ .name = "adds_up",
	  .claim = "a second REFRESH adds to the first",
	  .origin = "perf_event_open(2): \"adds a count to a counter's overflow limit\"" },
	{ .name = "stands_still",
	  .claim = "the count of the event does not change after that",
	  .origin = "perf_event_open(2): it is disabled" },
	{ .name = "disabled",
	  .claim = "nor does its time enabled",
	  .origin = "the same; PERF_FORMAT_TOTAL_TIME_ENABLED" },
	{ .name = "hang_up",
	  .claim = "one signal says POLL_HUP",
	  .origin = "perf_event_open(2), Overflow handling: when the limit is used up" },
	{ .name = "hang_up_last",
	  .claim = "it is the last one, and those before it say POLL_IN",
	  .origin = "the same; an event that is disabled does not overflow" },
	{ .name = "enable_has_none",
	  .claim = "after PERF_EVENT_IOC_ENABLE the event has no limit",
	  .origin = "an event_limit of 0 is none (__perf_event_overflow())" },
	{ .name = "refused",
	  .claim = "REFRESH of an inherited event, and of one that does not sample, is EINVAL",
	  .origin = "perf_event_open(2); _perf_event_refresh()" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "refresh_limit",
	.claim = "PERF_EVENT_IOC_REFRESH n lets an event overflow exactly n times; then it is "
		 "disabled and says POLL_HUP. Counts add up, and events that cannot be refreshed "
		 "say so.",
	.source = "perf_event_open(2), PERF_EVENT_IOC_REFRESH",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 20,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_refresh_limit,
};
