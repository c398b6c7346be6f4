// SPDX-License-Identifier: GPL-2.0-or-later
/* tracefs as a whole: reaching it, what it offers, and instances that a dead process left. */
#include "trace_fs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>

#include "process.h"
#include "trace.h"

/* Where the kernel makes a directory to mount tracefs on. */
#define MOUNT_POINT "/sys/kernel/tracing"

/* 1 or 0. libtracefs is not asked: when it finds no tracefs it may mount it for everyone. */
static int is_mounted(struct err *err)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent entry;
	char text[4096];
	bool found = false;

	if (!mounts)
		return err_set(err, errno, "open /proc/self/mounts");
	while (!found && getmntent_r(mounts, &entry, text, sizeof(text)))
		found = !strcmp(entry.mnt_type, "tracefs");
	endmntent(mounts);
	return found;
}

static int has_threads(struct err *err)
{
	struct stat tasks;

	if (stat("/proc/self/task", &tasks))
		return err_set(err, errno, "stat /proc/self/task");
	return tasks.st_nlink > 3; /* ".", ".." and the main thread */
}

static int mount_privately(struct err *err)
{
	int threads = has_threads(err);

	if (threads < 0)
		return threads;
	if (threads)
		return err_set(err, EBUSY, "mount tracefs after threads were started");
	if (unshare(CLONE_NEWNS))
		return err_set(err, errno, "own mount namespace for tracefs");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return err_set(err, errno, "make the mounts private");
	if (mount("tracefs", MOUNT_POINT, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return err_set(err, errno, "mount tracefs on " MOUNT_POINT);
	return 0;
}

int trace_fs_reach(struct err *err)
{
	int mounted = is_mounted(err);

	if (mounted)
		return mounted < 0 ? mounted : 0;
	return mount_privately(err);
}

/* What a job may need, and what the child that did it sends back. */
struct question {
	const char *system;
	const char *event;
	long pid;
};

struct answer {
	int result;
	struct err err;
};

typedef int (*job_fn)(const struct question *question, struct err *err);

static void answer_and_exit(job_fn job, const struct question *question, int pipe_fd)
{
	struct answer answer = { 0 };
	ssize_t sent;

	answer.result = trace_fs_reach(&answer.err);
	if (!answer.result)
		answer.result = job(question, &answer.err);
	sent = write(pipe_fd, &answer, sizeof(answer)); /* below PIPE_BUF: whole or not at all */
	_exit(sent == sizeof(answer) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/*
 * Do a job in a child, so that the caller's mount namespace stays what it is and the caller may
 * have threads. The answer comes through a pipe, not as exit status: a caller that reaps all its
 * children elsewhere does not break it.
 */
static int ask_child(job_fn job, const struct question *question, struct err *err)
{
	struct answer answer;
	ssize_t got;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_set(err, errno, "pipe to a tracefs child");
	pid = fork();
	if (pid < 0) {
		int saved = errno;

		close(fds[0]);
		close(fds[1]);
		return err_set(err, saved, "fork a tracefs child");
	}
	if (!pid)
		answer_and_exit(job, question, fds[1]);
	close(fds[1]);
	do
		got = read(fds[0], &answer, sizeof(answer));
	while (got < 0 && errno == EINTR);
	close(fds[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (got != sizeof(answer))
		return err_set(err, EIO, "the tracefs child died");
	if (answer.result < 0 && err)
		*err = answer.err;
	return answer.result;
}

static int has_event(const struct question *question, struct err *err)
{
	char *path = tracefs_event_get_file(NULL, question->system, question->event, "format");
	int result = 1;

	if (!path)
		return err_set(err, ENOMEM, "path of a trace event");
	if (access(path, F_OK))
		result = errno == ENOENT ? 0 : err_set(err, errno, "access %s", path);
	tracefs_put_tracing_file(path);
	return result;
}

int trace_has(const char *system, const char *event, struct err *err)
{
	const struct question question = { .system = system, .event = event };

	return ask_child(has_event, &question, err);
}

/* Process that made the instance of that name; 0 when it is not one of ours. */
static long maker(const char *name)
{
	size_t prefix = strlen(TRACE_INSTANCE_PREFIX);
	char *end;
	long pid;

	if (strncmp(name, TRACE_INSTANCE_PREFIX, prefix) != 0 ||
	    !isdigit((unsigned char)name[prefix]))
		return 0;
	errno = 0;
	pid = strtol(name + prefix, &end, 10);
	return errno || *end != '-' || pid > INT32_MAX ? 0 : pid;
}

struct leftovers {
	long pid;    /* only those of this process, dead or not; 0: those of all dead ones */
	char **name; /* libtracefs string list */
	bool no_memory;
};

static int note_leftover(const char *name, void *context)
{
	struct leftovers *leftovers = context;
	long pid = maker(name);
	char **longer;

	if (!pid || (leftovers->pid ? pid != leftovers->pid : process_is_alive((pid_t)pid)))
		return 0;
	longer = tracefs_list_add(leftovers->name, name);
	if (longer)
		leftovers->name = longer;
	leftovers->no_memory = !longer;
	return leftovers->no_memory;
}

/* 1 when removed, 0 when somebody else did it meanwhile. */
static int remove_instance(const char *name, struct err *err)
{
	struct tracefs_instance *instance = tracefs_instance_alloc(NULL, name);
	int result = 1;

	if (!instance)
		return 0;
	if (tracefs_instance_destroy(instance))
		result = errno == ENOENT ? 0 : err_set(err, errno, "remove instance %s", name);
	tracefs_instance_free(instance);
	return result;
}

static int remove_leftovers(const struct question *question, struct err *err)
{
	struct leftovers leftovers = { .pid = question->pid };
	int walked = tracefs_instances_walk(note_leftover, &leftovers);
	int result = 0;
	int removed = 0;

	if (walked < 0)
		result = err_set(err, errno, "list the tracefs instances");
	else if (leftovers.no_memory)
		result = err_set(err, ENOMEM, "list the tracefs instances");
	/* All are tried; the first error is the one reported. */
	for (char **name = leftovers.name; name && *name; name++) {
		int one = remove_instance(*name, result ? NULL : err);

		removed += one > 0;
		if (one < 0 && !result)
			result = one;
	}
	tracefs_list_free(leftovers.name);
	return result ? result : removed;
}

static int count_instance(const char *name, void *context)
{
	int *n = context;

	*n += maker(name) != 0;
	return 0;
}

static int count_instances(const struct question *question, struct err *err)
{
	int n = 0;

	(void)question;
	if (tracefs_instances_walk(count_instance, &n) < 0)
		return err_set(err, errno, "list the tracefs instances");
	return n;
}

int trace_instances(struct err *err)
{
	const struct question question = { 0 };

	return ask_child(count_instances, &question, err);
}

int trace_remove_leftovers(long pid, struct err *err)
{
	const struct question question = { .pid = pid };

	return ask_child(remove_leftovers, &question, err);
}
