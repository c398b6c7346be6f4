// SPDX-License-Identifier: GPL-2.0-or-later
#include "clock.h"
#include "trace.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "trace_fs.h"

Suite *suite(void);

/* These tests use CPUs below this only. */
#define MAX_CPU 256
#define SYSTEM "raw_syscalls"

/* Where this process may run. */
static void allowed_cpus(struct cpus *cpus)
{
	cpu_set_t set;

	cpus->n = 0;
	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int cpu = 0; cpu < MAX_CPU; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus->cpu[cpus->n++] = cpu;
	ck_assert_uint_gt(cpus->n, 0);
}

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void make_calls(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

/* A session on all CPUs. */
static struct trace *open_session(size_t buffer_kb)
{
	struct trace *trace = NULL;
	struct cpus cpus;
	struct err err;

	allowed_cpus(&cpus);
	ck_assert_msg(!trace_open(&trace, &cpus, buffer_kb, &err), "%s", err.text);
	return trace;
}

/* Add an event with a filter that lets through only getppid calls of this process. */
static int add_own_calls(struct trace *trace, const char *event)
{
	char filter[128];
	struct err err;
	int index;

	snprintf(filter, sizeof(filter), "id == %d && common_pid == %d", SYS_getppid,
		 (int)getpid());
	index = trace_enable(trace, SYSTEM, event, filter, &err);
	ck_assert_msg(index >= 0, "%s", err.text);
	return index;
}

static void start(struct trace *trace, trace_handler handle, void *context)
{
	struct err err;

	ck_assert_msg(!trace_start(trace, handle, context, &err), "%s", err.text);
}

static void stop(struct trace *trace)
{
	struct err err;

	ck_assert_msg(!trace_stop(trace, &err), "%s", err.text);
}

/* What a handler notes, per CPU because handlers run in one thread per CPU. */
struct seen {
	struct trace_field id, pid;
	struct {
		uint64_t n, wrong, lost;
		uint64_t first, last; /* ns */
	} cpu[MAX_CPU];
};

static void note(const struct trace_event *event, void *context)
{
	struct seen *seen = context;
	int64_t id = -1;
	int64_t pid = -1;

	if (!trace_value(event, &seen->id, &id) || !trace_value(event, &seen->pid, &pid) ||
	    id != SYS_getppid || pid != getpid() || event->event ||
	    event->time < seen->cpu[event->cpu].last)
		seen->cpu[event->cpu].wrong++;
	if (!seen->cpu[event->cpu].n++)
		seen->cpu[event->cpu].first = event->time;
	seen->cpu[event->cpu].last = event->time;
	seen->cpu[event->cpu].lost += event->lost;
}

static struct seen *new_seen(struct trace *trace, int event)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	struct err err;

	ck_assert_ptr_nonnull(seen);
	ck_assert_msg(!trace_field(trace, event, "id", &seen->id, &err), "%s", err.text);
	ck_assert_msg(!trace_field(trace, event, "common_pid", &seen->pid, &err), "%s", err.text);
	return seen;
}

/* N system calls are N events, each with the right fields and in time. */
START_TEST(counts_exactly)
{
	static const long calls[] = { 0, 1, 10000 };
	struct trace *trace = open_session(4096);
	struct seen *seen = new_seen(trace, add_own_calls(trace, "sys_enter"));
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	uint64_t sum = 0;

	start(trace, note, seen);
	make_calls(calls[_i]);
	stop(trace);
	for (int cpu = 0; cpu < MAX_CPU; cpu++) {
		sum += seen->cpu[cpu].n;
		ck_assert_uint_eq(seen->cpu[cpu].wrong, 0);
		ck_assert_uint_eq(seen->cpu[cpu].lost, 0);
		if (seen->cpu[cpu].n) {
			ck_assert_uint_ge(seen->cpu[cpu].first, before);
			ck_assert_uint_le(seen->cpu[cpu].last, clock_ns(CLOCK_MONOTONIC));
		}
	}
	ck_assert_uint_eq(sum, calls[_i]);
	ck_assert_uint_eq(trace_handled(trace), calls[_i]);
	ck_assert_uint_eq(trace_lost(trace), 0);
	trace_close(trace);
	free(seen);
}
END_TEST

