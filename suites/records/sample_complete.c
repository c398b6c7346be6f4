// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: every overflow of every event becomes exactly one record, of the task it happened in.
 *
 * Mechanism: the handler finds which counters overflowed, takes a sample of each event, loads the
 * counter anew, and writes the record to the ring of the event, or of the parent of an inherited
 * one. Two bits in one interrupt of which one is forgotten, a bit that is handled twice, a record
 * that is written but not published, an event that a child inherits with the wrong remainder: each
 * leaves a profile that looks like any other, and is wrong.
 *
 * On a broken kernel the numbers of the overflows that have a record, which are the event's own
 * count at each sample divided by its period, are not 1, 2, 3, ..., or a task has more or fewer
 * samples than what it does holds periods. Or each period is too long, and samples come later in
 * it each time.
 *
 * Where a PMU cannot leave out the kernel an overflow may come with the interrupt masked, as the
 * event is stopped or while something long goes on: one for each stop, and one in twenty, is
 * allowed for.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "fresh_pages.h"
#include "hypothesis.h"
#include "offspring.h"
#include "overflow_sampler.h"
#include "placement.h"
#include "prime.h"
#include "rate_limit.h"
#include "stats.h"
#include "task_tally.h"
#include "turns.h"
#include "workload.h"

#define ROUND 19      /* instructions of the loop */
#define PERIOD 100003 /* prime; more often would be throttled on a fast CPU */
#define PARTS 40
#define RING_PAGES 4
#define EVENTS_MAX 8
#define MASKED 0.05	   /* of overflows: a period passed with the interrupt masked */
#define SHORT_PERIOD 1009  /* far above skid */
#define KERNEL_PERIOD 2003 /* above what of a handler is counted */
#define PART_BYTES 2048	   /* some fifty samples */
#define PART_MS 100	   /* ten ticks of HZ = 100: a throttled event waits for one */
#define SHORT_RUNS 50
#define LATE_MAX 50.0				  /* % of samples */
#define CHILDREN 8				  /* of each kind */
#define DESCENDANTS (2 * CHILDREN + CHILDREN / 2) /* half of the processes have a child */
#define CHILD_OVERFLOWS 4
#define PAGES 300

static const struct kind {
	const char *name;
	uint64_t config;
} kinds[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct experiment {
	struct run *run;
	int cpu;
	struct workload_job step; /* a little more than a period of instructions */
	bool whole;		  /* the PMU counts the kernel, too */
	bool counts[KINDS];
	size_t fit; /* events of instructions at once */
};

/* A row of the table, and what it refutes. */
struct row {
	const char *name;
	const char *missing, *twice; /* checks */
	const char *late;	     /* the same; NULL: not judged */
	double stops;		     /* how often the event is stopped in it, about */
	bool software;		     /* no interrupt that could be masked */
	bool kernel;		     /* the kernel is counted, though it need not be */
	const struct overflow_work *work;
};

static struct perf_event_attr attr_of(const struct experiment *all, uint64_t config,
				      uint64_t period)
{
	return counters_attr(config, all->whole, period);
}

static int do_step(void *context, struct err *err)
{
	struct experiment *all = context;

	(void)err;
	workload_do(&all->step);
	return 0;
}

static void judge(const struct experiment *all, const struct row *row, const char *line,
		  const struct overflow_subject *subject)
{
	const struct overflows *overflows = &subject->overflows;
	double due = (double)overflows_due(overflows, subject->count.value);
	/* One may be due when the event is stopped; of the kernel's also where it is masked long.
	 */
	bool masked = (all->whole || row->kernel) && !row->software;
	double pending = 1 + (masked ? row->stops + MASKED * due : 0);
	struct run *run = all->run;

	run_figure(run, "overflows", line, "due", due, "1");
	run_figure(run, "overflows", line, "samples", (double)overflows->samples, "1");
	run_figure(run, "overflows", line, "lost", (double)overflows->lost, "1");
	run_figure(run, "overflows", line, "missing", (double)overflows->missing, "1");
	run_figure(run, "overflows", line, "twice", (double)overflows->twice, "1");
	run_check_le(run, row->missing, line, (double)overflows->missing, pending, "1");
	run_check_le(run, row->twice, line, (double)overflows->twice, 0, "1");
	if (row->late)
		run_check_le(run, row->late, line,
			     stats_percent(overflows->late, overflows->samples), LATE_MAX, "%");
}

/* Sample and judge; false when there is no use in going on. */
static bool run_row(struct experiment *all, struct overflow_subject *subjects, size_t n,
		    const struct row *row)
{
	struct err err;
	char line[64];

	run_progress(all->run, "%s", row->name);
	if (overflow_sample(subjects, n, row->work, &err)) {
		run_broken(all->run, "%s: %s", row->name, err.text);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), n > 1 ? "%s: %zu" : "%s", row->name, i + 1);
		if (!run_control(
			    all->run, "overflows of a row",
			    (double)overflows_due(&subjects[i].overflows, subjects[i].count.value),
			    1, "1"))
			return false;
		judge(all, row, line, &subjects[i]);
	}
	return true;
}

