// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a sample says truly whose it is, when, where and why it was taken.
 *
 * Mechanism: the handler fills in what the sample is asked to carry from the event, the task, the
 * clock and the interrupted registers. An inherited event writes with the id of its parent and a
 * stream id of its own. One field taken from the wrong place, or from the sample before, leaves a
 * profile that is of the right shape, and wrong.
 *
 * Everything is compared with what is known: the event's id, the task and the CPU that it is bound
 * to, the clock before and after, the period that was asked for, and the region of code or the page
 * that is visited just then.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "fresh_pages.h"
#include "hypothesis.h"
#include "known_faults.h"
#include "known_place.h"
#include "offspring.h"
#include "placement.h"
#include "rate_limit.h"
#include "regions.h"
#include "sample_who.h"
#include "workload.h"

#define PERIOD 100003	  /* instructions */
#define PERIOD_MODE 50021 /* of events that count the kernel */
#define CLOCK_NS 100000	  /* of software clocks */
#define CLOCK_PART 20	  /* of these periods: a part of their work */
#define ROUND 19	  /* instructions of the loop */
#define PARTS 40
#define OTHERS 10	 /* events: more than most PMUs have counters for */
#define TURNS_PARTS 1000 /* many ticks */
#define CHILDREN 6
#define CHILD_OVERFLOWS 3
#define RING_PAGES 16
#define PAGES 50
#define REGION_ROUND 9.5 /* instructions of a round of a region */
#define SHARE_MIN 0.95	 /* of samples, where a few may rightly be elsewhere */

struct experiment {
	struct run *run;
	bool whole; /* the PMU counts the kernel, too */
	struct workload_job step;
	struct event event;
	struct drained drained;
	struct sample_who who;
	uint64_t lonely; /* children without a sample */
	/* Of user and kernel: */
	uint64_t user, kernel, wrong_mode;
	uint64_t part_ns; /* CPU time of a part of the work; 0: a fixed number of calls */
	/* Of regions: */
	unsigned int region;
	uint64_t right_region, wrong_region;
	struct known_faults faults;
};

static struct perf_event_attr user_attr(const struct experiment *all)
{
	struct perf_event_attr attr = counters_attr(PERF_COUNT_HW_INSTRUCTIONS, all->whole, PERIOD);

