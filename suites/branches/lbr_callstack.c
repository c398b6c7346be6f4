// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: in call-stack mode a branch stack shows all calls of its own task and none of another's,
 * also after the task was switched out and in.
 *
 * Mechanism: the records are registers of the CPU. In call-stack mode a return takes off what its
 * call put on, so that what is lost at a switch is not made good by running on, as it is in the
 * other modes: the kernel must read the records of a task that goes and write them back when it
 * comes again. It may leave that out when nobody has touched them in between, which it must know
 * for certain.
 *
 * On a broken kernel the callers of a function that slept in between are missing, in part or all,
 * or those of the task that ran meanwhile stand in their place.
 *
 * Two tasks on one CPU take turns, each in the deepest function of a chain of calls of its own.
 * Every sample in that function must show the whole chain.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "background.h"
#include "chains.h"
#include "drain.h"
#include "event.h"
#include "hypothesis.h"

#define PERIOD 10007
#define RING_PAGES 64
#define PARTS 8	 /* the chain is entered so often, and the ring read after each */
#define TURNS 50 /* in each part: not more samples than the ring holds */
#define SPINS 10000
#define COMPLETE_MIN 99.9
#define SAMPLES_MIN 299

/* Samples in the deepest function. */
struct seen {
	uint64_t judged, complete, foreign;
};

/* A task with a chain: what it does, and what was seen of it. In shared memory. */
struct task {
	const struct chain *own, *other;
	struct chain_turns turns;
	int cpu;
	bool sampled; /* by an event of its own */
	bool alone;   /* what counts is what it does while it is not switched out */
	pid_t tid;
	/* Whose ring it reads after each part (NULL: none), and what is done with a sample. */
	struct event *event;
	sample_handler handle;
	void *context;
	struct seen seen;
	uint64_t switches;
	int result; /* 0 or -errno with err */
	struct err err;
};

/*
 * Two of them with a socket each, or one with a pipe to itself, so that it takes turns with nobody
 * and need never be switched out.
 */
struct pair {
	struct task task[2];
	int fd[2];
};

static struct perf_event_attr callstack_attr(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct task *task = context;
	enum chain_seen seen = call_chain_judge(&task->own->calls, &task->other->calls, sample->ip,
						sample->branches, sample->branch_nr);

	(void)misc;
	task->seen.judged += seen != CHAIN_ELSEWHERE;
	task->seen.complete += seen == CHAIN_COMPLETE;
	task->seen.foreign += seen == CHAIN_FOREIGN;
}

/* Woken, another task may push this one away before it waits: as good a switch. */
static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static int run_part(struct task *task)
{
	struct drained drained = { 0 };
	struct seen before = task->seen;
	uint64_t start = switches();
	uint64_t switched;
	int result = 0;

	if (task->own->run(&task->turns))
		return err_set(&task->err, EPIPE, "the other task left early");
	switched = switches() - start;
	task->switches += switched;
	if (task->event)
		result =
			event_drain(task->event, &drained, task->handle, task->context, &task->err);
	if (task->alone && switched)
		task->seen = before;
	return result;
}

static int run_parts(struct task *task)
{
	int result = 0;

	for (int i = 0; !result && i < PARTS; i++)
		result = run_part(task);
	return result;
}

static int run_sampled(struct task *task)
{
	struct perf_event_attr attr = callstack_attr();
	struct event event = EVENT_CLOSED;
	int result;

	task->event = &event;
	task->handle = take;
	task->context = task;
	result = event_open_self(&event, &attr, &task->err);
	if (!result)
		result = event_map(&event, RING_PAGES, false, &task->err);
	if (!result)
		result = event_enable(&event, &task->err);
	if (!result)
		result = run_parts(task);
	event_close(&event);
	task->event = NULL;
	return result;
}

/* The whole life of a task. When it fails the other one must not wait for it. */
static void run_task(struct task *task)
{
	task->tid = gettid();
	task->result = cpus_pin(task->cpu, &task->err);
	if (!task->result)
		task->result = task->sampled ? run_sampled(task) : run_parts(task);
	if (task->result)
		shutdown((int)task->turns.write_fd, SHUT_RDWR);
}

static void *run_thread(void *argument)
{
	run_task(argument);
	return NULL;
}

