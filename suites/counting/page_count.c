// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a task that reads its own counter through the event's mapped page gets what read(2) gives.
 *
 * Mechanism: the page says on which counter the event is and what is to be added to its raw value.
 * The kernel must write it anew each time that it sets the counter: when the event is started, in
 * the PMI handler at each overflow, when it comes to another counter or CPU; and when the event
 * leaves its counter, which then counts for somebody else. Times in the page go on by the clock of
 * the CPU.
 *
 * On a broken kernel a program that reads its counters by RDPMC is off by periods or by what the
 * event had at its last switch, or takes the counts of another event for its own.
 *
 * Each reading is made between two read(2) of the same event. Counts and times only grow, so it
 * must lie between theirs, whatever else the machine does. Events count user mode only.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "counters.h"
#include "hypothesis.h"
#include "io.h"
#include "page_count.h"
#include "placement.h"
#include "rate_limit.h"
#include "turns.h"
#include "workload.h"

#define READINGS 150
#define PERIOD 400009 /* a prime; not above 50000 samples a second, which throttles nobody */
#define PARTS 3	      /* readings in each period */
#define OVERFLOWS_LEAST 10
#define TURNS 100
#define ROUNDS_OTHER 1000
#define MOVES 50
#define EVENTS_MAX 16
#define GROUP_MOST 4
#define STEPS_LEAST 50
#define STEPS_MOST 2000
#define ROUNDS_STEP 20000 /* far less than a turn on the PMU, which is some ms */
#define RDPMC_FILE "/sys/bus/event_source/devices/cpu/rdpmc"

struct subject {
	struct event event;
	struct page_watch watch;
};

struct experiment {
	struct run *run;
	const struct page_reader *reader;
	const struct workload *work;
	int cpu;
	size_t fit; /* events of instructions that the PMU counts at once */
	/* Of all readings: */
	uint64_t malformed;
	uint64_t timed, off_time;
};

/* Read the page between two read(2). A page that cannot be read is counted. */
static int look(struct experiment *all, struct subject *subject, struct err *err)
{
	struct event_count before, after;
	struct page_reading reading;
	struct err page_err;
	int result = event_read(&subject->event, &before, err);
	int page_result =
		page_count_read(subject->event.ring.page, all->reader, &reading, &page_err);

	if (!result)
		result = event_read(&subject->event, &after, err);
	if (result)
		return result;
	if (!page_result)
		page_watch_take(&subject->watch, &before, &reading, &after);
	else if (!all->malformed++)
		run_note(all->run, "%s", page_err.text);
	return 0;
}

static int look_at_all(struct experiment *all, struct subject *subjects, size_t n, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = look(all, &subjects[i], err);
	return result;
}

/* Open for this thread, with its page. */
static int open_mapped(struct subject *subject, const struct perf_event_attr *attr, struct err *err)
{
	int result = event_open_self(&subject->event, attr, err);

	return result ? result : event_map(&subject->event, 1, false, err);
}

static int open_started(struct subject *subject, const struct perf_event_attr *attr,
			struct err *err)
{
	int result = open_mapped(subject, attr, err);

	return result ? result : event_enable(&subject->event, err);
}

/* Several that are not open. */
static void none_open(struct subject *subjects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		subjects[i] = (struct subject){ .event = EVENT_CLOSED };
}

static void close_all(struct subject *subjects, size_t n)
{
	while (n)
		event_close(&subjects[--n].event);
}

/*
 * What the readings of a row say of values, and keep what they say of times. With `high`
 * also the bits above the counter's are judged.
 */
static void judge(struct experiment *all, const char *check, bool high, const char *row,
		  const struct page_watch *watch)
{
	run_figure(all->run, "readings", row, "readings", (double)watch->readings, "1");
	run_figure(all->run, "readings", row, "on a counter", (double)watch->on, "1");
	run_figure(all->run, "readings", row, "not between", (double)watch->outside, "1");
	run_figure(all->run, "readings", row, "by at most", watch->worst, "1");
	run_figure(all->run, "readings", row, "high bits wrong", (double)watch->high, "1");
	run_check_eq(all->run, check, row, (double)watch->outside, 0, "1");
	if (high)
		run_check_eq(all->run, "high_bits", row, (double)watch->high, 0, "1");
	all->timed += watch->timed;
	all->off_time += watch->off_time;
}

