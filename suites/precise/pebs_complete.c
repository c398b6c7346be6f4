// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: every overflow of a precise event becomes exactly one record, its own and with the
 * registers of its moment, however many the hardware puts into its buffer before anybody looks.
 *
 * Mechanism: the CPU writes precise records into a buffer in memory. With a fixed period and
 * nothing in a sample that only an interrupt can tell, the kernel lets it fill (64 KiB, some 300
 * records) and loads the counter by itself. The buffer must be emptied at its end, when the event
 * is stopped or read, and when its task is switched out or exits, and each record handed to the
 * event whose counter wrote it.
 *
 * On a broken kernel the records at such a border are missing, come twice, or are given to another
 * event or task; the count, to which the kernel must add what the CPU loaded, disagrees.
 *
 * The program's loop keeps its rounds to go in a register, which is in each record: from one to the
 * next it must have come on by a period.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "background.h"
#include "counters.h"
#include "drain.h"
#include "hypothesis.h"
#include "interrupts.h"
#include "io.h"
#include "kinds.h"
#include "rate_limit.h"
#include "record_walk.h"
#include "turns.h"
#include "workload.h"

#ifdef __x86_64__
#include <asm/perf_regs.h>
#define ROUNDS_REGISTER (1ULL << PERF_REG_X86_DI)
#else
#define ROUNDS_REGISTER 0
#endif

#define PERIOD 5003	    /* instructions, a prime */
#define PERIOD_SINGLE 50021 /* an interrupt each: often enough, but not too often */
#define RECORDS 4000	    /* of the first row: a dozen buffers */
#define SINGLE_RECORDS 200
#define PARTS 40
#define ROUNDS_PART 1448 /* of 19 instructions: five and a half periods */
#define CHILDREN 20
#define LEAST_MIN 20 /* records of a row; fewer are no conclusion */
#define RING_PAGES 64
#define EVENTS 3
#define MISSING_MAX \
	1 /* the last, of which the overflow is counted and the record not yet written */
#define BORDERS_A_LOSS 20 /* one more may be so at one of so many borders */
#define ASTRAY_MAX 0.001  /* of the steps */
#define COUNT_OFF_MAX 0.05
#define STILL_MAX 0.9 /* of the steps: a period is no multiple of a round */
#define APART 0.25    /* of the mean step */
#define APART_MIN 0.9 /* of the records */

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* An event, and what came of its records. */
struct subject {
	struct event event;
	struct drained drained;
	struct record_walk walk;
	uint32_t tid;
	uint64_t foreign; /* records of another task, event or period */
	uint64_t *times;  /* of the first SINGLE_RECORDS; NULL: not wanted */
	size_t n_times;
	struct event_count count;
};

struct experiment {
	struct run *run;
	const struct workload *work; /* with its rounds to go in a register */
	struct subject subjects[EVENTS];
	uint64_t least; /* records of a row */
};

static struct perf_event_attr precise_attr(uint64_t period)
{
	struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = period;
	attr.precise_ip = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD |
			   PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = ROUNDS_REGISTER;
	return attr;
}

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct subject *subject = context;

	(void)misc;
	subject->foreign += sample->tid != subject->tid || sample->id != subject->event.id ||
			    sample->period != subject->event.attr.sample_period;
	if (subject->times && subject->n_times < SINGLE_RECORDS)
		subject->times[subject->n_times++] = sample->time;
	if (sample->intr_regs_abi)
		record_walk_take(&subject->walk, sample->ip, sample->intr_regs[0]);
}

static int subject_open(struct subject *subject, const struct perf_event_attr *attr, pid_t tid,
			const struct workload *work, struct err *err)
{
	int result;

	*subject = (struct subject){
		.event = EVENT_CLOSED,
		.tid = (uint32_t)tid,
		.walk = { .period = attr->sample_period,
			  .per_round = work->instructions_per_round,
			  .begin = (uintptr_t)work->begin,
			  .end = (uintptr_t)work->end },
	};
	result = event_open_task(&subject->event, attr, tid, err);
	if (!result)
		result = event_map(&subject->event, RING_PAGES, false, err);
	return result;
}

static int subject_drain(struct subject *subject, struct err *err)
{
	return event_drain(&subject->event, &subject->drained, take, subject, err);
}