/* Which kinds count, and how many events of instructions at once. */
static int find_events(struct experiment *all, struct err *err)
{
	struct perf_event_attr attrs[EVENTS_MAX];
	struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);

	all->whole = event_probe(&attr, err) != 0;
	for (size_t i = 0; i < KINDS; i++) {
		attr = attr_of(all, kinds[i].config, PERIOD);
		all->counts[i] = !event_probe(&attr, err);
		if (!all->counts[i])
			run_note(all->run, "without %s: %s", kinds[i].name, err->text);
	}
	for (size_t i = 0; i < EVENTS_MAX; i++)
		attrs[i] = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS, PERIOD);
	if (!all->counts[0])
		return -ENODEV;
	return counters_fit(attrs, EVENTS_MAX, workload_do, &all->step, &all->fit, err);
}

static void run_alone(struct experiment *all, const struct overflow_work *work)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct overflow_subject subject = { .attr = attr_of(all, kinds[i].config, PERIOD) };
		const struct row row = { .name = kinds[i].name,
					 .missing = "none_missing",
					 .twice = "none_twice",
					 .late = "period_kept",
					 .work = work };

		/* A round of the loop has few branches. */
		if (kinds[i].config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
			subject.attr.sample_period = prime_from(PERIOD / 10);
		if (all->counts[i] && !run_row(all, &subject, 1, &row))
			return;
	}
}

/*
 * Work until a part of the ring is full: while the event is throttled it takes no samples. How far
 * it has counted is not asked: a read at the instant of an overflow can cost the sample.
 */
struct paced {
	struct experiment *all;
	const struct ring *ring;
	bool stands; /* it did not go on: not waited for once more */
};

static int do_paced(void *context, struct err *err)
{
	struct paced *paced = context;
	const int64_t deadline = clock_ms() + PART_MS;

	(void)err;
	do {
		workload_do(&paced->all->step);
		paced->stands |= clock_ms() >= deadline;
	} while (ring_written(paced->ring) - paced->ring->tail < PART_BYTES && !paced->stands);
	return 0;
}

/* Thousands of short periods: what each of them is too long or too short by adds up. */
static void run_short(struct experiment *all)
{
	for (int kernel = 0; kernel < 2; kernel++) {
		struct overflow_subject subject = { .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
								    kernel ? KERNEL_PERIOD
									   : SHORT_PERIOD) };
		struct paced paced = { .all = all, .ring = &subject.event.ring };
		const struct overflow_work work = { PARTS, RING_PAGES, do_paced, &paced };
		const struct row row = { .name = kernel ? "short periods, with the kernel"
							: "short periods",
					 .missing = "none_missing",
					 .twice = "none_twice",
					 .kernel = kernel,
					 .work = &work };
		struct err err;

		subject.attr.exclude_kernel = !kernel;
		if (event_probe(&subject.attr, &err))
			run_note(all->run, "without %s: %s", row.name, err.text);
		else if (!run_row(all, &subject, 1, &row))
			return;
	}
}

