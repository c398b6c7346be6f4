// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "spawn.h"

/* Read up to `max` bytes until the end of file or the deadline. */
static int read_all(int fd, int64_t deadline, char *text, size_t max, size_t *len, struct err *err)
{
	*len = 0;
	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - clock_ms();
		ssize_t got;

		if (left <= 0 || poll(&ready, 1, (int)left) == 0)
			return err_set(err, ETIMEDOUT, "no end of its output");
		got = read(fd, text + *len, max + 1 - *len);
		if (got < 0 && errno != EINTR)
			return err_set(err, errno, "read its output");
		if (got == 0)
			return 0;
		if (got > 0)
			*len += (size_t)got;
		if (*len > max)
			return err_set(err, EFBIG, "printed more than %zu bytes", max);
	}
}

/* Wait for the end of a process that closed its output, until the deadline. */
static int wait_end(pid_t pid, int64_t deadline, int *status, struct err *err)
{
	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid)
			return 0;
		if (got < 0 && errno != EINTR)
			return err_set(err, errno, "wait for it");
		if (clock_ms() >= deadline)
			return err_set(err, ETIMEDOUT, "closed its output and did not end");
		clock_sleep_ms(2);
	}
}

static int judge_status(int status, struct err *err)
{
	if (WIFSIGNALED(status))
		return err_set(err, ECHILD, "killed by SIG%s", sigabbrev_np(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return err_set(err, ECHILD, "exit status %d", WEXITSTATUS(status));
	return 0;
}

static int follow(pid_t pid, int fd, int timeout_ms, char *text, size_t max, size_t *len,
		  struct err *err)
{
	int64_t deadline = clock_ms() + timeout_ms;
	int status = 0;
	int result = read_all(fd, deadline, text, max, len, err);

	if (!result)
		result = wait_end(pid, deadline, &status, err);
	if (result) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL); /* it may not have reached setsid() yet */
		waitpid(pid, &status, 0);
		return result;
	}
	kill(-pid, SIGKILL); /* whatever it left in its group */
	return judge_status(status, err);
}

int capture(char *const argv[], int timeout_ms, size_t max, char **text, size_t *len,
	    struct err *err)
{
	struct spawn how = { .argv = argv, .err = -1, .record = -1, .cgroup = -1 };
	int pipe_fd[2];
	int result;
	pid_t pid;

	*text = malloc(max + 1);
	if (!*text)
		return err_set(err, ENOMEM, "output of %s", argv[0]);
	if (pipe2(pipe_fd, O_CLOEXEC)) {
		result = err_set(err, errno, "pipe for %s", argv[0]);
		goto free_text;
	}
	how.out = pipe_fd[1];
	pid = spawn(&how, err);
	close(pipe_fd[1]);
	result = pid < 0 ? (int)pid : follow(pid, pipe_fd[0], timeout_ms, *text, max, len, err);
	close(pipe_fd[0]);
	if (!result) {
		(*text)[*len] = '\0';
		return 0;
	}
free_text:
	free(*text);
	*text = NULL;
	return result;
}