/* Stop it, which must bring all its records, and only then look at the count. */
static int subject_finish(struct subject *subject, struct err *err)
{
	int result = event_disable(&subject->event, err);

	if (!result)
		result = subject_drain(subject, err);
	return result ? result : event_read(&subject->event, &subject->count, err);
}

static double missing_of(const struct subject *subject, uint64_t count)
{
	return record_walk_missing(count, subject->event.attr.sample_period,
				   subject->drained.samples, subject->drained.lost);
}

/* Stop all before reading any, which else is counted by the others. */
static int subjects_finish(struct subject *subjects, size_t n, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = event_disable(&subjects[i].event, err);
	for (size_t i = 0; !result && i < n; i++)
		result = subject_finish(&subjects[i], err);
	return result;
}

/* What holds for the records of any row. `borders`: how often something came in between. */
static void judge(struct experiment *all, const struct subject *subject, const char *row,
		  const char *check, double missing, unsigned int borders)
{
	const struct record_walk *walk = &subject->walk;
	struct run *run = all->run;
	unsigned int losses = borders / BORDERS_A_LOSS;
	double most = MISSING_MAX + losses;

	run_figure(run, "records", row, "records", (double)subject->drained.samples, "1");
	run_figure(run, "records", row, "missing", missing, "1");
	run_figure(run, "records", row, "steps", (double)walk->steps, "1");
	run_figure(run, "records", row, "astray", (double)walk->astray, "1");
	if (subject->drained.samples < all->least)
		all->least = subject->drained.samples;
	run_check_le(run, check, row, missing, most, "1");
	/* One that has the registers of another is not missing. */
	run_check_le(run, check, row, (double)walk->missing - (double)walk->repeated, most, "1");
	run_check_ge(run, "none_twice", row, missing, -most, "1");
	run_check_eq(run, "own_records", row, (double)subject->foreign, 0, "1");
	run_figure(run, "records", row, "same address", (double)walk->still, "1");
	/* A counter that was stopped in between starts anew. */
	if (walk->steps)
		run_check_le(run, "registers", row, (double)(walk->astray + walk->repeated),
			     fmax(1, ASTRAY_MAX * (double)walk->steps) +
				     (double)subject->drained.throttled,
			     "1");
}

/* A whole loop that the buffer cannot hold. */
static int run_long(struct experiment *all, struct err *err)
{
	struct perf_event_attr attr = precise_attr(PERIOD);
	struct subject *subject = &all->subjects[0];
	int cpu = run_cpus(all->run)->cpu[0];
	uint32_t before = 0, after = 0;
	int result;

	/* Addresses come from another field with that, where the CPU has it. */
	attr.precise_ip = 2;
	if (event_probe(&attr, err))
		attr.precise_ip = 1;
	result = subject_open(subject, &attr, gettid(), all->work, err);
	if (!result)
		result = interrupts_read("NMI", cpu, &before, err);
	if (!result)
		result = event_enable(&subject->event, err);
	if (result)
		return result;
	all->work->run(RECORDS * PERIOD / all->work->instructions_per_round);
	result = subject_finish(subject, err);
	if (!result)
		result = interrupts_read("NMI", cpu, &after, err);
	if (result)
		return result;
	run_figure(all->run, "records", "across buffers", "NMIs", interrupts_since(before, after),
		   "1");
	if (interrupts_since(before, after) > subject->drained.samples / 2)
		run_note(all->run, "this kernel takes an interrupt for each record");
	judge(all, subject, "across buffers", "buffer_ends",
	      missing_of(subject, subject->count.value), 0);
	run_check_le(all->run, "addresses", NULL,
		     (double)subject->walk.still / (double)subject->walk.steps, STILL_MAX, "1");
	return 0;
}

/* The TSC is what the time stamps of records are converted from. */
static bool clock_is_tsc(void)
{
	char name[32];

	return io_read_text(CLOCKSOURCE, name, sizeof(name)) > 0 && !strncmp(name, "tsc", 3);
}

static int sample_times(struct experiment *all, struct err *err)
{
	struct perf_event_attr attr = precise_attr(PERIOD_SINGLE);
	struct subject *subject = &all->subjects[0];
	uint64_t *times = subject->times;
	int result;

	attr.sample_type |= PERF_SAMPLE_TIME;
	result = subject_open(subject, &attr, gettid(), all->work, err);
	subject->times = times;
	if (!result)
		result = event_enable(&subject->event, err);
	if (result)
		return result;
	all->work->run(SINGLE_RECORDS * PERIOD_SINGLE / all->work->instructions_per_round);
	return subject_finish(subject, err);
}

