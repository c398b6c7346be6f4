// SPDX-License-Identifier: GPL-2.0-or-later
#include "emulator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulator_args.h"
#include "spawn.h"

static void add_pipe(struct emulator_args *args, const char *id, int fd)
{
	emulator_args_add(args, "-chardev");
	emulator_args_addf(args, "file,id=%s,path=/proc/self/fd/%d", id, fd);
}

/* Like pipe2(), but the child inherits the writing end. */
static int open_pipe(int *reading, struct err *err)
{
	int fds[2];

	if (pipe(fds))
		return err_set(err, errno, "pipe for the emulator");
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*reading = fds[0];
	return fds[1];
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start(struct emulator *emulator, const struct lab_machine *machine, int initramfs,
		 const int *writing, struct err *err)
{
	struct emulator_args args = { .n = 0 };
	struct spawn how = {
		.argv = args.argv,
		.out = writing[EMULATOR_CONSOLE],
		.err = writing[EMULATOR_ERRORS],
		.record = -1,
		.cgroup = -1,
	};
	int result = emulator_args_machine(&args, machine, initramfs, err);

	if (result)
		return result;
	add_pipe(&args, "console", STDOUT_FILENO);
	add_pipe(&args, "records", writing[EMULATOR_RECORDS]);
	add_pipe(&args, "pulse", writing[EMULATOR_PULSE]);
	emulator_args_add(&args, "-serial");
	emulator_args_add(&args, "chardev:console");
	emulator_args_port(&args, "records", PORT_RECORDS);
	emulator_args_port(&args, "pulse", PORT_PULSE);
	emulator->pid = spawn(&how, err);
	if (emulator->pid < 0)
		return (int)emulator->pid;
	emulator->pidfd = pidfd_open(emulator->pid, 0);
	if (emulator->pidfd < 0) {
		result = err_set(err, errno, "pidfd of the emulator");
		emulator_end(emulator);
	}
	return result;
}

int emulator_start(struct emulator *emulator, const struct lab_machine *machine, int initramfs,
		   struct err *err)
{
	int writing[EMULATOR_STREAMS];
	int result = 0;

	*emulator = (struct emulator){ .pid = -1, .pidfd = -1 };
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		emulator->streams[i] = writing[i] = -1;
	for (int i = 0; !result && i < EMULATOR_STREAMS; i++) {
		writing[i] = open_pipe(&emulator->streams[i], err);
		result = writing[i] < 0 ? writing[i] : 0;
	}
	if (!result)
		result = start(emulator, machine, initramfs, writing, err);
	for (int i = 0; i < EMULATOR_STREAMS; i++) {
		close_fd(&writing[i]);
		if (result)
			close_fd(&emulator->streams[i]);
	}
	return result;
}

int emulator_end(struct emulator *emulator)
{
	int status = 0;

	if (emulator->pid > 0) {
		kill(emulator->pid, SIGKILL);
		while (waitpid(emulator->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	emulator->pid = -1;
	close_fd(&emulator->pidfd);
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		close_fd(&emulator->streams[i]);
	return status;
}

/* Second number of a thread's schedstat: nanoseconds on a run queue (scheduler/sched-stats.rst). */
static int64_t thread_waited_ns(int tasks, const char *thread)
{
	char path[64], text[128];
	uint64_t ran = 0, waited = 0;
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/schedstat", thread);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[got < 0 ? 0 : got] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) != 2)
		return 0;
	return (int64_t)waited;
}

int64_t emulator_waited_ms(const struct emulator *emulator)
{
	const struct dirent *thread;
	char path[64];
	int64_t longest = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)emulator->pid);
	tasks = opendir(path);
	while (tasks && (thread = readdir(tasks))) {
		int64_t waited = 0;

		if (thread->d_name[0] != '.')
			waited = thread_waited_ns(dirfd(tasks), thread->d_name);
		longest = waited > longest ? waited : longest;
	}
	if (tasks)
		closedir(tasks);
	return longest / 1000000;
}

int emulator_become(const struct lab_machine *machine, int initramfs, struct err *err)
{
	struct emulator_args *args = calloc(1, sizeof(*args));
	int result;

	if (!args)
		return err_set(err, ENOMEM, "command line of the emulator");
	result = emulator_args_machine(args, machine, initramfs, err);
	if (!result) {
		emulator_args_add(args, "-chardev");
		emulator_args_add(args, "stdio,id=console,mux=on,signal=off");
		emulator_args_add(args, "-serial");
		emulator_args_add(args, "chardev:console");
		emulator_args_add(args, "-mon");
		emulator_args_add(args, "chardev=console,mode=readline");
		execv(args->argv[0], args->argv);
		result = err_set(err, errno, "execute %s", args->argv[0]);
	}
	free(args);
	return result;
}