static int run_threads(struct pair *pair, struct err *err)
{
	pthread_t thread;
	int result = pthread_create(&thread, NULL, run_thread, &pair->task[1]);

	if (result)
		return err_set(err, result, "start a thread");
	run_task(&pair->task[0]);
	pthread_join(thread, NULL);
	return 0;
}

static void take_by_tid(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct pair *pair = context;

	for (int i = 0; i < 2; i++)
		if ((pid_t)sample->tid == pair->task[i].tid)
			take(sample, misc, &pair->task[i]);
}

/*
 * Two threads with one event: the second inherits it. The kernel then swaps their contexts at a
 * switch in place of scheduling events out and in, and the records saved must go the other way.
 */
static int run_inherited(struct pair *pair, struct err *err)
{
	struct perf_event_attr attr = callstack_attr();
	struct event event = EVENT_CLOSED;
	struct drained drained = { 0 };
	int result;

	attr.inherit = 1;
	attr.sample_type |= PERF_SAMPLE_TID;
	pair->task[0].event = &event;
	pair->task[0].handle = take_by_tid;
	pair->task[0].context = pair;
	/* A ring of a task's children must be of one CPU. */
	result = event_open_task_cpu(&event, &attr, gettid(), pair->task[0].cpu, err);
	if (!result)
		result = event_map(&event, RING_PAGES, false, err);
	if (!result)
		result = event_enable(&event, err);
	if (!result)
		result = run_threads(pair, err);
	if (!result)
		result = event_drain(&event, &drained, take_by_tid, pair, err);
	event_close(&event);
	return result;
}

static void run_child(const void *argument)
{
	struct pair *pair = (struct pair *)argument;

	/* The other's socket: whoever reads must see when the other process is gone. */
	close(pair->fd[0]);
	run_task(&pair->task[1]);
}