static int run_times(struct experiment *all, struct err *err)
{
	struct subject *subject = &all->subjects[0];
	int result;

	*subject = (struct subject){ .event = EVENT_CLOSED };
	subject->times = calloc(SINGLE_RECORDS, sizeof(*subject->times));
	if (!subject->times)
		return err_set(err, ENOMEM, "times of records");
	result = sample_times(all, err);
	if (!result)
		judge(all, subject, "with times", "buffer_ends",
		      missing_of(subject, subject->count.value), 0);
	if (!result && clock_is_tsc())
		run_check_ge(all->run, "times_apart", NULL,
			     record_times_apart(subject->times, subject->n_times, APART), APART_MIN,
			     "1");
	free(subject->times);
	subject->times = NULL;
	return result;
}

/* In parts, between which something is done that must bring all records; the worst of them. */
static int run_parts(struct experiment *all,
		     int (*border)(struct subject *subject, struct err *err), double *missing,
		     struct err *err)
{
	struct subject *subject = &all->subjects[0];
	int result = 0;

	*missing = 0;
	for (int part = 0; !result && part < PARTS; part++) {
		double now;

		all->work->run(ROUNDS_PART);
		result = border(subject, err);
		now = missing_of(subject, subject->count.value);
		if (now > *missing)
			*missing = now;
	}
	return result;
}

/* Stopped and started again; what is done in between is not counted. */
static int stop_and_start(struct subject *subject, struct err *err)
{
	int result = subject_finish(subject, err);

	return result ? result : event_enable(&subject->event, err);
}

/* Read while it runs. */
static int read_running(struct subject *subject, struct err *err)
{
	int result = event_read(&subject->event, &subject->count, err);

	return result ? result : subject_drain(subject, err);
}

static int run_stopping(struct experiment *all, struct err *err)
{
	double expected = (double)workload_instructions(all->work, ROUNDS_PART) * PARTS;
	const struct perf_event_attr attr = precise_attr(PERIOD);
	struct subject *subject = &all->subjects[0];
	double missing;
	int result = subject_open(subject, &attr, gettid(), all->work, err);

	if (!result)
		result = event_enable(&subject->event, err);
	if (!result)
		result = run_parts(all, stop_and_start, &missing, err);
	if (result)
		return result;
	judge(all, subject, "stopped and started", "stopping", missing, PARTS);
	run_check_ge(all->run, "count_agrees", NULL, (double)subject->count.value / expected,
		     1 - COUNT_OFF_MAX, "1");
	run_check_le(all->run, "count_agrees", NULL, (double)subject->count.value / expected,
		     1 + COUNT_OFF_MAX, "1");
	return 0;
}

static int run_reading(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = precise_attr(PERIOD);
	struct subject *subject = &all->subjects[0];
	double missing;
	int result = subject_open(subject, &attr, gettid(), all->work, err);

	if (!result)
		result = event_enable(&subject->event, err);
	if (!result)
		result = run_parts(all, read_running, &missing, err);
	if (!result)
		judge(all, subject, "read", "reading", missing, PARTS);
	return result;
}

/* Both tasks have an event of their own, and run code of their own. */
static int take_turns(struct experiment *all, struct turns *turns, double *missing, struct err *err)
{
	struct subject *subject = &all->subjects[0];
	uint64_t known = 0;
	int result = 0;

	*missing = 0;
	for (int part = 0; !result && part < PARTS; part++) {
		double now;

		all->work->run(ROUNDS_PART);
		known += workload_instructions(all->work, ROUNDS_PART);
		result = turns_take(turns, err);
		/* All are of the same size. What else was counted only adds to them. */
		subject->drained.samples =
			ring_written(&subject->event.ring) /
			(sizeof(struct perf_event_header) + 6 * sizeof(uint64_t));
		now = missing_of(subject, known);
		if (now > *missing)
			*missing = now;
	}
	subject->drained = (struct drained){ 0 };
	return result;
}