	attr.sample_type = SAMPLE_WHO_TYPE;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

/* --- Who and when --- */

static void take_who(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	/* It was taken before it is read. */
	all->who.to_ns = clock_ns(CLOCK_MONOTONIC);
	sample_who_take(&all->who, sample);
	if (all->event.attr.sample_type & PERF_SAMPLE_READ)
		sample_who_read(&all->who, sample);
}

/* Read the ring; what comes after this was taken after this. */
static int read_who(struct experiment *all, struct err *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int result = event_drain(&all->event, &all->drained, take_who, all, err);

	all->who.from_ns = now;
	return result;
}

/* Map and enable an event that was opened, of which nothing is known yet. */
static int begin(struct experiment *all, int cpu, struct err *err)
{
	struct timespec resolution;
	int result = event_map(&all->event, RING_PAGES, false, err);

	clock_getres(CLOCK_MONOTONIC, &resolution);
	all->drained = (struct drained){ 0 };
	all->who = (struct sample_who){ .id = all->event.id,
					.period = PERIOD,
					.pid = (uint32_t)getpid(),
					.tid = (uint32_t)gettid(),
					.cpu = (uint32_t)cpu,
					.from_ns = clock_ns(CLOCK_MONOTONIC),
					.coarse = resolution.tv_nsec > 1000 };
	return result ? result : event_enable(&all->event, err);
}

static bool judge_who(struct experiment *all, const char *line)
{
	const struct sample_who *who = &all->who;
	struct run *run = all->run;

	run_figure(run, "samples", line, "samples", (double)who->samples, "1");
	run_figure(run, "samples", line, "of a child", (double)who->of_child, "1");
	if (!run_control(run, line, (double)who->samples, 2, "samples"))
		return false;
	run_check_eq(run, "own_id", line, (double)who->wrong_id, 0, "1");
	run_check_eq(run, "own_stream", line, (double)who->wrong_stream, 0, "1");
	run_check_eq(run, "task_right", line, (double)(who->wrong_task + all->lonely), 0, "1");
	run_check_eq(run, "cpu_right", line, (double)who->wrong_cpu, 0, "1");
	run_check_eq(run, "period_right", line, (double)who->wrong_period, 0, "1");
	run_check_eq(run, "time_in_run", line, (double)who->outside, 0, "1");
	run_check_eq(run, "time_grows", line, (double)who->not_later, 0, "1");
	return true;
}

static int sample_self(struct experiment *all, int cpu, struct event_count *count, struct err *err)
{
	struct perf_event_attr attr = user_attr(all);
	int result;

	attr.sample_type |= PERF_SAMPLE_READ;
	result = event_open_self(&all->event, &attr, err);
	if (!result)
		result = begin(all, cpu, err);
	for (int i = 0; !result && i < PARTS; i++) {
		workload_do(&all->step);
		result = read_who(all, err);
	}
	if (!result)
		result = event_disable(&all->event, err);
	if (!result)
		result = read_who(all, err);
	return result ? result : event_read(&all->event, count, err);
}

/* On one CPU, with the count in each sample. */
static bool run_self(struct experiment *all, int cpu, const char *line)
{
	struct event_count count;
	struct err err;
	int result = sample_self(all, cpu, &count, &err);

	if (result) {
		run_broken(all->run, "%s: %s", line, err.text);
	} else if (judge_who(all, line)) {
		run_check_eq(all->run, "read_right", line, (double)all->who.wrong_read, 0, "1");
		run_check_le(all->run, "read_right", "last sample to the end",
			     (double)count.value - (double)all->who.last_value, 2 * PERIOD, "1");
		run_check_ge(all->run, "read_right", "the same, not negative",
			     (double)count.value - (double)all->who.last_value, 0, "1");
		run_check_ge(all->run, "read_right", "time enabled from there to the end",
			     (double)count.enabled - (double)all->who.last_enabled, 0, "ns");
	}
	event_close(&all->event);
	return !result;
}

/*
 * More events than counters: they take turns, and the first one has run for less than it was
 * enabled. Each sample must say so, in this order.
 */
static int sample_turns(struct experiment *all, struct event *others, struct event_count *count,
			struct err *err)
{
	struct perf_event_attr attr = user_attr(all);
	struct perf_event_attr counting = attr;
	int result;

	attr.sample_type |= PERF_SAMPLE_READ;
	counting.sample_period = 0;
	counting.sample_type = 0;
	result = event_open_self(&all->event, &attr, err);
	for (int i = 0; !result && i < OTHERS; i++) {
		result = event_open_self(&others[i], &counting, err);
		if (!result)
			result = event_enable(&others[i], err);
	}
	if (!result)
		result = begin(all, run_cpus(all->run)->cpu[0], err);
	for (int i = 0; !result && i < TURNS_PARTS; i++) {
		workload_do(&all->step);
		result = read_who(all, err);
	}
	return result ? result : event_read(&all->event, count, err);
}

static void run_turns(struct experiment *all)
{
	struct event others[OTHERS];
	struct event_count count;
	struct err err;

	for (int i = 0; i < OTHERS; i++)
		others[i] = (struct event)EVENT_CLOSED;
	if (sample_turns(all, others, &count, &err)) {
		run_broken(all->run, "taking turns: %s", err.text);
	} else {
		run_figure(all->run, "samples", "taking turns", "samples", (double)all->who.samples,
			   "1");
		run_figure(all->run, "samples", "taking turns", "ran",
			   (double)count.running / (double)count.enabled, "1");
		run_figure(all->run, "samples", "taking turns", "last sample: ran",
			   (double)all->who.last_running / (double)all->who.last_enabled, "1");
		run_check_eq(all->run, "read_right", "taking turns", (double)all->who.wrong_read, 0,
			     "1");
	}
	for (int i = 0; i < OTHERS; i++)
		event_close(&others[i]);
	event_close(&all->event);
}

/* The same on another CPU, to which the task moves. */
static void run_moved(struct experiment *all)
{
	const struct cpus *cpus = run_cpus(all->run);
	struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct err err;

	for (size_t i = 1; i < cpus->n; i++) {
		/* On a hybrid machine not all CPUs have the PMU. */
		if (cpus_pin(cpus->cpu[i], &err) || (!all->whole && event_probe(&attr, &err)))
			continue;
		run_self(all, cpus->cpu[i], "another CPU");
		break;
	}
	if (cpus_pin(cpus->cpu[0], &err))
		run_broken(all->run, "%s", err.text);
}

/* A process, then a thread, and so on; each has samples. */
static int sample_children(struct experiment *all, struct err *err)
{
	struct workload_job job = { all->step.work,
				    ((uint64_t)CHILD_OVERFLOWS * PERIOD + PERIOD / 2) / ROUND };
	int result = 0;

	for (int i = 0; !result && i < CHILDREN; i++) {
		uint64_t before = all->who.of_child;
		long tid = i % 2 ? offspring_thread(workload_do, &job, err)
				 : offspring_process(workload_do, &job, 0, err);

		if (tid < 0)
			return (int)tid;
		sample_who_child(&all->who, (uint32_t)(i % 2 ? getpid() : tid), (uint32_t)tid);
		result = read_who(all, err);
		all->lonely += all->who.of_child == before;
	}
	return result;
}

static void run_children(struct experiment *all, int cpu)
{
	struct perf_event_attr attr = user_attr(all);
	struct err err;
	int result;

	attr.inherit = 1;
	/* An inherited event of a task can be mapped when it is of one CPU. */
	result = event_open_task_cpu(&all->event, &attr, gettid(), cpu, &err);
	if (!result)
		result = begin(all, cpu, &err);
	if (!result)
		result = sample_children(all, &err);
	if (result)
		run_broken(all->run, "children: %s", err.text);
	else if (judge_who(all, "children"))
		run_check_ge(all->run, "own_stream", "children: of inherited events",
			     (double)all->who.other_streams, 1, "1");
	event_close(&all->event);
}

/* --- User and kernel --- */

static void take_mode(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	*(known_is_user(sample->ip) ? &all->user : &all->kernel) += 1;
	all->wrong_mode += !known_mode_right(sample->ip, misc);
}

static void calls_and_work(void *context)
{
	const struct experiment *all = context;
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	do {
		for (int i = 0; i < 2000; i++) {
			all->step.work->run(10);
			(void)syscall(SYS_getppid);
		}
	} while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < all->part_ns);
}

