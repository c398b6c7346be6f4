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
 * which it was switched out: what a record holds there is from before. Events opened for the
 * victim, or inherited by it, keep the recording on while it runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "background.h"
#include "branch_leak.h"
#include "clock.h"
#include "drain.h"
#include "hypothesis.h"
#include "switch.h"

#define SAMPLES_MIN 1000 /* right after the victim, in each row */
#define BATCH 16	 /* rounds between two looks at the rings */
#define ROW_NS 2000000000ULL
#define PERIOD 97	  /* instructions: about four samples in the 400 of the sled */
#define VICTIM_PERIOD 499 /* seldom: the victim's samples only show that it is recorded */
#define VICTIM_ROUNDS 16  /* of four branches each: twice the deepest record of 32 */
#define VICTIM_VARY 64	  /* up to so many more, that a sample falls into some of them */
#define RING_PAGES 64
#define CHILD_STACK 65536

/* How the observer and its victims are observed. */
enum observe {
	OBSERVE_OWN, /* an event of the observer's own, another one inherited by the victims */
	OBSERVE_INHERITED, /* one event inherited: the kernel swaps the two tasks' contexts */
	OBSERVE_CPU,	   /* everything on the CPU */
};

/* One row of the experiment. Lives in memory that is shared with the victims. */
struct scene {
	const struct switch_code *code;
	volatile uint64_t victim_runs; /* how often the victim has branched */
	struct event events[2];
	size_t nr_events;
	struct leak_watch watch;
	struct drained drained;
	uint64_t rounds, switched; /* rounds of the observer, and those in which a victim ran */
	int pipe[2];
	pid_t victim;
	struct err err;
	char child_stack[CHILD_STACK] __attribute__((aligned(16)));
};

static void branch(struct scene *scene)
{
	scene->code->victim(VICTIM_ROUNDS + scene->victim_runs % VICTIM_VARY);
	scene->victim_runs++;
}

/* The victims. */

static void victim_yields(const void *argument)
{
	struct scene *scene = *(struct scene *const *)argument;

	for (;;) {
		branch(scene);
		sched_yield();
	}
}

static void victim_spins(const void *argument)
{
	const struct sched_param other = { 0 };
	struct scene *scene = *(struct scene *const *)argument;

	sched_setscheduler(0, SCHED_OTHER, &other);
	for (;;)
		branch(scene);
}

static void victim_blocks(const void *argument)
{
	struct scene *scene = *(struct scene *const *)argument;
	char token;

	while (read(scene->pipe[0], &token, 1) == 1)
		branch(scene);
}

static void victim_exits(struct scene *scene)
{
	branch(scene);
	scene->code->call(SYS_exit_group, 0, 0, 0);
}

/* Traced, so that it stops before the new program's first instruction. */
static void victim_execs(struct scene *scene)
{
	char name[] = "lbr_leak";
	char *const arguments[] = { name, NULL };

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	branch(scene);
	execve("/proc/self/exe", arguments, arguments + 1);
	_exit(1);
}

/* Where a child of vfork starts: with the arguments of the system call that made it. */
static void vfork_child(long flags, long stack, long scene)
{
	(void)flags;
	(void)stack;
	victim_execs((struct scene *)scene); /* NOLINT(performance-no-int-to-ptr): see above */
}

/* The observer's part of a round: 0, or -errno. */

static int yield_to(struct scene *scene)
{
	scene->code->call(SYS_sched_yield, 0, 0, 0);
	return 0;
}

static long sleep_ns(struct scene *scene, long ns)
{
	const struct timespec wait = { .tv_nsec = ns };

	return scene->code->call(SYS_nanosleep, (long)&wait, 0, 0);
}

static int preempt(struct scene *scene)
{
	return (int)sleep_ns(scene, 20000);
}

static int wake_and_sleep(struct scene *scene)
{
	if (write(scene->pipe[1], "", 1) != 1)
		return -errno;
	return (int)sleep_ns(scene, 200000);
}

static int wait_for(struct scene *scene, pid_t pid, int *status)
{
	long result = scene->code->call(SYS_wait4, pid, (long)status, 0);

	return result < 0 ? (int)result : 0;
}

static int wait_for_exit(struct scene *scene)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		victim_exits(scene);
	return pid < 0 ? -errno : wait_for(scene, pid, &status);
}

static int sleep_over_exit(struct scene *scene)
{
	pid_t pid = fork();
	long result;

	if (!pid)
		victim_exits(scene);
	if (pid < 0)
		return -errno;
	result = sleep_ns(scene, 1000000);
	return waitpid(pid, NULL, 0) == pid ? (int)result : -errno;
}