static void judge_all(struct experiment *all, const char *check, const char *what,
		      const struct subject *subjects, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char row[32];

		snprintf(row, sizeof(row), "%s: %zu of %zu", what, i + 1, n);
		judge(all, check, true, row, &subjects[i].watch);
	}
}

/* --- On the PMU --- */

static int run_alone(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject subject = { .event = EVENT_CLOSED };
	int result = open_started(&subject, &attr, err);

	for (uint64_t i = 0; !result && i < READINGS; i++) {
		all->work->run(1 + i);
		result = look(all, &subject, err);
	}
	event_close(&subject.event);
	if (!result &&
	    run_control(all->run, "readings of a counter", (double)subject.watch.on, 0, "1"))
		judge(all, "between_reads", true, "one event", &subject.watch);
	return result;
}

/* A group, so that members are on the PMU when one is, of as many kinds as there are. */
static int open_group(struct subject *subjects, size_t n, struct err *err)
{
	static const uint64_t wanted[GROUP_MOST] = { PERF_COUNT_HW_INSTRUCTIONS,
						     PERF_COUNT_HW_INSTRUCTIONS,
						     PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
						     PERF_COUNT_HW_CPU_CYCLES };
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		struct perf_event_attr attr = counters_user_attr(wanted[i]);
		struct event *event = &subjects[i].event;

		if (event_probe(&attr, NULL))
			attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		result = i ? event_open_member(event, &attr, &subjects[0].event, err)
			   : event_open_self(event, &attr, err);
		if (!result)
			result = event_map(event, 1, false, err);
	}
	return result;
}

static int run_together(struct experiment *all, struct err *err)
{
	struct subject subjects[GROUP_MOST];
	size_t n = all->fit < GROUP_MOST ? all->fit : GROUP_MOST;
	int result;

	none_open(subjects, n);
	result = open_group(subjects, n, err);
	if (!result)
		result = event_enable(&subjects[0].event, err);
	for (uint64_t i = 0; !result && i < READINGS; i++) {
		all->work->run(1 + i);
		result = look_at_all(all, subjects, n, err);
	}
	if (!result && run_control(all->run, "readings of a group's counters",
				   (double)subjects[0].watch.on, 0, "1"))
		judge_all(all, "together", "of a group", subjects, n);
	close_all(subjects, n);
	return result;
}

/* --- Across what sets the counter anew --- */

static int sample_kind(struct experiment *all, const char *row, uint64_t config, struct err *err)
{
	uint64_t rounds = PERIOD / PARTS / all->work->instructions_per_round;
	struct perf_event_attr attr = counters_user_attr(config);
	struct event_count count = { 0 };
	struct subject subject = { .event = EVENT_CLOSED };
	int result;

	attr.sample_period = PERIOD;
	result = open_started(&subject, &attr, err);
	for (int i = 0; !result && i < READINGS; i++) {
		all->work->run(rounds);
		result = look(all, &subject, err);
	}
	if (!result)
		result = event_read(&subject.event, &count, err);
	event_close(&subject.event);
	if (!result && run_control(all->run, "overflows of a row", (double)count.value / PERIOD,
				   OVERFLOWS_LEAST, "1"))
		judge(all, "across_overflows", false, row, &subject.watch);
	return result;
}

static int run_overflows(struct experiment *all, struct err *err)
{
	const struct perf_event_attr branches =
		counters_sampling_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int result = sample_kind(all, "instructions, sampled", PERF_COUNT_HW_INSTRUCTIONS, err);

	if (!result && !event_probe(&branches, NULL))
		result = sample_kind(all, "branches, sampled", PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
				     err);
	return result;
}

static int take_turns(struct experiment *all, struct subject *subject, struct turns *turns,
		      struct err *err)
{
	int result = 0;

	for (uint64_t i = 0; !result && i < TURNS; i++) {
		all->work->run(1 + i);
		result = look(all, subject, err);
		if (!result)
			result = turns_take(turns, err);
		if (!result)
			result = look(all, subject, err);
	}
	return result;
}