/* Sample with this attr; false when it cannot be opened, with a note. */
static bool sample_modes(struct experiment *all, const struct perf_event_attr *attr,
			 const char *line)
{
	struct self_sampling sampling = { .attr = *attr,
					  .pages = RING_PAGES,
					  .parts = 10,
					  .work = calls_and_work,
					  .handle = take_mode,
					  .context = all };
	struct err err;

	all->user = all->kernel = all->wrong_mode = 0;
	sampling.attr.sample_type = PERF_SAMPLE_IP;
	if (self_sample(&sampling, &err)) {
		run_note(all->run, "without %s: %s", line, err.text);
		return false;
	}
	run_figure(all->run, "modes", line, "user", (double)all->user, "1");
	run_figure(all->run, "modes", line, "kernel", (double)all->kernel, "1");
	return run_control(all->run, line, (double)(all->user + all->kernel), 2, "samples") &&
	       run_check_eq(all->run, "mode_right", line, (double)all->wrong_mode, 0, "1");
}

static double share(uint64_t part, uint64_t other)
{
	return (double)part / (double)(part + other);
}

/* The same event of the kernel's code only, then of the user's. */
static void sample_either(struct experiment *all, const struct perf_event_attr *attr,
			  const char *kernel, const char *user)
{
	struct perf_event_attr either = *attr;

	either.exclude_user = 1;
	if (sample_modes(all, &either, kernel))
		run_check_ge(all->run, "mode_as_asked", kernel, share(all->kernel, all->user),
			     SHARE_MIN, "1");
	either.exclude_user = 0;
	either.exclude_kernel = 1;
	either.exclude_hv = attr->type == PERF_TYPE_HARDWARE;
	if (sample_modes(all, &either, user))
		run_check_ge(all->run, "mode_as_asked", user, share(all->user, all->kernel),
			     SHARE_MIN, "1");
}

static void run_modes(struct experiment *all)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = PERIOD_MODE;
	if (sample_modes(all, &attr, "user and kernel")) {
		run_control(all->run, "samples of user code", (double)all->user, 0, "1");
		run_control(all->run, "samples of the kernel", (double)all->kernel, 0, "1");
	}
	if (all->whole)
		return;
	sample_either(all, &attr, "kernel only", "user only");
}