/* Only what happens between start and stop is recorded, and a session can be started again. */
START_TEST(starts_again)
{
	struct trace *trace = open_session(4096);
	struct seen *seen = new_seen(trace, add_own_calls(trace, "sys_enter"));

	make_calls(7);
	for (int round = 1; round <= 3; round++) {
		start(trace, note, seen);
		make_calls(100);
		stop(trace);
		make_calls(7);
		ck_assert_uint_eq(trace_handled(trace), (uint64_t)(100 * round));
	}
	ck_assert_uint_eq(trace_lost(trace), 0);
	trace_close(trace);
	free(seen);
}
END_TEST

struct pairing {
	struct trace_field ret;
	int enter, exit;
	uint64_t pairs;
	uint64_t wrong;
	bool inside;
};

static void pair(const struct trace_event *event, void *context)
{
	struct pairing *pairing = context;
	int64_t ret = -1;

	if (event->event != (pairing->inside ? pairing->exit : pairing->enter))
		pairing->wrong++;
	if (event->event == pairing->exit) {
		if (!trace_value(event, &pairing->ret, &ret) || ret != getppid())
			pairing->wrong++;
		pairing->pairs++;
	}
	pairing->inside = event->event == pairing->enter;
}

/* On one CPU, entry and exit alternate; the index says which is which. */
START_TEST(pairs_in_order)
{
	struct trace *trace;
	struct pairing pairing = { 0 };
	struct cpus cpus;
	struct err err;

	allowed_cpus(&cpus);
	ck_assert_int_eq(pin(cpus.cpu[cpus.n - 1]), 0);
	trace = open_session(4096);
	pairing.exit = add_own_calls(trace, "sys_exit");
	pairing.enter = add_own_calls(trace, "sys_enter");
	ck_assert_int_eq(pairing.exit, 0);
	ck_assert_int_eq(pairing.enter, 1);
	ck_assert_int_eq(trace_field(trace, pairing.exit, "ret", &pairing.ret, &err), 0);
	start(trace, pair, &pairing);
	make_calls(5000);
	stop(trace);
	ck_assert_uint_eq(pairing.wrong, 0);
	ck_assert_uint_eq(pairing.pairs, 5000);
	ck_assert(!pairing.inside);
	ck_assert_uint_eq(trace_handled(trace), 10000);
	trace_close(trace);
}
END_TEST

/* A handler that does not return until it is let go. */
struct stall {
	sem_t go;
	bool went;
	uint64_t handled;
	uint64_t lost;	  /* sum of the gaps of known size */
	uint64_t unknown; /* gaps of unknown size */
};

static void stall(const struct trace_event *event, void *context)
{
	struct stall *stalled = context;

	if (!stalled->went)
		sem_wait(&stalled->go);
	stalled->went = true;
	stalled->handled++;
	if (event->lost == TRACE_LOST_SOME)
		stalled->unknown++;
	else
		stalled->lost += event->lost;
}

/*
 * With a stalled handler and a buffer smaller than the flood, events are lost, and each one is
 * accounted for: by the kernel's count, and by the gaps told in the stream.
 */
START_TEST(accounts_for_lost)
{
	/*
	 * In KiB, far below 100,000 records of 68 bytes (6,640 KiB). With 64 sub-buffers are of
	 * one page, 60 records fill it to the last byte, and a gap's size has no room in it.
	 */
	static const size_t buffer_kb[] = { 64, 1024 };
	const uint64_t calls = 100000;
	struct stall stalled = { 0 };
	struct trace *trace;
	struct cpus cpus;

	allowed_cpus(&cpus);
	ck_assert_int_eq(pin(cpus.cpu[0]), 0);
	ck_assert_int_eq(sem_init(&stalled.go, 0, 0), 0);
	trace = open_session(buffer_kb[_i]);
	add_own_calls(trace, "sys_enter");
	start(trace, stall, &stalled);
	make_calls((long)calls);
	ck_assert_int_eq(sem_post(&stalled.go), 0);
	stop(trace);
	ck_assert_uint_gt(trace_lost(trace), calls / 2);
	ck_assert_uint_gt(stalled.handled, 0);
	ck_assert_uint_eq(stalled.handled, trace_handled(trace));
	ck_assert_uint_eq(trace_handled(trace) + trace_lost(trace), calls);
	if (!stalled.unknown)
		ck_assert_uint_eq(stalled.lost, trace_lost(trace));
	ck_assert_uint_gt(stalled.lost + stalled.unknown, 0);
	ck_assert_uint_le(stalled.lost, trace_lost(trace));
	trace_close(trace);
}
END_TEST

static void count(const struct trace_event *event, void *context)
{
	uint64_t *counts = context;

	counts[event->cpu]++;
}