static int run_switches(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject subject = { .event = EVENT_CLOSED };
	struct turns turns;
	int result = turns_start(&turns, all->work, ROUNDS_OTHER, err);

	if (!result)
		result = open_started(&subject, &attr, err);
	if (!result)
		result = take_turns(all, &subject, &turns, err);
	event_close(&subject.event);
	turns_stop(&turns);
	if (!result)
		judge(all, "across_switches", true, "turns with another task", &subject.watch);
	return result;
}

static int run_moves(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	const struct cpus *cpus = run_cpus(all->run);
	struct subject subject = { .event = EVENT_CLOSED };
	struct migration migration;
	int result;

	if (cpus->n < 2)
		return 0;
	migration = (struct migration){ .cpu = { cpus->cpu[0], cpus->cpu[1] } };
	result = open_started(&subject, &attr, err);
	for (uint64_t i = 0; !result && i < MOVES; i++) {
		all->work->run(1 + i);
		result = look(all, &subject, err);
		if (!result)
			result = placement_migrate(&migration, err);
		if (!result)
			result = look(all, &subject, err);
	}
	event_close(&subject.event);
	if (!result)
		result = cpus_pin(all->cpu, err);
	if (!result)
		judge(all, "across_moves", true, "two CPUs", &subject.watch);
	return result;
}

/* --- Off the PMU --- */

/* Was each of them on a counter now, and off it then, as the reads have it? */
static bool took_turns(const struct subject *subjects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!subjects[i].watch.waiting ||
		    subjects[i].watch.waiting == subjects[i].watch.readings)
			return false;
	return true;
}

/* More events than the PMU has counters: each is off its counter now and then. */
static int run_multiplexed(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	size_t n = all->fit < EVENTS_MAX / 2 ? 2 * all->fit + 1 : EVENTS_MAX;
	struct subject subjects[EVENTS_MAX];
	int result = 0;

	none_open(subjects, n);
	for (size_t i = 0; !result && i < n; i++)
		result = open_started(&subjects[i], &attr, err);
	for (int i = 0; !result && i < STEPS_MOST; i++) {
		if (i >= STEPS_LEAST && took_turns(subjects, n))
			break;
		all->work->run(ROUNDS_STEP);
		result = look_at_all(all, subjects, n, err);
	}
	close_all(subjects, n);
	if (result)
		return result;
	/* Somebody else's events may keep these off the PMU, and on one with many none
	 * waits. */
	if (!took_turns(subjects, n)) {
		run_note(all->run, "events that take turns were not judged: %zu fit", all->fit);
		return 0;
	}
	judge_all(all, "while_multiplexed", "takes turns", subjects, n);
	return 0;
}

/* How often the page of an event that is off all the time said that it is on a counter. */
static void judge_off(struct experiment *all, const char *row, const struct subject *subject)
{
	run_check_eq(all->run, "not_while_off", row, (double)subject->watch.on, 0, "1");
	judge(all, "value_while_off", true, row, &subject->watch);
}

/* It is disabled, and another one counts, which may have the counter that it had. */
static int run_disabled(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject off = { .event = EVENT_CLOSED }, other = { .event = EVENT_CLOSED };
	int result = open_started(&off, &attr, err);

	if (!result) {
		all->work->run(ROUNDS_OTHER);
		result = event_disable(&off.event, err);
	}
	if (!result)
		result = look(all, &off, err);
	if (!result)
		result = open_started(&other, &attr, err);
	for (uint64_t i = 0; !result && i < TURNS; i++) {
		all->work->run(1 + i);
		result = look(all, &off, err);
	}
	if (!result)
		result = look(all, &other, err);
	event_close(&other.event);
	event_close(&off.event);
	if (!result &&
	    run_control(all->run, "another event on a counter", (double)other.watch.on, 0, "1"))
		judge_off(all, "disabled", &off);
	return result;
}

/* Another task has its turns with this one on the same CPU: now it sleeps. */
static int look_at_sleeper(struct experiment *all, struct subject *subject, struct turns *turns,
			   struct event_count *count, struct err *err)
{
	int result = event_map(&subject->event, 1, false, err);