/* The kernel looks itself whether a software clock is to have a sample of what was interrupted. */
static void run_clocks(struct experiment *all)
{
	struct perf_event_attr attr = event_attr_cpu_clock(CLOCK_NS);
	struct timespec resolution;

	/* Timers may be no finer than the tick. */
	if (!clock_getres(CLOCK_MONOTONIC, &resolution) && resolution.tv_nsec > CLOCK_NS)
		attr.sample_period = (uint64_t)resolution.tv_nsec;
	all->part_ns = CLOCK_PART * attr.sample_period;
	sample_either(all, &attr, "cpu-clock, kernel only", "cpu-clock, user only");
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	sample_either(all, &attr, "task-clock, kernel only", "task-clock, user only");
}

/* --- Where --- */

static void take_region(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;
	int region = freshness_region(&regions, sample->ip);

	(void)misc;
	if (region < 0)
		return;
	*(region == (int)all->region ? &all->right_region : &all->wrong_region) += 1;
}

static void visit(void *context)
{
	const struct experiment *all = context;

	regions_visit(all->region, (uint64_t)(1.5 * PERIOD / REGION_ROUND));
}

/* One region after the other; samples are read before the next one is entered. */
static int visit_regions(struct experiment *all, struct err *err)
{
	int result = 0;

	for (unsigned int i = 0; !result && i < 2 * regions.n; i++) {
		all->region = i % regions.n;
		result = event_enable(&all->event, err);
		visit(all);
		if (!result)
			result = event_disable(&all->event, err);
		if (!result)
			result = event_drain(&all->event, &all->drained, take_region, all, err);
	}
	return result;
}

static void run_regions(struct experiment *all)
{
	struct perf_event_attr attr = user_attr(all);
	struct err err;
	int result;

	if (!regions.n)
		return;
	attr.sample_type = PERF_SAMPLE_IP;
	result = event_open_self(&all->event, &attr, &err);
	if (!result)
		result = event_map(&all->event, RING_PAGES, false, &err);
	if (!result)
		result = visit_regions(all, &err);
	if (result) {
		run_broken(all->run, "regions: %s", err.text);
	} else if (run_control(all->run, "samples in regions",
			       (double)(all->right_region + all->wrong_region), regions.n, "1")) {
		run_figure(all->run, "regions", "visited", "samples", (double)all->right_region,
			   "1");
		run_figure(all->run, "regions", "others", "samples", (double)all->wrong_region,
			   "1");
		run_check_eq(all->run, "ip_right", NULL, (double)all->wrong_region, 0, "1");
	}
	event_close(&all->event);
}

/* --- Page faults --- */

static void take_fault(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	known_faults_take(&all->faults, sample);
}

static struct perf_event_attr fault_attr(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	attr.sample_period = 1;
	attr.sample_type = KNOWN_FAULTS_SAMPLE;
	return attr;
}

static struct known_faults known_of(const struct fresh_pages *pages, uint64_t id)
{
	const char *first = fresh_pages_address(pages, 0);

	return (struct known_faults){ .id = id,
				      .begin = (uint64_t)(uintptr_t)pages->base,
				      .page_size = pages->page_size,
				      .pages = pages->n,
				      .offset = (uint64_t)(first - pages->base) };
}

/* So many events at once, each with a ring of its own: how many samples of them are wrong. */
static int sample_faults(struct event *events, size_t n, struct fresh_pages *pages,
			 struct experiment *all, uint64_t *wrong, struct err *err)
{
	const struct perf_event_attr attr = fault_attr();
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		result = event_open_self(&events[i], &attr, err);
		if (!result)
			result = event_map(&events[i], RING_PAGES, false, err);
		if (!result)
			result = event_enable(&events[i], err);
	}
	if (!result)
		result = fresh_pages_go_on(pages, 2 * pages->n, err);
	for (size_t i = 0; !result && i < n; i++) {
		all->faults = known_of(pages, events[i].id);
		result = event_disable(&events[i], err);
		if (!result)
			result = event_drain(&events[i], &all->drained, take_fault, all, err);
		*wrong += all->faults.wrong;
	}
	return result;
}

