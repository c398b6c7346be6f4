// SPDX-License-Identifier: GPL-2.0-or-later
#include "feeder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

/* Enough for system calls and their error lines; memory is locked, so it costs what it says. */
#define STACK_SIZE ((size_t)128 << 10)

/* After a round that did not end in feeding: a machine that comes back is to be fed soon. */
#define RETRY_MS 1000

bool feeder_may_feed(const struct feeder_taken *taken, size_t n, int64_t now, int64_t most_ms)
{
	for (size_t i = 0; i < n; i++)
		if (taken[i].result || now - taken[i].end > most_ms || now < taken[i].end)
			return false;
	return n > 0;
}

int64_t feeder_interval_ms(int timeout_s)
{
	return (int64_t)timeout_s * 1000 / 4;
}

/* Leave something for feeder_look(); what is there already is what came first. */
static void tell(struct feeder *feeder, const struct err *why)
{
	if (atomic_load(&feeder->failed))
		return;
	feeder->failure = *why;
	atomic_store(&feeder->failed, true);
}

static void take_all(struct feeder *feeder, struct feeder_taken *taken)
{
	for (size_t i = 0; i < feeder->n; i++) {
		struct err why;

		atomic_store(&feeder->at, (int)i);
		taken[i].result = feeder->signs[i].take(feeder->signs[i].context, &why);
		taken[i].end = clock_ms();
		if (!taken[i].result)
			continue;
		err_prefix(&why, "watchdog: vital sign %s", feeder->signs[i].name);
		tell(feeder, &why);
	}
	atomic_store(&feeder->at, -1);
}

/* One round. True when it was fed. */
static bool go_round(struct feeder *feeder)
{
	struct feeder_taken taken[FEEDER_SIGNS_MAX] = { 0 };
	struct err why;

	take_all(feeder, taken);
	if (!feeder_may_feed(taken, feeder->n, clock_ms(), feeder->interval_ms))
		return false;
	if (feeder->eater.feed(feeder->eater.context, &why)) {
		tell(feeder, &why);
		return false;
	}
	atomic_store(&feeder->last_fed, clock_ms());
	atomic_fetch_add(&feeder->fed, 1);
	return true;
}

static void *run(void *context)
{
	struct feeder *feeder = context;
	struct pollfd wake = { .fd = feeder->wake, .events = POLLIN };

	prctl(PR_SET_NAME, "pmiproof-feed");
	for (;;) {
		bool fed = go_round(feeder);

		if (poll(&wake, 1, fed ? (int)feeder->interval_ms : RETRY_MS) > 0)
			return NULL;
	}
}

/* Whoever started us: what is fed must not depend on a privilege that hides what it is to show. */
static int set_attributes(pthread_attr_t *attr)
{
	struct sched_param ordinary = { .sched_priority = 0 };
	int result = pthread_attr_init(attr);

	if (result)
		return result;
	result = pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
	if (!result)
		result = pthread_attr_setschedpolicy(attr, SCHED_OTHER);
	if (!result)
		result = pthread_attr_setschedparam(attr, &ordinary);
	if (!result)
		result = pthread_attr_setstacksize(attr, STACK_SIZE);
	if (result)
		pthread_attr_destroy(attr);
	return result;
}

static int create(struct feeder *feeder)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int result = set_attributes(&attr);

	if (result)
		return result;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&feeder->thread, &attr, run, feeder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return result;
}

int feeder_start(struct feeder *feeder, const struct feeder_eater *eater,
		 const struct feeder_sign *signs, size_t n, struct err *err)
{
	int result;

	if (n == 0 || n > FEEDER_SIGNS_MAX)
		return err_set(err, 0, "%zu vital signs, not 1 to %d", n, FEEDER_SIGNS_MAX);
	feeder->eater = *eater;
	feeder->signs = signs;
	feeder->n = n;
	feeder->interval_ms = feeder_interval_ms(eater->timeout_s);
	feeder->late = false;
	atomic_init(&feeder->at, -1);
	atomic_init(&feeder->fed, 0);
	atomic_init(&feeder->failed, false);
	atomic_init(&feeder->last_fed, clock_ms());
	feeder->wake = eventfd(0, EFD_CLOEXEC);
	if (feeder->wake < 0)
		return err_set(err, errno, "eventfd");
	result = create(feeder);
	if (result) {
		close(feeder->wake);
		return err_set(err, result, "start the thread that feeds %s", eater->name);
	}
	return 0;
}

/* Feeding is overdue: what does it wait for? */
static void describe_late(const struct feeder *feeder, int64_t ago_ms, struct err *note)
{
	int at = atomic_load(&feeder->at);
	const struct feeder_sign *sign = at < 0 ? NULL : &feeder->signs[at];

	err_set(note, 0,
		"watchdog: %s was not fed for %.0f s, as %s%s%s%s; %.0f s until it resets the "
		"machine",
		feeder->eater.name, (double)ago_ms / 1000,
		sign ? "there is no vital sign of " : "the thread that feeds it does not run",
		sign ? sign->name : "", sign ? ": " : "", sign ? sign->how : "",
		feeder->eater.timeout_s - (double)ago_ms / 1000);
}

bool feeder_look(struct feeder *feeder, int64_t now, struct err *note)
{
	int64_t ago_ms = now - atomic_load(&feeder->last_fed);
	/* Two intervals are what a machine that works may take. */
	bool late = ago_ms > 2 * feeder->interval_ms;
	bool changed = late != feeder->late;

	if (atomic_load(&feeder->failed)) {
		*note = feeder->failure;
		atomic_store(&feeder->failed, false);
		return true;
	}
	feeder->late = late;
	if (changed && late)
		describe_late(feeder, ago_ms, note);
	else if (changed)
		err_set(note, 0, "watchdog: %s is fed again", feeder->eater.name);
	return changed;
}

void feeder_ask_to_end(struct feeder *feeder)
{
	eventfd_write(feeder->wake, 1);
}

bool feeder_ended(struct feeder *feeder, long wait_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait_ms / 1000;
	until.tv_nsec += wait_ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	if (pthread_clockjoin_np(feeder->thread, NULL, CLOCK_MONOTONIC, &until))
		return false;
	close(feeder->wake);
	return true;
}
