// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a process never finds branches of another one in its branch records.
 *
 * Mechanism: branch records have no owner. The kernel wipes them when it switches tasks (x86:
 * intel_pmu_lbr_reset() from the PMU's sched_task()), which is expensive, so that there have been
 * attempts to do it only when the address space changes. Each must get right what happens when a
 * task exits, replaces its program, or when a kernel thread, which has no address space, runs
 * between two that have one.
 *
 * On a broken kernel the first samples after a switch show where the task before has branched.
 *
 * A victim branches in a region of code that the observer never executes, but has mapped at the
 * same address, as the kernel drops branches whose code it cannot read. The observer samples itself
 * every few instructions through a stretch of code without branches right behind the system call in
 * which it was switched out: what a record holds there is from before. Events that the victim
 * inherits keep the recording on while it runs.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "branch_leak.h"
#include "clock.h"
#include "drain.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "switch.h"
#include "victim.h"

#define SAMPLES_MIN 1000     /* right after the victim, in each row */
#define BATCH 16	     /* rounds between two looks at the rings */
#define ROW_NS 6000000000ULL /* where switches are slow; else much less */
#define PERIOD 97	     /* instructions: about four samples in the 400 of the sled */
#define VICTIM_PERIOD 499    /* seldom: the victim's samples only show that it is recorded */
#define OWN_ROUNDS 16	     /* of four branches: twice the deepest record, of 32 */
#define RING_PAGES 64

/* How the observer and its victim are observed. */
enum observe {
	OBSERVE_OWN,	   /* an event of the observer's own, another one inherited by the victim */
	OBSERVE_INHERITED, /* one event inherited: the kernel swaps the two tasks' contexts */
	OBSERVE_CPU,	   /* everything on the CPU */
};

static const struct act {
	const char *check, *row;
	enum observe observe;
	enum victim_kind victim;
} acts[] = {
	{ "yield", "yield", OBSERVE_OWN, VICTIM_YIELDS },
	{ "yield", "yield, contexts swapped", OBSERVE_INHERITED, VICTIM_YIELDS },
	{ "preempt", "preempt", OBSERVE_OWN, VICTIM_SPINS },
	{ "idle", "idle between", OBSERVE_OWN, VICTIM_BLOCKS },
	{ "exit", "exit", OBSERVE_OWN, VICTIM_EXITS },
	{ "exit", "exit, idle between", OBSERVE_OWN, VICTIM_EXITS_EARLY },
	{ "exit", "exit, event of the CPU", OBSERVE_CPU, VICTIM_EXITS },
	{ "exec", "exec", OBSERVE_OWN, VICTIM_EXECS },
	{ "vfork", "vfork and exec", OBSERVE_OWN, VICTIM_VFORKS },
	{ "cpu_wide", "yield, event of the CPU", OBSERVE_CPU, VICTIM_YIELDS },
	{ NULL },
};

/* One row of the experiment. */
struct scene {
	const struct switch_code *code;
	struct event events[2];
	size_t nr_events;
	struct leak_watch watch;
	struct drained drained;
	uint64_t rounds, ran; /* rounds of the observer, and those in which the victim ran */
	struct err err;
};

/* Open and map one event more. A ring of inherited events must belong to one CPU. */
static int add_event(struct scene *scene, uint64_t period, bool inherit, pid_t pid, int cpu)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct event *event = &scene->events[scene->nr_events];
	int result;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.inherit = inherit;
	result = event_open_task_cpu(event, &attr, pid, cpu, &scene->err);
	if (result)
		return result;
	scene->nr_events++;
	return event_map(event, RING_PAGES, false, &scene->err);
}

static int add_events(struct scene *scene, enum observe observe, int cpu)
{
	int result;

	if (observe == OBSERVE_CPU)
		return add_event(scene, PERIOD, false, -1, cpu);
	if (observe == OBSERVE_INHERITED)
		return add_event(scene, PERIOD, true, gettid(), cpu);
	result = add_event(scene, VICTIM_PERIOD, true, gettid(), cpu);
	return result ? result : add_event(scene, PERIOD, false, gettid(), cpu);
}

static int enable(struct scene *scene)
{
	int result = 0;

	for (size_t i = 0; !result && i < scene->nr_events; i++)
		result = event_enable(&scene->events[i], &scene->err);
	return result;
}

static void take(const struct ring_sample *sample, uint16_t misc, void *watch)
{
	(void)misc;
	leak_watch_take(watch, sample);
}

/* With the events disabled: reading a sample is longer than a period, and would never end. */
static int disable_and_drain(struct scene *scene)
{
	int result = 0;

	for (size_t i = 0; !result && i < scene->nr_events; i++)
		result = event_disable(&scene->events[i], &scene->err);
	for (size_t i = 0; !result && i < scene->nr_events; i++)
		result = event_drain(&scene->events[i], &scene->drained, take, &scene->watch,
				     &scene->err);
	return result;
}

static double power(const struct scene *scene)
{
	return leak_watch_power(&scene->watch, scene->ran, scene->rounds);
}

/* Rounds until there are samples enough, or time is up. */
static int observe(struct scene *scene, struct victim *victim)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int result = 0;

	while (!result && power(scene) < SAMPLES_MIN &&
	       clock_ns(CLOCK_MONOTONIC) - start < ROW_NS) {
		result = enable(scene);
		for (int i = 0; !result && i < BATCH; i++) {
			bool ran = false;

			result = victim_round(victim, &ran, &scene->err);
			scene->rounds++;
			scene->ran += ran;
			scene->code->observer(OWN_ROUNDS);
		}
		if (!result)
			result = disable_and_drain(scene);
	}
	return result;
}