static int run_switching(struct experiment *all, struct err *err)
{
	const struct workload *other = workload_find("branches");
	const struct perf_event_attr attr = precise_attr(PERIOD);
	struct subject *subjects = all->subjects;
	struct turns turns;
	double missing;
	int result = turns_start(&turns, other, ROUNDS_PART, err);

	if (!result)
		result = subject_open(&subjects[0], &attr, gettid(), all->work, err);
	if (!result)
		result = subject_open(&subjects[1], &attr, turns.pid, other, err);
	if (!result)
		result = event_enable(&subjects[1].event, err);
	if (!result)
		result = event_enable(&subjects[0].event, err);
	if (!result)
		result = take_turns(all, &turns, &missing, err);
	if (!result)
		result = subjects_finish(subjects, 2, err);
	turns_stop(&turns);
	if (result)
		return result;
	judge(all, &subjects[0], "switched", "switching", missing, PARTS);
	judge(all, &subjects[1], "switched, the other task", "switching",
	      missing_of(&subjects[1], subjects[1].count.value), PARTS);
	return 0;
}

/* Records of a CPU, on which two tasks run code of their own. */
struct cpu_records {
	const struct workload *work[2];
	uint32_t tid[2];
	uint64_t seen[2], foreign;
};

static void take_of_cpu(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct cpu_records *records = context;

	(void)misc;
	for (size_t i = 0; i < 2; i++) {
		if (sample->ip < (uintptr_t)records->work[i]->begin ||
		    sample->ip >= (uintptr_t)records->work[i]->end)
			continue;
		records->seen[i]++;
		records->foreign += sample->tid != records->tid[i];
	}
}

static int sample_cpu(struct experiment *all, struct event *event, struct turns *turns,
		      struct cpu_records *records, struct err *err)
{
	struct drained drained = { 0 };
	int result = event_map(event, RING_PAGES, false, err);

	if (!result)
		result = event_enable(event, err);
	for (int part = 0; !result && part < PARTS; part++) {
		all->work->run(ROUNDS_PART);
		result = turns_take(turns, err);
	}
	if (!result)
		result = event_disable(event, err);
	return result ? result : event_drain(event, &drained, take_of_cpu, records, err);
}

static int run_cpu(struct experiment *all, struct err *err)
{
	const struct perf_event_attr attr = precise_attr(PERIOD);
	struct cpu_records records = { .work = { all->work, workload_find("branches") } };
	struct event *event = &all->subjects[0].event;
	struct turns turns;
	int result = turns_start(&turns, records.work[1], ROUNDS_PART, err);

	if (!result && event_open_cpu(event, &attr, run_cpus(all->run)->cpu[0], err)) {
		run_note(all->run, "events of a CPU were not judged: %s", err->text);
		turns_stop(&turns);
		return 0;
	}
	records.tid[0] = (uint32_t)gettid();
	records.tid[1] = (uint32_t)turns.pid;
	if (!result)
		result = sample_cpu(all, event, &turns, &records, err);
	turns_stop(&turns);
	if (result)
		return result;
	if (run_control(all->run, "records of the CPU, own", (double)records.seen[0], LEAST_MIN,
			"1") &&
	    run_control(all->run, "records of the CPU, of the other task", (double)records.seen[1],
			LEAST_MIN, "1"))
		run_check_eq(all->run, "own_task", NULL, (double)records.foreign, 0, "1");
	return 0;
}

/* What a child does when it is told to, and nothing after that. */
struct child {
	const struct workload *work;
	int go[2];
};

static void child_body(const void *argument)
{
	const struct child *child = argument;
	char token;

	if (read(child->go[0], &token, 1) == 1)
		child->work->run(ROUNDS_PART);
}

static int observe_child(struct subject *subject, const struct child *child, pid_t pid,
			 struct err *err)
{
	const struct perf_event_attr attr = precise_attr(PERIOD);
	int result = subject_open(subject, &attr, pid, child->work, err);