/* The victim has stopped in its new program, where it is of no more use. */
static int end_stopped(pid_t pid, int status)
{
	if (!WIFSTOPPED(status))
		return -ENOEXEC;
	kill(pid, SIGKILL);
	return waitpid(pid, NULL, 0) == pid ? 0 : -errno;
}

static int wait_for_exec(struct scene *scene)
{
	pid_t pid = fork();
	int status = 0, result;

	if (!pid)
		victim_execs(scene);
	if (pid < 0)
		return -errno;
	result = wait_for(scene, pid, &status);
	return result ? result : end_stopped(pid, status);
}

static int vfork_and_exec(struct scene *scene)
{
	/* The address to start at; above it the stack is aligned as behind a call instruction. */
	uintptr_t *top = (uintptr_t *)(scene->child_stack + CHILD_STACK - 16);
	int status = 0;
	long pid;

	*top = (uintptr_t)vfork_child;
	pid = scene->code->call(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, (long)top,
				(long)scene);
	if (pid < 0)
		return (int)pid;
	if (waitpid((pid_t)pid, &status, 0) != pid)
		return -errno;
	return end_stopped((pid_t)pid, status);
}

static const struct act {
	const char *check, *row;
	enum observe observe;
	void (*victim)(const void *argument); /* one for all rounds; NULL: a new one in each */
	int (*round)(struct scene *scene);
} acts[] = {
	{ "yield", "yield", OBSERVE_OWN, victim_yields, yield_to },
	{ "yield", "yield, contexts swapped", OBSERVE_INHERITED, victim_yields, yield_to },
	{ "preempt", "preempt", OBSERVE_OWN, victim_spins, preempt },
	{ "idle", "idle between", OBSERVE_OWN, victim_blocks, wake_and_sleep },
	{ "exit", "exit", OBSERVE_OWN, NULL, wait_for_exit },
	{ "exit", "exit, idle between", OBSERVE_OWN, NULL, sleep_over_exit },
	{ "exec", "exec", OBSERVE_OWN, NULL, wait_for_exec },
	{ "vfork", "vfork and exec", OBSERVE_OWN, NULL, vfork_and_exec },
	{ "cpu_wide", "yield, event of the CPU", OBSERVE_CPU, victim_yields, yield_to },
	{ NULL },
};

static struct perf_event_attr branch_attr(uint64_t period)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* Open and map one event more. A ring of inherited events must belong to one CPU. */
static int add_event(struct scene *scene, uint64_t period, bool inherit, pid_t pid, int cpu)
{
	struct perf_event_attr attr = branch_attr(period);
	struct event *event = &scene->events[scene->nr_events];
	int result;

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

	if (observe != OBSERVE_OWN)
		return add_event(scene, PERIOD, observe == OBSERVE_INHERITED,
				 observe == OBSERVE_CPU ? -1 : gettid(), cpu);
	result = add_event(scene, VICTIM_PERIOD, true, gettid(), cpu);
	return result ? result : add_event(scene, PERIOD, false, gettid(), cpu);
}

static void take(const struct ring_sample *sample, uint16_t misc, void *scene)
{
	(void)misc;
	leak_watch_take(&((struct scene *)scene)->watch, sample);
}

/* Read the rings with the events disabled: reading is more than a period long, and would not end.
 */
static int drain(struct scene *scene)
{
	int result = 0;

	for (size_t i = 0; !result && i < scene->nr_events; i++)
		result = event_disable(&scene->events[i], &scene->err);
	for (size_t i = 0; !result && i < scene->nr_events; i++)
		result = event_drain(&scene->events[i], &scene->drained, take, scene, &scene->err);
	return result;
}

static int enable(struct scene *scene)
{
	int result = 0;

	for (size_t i = 0; !result && i < scene->nr_events; i++)
		result = event_enable(&scene->events[i], &scene->err);
	return result;
}

static double power(const struct scene *scene)
{
	return leak_watch_power(&scene->watch, scene->switched, scene->rounds);
}

/* Rounds until there are samples enough, or time is up. */
static int observe(struct scene *scene, const struct act *act)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int result = 0;

	while (!result && power(scene) < SAMPLES_MIN &&
	       clock_ns(CLOCK_MONOTONIC) - start < ROW_NS) {
		result = enable(scene);
		for (int i = 0; !result && i < BATCH; i++) {
			uint64_t before = scene->victim_runs;

			result = act->round(scene);
			if (result)
				err_set(&scene->err, -result, "round of %s", act->row);
			scene->rounds++;
			scene->switched += scene->victim_runs != before;
			scene->code->observer(VICTIM_ROUNDS);
		}
		if (!result)
			result = drain(scene);
	}
	return result;
}