	if (!result)
		result = event_enable(&subject->event, err);
	for (int i = 0; !result && i < TURNS; i++) {
		result = turns_take(turns, err);
		if (!result)
			result = look(all, subject, err);
	}
	return result ? result : event_read(&subject->event, count, err);
}

static int run_asleep(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject subject = { .event = EVENT_CLOSED };
	struct event_count count = { 0 };
	struct turns turns;
	int result = turns_start(&turns, all->work, ROUNDS_OTHER, err);

	if (!result)
		result = event_open_task(&subject.event, &attr, turns.pid, err);
	if (!result)
		result = look_at_sleeper(all, &subject, &turns, &count, err);
	event_close(&subject.event);
	turns_stop(&turns);
	if (!result &&
	    run_control(all->run, "counted by a task that sleeps", (double)count.value, 0, "1"))
		judge_off(all, "its task sleeps", &subject);
	return result;
}

/* --- Written while the counter counts on --- */

/*
 * Here, without setting the counter, the kernel takes for its start what it has read of it:
 * as a number of so many bits, without sign. What the page adds is then too small by
 * 2^width.
 */
static void judge_counting(struct experiment *all, const char *check, const char *row,
			   const struct page_watch *watch)
{
	judge(all, check, false, row, watch);
	if (watch->high)
		run_note(all->run,
			 "%s: right in the bits that the counter has, wrong in those "
			 "above; x86 "
			 "kernels do that when a page is written while its counter counts "
			 "on",
			 row);
}

static int run_reset(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject subject = { .event = EVENT_CLOSED };
	int result = open_started(&subject, &attr, err);

	for (uint64_t i = 0; !result && i < TURNS; i++) {
		all->work->run(1 + i);
		if (ioctl(subject.event.fd, PERF_EVENT_IOC_RESET, 0))
			result = err_set(err, errno, "reset of an event");
		if (!result)
			result = look(all, &subject, err);
	}
	event_close(&subject.event);
	if (!result)
		judge_counting(all, "after_reset", "reset while it counts", &subject.watch);
	return result;
}

static int run_mapped_late(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject subject = { .event = EVENT_CLOSED };
	struct event_count count;
	int result = event_open_self(&subject.event, &attr, err);

	if (!result)
		result = event_enable(&subject.event, err);
	if (!result) {
		all->work->run(ROUNDS_OTHER);
		result = event_read(&subject.event, &count, err);
	}
	if (!result)
		result = event_map(&subject.event, 1, false, err);
	for (uint64_t i = 0; !result && i < TURNS; i++) {
		all->work->run(1 + i);
		result = look(all, &subject, err);
	}
	event_close(&subject.event);
	if (!result)
		judge_counting(all, "mapped_late", "mapped while it counts", &subject.watch);
	return result;
}

/* --- All --- */

/* Why counters may not be read here: 0, or a skip. */
static int find_permission(const struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct subject subject = { .event = EVENT_CLOSED };
	int result = open_started(&subject, &attr, err);
	char setting[16];

	if (!result && !page_count_allowed(subject.event.ring.page)) {
		if (io_read_text(RDPMC_FILE, setting, sizeof(setting)) < 0)
			snprintf(setting, sizeof(setting), "not there");
		result = err_plain(err, EACCES,
				   "CPU %d: user mode may not read counters: cap_user_rdpmc is 0 "
				   "in the event's page, " RDPMC_FILE " is %s",
				   all->cpu, setting);
	}
	event_close(&subject.event);
	return result;
}

static int find_fit(struct experiment *all, struct err *err)
{
	struct workload_job job = { all->work, ROUNDS_OTHER };
	struct perf_event_attr attrs[EVENTS_MAX];

	for (size_t i = 0; i < EVENTS_MAX; i++)
		attrs[i] = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
	return counters_fit(attrs, EVENTS_MAX, workload_do, &job, &all->fit, err);
}