static int run_processes(struct pair *pair, struct err *err)
{
	pid_t child;

	/* Until the child says otherwise. */
	pair->task[1].result = -ECHILD;
	err_set(&pair->task[1].err, 0, "the other process ended early");
	child = background_start(run_child, pair, err);
	if (child < 0)
		return (int)child;
	close(pair->fd[1]);
	pair->fd[1] = -1;
	run_task(&pair->task[0]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static int run_alone(struct pair *pair, struct err *err)
{
	(void)err;
	run_task(&pair->task[0]);
	return 0;
}

/* Who takes turns with whom. */
static const struct row {
	const char *name;
	int (*run)(struct pair *pair, struct err *err);
	bool sampled[2]; /* by an event of its own */
	bool judged[2];
} alone = { "alone", run_alone, { true }, { true } }, rows[] = {
	{ "two threads", run_threads, { true, true }, { true, true } },
	{ "two threads, inherited", run_inherited, { false }, { true, true } },
	{ "two processes", run_processes, { true, true }, { true, true } },
	{ "beside a thread not sampled", run_threads, { true }, { true } },
	{ "beside a process not sampled", run_processes, { true }, { true } },
};

static void report_task(struct run *run, const char *row, const struct task *task)
{
	char name[96];

	run_figure(run, "call stacks", row, "judged", (double)task->seen.judged, "1");
	run_figure(run, "call stacks", row, "complete", (double)task->seen.complete, "1");
	run_figure(run, "call stacks", row, "foreign", (double)task->seen.foreign, "1");
	run_figure(run, "call stacks", row, "switches", (double)task->switches, "1");
	snprintf(name, sizeof(name), "samples, %s", row);
	run_control(run, name, (double)task->seen.judged, SAMPLES_MIN, "1");
}

static double complete_percent(const struct task *task)
{
	return task->seen.judged ? 100.0 * (double)task->seen.complete / (double)task->seen.judged
				 : 0;
}

static void check_task(struct run *run, const struct row *row, const struct task *task, int number)
{
	char name[96], label[64];

	snprintf(label, sizeof(label), "%s, task %d", row->name, number);
	report_task(run, label, task);
	snprintf(name, sizeof(name), "switches, %s", label);
	/* A turn begins with waiting for the other task's end. */
	if (!run_control(run, name, (double)task->switches, 0.9 * PARTS * TURNS, "1"))
		return;
	run_check_ge(run, "complete", label, complete_percent(task), COMPLETE_MIN, "%");
	run_check_le(run, "own", label, (double)task->seen.foreign, 0, "1");
}

/* With whose descriptors each task takes turns, and the token where task 0 begins with it. */
static int connect_pair(struct pair *pair, bool is_alone, struct err *err)
{
	if (is_alone ? pipe(pair->fd) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair->fd))
		return err_set(err, errno, "connect two tasks");
	if (write(pair->fd[1], "", 1) != 1)
		return err_set(err, errno, "write to a task");
	for (int i = 0; i < 2; i++) {
		pair->task[i].turns.read_fd = (uint64_t)pair->fd[i];
		pair->task[i].turns.write_fd = (uint64_t)pair->fd[is_alone ? 1 : i];
	}
	return 0;
}

static int prepare(struct pair *pair, const struct row *row, int cpu, struct err *err)
{
	memset(pair, 0, sizeof(*pair));
	pair->fd[0] = pair->fd[1] = -1;
	for (int i = 0; i < 2; i++) {
		pair->task[i].own = &chains[i];
		pair->task[i].other = &chains[1 - i];
		pair->task[i].turns.turns = TURNS;
		pair->task[i].turns.spins = SPINS;
		pair->task[i].cpu = cpu;
		pair->task[i].sampled = row->sampled[i];
		pair->task[i].alone = row == &alone;
	}
	return connect_pair(pair, row == &alone, err);
}

/* Let the tasks of a row run to their end; false when that was no run to judge. */
static bool run_row(struct run *run, const struct row *row, struct pair *pair)
{
	struct err err;
	int result;

	run_progress(run, "%s", row->name);
	result = prepare(pair, row, run_cpus(run)->cpu[0], &err);
	if (!result)
		result = row->run(pair, &err);
	for (int i = 0; i < 2; i++)
		if (pair->fd[i] >= 0)
			close(pair->fd[i]);
	if (result)
		run_broken(run, "%s: %s", row->name, err.text);
	for (int i = 0; !result && i < 2; i++) {
		result = pair->task[i].result;
		if (result)
			run_broken(run, "%s, task %d: %s", row->name, i, pair->task[i].err.text);
	}
	return !result;
}

static void check_rows(struct run *run, struct pair *pair)
{
	if (!run_row(run, &alone, pair))
		return;
	report_task(run, alone.name, &pair->task[0]);
	if (!run_control(run, "complete, alone", complete_percent(&pair->task[0]), COMPLETE_MIN,
			 "%"))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!run_row(run, &rows[i], pair))
			return;
		for (int task = 0; task < 2; task++)
			if (rows[i].judged[task])
				check_task(run, &rows[i], &pair->task[task], task);
	}
}

static int run_lbr_callstack(struct run *run)
{
	struct perf_event_attr attr = callstack_attr();
	int cpu = run_cpus(run)->cpu[0];
	struct pair *pair;
	struct err err;

	if (!chains[0].run)
		return run_skip(run, "no chains of calls for this architecture");
	if (cpus_pin(cpu, &err))
		return run_broken(run, "%s", err.text);
	if (event_probe(&attr, &err))
		return run_skip(run, "no call-stack mode on CPU %d: %s", cpu, err.text);
	pair = mmap(NULL, sizeof(*pair), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pair == MAP_FAILED)
		return run_broken(run, "shared memory: %s", strerror(errno));
	/* Writing to a process that died is an error, not our end. */
	signal(SIGPIPE, SIG_IGN);
	check_rows(run, pair);
	munmap(pair, sizeof(*pair));
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "complete",
	  .claim = "every sample in the deepest function shows its whole chain of callers",
	  .origin = "the calls are in the assembly, fewer than the records of any CPU with this "
		    "mode. 1 in 1000 for a CPU that loses its records in a deep sleep or a "
		    "virtual machine whose host does; a kernel that restores none has 0 %" },
	{ .name = "own",
	  .claim = "and no branch of the task that ran meanwhile",
	  .origin = "the other task's code is never run by this one" },
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
	.name = "lbr_callstack",
	.claim = "In call-stack mode a branch stack shows all calls of its own task and none of "
		 "another's, also after the task was switched out and in.",
	.source = "\"perf/x86/intel/lbr: Optimize context switches for LBR\", the discussion; "
		  "Linux commits 8b077e4a69be, 0592e57b24e7",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = klog,
	.sysctls = sysctls,
	.run = run_lbr_callstack,
};