/* Several that count the same: with one period all overflow at each multiple of it. */
static void run_together(struct experiment *all, const struct overflow_work *work)
{
	static const struct {
		const char *name;
		unsigned int stretch; /* each period is that much longer than the one before */
		bool multiples;	      /* of the first */
	} ways[] = {
		{ "same period", 0, false },
		{ "multiples of a period", 0, true },
		{ "periods apart", 1, false },
	};

	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct overflow_subject subjects[EVENTS_MAX] = { 0 };
		const struct row row = { .name = ways[way].name,
					 .missing = "together_none_missing",
					 .twice = "together_none_twice",
					 .work = work };
		uint64_t period = PERIOD;

		for (size_t i = 0; i < all->fit; i++) {
			subjects[i].attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
						   ways[way].multiples ? period * (i + 1) : period);
			if (ways[way].stretch)
				period = prime_from(period + ways[way].stretch);
		}
		if (!run_row(all, subjects, all->fit, &row))
			return;
	}
}

/* Two that count different things, of which one overflows more often. */
static void run_mixed(struct experiment *all, const struct overflow_work *work)
{
	struct overflow_subject subjects[] = {
		{ .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS, PERIOD) },
		{ .attr = attr_of(all, PERF_COUNT_HW_CPU_CYCLES, prime_from(10 * PERIOD)) },
	};
	const struct perf_event_attr attrs[] = { subjects[0].attr, subjects[1].attr };
	const struct row row = { .name = "instructions and cycles",
				 .missing = "together_none_missing",
				 .twice = "together_none_twice",
				 .work = work };
	struct err err;
	size_t fit = 0;

	if (counters_fit(attrs, 2, workload_do, &all->step, &fit, &err))
		run_note(all->run, "without %s: %s", row.name, err.text);
	else if (fit < 2)
		run_note(all->run, "without %s: no room for two events", row.name);
	else
		run_row(all, subjects, 2, &row);
}

/* With another task on the same CPU. */
struct switching {
	struct experiment *all;
	struct turns turns;
};

static int step_and_turn(void *context, struct err *err)
{
	struct switching *switching = context;

	workload_do(&switching->all->step);
	return turns_take(&switching->turns, err);
}

static void run_switching(struct experiment *all)
{
	struct switching switching = { .all = all };
	const struct overflow_work work = { PARTS, RING_PAGES, step_and_turn, &switching };
	struct err err;

	if (turns_start(&switching.turns, all->step.work, all->step.rounds, &err)) {
		run_broken(all->run, "%s", err.text);
		turns_stop(&switching.turns);
		return;
	}
	for (size_t i = 0; i < 2 && i < KINDS; i++) {
		struct overflow_subject subject = { .attr = attr_of(all, kinds[i].config, PERIOD) };
		const struct row row = { .name = i ? "branches, taking turns"
						   : "instructions, taking turns",
					 .missing = "switch_none_missing",
					 .twice = "switch_none_twice",
					 .stops = PARTS,
					 .work = &work };

		if (i)
			subject.attr.sample_period = prime_from(PERIOD / 20);
		if (all->counts[i] && !run_row(all, &subject, 1, &row))
			break;
	}
	turns_stop(&switching.turns);
}

/* Many short measurements, each of which is stopped soon after its only overflow. */
static void run_ends(struct experiment *all)
{
	const struct overflow_work work = { 1, 1, do_step, all };
	uint64_t due = 0, missing = 0, twice = 0;
	struct err err;

	run_progress(all->run, "short measurements");
	for (int i = 0; i < SHORT_RUNS; i++) {
		struct overflow_subject subject = { .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
								    PERIOD) };

		if (overflow_sample(&subject, 1, &work, &err)) {
			run_broken(all->run, "short measurement: %s", err.text);
			return;
		}
		due += overflows_due(&subject.overflows, subject.count.value);
		missing += subject.overflows.missing;
		twice += subject.overflows.twice;
	}
	run_figure(all->run, "ends", "disabled", "due", (double)due, "1");
	run_figure(all->run, "ends", "disabled", "missing", (double)missing, "1");
	if (!run_control(all->run, "overflows of short measurements", (double)due, 0, "1"))
		return;
	run_check_le(all->run, "last_before_disable", "disabled", (double)missing / (double)due,
		     0.02, "1");
	run_check_le(all->run, "none_twice", "disabled", (double)twice, 0, "1");
}

