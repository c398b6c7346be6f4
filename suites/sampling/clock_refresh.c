// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a one-shot cpu-clock event that its signal handler re-arms with PERF_EVENT_IOC_REFRESH
 * keeps firing, on all CPUs at once.
 *
 * Mechanism: REFRESH(1) lets the event overflow once; the overflow must then stop it, from inside
 * the hrtimer callback that delivers the overflow. A kernel whose stop waits for that very callback
 * to end (hrtimer_cancel() instead of hrtimer_try_to_cancel()) waits for itself, with interrupts
 * off.
 *
 * On a broken kernel (Linux 6.16.x and 6.17.x were reported) the CPU spins in the timer interrupt
 * at the first overflow, and the machine soon stops without a message: the verdict is then `hung`,
 * from the supervisor. A kernel that forgets the limit fires more often than it was armed, and one
 * that loses a re-arm falls silent; both are failed checks.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "event.h"
#include "hypothesis.h"
#include "workload.h"

#define PERIOD_NS 1000000    /* 1 ms: far above the handler's cost, so that time is left to run */
#define RUN_NS 2000000000ULL /* of CPU time per thread: about 2000 overflows */
#define SLICES 10
#define SILENCE_NS 100000000ULL /* 100 periods, in which a spent event must stay silent */

/* One CPU's event and what its handler saw. Only the thread itself and its handler touch it. */
struct oneshot {
	int cpu;
	struct event event;
	volatile unsigned int slice; /* which tenth of the run */
	volatile unsigned int signals[SLICES];
	volatile unsigned int late;    /* signals after the last arming was used up */
	volatile unsigned int armed;   /* successful REFRESH calls */
	volatile unsigned int not_hup; /* signals that did not say POLL_HUP */
	volatile bool rearm;
	uint64_t cpu_ns;
	struct err err;
	int result;
};

/* The handler finds its state through the thread: a signal handler has no argument for it. */
static __thread struct oneshot *mine;

static void on_overflow(int number, siginfo_t *info, void *context)
{
	struct oneshot *shot = mine;

	(void)number;
	(void)context;
	if (!shot)
		return;
	shot->not_hup += info->si_code != POLL_HUP;
	if (!shot->rearm) {
		shot->late++;
		return;
	}
	shot->signals[shot->slice]++;
	shot->armed += !ioctl(shot->event.fd, PERF_EVENT_IOC_REFRESH, 1);
}

/* Send this thread, and no other, the overflow signal. */
static int signal_me(const struct event *event, struct err *err)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = gettid() };

	if (fcntl(event->fd, F_SETOWN_EX, &owner) || fcntl(event->fd, F_SETSIG, SIGRTMIN) ||
	    fcntl(event->fd, F_SETFL, O_RDWR | O_ASYNC))
		return err_set(err, errno, "signal delivery for cpu-clock");
	return 0;
}

static int arm(struct oneshot *shot)
{
	struct perf_event_attr attr = event_attr_cpu_clock(PERIOD_NS);
	int result = cpus_pin(shot->cpu, &shot->err);

	attr.wakeup_events = 1;
	if (!result)
		result = event_open_self(&shot->event, &attr, &shot->err);
	if (!result)
		result = signal_me(&shot->event, &shot->err);
	if (!result) {
		mine = shot;
		shot->rearm = true;
		result = event_refresh(&shot->event, 1, &shot->err);
		shot->armed += !result;
	}
	return result;
}

/* Burn CPU time, in which the event must fire, then let it run out and listen. */
static void *oneshot_thread(void *argument)
{
	const struct workload *work = workload_find("multiply");
	struct oneshot *shot = argument;
	uint64_t start, now;

	shot->result = arm(shot);
	start = now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (!shot->result && now - start < RUN_NS) {
		shot->slice = (unsigned int)((now - start) * SLICES / RUN_NS);
		work->run(1000);
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	}
	shot->cpu_ns = now - start;
	shot->rearm = false;
	/* The last arming may still fire once; from then on there must be silence. */
	for (start = now; !shot->result && now - start < SILENCE_NS;
	     now = clock_ns(CLOCK_THREAD_CPUTIME_ID))
		work->run(1000);
	event_close(&shot->event);
	mine = NULL;
	return NULL;
}

static void judge(struct run *run, const struct oneshot *shot)
{
	unsigned int total = 0, least = UINT_MAX;
	char row[32];

	for (int i = 0; i < SLICES; i++) {
		total += shot->signals[i];
		if (shot->signals[i] < least)
			least = shot->signals[i];
	}
	snprintf(row, sizeof(row), "cpu %d", shot->cpu);
	run_figure(run, "refresh", row, "signals", total, "1");
	run_figure(run, "refresh", row, "armed", shot->armed, "1");
	run_figure(run, "refresh", row, "expected", (double)shot->cpu_ns / PERIOD_NS, "1");
	if (!run_control(run, "signals", total, 0, "1"))
		return;
	run_check_ge(run, "keeps_firing", row, least, 1, "1");
	run_check_le(run, "one_shot", row, total + shot->late, shot->armed, "1");
	run_check_eq(run, "hang_up", row, shot->not_hup, 0, "1");
}

static int run_refresh(struct run *run)
{
	const struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	const struct cpus *cpus = run_cpus(run);
	struct oneshot *shots = calloc(cpus->n, sizeof(*shots));
	pthread_t *threads = calloc(cpus->n, sizeof(*threads));
	size_t started = 0;

	if (!shots || !threads || sigaction(SIGRTMIN, &action, NULL)) {
		run_broken(run, "set-up: %s", strerror(errno));
		goto out;
	}
	run_progress(run, "arming one event on each of %zu CPUs", cpus->n);
	for (; started < cpus->n; started++) {
		shots[started].cpu = cpus->cpu[started];
		shots[started].event.fd = -1;
		if (pthread_create(&threads[started], NULL, oneshot_thread, &shots[started]))
			break;
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (started < cpus->n)
		run_broken(run, "only %zu of %zu threads started", started, cpus->n);
	for (size_t i = 0; i < started; i++) {
		if (shots[i].result)
			run_broken(run, "cpu %d: %s", shots[i].cpu, shots[i].err.text);
		else
			judge(run, &shots[i]);
	}
out:
	free(shots);
	free(threads);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_CPU_CLOCK },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "keeps_firing",
	  .claim = "no tenth of the run, in CPU time of the thread, is without a signal",
	  .origin =
		  "a tenth is 200 ms of CPU time, 200 periods: a live event cannot miss them all" },
	{ .name = "one_shot",
	  .claim = "the event fires at most once per REFRESH(1)",
	  .origin = "perf_event_open(2), PERF_EVENT_IOC_REFRESH: disabled when the count is used "
		    "up" },
	{ .name = "hang_up",
	  .claim = "every signal says POLL_HUP, as each one uses up the refresh count",
	  .origin =
		  "perf_event_open(2), Overflow handling: POLL_HUP when the counter is disabled" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "clock_refresh",
	.claim = "A one-shot cpu-clock event re-armed with PERF_EVENT_IOC_REFRESH from its signal "
		 "handler keeps firing, on all CPUs at once.",
	.source = "whole-machine freezes under async-profiler on Linux 6.16 and 6.17 "
		  "(github.com/async-profiler/async-profiler issue 1578, pull request 1599)",
	.danger = DANGER_MAY_HANG,
	.budget_s = 20,
	.needs = needs,
	.checks = checks,
	.run = run_refresh,
};
