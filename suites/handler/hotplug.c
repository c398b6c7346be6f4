// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: events survive a CPU going offline and coming back: those of a task go on on the other
 * CPUs and on that one again, one of the CPU keeps what it counted, and a new one on it works.
 *
 * Mechanism: a CPU that goes offline has its events taken off it (perf_event_exit_cpu()), and its
 * tasks moved, with theirs. When it comes back the PMU driver sets its counters up anew
 * (perf_event_init_cpu(), and on x86 the PMI in the APIC). An event of the CPU that was open when
 * it went stays readable but is off for good; meanwhile a new one is refused.
 *
 * On a broken kernel a task's event counts nothing, or has no samples, after it was moved or on the
 * CPU that came back; new events there are refused, count nothing or never interrupt; the old one
 * forgets its count, or goes on counting without its CPU; or the kernel warns.
 *
 * A CPU that is left offline by a run that dies is brought back by the supervisor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "counters.h"
#include "drain.h"
#include "event.h"
#include "hotplug.h"
#include "hypothesis.h"
#include "placement.h"
#include "rate_limit.h"
#include "workload.h"

#define PERIOD 200003	  /* below 50,000 samples a second on any CPU */
#define PARTS 10	  /* of a stretch, */
#define PART_ROUNDS 50000 /* each of about 950,000 instructions of the loop: 47 samples */
#define RING_PAGES 16
#define ROUNDS 2
#define COUNT_OFF_MAX 1.0   /* percent */
#define SAMPLES_OFF_MAX 4.0 /* of 47: one at each switch or move, of which there are few */

/* An event and what it did since it was opened, or last looked at. */
struct subject {
	struct event event;
	struct drained drained;
	struct event_count before, now;
};

struct experiment {
	struct run *run;
	struct cpus cpus; /* all that may be used */
	int home, victim;
	struct workload_job part;
	uint64_t known; /* instructions of a stretch */
	struct subject task, bound, cpu;
	struct err err;
};

static struct perf_event_attr attr_of(void)
{
	struct perf_event_attr attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CPU;
	return attr;
}

/* Of this thread if `task`, on that CPU or any (-1). */
static int open_subject(struct experiment *all, struct subject *subject, bool task, int cpu)
{
	const struct perf_event_attr attr = attr_of();
	int result;

	*subject = (struct subject){ .event = EVENT_CLOSED };
	if (!task)
		result = event_open_cpu(&subject->event, &attr, cpu, &all->err);
	else if (cpu < 0)
		result = event_open_self(&subject->event, &attr, &all->err);
	else
		result = event_open_task_cpu(&subject->event, &attr, gettid(), cpu, &all->err);
	if (!result)
		result = event_map(&subject->event, RING_PAGES, false, &all->err);
	return result ? result : event_enable(&subject->event, &all->err);
}

static int look(struct experiment *all, struct subject *subject)
{
	int result = event_drain(&subject->event, &subject->drained, NULL, NULL, &all->err);

	return result ? result : event_read(&subject->event, &subject->now, &all->err);
}

static int start_stretch(struct experiment *all, struct subject *subject)
{
	int result = look(all, subject);

	subject->drained = (struct drained){ 0 };
	subject->before = subject->now;
	return result;
}

/* The loop on one CPU, or wherever it is (-1), with what these two events see of it. */
static int stretch(struct experiment *all, int cpu, struct subject *first, struct subject *second)
{
	int result = cpu < 0 ? cpus_unpin(&all->cpus, &all->err) : cpus_pin(cpu, &all->err);

	if (!result)
		result = start_stretch(all, first);
	if (!result && second)
		result = start_stretch(all, second);
	for (int i = 0; !result && i < PARTS; i++)
		workload_do(&all->part);
	if (!result)
		result = look(all, first);
	return result || !second ? result : look(all, second);
}