/* A ring that is not read in time: every second part overruns it, and the next one tells. */
struct overrun {
	struct experiment *all;
	unsigned int part;
};

static int overrun_part(void *context, struct err *err)
{
	struct overrun *overrun = context;
	unsigned int steps = overrun->part++ % 2 ? 2 : 60;

	for (unsigned int i = 0; i < steps; i++)
		(void)do_step(overrun->all, err);
	return 0;
}

static void run_overrun(struct experiment *all)
{
	struct overrun overrun = { .all = all };
	const struct overflow_work work = { 6, 1, overrun_part, &overrun };
	/* Some five samples a step, 300 between two readings: records of 40 bytes. */
	struct overflow_subject subject = { .attr = attr_of(all, PERF_COUNT_HW_INSTRUCTIONS,
							    prime_from(PERIOD / 5)) };
	const struct row row = { .name = "ring too small",
				 .missing = "lost_accounts",
				 .twice = "none_twice",
				 .work = &work };

	if (!run_row(all, &subject, 1, &row) ||
	    !run_control(all->run, "samples lost", (double)subject.drained.lost, 0, "1"))
		return;
	run_check_le(all->run, "lost_accounts", "ring too small: told too often",
		     (double)subject.overflows.excess, 0, "1");
}

/* --- Children that inherit the event --- */

struct family {
	struct experiment *all;
	struct event event;
	struct drained drained;
	struct task_tally tally;
	struct workload_job job; /* of a child */
};

static void take_task(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct family *family = context;

	(void)misc;
	task_tally_add(&family->tally, sample->tid);
}

/* Threads, processes, and processes with a child of their own. */
static int have_children(struct family *family, struct err *err)
{
	int result = 0;

	for (unsigned int i = 0; !result && i < 2 * CHILDREN; i++) {
		long tid = i % 2 ? offspring_thread(workload_do, &family->job, err)
				 : offspring_process(workload_do, &family->job, i / 2 % 2, err);

		result = tid < 0 ? (int)tid
				 : event_drain(&family->event, &family->drained, take_task, family,
					       err);
	}
	return result;
}

/* Each child has what its own code holds: known to far less than half a period. */
static void judge_children(struct family *family)
{
	struct run *run = family->all->run;
	uint64_t missing = 0, twice = 0, tasks = 0;

	for (size_t i = 0; i < family->tally.n; i++) {
		uint64_t samples = family->tally.task[i].samples;

		if (family->tally.task[i].tid == (uint32_t)gettid())
			continue;
		tasks++;
		twice += samples > CHILD_OVERFLOWS ? samples - CHILD_OVERFLOWS : 0;
		missing += samples < CHILD_OVERFLOWS ? CHILD_OVERFLOWS - samples : 0;
	}
	/* Those without any. */
	if (tasks < DESCENDANTS)
		missing += (DESCENDANTS - tasks) * CHILD_OVERFLOWS;
	run_figure(run, "children", "each", "missing", (double)missing, "1");
	run_figure(run, "children", "each", "too many", (double)twice, "1");
	run_check_le(run, "children_none_missing", "each", (double)missing, 0, "1");
	run_check_le(run, "children_none_twice", "each", (double)twice, 0, "1");
}

/* Sum of all tasks: each may have most of a period left over, and one pending. */
static void judge_family(struct family *family, uint64_t count)
{
	const uint64_t overflows = count / PERIOD, n_tasks = 1 + DESCENDANTS;
	double due = (double)overflows;
	double tasks = (double)n_tasks;
	double samples = (double)family->drained.samples;
	struct run *run = family->all->run;

	run_figure(run, "children", "all tasks", "due", due, "1");
	run_figure(run, "children", "all tasks", "samples", samples, "1");
	if (!run_control(run, "overflows of all tasks", due, CHILDREN, "1"))
		return;
	run_check_ge(run, "children_none_missing", "all tasks", samples,
		     due - (family->all->whole ? 2 : 1) * tasks, "1");
	run_check_le(run, "children_none_twice", "all tasks", samples, due, "1");
}

