// SPDX-License-Identifier: GPL-2.0-or-later
#include "janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

__attribute__((noreturn)) static void wait_and_tidy(int pipe, int place, pid_t supervisor,
						    const struct surroundings *before)
{
	ssize_t got;
	char word;

	detach();
	do
		got = read(pipe, &word, 1);
	while (got < 0 && errno == EINTR);
	if (got == 0)
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

void janitor_stop(struct janitor *janitor)
{
	ssize_t written;

	do
		written = write(janitor->pipe, "q", 1);
	while (written < 0 && errno == EINTR);
	close(janitor->pipe);
	waitpid(janitor->pid, NULL, 0);
}