static void judge(const struct experiment *all, const struct subject *subject, const char *check,
		  const char *row, uint64_t known)
{
	const struct hotplug_seen seen = {
		.known = known,
		.count = subject->now.value - subject->before.value,
		.samples = subject->drained.samples + subject->drained.lost,
		.period = PERIOD,
	};
	struct run *run = all->run;

	run_figure(run, "stretches", row, "known", (double)known, "1");
	run_figure(run, "stretches", row, "count", (double)seen.count, "1");
	run_figure(run, "stretches", row, "samples", (double)seen.samples, "1");
	if (!known) {
		run_check_eq(run, check, row, (double)seen.count, 0, "1");
		return;
	}
	/* On a CPU others may have run, too. */
	run_check_le(run, check, row,
		     subject->event.pid < 0 ? hotplug_count_short(&seen) : hotplug_count_off(&seen),
		     COUNT_OFF_MAX, "%");
	run_check_le(run, check, row, hotplug_samples_off(&seen), SAMPLES_OFF_MAX, "samples");
}

/* All as usual: what the rest is compared with. */
static int before_it_goes(struct experiment *all)
{
	int result = stretch(all, all->victim, &all->task, &all->bound);

	if (result)
		return result;
	if (!run_control(all->run, "instructions before", (double)all->task.now.value, 0, "1"))
		return 0;
	judge(all, &all->task, "task_event_goes_on", "task, before", all->known);
	judge(all, &all->bound, "bound_event_goes_on", "task on this CPU, before", all->known);
	return look(all, &all->cpu);
}

/* Opening an event on a CPU that is offline: 0, or -errno. */
static void check_refused(struct experiment *all)
{
	const struct perf_event_attr attr = attr_of();
	struct event event;
	int result = event_open_cpu(&event, &attr, all->victim, &all->err);

	if (!result)
		event_close(&event);
	run_check_eq(all->run, "offline_refused", NULL, -result, ENODEV, "1");
}

static int while_offline(struct experiment *all)
{
	const uint64_t had = all->cpu.now.value;
	int result = stretch(all, -1, &all->task, &all->bound);

	if (result)
		return result;
	judge(all, &all->task, "task_event_goes_on", "task, while it is offline", all->known);
	judge(all, &all->bound, "bound_event_goes_on", "task on this CPU, while it is offline", 0);
	check_refused(all);
	result = look(all, &all->cpu);
	if (result)
		return result;
	run_check_ge(all->run, "old_event_keeps_count", NULL, (double)all->cpu.now.value,
		     (double)had, "1");
	result = stretch(all, -1, &all->cpu, NULL);
	if (!result)
		judge(all, &all->cpu, "old_event_stands_still", "CPU, while it is offline", 0);
	return result;
}

static int after_it_came(struct experiment *all)
{
	struct subject fresh;
	int result = stretch(all, all->victim, &all->task, &all->bound);

	if (result)
		return result;
	judge(all, &all->task, "task_event_goes_on", "task, afterwards", all->known);
	judge(all, &all->bound, "bound_event_goes_on", "task on this CPU, afterwards", all->known);
	result = open_subject(all, &fresh, false, all->victim);
	if (result) {
		/* Refused: that is what the check is about. */
		run_note(all->run, "a new event on the CPU that came back: %s", all->err.text);
		run_check_eq(all->run, "new_event_works", "opens", -result, 0, "1");
		return 0;
	}
	run_check_eq(all->run, "new_event_works", "opens", 0, 0, "1");
	result = stretch(all, all->victim, &fresh, NULL);
	if (!result)
		judge(all, &fresh, "new_event_works", "CPU, opened afterwards", all->known);
	event_close(&fresh.event);
	return result;
}

static int go_round(struct experiment *all)
{
	int result = before_it_goes(all);

	/* Nobody is to be left that may run on it only: the kernel would say so. */
	if (!result)
		result = cpus_unpin(&all->cpus, &all->err);
	if (!result)
		result = hotplug_set(all->victim, false, &all->err);
	if (!result)
		result = while_offline(all);
	if (!result)
		result = hotplug_set(all->victim, true, &all->err);
	/* The kernel took it from what this thread may run on. */
	return result ? result : after_it_came(all);
}