static int sample_family(struct family *family, struct event_count *count, struct err *err)
{
	struct perf_event_attr attr = attr_of(family->all, PERF_COUNT_HW_INSTRUCTIONS, PERIOD);
	int result;

	attr.sample_type = PERF_SAMPLE_TID;
	attr.inherit = 1;
	/* An inherited event of a task can be mapped when it is of one CPU. */
	result = event_open_task_cpu(&family->event, &attr, gettid(), family->all->cpu, err);
	if (!result)
		result = event_map(&family->event, RING_PAGES, false, err);
	if (!result)
		result = event_enable(&family->event, err);
	if (!result)
		result = have_children(family, err);
	if (!result)
		result = event_disable(&family->event, err);
	if (!result)
		result = event_read(&family->event, count, err);
	if (!result)
		result = event_drain(&family->event, &family->drained, take_task, family, err);
	event_close(&family->event);
	return result;
}

static void run_children(struct experiment *all)
{
	const struct workload *work = all->step.work;
	struct family family = { .all = all, .job.work = work };
	struct event_count count;
	struct err err;

	/* The last overflow is 2000 instructions before the end, and what fork and exit take. */
	family.job.rounds = ((uint64_t)CHILD_OVERFLOWS * PERIOD + 2000) / ROUND;
	run_progress(all->run, "children");
	if (sample_family(&family, &count, &err)) {
		run_broken(all->run, "children: %s", err.text);
		return;
	}
	judge_family(&family, count.value);
	if (work->exact && !all->whole)
		judge_children(&family);
}

/* --- Events that need no PMU --- */

static int touch(void *context, struct err *err)
{
	const struct fresh_pages *pages = context;

	fresh_pages_touch(pages, 0, pages->n);
	return fresh_pages_renew(pages, err);
}

static void run_faults(struct experiment *all)
{
	static const uint64_t periods[] = { 1, 3, 7 };
	struct fresh_pages pages;
	const struct overflow_work work = { 4, RING_PAGES, touch, &pages };
	const struct row row = { .name = "page faults",
				 .missing = "software_none_missing",
				 .twice = "software_none_twice",
				 .software = true,
				 .work = &work };
	struct overflow_subject subjects[3] = { 0 };
	struct err err;

	for (size_t i = 0; i < 3; i++) {
		subjects[i].attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
		subjects[i].attr.exclude_kernel = 1;
		subjects[i].attr.sample_period = periods[i];
	}
	if (fresh_pages_map(&pages, PAGES, &err))
		run_broken(all->run, "%s", err.text);
	else
		run_row(all, subjects, 3, &row);
	fresh_pages_unmap(&pages);
}

/* A clock's timer may come late and leave some out, but never more often. */
static void run_clock(struct experiment *all)
{
	const uint64_t period = 1000003;
	const struct overflow_work work = { 100, RING_PAGES, do_step, all };
	struct overflow_subject subject = { .attr = event_attr_cpu_clock(period) };
	double samples, due;
	struct err err;

	if (overflow_sample(&subject, 1, &work, &err)) {
		run_broken(all->run, "cpu-clock: %s", err.text);
		return;
	}
	samples = (double)subject.overflows.samples;
	due = (double)subject.count.value / (double)period;
	run_figure(all->run, "overflows", "cpu-clock", "due", due, "1");
	run_figure(all->run, "overflows", "cpu-clock", "samples", samples, "1");
	if (run_control(all->run, "samples of cpu-clock", samples, 0, "1"))
		run_check_le(all->run, "software_none_twice", "cpu-clock", samples, 1.01 * due + 1,
			     "1");
}