/* A process per CPU that makes calls when told to. */
struct flood {
	struct cpus cpus;
	int go[2];
	char filter[MAX_CPU * 32]; /* lets through their calls only */
};

static void flood_child(const struct flood *flood, int cpu, long calls)
{
	char byte;

	if (pin(cpu) || read(flood->go[0], &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	make_calls(calls);
	_exit(EXIT_SUCCESS);
}

static void flood_prepare(struct flood *flood, long calls)
{
	size_t used;

	allowed_cpus(&flood->cpus);
	ck_assert_int_eq(pipe(flood->go), 0);
	used = (size_t)snprintf(flood->filter, sizeof(flood->filter), "id == %d && (", SYS_getppid);
	for (size_t i = 0; i < flood->cpus.n; i++) {
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (!pid)
			flood_child(flood, flood->cpus.cpu[i], calls);
		used += (size_t)snprintf(flood->filter + used, sizeof(flood->filter) - used,
					 "%scommon_pid == %d", i ? " || " : "", (int)pid);
	}
	snprintf(flood->filter + used, sizeof(flood->filter) - used, ")");
}

static void flood_run(struct flood *flood)
{
	for (size_t i = 0; i < flood->cpus.n; i++)
		ck_assert_int_eq(write(flood->go[1], "", 1), 1);
	for (size_t i = 0; i < flood->cpus.n; i++) {
		int status = -1;

		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
}

/* Under load on all CPUs every event is either handled or counted as lost, on its own CPU. */
START_TEST(accounts_under_load)
{
	const long calls = 100000; /* per CPU */
	uint64_t counts[MAX_CPU] = { 0 };
	struct trace *trace = open_session(1024);
	struct flood flood;
	struct err err;

	flood_prepare(&flood, calls);
	ck_assert_msg(!trace_enable(trace, SYSTEM, "sys_enter", flood.filter, &err), "%s",
		      err.text);
	start(trace, count, counts);
	flood_run(&flood);
	stop(trace);
	ck_assert_uint_eq(trace_handled(trace) + trace_lost(trace), flood.cpus.n * (uint64_t)calls);
	for (size_t i = 0; i < flood.cpus.n; i++) {
		ck_assert_uint_gt(counts[flood.cpus.cpu[i]], 0);
		ck_assert_uint_le(counts[flood.cpus.cpu[i]], calls);
	}
	trace_close(trace);
}
END_TEST

START_TEST(names_what_is_missing)
{
	struct trace *trace = open_session(1024);
	struct trace_field field;
	struct err err;
	int enter;

	ck_assert_int_eq(trace_enable(trace, "no_system", "no_event", NULL, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no_system/no_event"));
	ck_assert_int_eq(trace_enable(trace, SYSTEM, "no_event", NULL, &err), -ENOENT);
	ck_assert_int_eq(trace_enable(trace, SYSTEM, "sys_enter", "no_field == 1", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "no_field == 1"));
	ck_assert_int_eq(trace_start(trace, count, NULL, &err), -EINVAL);
	enter = add_own_calls(trace, "sys_enter");
	ck_assert_int_eq(enter, 0);
	ck_assert_int_eq(trace_enable(trace, SYSTEM, "sys_enter", NULL, &err), -EEXIST);
	ck_assert_int_eq(trace_field(trace, enter, "no_field", &field, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no_field"));
	ck_assert_ptr_nonnull(strstr(err.text, SYSTEM "/sys_enter"));
	ck_assert_int_eq(trace_field(trace, enter, "args", &field, &err), -ENOTSUP);
	ck_assert_int_eq(trace_field(trace, enter + 1, "id", &field, &err), -EINVAL);
	ck_assert_int_eq(trace_field(trace, -1, "id", &field, &err), -EINVAL);
	trace_close(trace);
}
END_TEST

/* filename of an exec is elsewhere in the record, comm of a wake-up an array of char. */
START_TEST(no_strings)
{
	struct trace *trace = open_session(1024);
	struct trace_field field;
	struct err err;
	int exec = trace_enable(trace, "sched", "sched_process_exec", NULL, &err);
	int wake = trace_enable(trace, "sched", "sched_wakeup", NULL, &err);

	ck_assert_int_eq(trace_field(trace, exec, "filename", &field, &err), -ENOTSUP);
	ck_assert_int_eq(trace_field(trace, wake, "comm", &field, &err), -ENOTSUP);
	ck_assert_int_eq(trace_field(trace, wake, "prio", &field, &err), 0);
	ck_assert_uint_eq(field.size, 4);
	ck_assert(field.is_signed);
	trace_close(trace);
}
END_TEST

/* Is there an instance of that process? Asked from a child: this process mounts nothing. */
static bool has_instance(pid_t of)
{
	int status = -1;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		char name[64];

		snprintf(name, sizeof(name), "pmiproof-%d-0", (int)of);
		if (trace_fs_reach(NULL))
			_exit(2);
		_exit(tracefs_instance_exists(name) ? 1 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_le(WEXITSTATUS(status), 1);
	return WEXITSTATUS(status);
}

START_TEST(refuses_what_is_out_of_order)
{
	struct trace *trace = NULL;
	struct cpus cpus = { 0 };
	uint64_t counts[MAX_CPU] = { 0 };
	struct err err;

	ck_assert_int_eq(trace_open(&trace, &cpus, 1024, &err), -EINVAL);
	allowed_cpus(&cpus);
	ck_assert_int_eq(trace_open(&trace, &cpus, 0, &err), -EINVAL);
	cpus.n = 1;
	cpus.cpu[0] = CPUS_MAX - 1;
	ck_assert_int_lt(trace_open(&trace, &cpus, 1024, &err), 0);
	ck_assert_ptr_null(trace);
	trace_close(NULL);
	trace = open_session(1024);
	add_own_calls(trace, "sys_enter");
	ck_assert_int_eq(trace_stop(trace, &err), -EINVAL);
	start(trace, count, counts);
	ck_assert_int_eq(trace_start(trace, count, counts, &err), -EBUSY);
	ck_assert_int_eq(trace_enable(trace, SYSTEM, "sys_exit", NULL, &err), -EBUSY);
	trace_close(trace); /* while recording */
	/* Nothing of this process is left, neither of the sessions nor of the failed attempts. */
	ck_assert(!has_instance(getpid()));
}
END_TEST

/* A signal to the process waits for the thread that blocked it: no reader takes it. */
START_TEST(readers_take_no_signals)
{
	struct trace *trace = open_session(1024);
	uint64_t counts[MAX_CPU] = { 0 };
	sigset_t set;

	add_own_calls(trace, "sys_enter");
	start(trace, count, counts);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	ck_assert_int_eq(kill(getpid(), SIGUSR1), 0); /* would end a process that takes it */
	stop(trace);
	ck_assert_int_eq(sigpending(&set), 0);
	ck_assert(sigismember(&set, SIGUSR1));
	trace_close(trace);
}
END_TEST

static const unsigned char bytes[] = { 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0x7f };

/* The values are the two's complement of those bytes, as a little-endian CPU reads them. */
static const struct {
	struct trace_field field;
	bool fits;
	int64_t value;
} values[] = {
	{ { 0, 1, true }, true, -1 },
	{ { 0, 1, false }, true, 255 },
	{ { 8, 1, true }, true, 127 },
	{ { 0, 2, true }, true, -257 },
	{ { 0, 2, false }, true, 0xfeff },
	{ { 0, 4, true }, true, -50462977 },
	{ { 0, 4, false }, true, 0xfcfdfeff },
	{ { 0, 8, true }, true, -506097522914230529 },
	{ { 1, 8, true }, true, 0x7ff8f9fafbfcfdfe },
	{ { 2, 8, true }, false, 0 },
	{ { 9, 1, false }, false, 0 },
	{ { 8, 2, false }, false, 0 },
	{ { 0, 3, false }, false, 0 },
	{ { 0, 0, false }, false, 0 },
	{ { 0, 16, false }, false, 0 },
	{ { 0xffffffff, 8, false }, false, 0 },
};

START_TEST(values_are_bounded)
{
	struct trace_event event = { .data = bytes, .size = sizeof(bytes) };
	int64_t value = 0;

	ck_assert_int_eq(trace_value(&event, &values[_i].field, &value), values[_i].fits);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		ck_assert_int_eq(value, values[_i].value);
}
END_TEST

/* A child with a session open, which tells when it has one and then waits to be killed. */
static pid_t child_with_session(void)
{
	int fds[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		open_session(64);
		if (write(fds[1], "", 1) != 1)
			_exit(EXIT_FAILURE);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(removes_leftovers_of_the_dead)
{
	pid_t dead = child_with_session();
	pid_t alive = child_with_session();
	struct err err;

	end_child(dead);
	ck_assert(has_instance(dead));
	ck_assert(has_instance(alive));
	/* Other instances of dead processes may go with it. */
	ck_assert_int_ge(trace_remove_leftovers(0, &err), 1);
	ck_assert(!has_instance(dead));
	ck_assert(has_instance(alive));
	/* Named, but still held open: an error, and not removed under its owner. */
	ck_assert_int_eq(trace_remove_leftovers(alive, &err), -EBUSY);
	ck_assert(has_instance(alive));
	end_child(alive);
	ck_assert_int_eq(trace_remove_leftovers(alive, &err), 1);
	ck_assert(!has_instance(alive));
}
END_TEST

/* The mount table of this process, to be freed. */
static char *mounts(void)
{
	char *text = calloc(1, 1 << 18);
	FILE *file = fopen("/proc/self/mountinfo", "re");

	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(text, 1, (1 << 18) - 1, file), 0);
	ck_assert(feof(file));
	fclose(file);
	return text;
}

/* Give this process a mount namespace without tracefs, to stand for such a machine. */
static void unmount_tracefs(void)
{
	char *before;

	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	while (!umount2("/sys/kernel/debug/tracing", MNT_DETACH) ||
	       !umount2("/sys/kernel/tracing", MNT_DETACH))
		;
	before = mounts();
	ck_assert_ptr_null(strstr(before, " - tracefs "));
	free(before);
}

/* Nothing is mounted outside the process that traces, whether it lives, ends or is killed. */
START_TEST(leaves_mounts_alone)
{
	struct err err;
	char *before;
	char *after;
	pid_t pid;

	unmount_tracefs();
	before = mounts();
	ck_assert_int_eq(trace_has(SYSTEM, "sys_enter", &err), 1);
	ck_assert_int_eq(trace_has(SYSTEM, "no_event", &err), 0);
	ck_assert_int_eq(trace_has("no_system", "sys_enter", &err), 0);
	pid = child_with_session();
	after = mounts();
	ck_assert_str_eq(after, before);
	free(after);
	end_child(pid);
	ck_assert_int_eq(trace_remove_leftovers(pid, &err), 1);
	after = mounts();
	ck_assert_str_eq(after, before);
	free(after);
	free(before);
}
END_TEST

static void *wait_for(void *context)
{
	sem_wait(context);
	return NULL;
}

/* A mount namespace belongs to a thread: too late to make one when there are several. */
START_TEST(refuses_to_mount_with_threads)
{
	struct trace *trace = NULL;
	struct cpus cpus;
	pthread_t thread;
	struct err err;
	sem_t end;

	unmount_tracefs();
	allowed_cpus(&cpus);
	ck_assert_int_eq(sem_init(&end, 0, 0), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, &end), 0);
	ck_assert_int_eq(trace_open(&trace, &cpus, 64, &err), -EBUSY);
	ck_assert_ptr_null(trace);
	ck_assert_int_eq(trace_has(SYSTEM, "sys_enter", &err), 1);
	ck_assert_int_eq(sem_post(&end), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

static TCase *live_cases(void)
{
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, 120); /* for a busy machine; each takes far less than a second */
	tcase_add_loop_test(tcase, counts_exactly, 0, 3);
	tcase_add_test(tcase, starts_again);
	tcase_add_test(tcase, pairs_in_order);
	tcase_add_loop_test(tcase, accounts_for_lost, 0, 2);
	tcase_add_test(tcase, accounts_under_load);
	tcase_add_test(tcase, names_what_is_missing);
	tcase_add_test(tcase, no_strings);
	tcase_add_test(tcase, refuses_what_is_out_of_order);
	tcase_add_test(tcase, readers_take_no_signals);
	tcase_add_test(tcase, removes_leftovers_of_the_dead);
	tcase_add_test(tcase, leaves_mounts_alone);
	tcase_add_test(tcase, refuses_to_mount_with_threads);
	return tcase;
}

Suite *suite(void)
{
	Suite *suite = suite_create("trace");
	TCase *pure = tcase_create("pure");
	struct err err;
	int has;

	tcase_add_loop_test(pure, values_are_bounded, 0, sizeof(values) / sizeof(*values));
	suite_add_tcase(suite, pure);
	has = trace_has(SYSTEM, "sys_enter", &err);
	if (has > 0)
		suite_add_tcase(suite, live_cases());
	else
		printf("SKIP: tests that trace: %s\n",
		       has ? err.text : "the kernel has no " SYSTEM "/sys_enter");
	return suite;
}