static int run_rounds(struct experiment *all)
{
	int result = 0;

	for (int i = 0; !result && i < ROUNDS; i++) {
		run_progress(all->run, "CPU %d, round %d", all->victim, i + 1);
		all->task.event = all->bound.event = all->cpu.event = (struct event)EVENT_CLOSED;
		result = open_subject(all, &all->task, true, -1);
		if (!result)
			result = open_subject(all, &all->bound, true, all->victim);
		if (!result)
			result = open_subject(all, &all->cpu, false, all->victim);
		if (!result)
			result = go_round(all);
		event_close(&all->task.event);
		event_close(&all->bound.event);
		event_close(&all->cpu.event);
	}
	return result;
}

/* The last CPU that can go, on which the event can be sampled as on another one. */
static bool choose_cpus(struct experiment *all)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct err err;

	all->victim = all->home = -1;
	for (size_t i = all->cpus.n; i-- > 0;) {
		int cpu = all->cpus.cpu[i];

		if (cpus_pin(cpu, &err) || event_probe(&attr, &err))
			continue;
		if (all->victim < 0 && hotplug_may(cpu))
			all->victim = cpu;
		else
			all->home = cpu;
	}
	return !cpus_unpin(&all->cpus, &err) && all->victim >= 0 && all->home >= 0;
}

static void came_back(int cpu, void *run)
{
	run_note(run, "CPU %d was brought back after an error", cpu);
}

static int run_hotplug(struct run *run)
{
	struct experiment *all = calloc(1, sizeof(*all));
	char online[HOTPLUG_LIST_MAX];
	struct err err;

	if (!all)
		return run_broken(run, "out of memory");
	hotplug_online(online);
	all->run = run;
	all->cpus = *run_cpus(run);
	all->part = (struct workload_job){ workload_find("multiply"), PART_ROUNDS };
	all->known = PARTS * workload_instructions(all->part.work, PART_ROUNDS);
	if (!all->known)
		run_skip(run, "no loop of known length for this architecture");
	else if (!choose_cpus(all))
		run_skip(run, "there are no two CPUs that sample, one of which can go offline");
	else if (run_rounds(all))
		run_broken(run, "CPU %d: %s", all->victim, all->err.text);
	if (hotplug_restore(online, came_back, run, &err))
		run_broken(run, "%s", err.text);
	free(all);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ROOT },
	{ .kind = NEED_CPUS, .value = 2 },
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

#define SEEN_ORIGIN                                                                               \
	"the number of instructions in the loop's code, 1 % for what is around it; a sample for " \
	"each period, but one at a switch or move"

static const struct check checks[] = {
	{ .name = "task_event_goes_on",
	  .claim = "a task's event counts and samples all of its work, wherever it is moved",
	  .origin = SEEN_ORIGIN },
	{ .name = "bound_event_goes_on",
	  .claim =
		  "one that is bound to the CPU does, too, before and after, and nothing meanwhile",
	  .origin = SEEN_ORIGIN },
	{ .name = "offline_refused",
	  .claim = "a new event on a CPU that is offline is ENODEV",
	  .origin = "perf_event_open() in kernel/events/core.c" },
	{ .name = "old_event_keeps_count",
	  .claim = "an event of the CPU can be read when it has gone, and has what it counted",
	  .origin =
		  "it is taken off the CPU and updated (__perf_event_exit_context()), not reset" },
	{ .name = "old_event_stands_still",
	  .claim = "and counts no more",
	  .origin = "there is nothing on that CPU that it could count" },
	{ .name = "new_event_works",
	  .claim = "a new event on the CPU that came back counts and samples all work there",
	  .origin = SEEN_ORIGIN },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "hotplug",
	.claim =
		"Events survive a CPU going offline and coming back: those of a task go on, one of "
		"the CPU keeps what it counted, and a new one on it works.",
	.source = "kernel/events/core.c, perf_event_exit_cpu() and perf_event_init_cpu()",
	/* Takes a CPU from everybody: only when asked for. */
	.danger = DANGER_MAY_HANG,
	.budget_s = 90,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_hotplug,
};