	if (!result)
		result = event_enable(&subject->event, err);
	if (!result && write(child->go[1], "", 1) != 1)
		result = err_set(err, errno, "write to a child");
	if (result)
		return result;
	while (waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			return err_set(err, errno, "wait for a child");
	result = subject_drain(subject, err);
	return result ? result : event_read(&subject->event, &subject->count, err);
}

/* One child; its results are added to what was before. */
static int run_child(struct experiment *all, const struct child *child, struct subject *sum,
		     double *missing, struct err *err)
{
	struct subject *subject = &all->subjects[0];
	pid_t pid = background_start(child_body, child, err);
	int result;

	if (pid < 0)
		return (int)pid;
	result = observe_child(subject, child, pid, err);
	if (result)
		background_stop(pid);
	*missing += missing_of(subject, subject->count.value);
	sum->drained.samples += subject->drained.samples;
	sum->foreign += subject->foreign;
	sum->walk.steps += subject->walk.steps;
	sum->walk.missing += subject->walk.missing;
	sum->walk.repeated += subject->walk.repeated;
	sum->walk.astray += subject->walk.astray;
	event_close(&subject->event);
	return result;
}

static int run_exiting(struct experiment *all, struct err *err)
{
	struct child child = { .work = all->work };
	struct subject sum = { .event = EVENT_CLOSED };
	double missing = 0;
	int result = 0;

	if (pipe(child.go))
		return err_set(err, errno, "pipe for a child");
	for (int i = 0; !result && i < CHILDREN; i++)
		result = run_child(all, &child, &sum, &missing, err);
	close(child.go[0]);
	close(child.go[1]);
	if (!result)
		judge(all, &sum, "exited", "exiting", missing, CHILDREN);
	return result;
}

/* An interrupt for each record: as the caller wants to be woken, or as it asks for more. */
static int run_single(struct experiment *all, bool reloaded, struct err *err)
{
	const char *row = reloaded ? "one by one, reloaded" : "one by one";
	struct perf_event_attr attr = precise_attr(PERIOD_SINGLE);
	struct subject *subject = &all->subjects[0];
	int result;

	if (reloaded)
		attr.sample_type |= PERF_SAMPLE_READ;
	else
		attr.wakeup_events = 1;
	result = subject_open(subject, &attr, gettid(), all->work, err);
	if (!result)
		result = event_enable(&subject->event, err);
	if (result)
		return result;
	all->work->run(SINGLE_RECORDS * PERIOD_SINGLE / all->work->instructions_per_round);
	result = subject_finish(subject, err);
	if (!result)
		/* Each time that it was throttled the counter was stopped. */
		judge(all, subject, row, "single", missing_of(subject, subject->count.value),
		      (unsigned int)subject->drained.throttled * BORDERS_A_LOSS);
	return result;
}

static int run_one_by_one(struct experiment *all, struct err *err)
{
	return run_single(all, false, err);
}

static int run_reloaded(struct experiment *all, struct err *err)
{
	return run_single(all, true, err);
}

/* Several at once, with periods that do not beat; `mixed`: the last with an interrupt for each. */
static int run_several(struct experiment *all, bool mixed, struct err *err)
{
	static const uint64_t periods[EVENTS] = { 5003, 6007, 7001 };
	int result = 0;

	for (size_t i = 0; !result && i < EVENTS; i++) {
		bool single = mixed && i == EVENTS - 1;
		struct perf_event_attr attr = precise_attr(single ? PERIOD_SINGLE : periods[i]);

		attr.wakeup_events = single;
		result = subject_open(&all->subjects[i], &attr, gettid(), all->work, err);
	}
	for (size_t i = 0; !result && i < EVENTS; i++)
		result = event_enable(&all->subjects[i].event, err);
	if (result)
		return result;
	all->work->run((mixed ? RECORDS / 10 : RECORDS / 2) * PERIOD /
		       all->work->instructions_per_round);
	result = subjects_finish(all->subjects, EVENTS, err);
	for (size_t i = 0; !result && i < EVENTS; i++) {
		const struct subject *subject = &all->subjects[i];
		char row[64];

		snprintf(row, sizeof(row), "%s, period %llu", mixed ? "mixed" : "at once",
			 (unsigned long long)subject->event.attr.sample_period);
		if (subject->count.running < subject->count.enabled)
			run_note(all->run, "not judged: %s: it was not on the PMU all the time",
				 row);
		else
			judge(all, subject, row, "several",
			      missing_of(subject, subject->count.value),
			      (unsigned int)subject->drained.throttled * BORDERS_A_LOSS);
	}
	return result;
}

static int run_at_once(struct experiment *all, struct err *err)
{
	return run_several(all, false, err);
}

static int run_mixed(struct experiment *all, struct err *err)
{
	return run_several(all, true, err);
}

static const struct row {
	const char *name;
	int (*run)(struct experiment *all, struct err *err);
} rows[] = {
	{ "across buffers", run_long },
	{ "stopped and started", run_stopping },
	{ "with times", run_times },
	{ "read", run_reading },
	{ "switched", run_switching },
	{ "of the CPU", run_cpu },
	{ "exited", run_exiting },
	{ "one by one", run_one_by_one },
	{ "one by one, reloaded", run_reloaded },
	{ "at once", run_at_once },
	{ "mixed", run_mixed },
};

static int run_pebs_complete(struct run *run)
{
	struct experiment all = { .run = run,
				  .work = workload_find("multiply"),
				  .least = UINT64_MAX };
	struct perf_event_attr attr = precise_attr(PERIOD_SINGLE);
	struct err err;

	for (size_t i = 0; i < EVENTS; i++)
		all.subjects[i].event = (struct event)EVENT_CLOSED;
	if (cpus_pin(run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (event_probe(&attr, &err))
		return run_skip(run, "CPU %d: %s", run_cpus(run)->cpu[0], err.text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int result;

		run_progress(run, "%s", rows[i].name);
		result = rows[i].run(&all, &err);
		for (size_t e = 0; e < EVENTS; e++)
			event_close(&all.subjects[e].event);
		if (result)
			return run_broken(run, "%s: %s", rows[i].name, err.text);
	}
	run_control(run, "records, least of all rows", (double)all.least, LEAST_MIN, "1");
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_PMU },
	{ .kind = NEED_PRECISE, .value = 1 },
	{ .kind = NEED_END },
};

#define ORIGIN "a record for each overflow; one for an overflow whose record is not written yet"
#define ORIGIN_BORDERS ORIGIN ", which may be so at one of 20 borders, too"

static const struct check checks[] = {
	{ .name = "buffer_ends",
	  .claim = "no record is missing where the buffer was full",
	  .origin = ORIGIN },
	{ .name = "stopping",
	  .claim = "nor when the event is stopped: then all are there",
	  .origin = ORIGIN_BORDERS },
	{ .name = "reading",
	  .claim = "nor when it is read",
	  .origin = "intel_pmu_auto_reload_read(); " ORIGIN_BORDERS },
	{ .name = "switching",
	  .claim = "nor when its task is switched out",
	  .origin = "intel_pmu_pebs_sched_task(); " ORIGIN_BORDERS },
	{ .name = "exiting", .claim = "nor when its task exits", .origin = ORIGIN_BORDERS },
	{ .name = "single",
	  .claim = "nor with an interrupt for each, whoever loads the counter",
	  .origin = ORIGIN ", and each time that it was throttled" },
	{ .name = "several",
	  .claim = "nor of several events at once",
	  .origin = ORIGIN ", and each time that it was throttled" },
	{ .name = "none_twice",
	  .claim = "there are not more records than overflows",
	  .origin = "the count, and as many as may be missing" },
	{ .name = "own_records",
	  .claim = "each has the task, the id and the period of its event",
	  .origin = "perf_event_open(2), PERF_SAMPLE_TID, _ID, _PERIOD" },
	{ .name = "registers",
	  .claim = "from one to the next the register has come on by a period, or by several: all "
		   "but one of 1000",
	  .origin =
		  "Intel SDM 3B, \"PEBS Data Format\": registers at the recorded instruction; one "
		  "of 1000 for errata, and each time that it was throttled" },
	{ .name = "addresses",
	  .claim = "from one to the next the address is another one in at least 10 % of the steps",
	  .origin =
		  "a step is six instructions more than so many rounds; 90 % for CPUs that favour "
		  "an instruction, as all records of a buffer have one address where it is that "
		  "of the interrupt" },
	{ .name = "own_task",
	  .claim = "records of an event of the CPU have the task whose code they are in",
	  .origin = "a buffer is emptied at each switch, where samples are to have the task",
	  .optional = true },
	{ .name = "count_agrees",
	  .claim = "the count is that of the loop within 5 %",
	  .origin = "intel_pmu_save_and_restart_reload(); a period too much or too little at each "
		    "stop would be 18 %; 5 % for what surrounds the loop" },
	{ .name = "times_apart",
	  .claim = "90 % of the records have times that are a quarter of the mean step apart",
	  .origin = "Intel SDM 3B: the record has the TSC of its moment (format 3 on), or there is "
		    "an interrupt for each; 10 % for interrupts in between",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "pebs_complete",
	.claim = "Every overflow of a precise event becomes exactly one record, its own and with "
		 "the "
		 "registers of its moment.",
	.source = "perf_event_open(2), precise_ip; Intel SDM volume 3B, \"Precise Event Based "
		  "Sampling (PEBS)\"",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_pebs_complete,
};