static void run_faults(struct experiment *all, size_t n, const char *check)
{
	struct event events[] = { EVENT_CLOSED, EVENT_CLOSED };
	struct fresh_pages pages;
	uint64_t wrong = 0;
	struct err err;

	if (fresh_pages_map(&pages, PAGES, &err) ||
	    sample_faults(events, n, &pages, all, &wrong, &err))
		run_broken(all->run, "page faults: %s", err.text);
	else if (run_control(all->run, "page faults",
			     (double)(all->faults.right + all->faults.wrong), 2 * PAGES - 1, "1"))
		run_check_eq(all->run, check, n > 1 ? "two events" : "one event", (double)wrong, 0,
			     "1");
	for (size_t i = 0; i < n; i++)
		event_close(&events[i]);
	fresh_pages_unmap(&pages);
}

static void run_all(struct experiment *all)
{
	int cpu = run_cpus(all->run)->cpu[0];

	if (!run_self(all, cpu, "one CPU"))
		return;
	run_turns(all);
	run_moved(all);
	run_children(all, cpu);
	run_modes(all);
	run_clocks(all);
	run_regions(all);
	run_faults(all, 1, "fault_right");
	run_faults(all, 2, "own_id_together");
}

static int run_sample_fields(struct run *run)
{
	const struct perf_event_attr user = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment all = { .run = run,
				  .step = { workload_find("multiply"), PERIOD / ROUND + 200 },
				  .event = EVENT_CLOSED };
	struct perf_event_attr attr;
	struct placement placement;
	struct err err;

	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	all.whole = event_probe(&user, &err) != 0;
	attr = user_attr(&all);
	if (event_probe(&attr, &err))
		run_skip(run, "CPU %d: %s", run_cpus(run)->cpu[0], err.text);
	else
		run_all(&all);
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU, .value = 1 },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "own_id",
	  .claim = "id and identifier are the event's, also in samples of children",
	  .origin = "PERF_EVENT_IOC_ID; an inherited event has the id of its parent" },
	{ .name = "own_stream",
	  .claim =
		  "the stream id is the event's id, or one of its own of an event that a child has "
		  "inherited",
	  .origin = "perf_event_open(2), PERF_SAMPLE_STREAM_ID; parent and child may exchange "
		    "events at a switch, so that only some have another one" },
	{ .name = "task_right",
	  .claim = "pid and tid are those of the task that ran",
	  .origin = "getpid(2), gettid(2), fork(2); each child works for periods enough to have a "
		    "sample" },
	{ .name = "cpu_right",
	  .claim = "the CPU is the one that the task is bound to",
	  .origin = "sched_setaffinity(2)" },
	{ .name = "period_right",
	  .claim = "the period is the one that was asked for",
	  .origin = "a fixed period; perf_event_open(2), PERF_SAMPLE_PERIOD" },
	{ .name = "time_in_run",
	  .claim = "the time is between the reading of the ring before and this one",
	  .origin = "CLOCK_MONOTONIC, of the event and of this task; 1 us for a clock that is "
		    "adjusted (ktime_get_mono_fast_ns())" },
	{ .name = "time_grows",
	  .claim = "and later than that of the sample before",
	  .origin = "ten thousands of instructions lie between; equal where the clock stands still "
		    "for more than 1 us" },
	{ .name = "read_right",
	  .claim = "the count in a sample has the event's id, goes up from sample to sample, up to "
		   "the final one, and so do its times",
	  .origin = "perf_event_open(2), PERF_SAMPLE_READ; one period is left over at the end, and "
		    "one may be pending" },
	{ .name = "mode_right",
	  .claim = "the header says user or kernel as the address does",
	  .origin = "the kernel's addresses are the upper half" },
	{ .name = "mode_as_asked",
	  .claim = "an event of the user's code or of the kernel's has samples there",
	  .origin = "exclude_kernel, exclude_user, of instructions and of software clocks; 5 % for "
		    "skid over the border of a short system call",
	  .optional = true },
	{ .name = "ip_right",
	  .claim = "the address is in the code that runs, not in what ran before",
	  .origin = "sixteen pages of code, visited one after the other; samples are read after "
		    "each",
	  .optional = true },
	{ .name = "fault_right",
	  .claim = "samples of page faults have the address that was touched, and the event's ids",
	  .origin = "the pages are touched one after the other" },
	{ .name = "own_id_together",
	  .claim = "the same of two events that overflow with the same fault",
	  .origin = "as fault_right" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "sample_fields",
	.claim = "A sample says truly whose it is (id, stream, task), when and where it was taken "
		 "(time, CPU, address, user or kernel), and what the event counted.",
	.source = "perf_event_open(2); kernel/events/core.c, perf_output_sample()",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_sample_fields,
};