static struct scene new_scene(const struct switch_code *code)
{
	return (struct scene){
		.code = code,
		.watch = {
			.observer = (uint32_t)gettid(),
			.victim = { (uintptr_t)code->victim, (uintptr_t)code->victim_end },
			.own = { (uintptr_t)code->observer, (uintptr_t)code->observer_end },
			.sled = { (uintptr_t)code->sled, (uintptr_t)code->sled_end },
		},
	};
}

static void end_scene(struct scene *scene)
{
	for (size_t i = 0; i < scene->nr_events; i++)
		event_close(&scene->events[i]);
}

static int play(struct scene *scene, const struct act *act, int cpu)
{
	struct victim *victim = victim_new(scene->code, act->victim, &scene->err);
	int result = victim ? add_events(scene, act->observe, cpu) : -ENOMEM;

	if (!result)
		result = victim_start(victim, &scene->err);
	if (!result)
		result = observe(scene, victim);
	victim_free(victim);
	end_scene(scene);
	return result;
}

static void judge(struct run *run, const struct scene *scene, const struct act *act)
{
	const struct leak_watch *watch = &scene->watch;
	char name[64];

	run_figure(run, "leaks", act->row, "rounds", (double)scene->rounds, "1");
	run_figure(run, "leaks", act->row, "victim ran", (double)scene->ran, "1");
	run_figure(run, "leaks", act->row, "samples", (double)watch->samples, "1");
	run_figure(run, "leaks", act->row, "in sled", (double)watch->in_sled, "1");
	run_figure(run, "leaks", act->row, "leaky", (double)watch->leaky, "1");
	run_figure(run, "leaks", act->row, "leaky in sled", (double)watch->leaky_in_sled, "1");
	run_figure(run, "leaks", act->row, "lost", (double)scene->drained.lost, "1");
	run_check_le(run, act->check, act->row, (double)watch->leaky, 0, "1");
	snprintf(name, sizeof(name), "samples after the victim: %s", act->row);
	run_control(run, name, power(scene), SAMPLES_MIN - 1, "1");
	snprintf(name, sizeof(name), "victim seen by itself: %s", act->row);
	run_control(run, name, (double)watch->victim_seen, 0, "1");
	snprintf(name, sizeof(name), "observer seen by itself: %s", act->row);
	run_control(run, name, (double)watch->own_seen, 0, "1");
}

static void run_act(struct run *run, const struct switch_code *code, const struct act *act)
{
	struct scene scene = new_scene(code);
	int result;

	run_progress(run, "%s", act->row);
	result = play(&scene, act, run_cpus(run)->cpu[0]);
	if ((result == -EACCES || result == -EPERM) && act->observe == OBSERVE_CPU)
		run_note(run, "not measured: %s: %s", act->row, scene.err.text);
	else if (result)
		run_broken(run, "%s: %s", act->row, scene.err.text);
	else
		judge(run, &scene, act);
}

/* Would a leak be reported? The observer goes through the victim's region itself. */
static bool control_visible(struct run *run, const struct switch_code *code)
{
	struct scene scene = new_scene(code);
	int result = add_event(&scene, PERIOD, false, gettid(), run_cpus(run)->cpu[0]);

	if (!result)
		result = enable(&scene);
	if (!result) {
		code->victim((uint64_t)BATCH * OWN_ROUNDS);
		result = disable_and_drain(&scene);
	}
	end_scene(&scene);
	if (result) {
		run_broken(run, "control: %s", scene.err.text);
		return false;
	}
	return run_control(run, "victim's region reported to the observer",
			   (double)scene.watch.leaky, 0, "1");
}

static int run_lbr_leak(struct run *run)
{
	const struct sched_param fifo = { .sched_priority = 1 };
	const struct switch_code *code = switch_code();
	struct err err;

	if (!code)
		return run_skip(run, "no code for this architecture");
	if (cpus_pin(run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		run_note(run, "without SCHED_FIFO (%s): sched_yield() may come back at once",
			 strerror(errno));
	if (control_visible(run, code))
		for (const struct act *act = acts; act->check; act++)
			run_act(run, code, act);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_PMU },
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

#define ORIGIN "the kernel wipes or restores the branch record at each switch of tasks"

static const struct check checks[] = {
	{ .name = "yield",
	  .claim = "nothing of a victim that has yielded",
	  .origin = ORIGIN " (intel_pmu_lbr_sched_task())" },
	{ .name = "preempt", .claim = "nor of one that was preempted", .origin = ORIGIN },
	{ .name = "idle",
	  .claim = "nor of one that sleeps, with the idle task in between",
	  .origin = ORIGIN ", to and from kernel threads" },
	{ .name = "exit",
	  .claim = "nor of one that has exited",
	  .origin = ORIGIN "; an exiting task has no address space any more (exit_mm())" },
	{ .name = "exec",
	  .claim = "nor of one that has replaced its program",
	  .origin = ORIGIN "; its address space is another one then (exec_mmap())" },
	{ .name = "vfork",
	  .claim = "nor of a child of vfork that has",
	  .origin = ORIGIN "; it shared the observer's address space until then" },
	{ .name = "cpu_wide",
	  .claim = "nor does an event of the CPU attribute the victim's branches to the observer",
	  .origin = ORIGIN ", \"even for per-cpu events\"",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lbr_leak",
	.claim = "A process never finds branches of another one in its branch records.",
	.source = "perf/x86/intel/lbr: Optimize context switches for LBR (linux-kernel, 2018)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 90,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lbr_leak,
};
