// SPDX-License-Identifier: GPL-2.0-or-later
#include "wakeup.h"

#include <errno.h>
#include <gsl/gsl_rng.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000

/* One deadline. Returns 0, or -errno of the source. */
static int one_round(struct wakeup_series *series, const struct wakeup_source *source,
		     int64_t distance)
{
	int64_t now, deadline, woke;
	int expirations, result;

	result = source->now(source->context, &now);
	if (result)
		return result;
	deadline = now + distance;
	series->programmed++;
	expirations = source->sleep(source->context, deadline, deadline + WAKEUP_LIMIT_NS, &woke);
	if (expirations < 0)
		return expirations;
	series->early += woke < deadline;
	if (expirations != 1 || woke - deadline >= WAKEUP_LIMIT_NS)
		return 0;
	series->answered++;
	series->latency[series->n++] = (double)(woke - deadline);
	return 0;
}

static bool gave_up(const struct wakeup_series *series)
{
	return series->programmed - series->answered >= WAKEUP_UNANSWERED_MAX;
}

int wakeup_measure(struct wakeup_series *series, const struct wakeup_plan *plan,
		   const struct wakeup_source *source, struct err *err)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
	int result = 0;

	memset(series, 0, sizeof(*series));
	series->latency = calloc(plan->rounds, sizeof(*series->latency));
	if (!rng || (plan->rounds && !series->latency)) {
		gsl_rng_free(rng);
		return err_set(err, ENOMEM, "%zu wake-ups", plan->rounds);
	}
	/* Touch every page now: a page fault at a wake-up would delay what follows it. */
	for (size_t i = 0; i < plan->rounds; i++)
		series->latency[i] = -1;
	gsl_rng_set(rng, plan->seed);
	for (size_t i = 0; i < plan->rounds && !result && !gave_up(series); i++) {
		int64_t distance = plan->interval;

		if (plan->dither > 0)
			distance += (int64_t)(gsl_rng_uniform(rng) * (double)plan->dither);
		result = one_round(series, source, distance);
	}
	gsl_rng_free(rng);
	return result ? err_set(err, -result, "wake-up %zu", series->programmed) : 0;
}

void wakeup_free(struct wakeup_series *series)
{
	free(series->latency);
	series->latency = NULL;
	series->n = 0;
}

/* Context of the real source. */
struct timer {
	int fd;
};

static int timer_now(void *context, int64_t *now)
{
	struct timespec time;

	(void)context;
	if (clock_gettime(CLOCK_MONOTONIC, &time))
		return -errno;
	*now = (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
	return 0;
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
}

static int timer_sleep(void *context, int64_t deadline, int64_t limit, int64_t *woke)
{
	const struct timer *timer = context;
	const struct itimerspec at = { .it_value = to_timespec(deadline) };
	struct pollfd expired = { .fd = timer->fd, .events = POLLIN };
	struct timespec longest;
	uint64_t expirations;
	int ready, result;
	int64_t now = 0;

	if (timerfd_settime(timer->fd, TFD_TIMER_ABSTIME, &at, NULL) || timer_now(context, &now))
		return -errno;
	/* From now on: ppoll() must not end before `limit`, nor does it take a time that passed. */
	longest = to_timespec(limit > now ? limit - now : 0);
	ready = ppoll(&expired, 1, &longest, NULL);
	result = ready < 0 ? -errno : 0;
	if (timer_now(context, woke))
		return -errno;
	if (ready <= 0)
		return result;
	if (read(timer->fd, &expirations, sizeof(expirations)) != sizeof(expirations))
		return -errno;
	return expirations > INT_MAX ? INT_MAX : (int)expirations;
}

int wakeup_source_open(struct wakeup_source *source, struct err *err)
{
	struct timer *timer = malloc(sizeof(*timer));

	if (!timer)
		return err_set(err, ENOMEM, "timer");
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer->fd < 0) {
		int result = err_set(err, errno, "timerfd_create");

		free(timer);
		return result;
	}
	*source =
		(struct wakeup_source){ .now = timer_now, .sleep = timer_sleep, .context = timer };
	return 0;
}

void wakeup_source_close(struct wakeup_source *source)
{
	struct timer *timer = source->context;

	if (!timer)
		return;
	close(timer->fd);
	free(timer);
	source->context = NULL;
}