static void run_all(struct experiment *all)
{
	const struct overflow_work steps = { PARTS, RING_PAGES, do_step, all };

	run_alone(all, &steps);
	/* What a handler itself is counted for may be more than a short period. */
	if (!all->whole)
		run_short(all);
	if (all->fit > 1)
		run_together(all, &steps);
	run_mixed(all, &steps);
	run_switching(all);
	run_ends(all);
	run_overrun(all);
	run_children(all);
	run_faults(all);
	run_clock(all);
}

static int run_sample_complete(struct run *run)
{
	const struct workload *work = workload_find("multiply");
	struct experiment all = { .run = run,
				  .cpu = run_cpus(run)->cpu[0],
				  .step = { work, PERIOD / ROUND + 200 } };
	struct placement placement;
	struct err err;

	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (find_events(&all, &err))
		run_skip(run, "CPU %d: %s", run_cpus(run)->cpu[0], err.text);
	else if (run_control(run, "events counted at once", (double)all.fit, 0, "1"))
		run_all(&all);
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU, .value = 1 },
	{ .kind = NEED_END },
};

#define MISSING_ORIGIN                                                                       \
	"the event's own count at each sample, divided by its period, is the number of the " \
	"overflow; 1 may be due when the event is stopped. Where the kernel is counted, "    \
	"which masks the interrupt: one at each switch, and 5 % for a whole period that is masked"
#define TWICE_ORIGIN                                                                               \
	"the count at a sample holds more periods than that at the one before; skid is far below " \
	"one"

static const struct check checks[] = {
	{ .name = "none_missing",
	  .claim = "of one event no overflow is without a sample",
	  .origin = MISSING_ORIGIN },
	{ .name = "none_twice", .claim = "and none has two", .origin = TWICE_ORIGIN },
	{ .name = "period_kept",
	  .claim = "samples are where periods end, not later each time",
	  .origin = "half of them within a quarter of a period, far above skid; a quarter of them "
		    "is where each period is too long by what a handler takes" },
	{ .name = "together_none_missing",
	  .claim = "the same of several events that overflow together: none missing",
	  .origin = MISSING_ORIGIN,
	  .optional = true },
	{ .name = "together_none_twice",
	  .claim = "and none twice",
	  .origin = TWICE_ORIGIN,
	  .optional = true },
	{ .name = "switch_none_missing",
	  .claim = "the same across context switches: none missing",
	  .origin = MISSING_ORIGIN },
	{ .name = "switch_none_twice", .claim = "and none twice", .origin = TWICE_ORIGIN },
	{ .name = "last_before_disable",
	  .claim = "the last sample before the event is disabled is there",
	  .origin = "fifty measurements of one overflow, with thousands of instructions between it "
		    "and the end; 1 in 50 for one that a hypervisor delays" },
	{ .name = "lost_accounts",
	  .claim = "where the ring has no room, LOST records say how many are missing there",
	  .origin = "linux/perf_event.h; 1 may be due at the end" },
	{ .name = "children_none_missing",
	  .claim =
		  "children that inherit the event have all their samples, to the last before exit",
	  .origin = "a loop of known length in each child, with some thousand instructions around "
		    "it; of all tasks together, one period less for each" },
	{ .name = "children_none_twice",
	  .claim = "and no more",
	  .origin = "as children_none_missing; together at most the count divided by the period" },
	{ .name = "software_none_missing",
	  .claim = "page faults, which need no PMU: no overflow is without a sample",
	  .origin = "each fault is counted, and sampled at once" },
	{ .name = "software_none_twice",
	  .claim = "and none of them, or of cpu-clock, has two",
	  .origin =
		  "as above; cpu-clock: at most one a period, and 1 % for two clocks that differ" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "sample_complete",
	.claim = "Every overflow of every event becomes exactly one record, of the task it "
		 "happened in: none is missing, none comes twice, and LOST records account for "
		 "those that had no room.",
	.source = "perf_event_open(2); [PATCH 1/4] x86, perf: Use a new PMU ack sequence on "
		  "Skylake, A. Kleen: PMIs that are lost or left over",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_sample_complete,
};
