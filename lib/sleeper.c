// SPDX-License-Identifier: GPL-2.0-or-later
#include "sleeper.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"

/* Say that it is about to sleep. */
static void announce(struct sleeper *sleeper)
{
	pthread_mutex_lock(&sleeper->lock);
	sleeper->tid = gettid();
	sleeper->rounds++;
	pthread_mutex_unlock(&sleeper->lock);
}

static void tell(struct sleeper *sleeper, short events)
{
	pthread_mutex_lock(&sleeper->lock);
	if (events & POLLHUP)
		sleeper->hangups++;
	else
		sleeper->wakes++;
	pthread_cond_broadcast(&sleeper->changed);
	pthread_mutex_unlock(&sleeper->lock);
}

static void *sleep_on(void *context)
{
	struct sleeper *sleeper = context;
	struct pollfd fds[] = { { .fd = sleeper->fd, .events = POLLIN },
				{ .fd = sleeper->stop, .events = POLLIN } };

	do {
		announce(sleeper);
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents)
			tell(sleeper, fds[0].revents);
	} while (!fds[1].revents && !(fds[0].revents & POLLHUP));
	return NULL;
}

int sleeper_start(struct sleeper *sleeper, int fd, struct err *err)
{
	pthread_condattr_t attr;
	int result;

	*sleeper = (struct sleeper){ .fd = fd, .stop = eventfd(0, EFD_CLOEXEC) };
	if (sleeper->stop < 0)
		return err_set(err, errno, "eventfd");
	pthread_mutex_init(&sleeper->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sleeper->changed, &attr);
	pthread_condattr_destroy(&attr);
	result = pthread_create(&sleeper->thread, NULL, sleep_on, sleeper);
	if (result) {
		close(sleeper->stop);
		return err_set(err, result, "thread that sleeps");
	}
	sleeper->started = true;
	return 0;
}

/* Does it sleep, since it was last about to? */
static bool asleep(struct sleeper *sleeper)
{
	struct process process;
	unsigned int rounds, done;
	bool ended;
	pid_t tid;

	pthread_mutex_lock(&sleeper->lock);
	tid = sleeper->tid;
	rounds = sleeper->rounds;
	done = sleeper->wakes + sleeper->hangups;
	ended = sleeper->hangups > 0;
	pthread_mutex_unlock(&sleeper->lock);
	/* One round more than wake-ups: it is past the lock, and nothing but poll() puts it to
	 * sleep. */
	return ended || (rounds > done && !process_read(tid, &process) && process.state == 'S');
}

bool sleeper_asleep(struct sleeper *sleeper)
{
	int64_t limit = clock_ms() + SLEEPER_LIMIT_MS;

	while (!asleep(sleeper)) {
		if (clock_ms() > limit)
			return false;
		clock_sleep_ms(1);
	}
	return true;
}

static struct timespec limit_from_now(void)
{
	uint64_t at = clock_ns(CLOCK_MONOTONIC) + SLEEPER_LIMIT_MS * UINT64_C(1000000);

	return (struct timespec){ .tv_sec = (time_t)(at / 1000000000),
				  .tv_nsec = (long)(at % 1000000000) };
}

bool sleeper_woken(struct sleeper *sleeper, unsigned int times, unsigned int *wakes,
		   unsigned int *hangups)
{
	const struct timespec limit = limit_from_now();
	int result = 0;
	bool woken;

	pthread_mutex_lock(&sleeper->lock);
	while (!result && sleeper->wakes + sleeper->hangups < times)
		result = pthread_cond_timedwait(&sleeper->changed, &sleeper->lock, &limit);
	woken = sleeper->wakes + sleeper->hangups >= times;
	if (wakes)
		*wakes = sleeper->wakes;
	if (hangups)
		*hangups = sleeper->hangups;
	pthread_mutex_unlock(&sleeper->lock);
	return woken;
}

void sleeper_stop(struct sleeper *sleeper)
{
	const uint64_t one = 1;

	if (!sleeper->started)
		return;
	if (write(sleeper->stop, &one, sizeof(one)) == sizeof(one))
		pthread_join(sleeper->thread, NULL);
	close(sleeper->stop);
	pthread_cond_destroy(&sleeper->changed);
	pthread_mutex_destroy(&sleeper->lock);
	sleeper->started = false;
}
