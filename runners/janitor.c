// SPDX-License-Identifier: GPL-2.0-or-later
#include "janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "active.h"
#include "cgroup.h"
#include "clock.h"
#include "surroundings.h"
#include "trace.h"

/* How long and how often to look for tracefs instances: killed processes are gone in less. */
#define TRACE_MS 5000
#define TRACE_WAIT_MS 100

/* What the supervisor tells it, written as one. */
struct message {
	enum { WATCHDOG_RUNS, WATCHDOG_STOPPED, KEEP_WATCHDOG, END } what;
	struct watchdog_held held;
};

_Static_assert(sizeof(struct message) <= PIPE_BUF, "so that it is read as one");

/* Nothing that ends the supervisor may end it, and it holds no output of the supervisor open. */
static void detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "pmiproof-tidy");
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

/* A test that is being killed holds its instance until it is gone. */
static void remove_trace_instances(void)
{
	int64_t until = clock_ms() + TRACE_MS;

	for (;;) {
		trace_remove_leftovers(0, NULL);
		if (trace_instances(NULL) <= 0 || clock_ms() >= until)
			return;
		clock_sleep_ms(TRACE_WAIT_MS);
	}
}

static void tidy(int place, pid_t supervisor, const struct surroundings *before)
{
	json_t *restored = json_array();
	struct judge judge = { 0 };

	if (place >= 0)
		cgroup_remove_leftovers(place, supervisor);
	surroundings_restore(before, restored, &judge);
	remove_trace_instances();
	active_clear(NULL);
	judge_free(&judge);
	json_decref(restored);
}

/* The supervisor is gone, with a watchdog running that gives the machine its time once more. */
static void tidy_watched(int place, pid_t supervisor, const struct surroundings *before,
			 struct watchdog_held *held)
{
	bool have = !watchdog_take_over(held, NULL);

	tidy(place, supervisor, before);
	if (have && held->device.nowayout == 1) {
		/* Neither the machine's lock nor the journal's is to stay with a process that
		 * stays. */
		close_range(STDERR_FILENO + 1, (unsigned int)held->fd - 1, 0);
		close_range((unsigned int)held->fd + 1, ~0U, 0);
		watchdog_keep(held);
	}
	if (have)
		watchdog_stop(held, NULL);
}

/* Nothing of the run is to stay open with a process that stays. */
__attribute__((noreturn)) static void keep_watchdog(struct watchdog_held *held)
{
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (watchdog_take_over(held, NULL))
		_exit(1);
	watchdog_keep(held);
}

/* One message, or false: there will be none any more. */
static bool hear(int pipe, struct message *message)
{
	ssize_t got;

	do
		got = read(pipe, message, sizeof(*message));
	while (got < 0 && errno == EINTR);
	return got == sizeof(*message);
}

__attribute__((noreturn)) static void wait_and_tidy(int pipe, int place, pid_t supervisor,
						    const struct surroundings *before)
{
	struct message message = { .what = WATCHDOG_STOPPED };
	struct watchdog_held held;
	bool watched = false;

	detach();
	while (hear(pipe, &message)) {
		held = message.held;
		watched = message.what == WATCHDOG_RUNS;
		if (message.what == KEEP_WATCHDOG)
			keep_watchdog(&held);
		if (message.what == END)
			_exit(0);
	}
	if (watched)
		tidy_watched(place, supervisor, before, &held);
	else
		tidy(place, supervisor, before);
	_exit(0);
}

int janitor_start(struct janitor *janitor, int place, const char *const *sysctls, struct err *err)
{
	struct surroundings before;
	pid_t supervisor = getpid();
	int fds[2];
	int result = surroundings_save(&before, sysctls, err);

	if (result)
		return result;
	if (pipe2(fds, O_CLOEXEC)) {
		result = err_set(err, errno, "pipe");
		goto free_before;
	}
	janitor->pid = fork();
	if (janitor->pid == 0) {
		close(fds[1]);
		wait_and_tidy(fds[0], place, supervisor, &before);
	}
	close(fds[0]);
	janitor->pipe = fds[1];
	if (janitor->pid < 0) {
		result = err_set(err, errno, "fork");
		close(fds[1]);
	}
free_before:
	surroundings_free(&before);
	return result;
}

static void say(struct janitor *janitor, const struct message *message)
{
	ssize_t written;

	do
		written = write(janitor->pipe, message, sizeof(*message));
	while (written < 0 && errno == EINTR);
}

void janitor_watchdog(struct janitor *janitor, const struct watchdog_held *held)
{
	struct message message = { .what = held ? WATCHDOG_RUNS : WATCHDOG_STOPPED };

	if (held)
		message.held = *held;
	say(janitor, &message);
}

void janitor_stop(struct janitor *janitor, const struct watchdog_held *keep)
{
	struct message message = { .what = keep ? KEEP_WATCHDOG : END };

	if (keep)
		message.held = *keep;
	say(janitor, &message);
	close(janitor->pipe);
	if (!keep)
		waitpid(janitor->pid, NULL, 0);
}