static int run_page_count(struct run *run)
{
	static int (*const rows[])(struct experiment * all, struct err * err) = {
		run_alone,	 run_together, run_overflows, run_switches, run_moves,
		run_multiplexed, run_disabled, run_asleep,    run_reset,    run_mapped_late
	};
	struct experiment all = { .run = run,
				  .reader = page_reader_here(),
				  .work = workload_find("branches"),
				  .cpu = run_cpus(run)->cpu[0] };
	struct err err;

	if (!all.reader)
		return run_skip(run, "no way to read counters is known for this architecture");
	if (cpus_pin(all.cpu, &err))
		return run_broken(run, "%s", err.text);
	if (find_fit(&all, &err))
		return run_skip(run, "CPU %d: %s", all.cpu, err.text);
	if (find_permission(&all, &err))
		return run_skip(run, "%s", err.text);
	if (!run_control(run, "events counted at once", (double)all.fit, 0, "1"))
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i](&all, &err))
			return run_broken(run, "%s", err.text);
	run_check_eq(run, "well_formed", NULL, (double)all.malformed, 0, "1");
	run_figure(run, "times", "all readings", "judged", (double)all.timed, "1");
	run_figure(run, "times", "all readings", "not between", (double)all.off_time, "1");
	if (all.timed)
		run_check_eq(run, "times_between", NULL, (double)all.off_time, 0, "1");
	else
		run_note(run, "times were not judged: cap_user_time is 0 in the event's page");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "between_reads",
	  .claim = "what the page of an event that counts says lies between two read(2)",
	  .origin = "linux/perf_event.h, struct perf_event_mmap_page; counts only grow" },
	{ .name = "together",
	  .claim = "so it does for each member of a group",
	  .origin = "as between_reads: each has a counter, and a page, of its own" },
	{ .name = "across_overflows",
	  .claim = "so it does for sampled events, while their counters overflow",
	  .origin = "as between_reads: a PMI sets the counter anew, and the page with it" },
	{ .name = "across_switches",
	  .claim = "so it does while another task takes turns with this one",
	  .origin = "as between_reads: the counter is set anew when the task comes back" },
	{ .name = "across_moves",
	  .claim = "so it does while the task goes from one CPU to another",
	  .origin = "as between_reads: it is another CPU's counter then",
	  .optional = true },
	{ .name = "while_multiplexed",
	  .claim = "so it does while events take turns, on a counter and off it",
	  .origin = "as between_reads; index 0: the page has all, there is no counter to add",
	  .optional = true },
	{ .name = "not_while_off",
	  .claim = "the page of an event that is disabled, or whose task sleeps, names no "
		   "counter",
	  .origin = "linux/perf_event.h, index; the counter is another one's now" },
	{ .name = "value_while_off",
	  .claim = "what it says then is what read(2) gives",
	  .origin = "as between_reads: with nothing counted, both reads are the same" },
	{ .name = "after_reset",
	  .claim = "after a reset while it counts, an event's page is right in the bits "
		   "that its "
		   "counter has",
	  .origin = "PERF_EVENT_IOC_RESET, perf_event_open(2); not in those above, where x86 "
		    "kernels err: docs/hypotheses/page_count.md" },
	{ .name = "mapped_late",
	  .claim = "so is that of an event which is mapped while it counts",
	  .origin = "as after_reset" },
	{ .name = "high_bits",
	  .claim = "it is right in the bits above where the counter was set when it was "
		   "written",
	  .origin = "linux/perf_event.h: the value of the counter is sign-extended from "
		    "pmc_width" },
	{ .name = "well_formed",
	  .claim = "each page can be read: it is not left locked, names no counter that it "
		   "forbids "
		   "to read, and width and shift are possible",
	  .origin = "linux/perf_event.h: lock, cap_user_rdpmc, pmc_width, time_shift" },
	{ .name = "times_between",
	  .claim = "times enabled and running, brought up to now, lie between those of two "
		   "read(2)",
	  .origin = "linux/perf_event.h, cap_user_time: both are of the same clock",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "page_count",
	.claim = "A task that reads its own counter through the event's mapped page gets "
		 "what "
		 "read(2) gives.",
	.source = "linux/perf_event.h, struct perf_event_mmap_page",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_page_count,
};