static int play(struct scene *scene, const struct act *act, int cpu)
{
	int result = add_events(scene, act->observe, cpu);

	if (!result && act->victim) {
		scene->victim = background_start(act->victim, &scene, &scene->err);
		result = scene->victim < 0 ? scene->victim : 0;
	}
	if (!result)
		result = observe(scene, act);
	background_stop(scene->victim);
	return result;
}

static void prepare(struct scene *scene, const struct switch_code *code, int pipe[2])
{
	memset(scene, 0, sizeof(*scene));
	scene->code = code;
	scene->pipe[0] = pipe[0];
	scene->pipe[1] = pipe[1];
	scene->watch = (struct leak_watch){
		.observer = (uint32_t)gettid(),
		.victim = { (uintptr_t)code->victim, (uintptr_t)code->victim_end },
		.own = { (uintptr_t)code->observer, (uintptr_t)code->observer_end },
		.sled = { (uintptr_t)code->sled, (uintptr_t)code->sled_end },
	};
}

static void end_scene(struct scene *scene)
{
	for (size_t i = 0; i < scene->nr_events; i++)
		event_close(&scene->events[i]);
	scene->nr_events = 0;
}

static void judge(struct run *run, const struct scene *scene, const struct act *act)
{
	const struct leak_watch *watch = &scene->watch;
	char name[64];

	run_figure(run, "leaks", act->row, "rounds", (double)scene->rounds, "1");
	run_figure(run, "leaks", act->row, "after victim", (double)scene->switched, "1");
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

/* What only root may do is left out; anything else that cannot be done is broken. */
static void run_act(struct run *run, struct scene *scene, const struct act *act)
{
	int result;

	run_progress(run, "%s", act->row);
	result = play(scene, act, run_cpus(run)->cpu[0]);
	end_scene(scene);
	if ((result == -EACCES || result == -EPERM) && act->observe == OBSERVE_CPU)
		run_note(run, "not measured: %s: %s", act->row, scene->err.text);
	else if (result)
		run_broken(run, "%s: %s", act->row, scene->err.text);
	else
		judge(run, scene, act);
}

/* Would a leak be reported? The observer goes through the victim's region itself. */
static bool control_visible(struct run *run, struct scene *scene)
{
	int result = add_event(scene, PERIOD, false, gettid(), run_cpus(run)->cpu[0]);

	if (!result)
		result = enable(scene);
	if (!result)
		for (int i = 0; i < BATCH; i++)
			scene->code->victim(VICTIM_ROUNDS);
	if (!result)
		result = drain(scene);
	end_scene(scene);
	if (result) {
		run_broken(run, "control: %s", scene->err.text);
		return false;
	}
	return run_control(run, "victim's region reported to the observer",
			   (double)scene->watch.leaky, 0, "1");
}

static int run_lbr_leak(struct run *run)
{
	const struct sched_param fifo = { .sched_priority = 1 };
	const struct switch_code *code = switch_code();
	struct scene *scene;
	struct err err;
	int pipe[2];

	if (!code)
		return run_skip(run, "no code for this architecture");
	if (cpus_pin(run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (pipe2(pipe, O_CLOEXEC))
		return run_broken(run, "pipe: %s", strerror(errno));
	scene = mmap(NULL, sizeof(*scene), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (scene == MAP_FAILED)
		return run_broken(run, "mmap: %s", strerror(errno));
	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		run_note(run, "without SCHED_FIFO (%s): sched_yield() may come back at once",
			 strerror(errno));
	prepare(scene, code, pipe);
	if (control_visible(run, scene))
		for (const struct act *act = acts; act->check; act++) {
			prepare(scene, code, pipe);
			run_act(run, scene, act);
		}
	munmap(scene, sizeof(*scene));
	close(pipe[0]);
	close(pipe[1]);
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

static const struct klog_allow klog[] = {
	/* Where handlers are slow the kernel rightly lowers its limit, and says so. */
	{ KLOG_THROTTLE, 100 },
	{ KLOG_SLOW_NMI, 100 },
	{ KLOG_NONE, 0 },
};

static const char *const sysctls[] = { "kernel.perf_event_max_sample_rate", NULL };

const struct hypothesis hypothesis = {
	.name = "lbr_leak",
	.claim = "A process never finds branches of another one in its branch records.",
	.source = "perf/x86/intel/lbr: Optimize context switches for LBR (linux-kernel, 2018)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = klog,
	.sysctls = sysctls,
	.run = run_lbr_leak,
};
