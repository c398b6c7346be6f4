// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* stress-ng names its workers "stress-ng-cpu" and so on; the first process is only "stress-ng". */
#define WORKER_PREFIX "stress-ng-"

/* How many kinds of stressors load_start() asks for, each once per CPU. */
#define STRESSORS 4

/* The workers start in milliseconds; this is for a machine that is swamped. */
#define START_LIMIT_MS 20000
#define START_POLL_MS 5

/* How long stress-ng may take to end its workers before they are killed, and to be gone then. */
#define END_LIMIT_MS 2000

/* Arguments of stress-ng, with the texts that some of them point to. */
struct command {
	char cpus[4 * CPUS_MAX];
	char count[16];
	char *argv[20];
};

static void command_fill(struct command *command, const struct cpus *cpus)
{
	char *const argv[] = {
		(char *)"stress-ng",
		(char *)"--quiet",
		/* Some stressors want a directory they can write to; the current one may not be. */
		(char *)"--temp-path",
		(char *)"/tmp",
		(char *)"--taskset",
		command->cpus,
		(char *)"--cpu",
		command->count,
		(char *)"--cache",
		command->count,
		(char *)"--pipe",
		command->count,
		(char *)"--timer",
		command->count,
		NULL,
	};

	cpus_format(cpus, command->cpus, sizeof(command->cpus));
	snprintf(command->count, sizeof(command->count), "%zu", cpus->n);
	_Static_assert(sizeof(argv) <= sizeof(command->argv), "argv of struct command too short");
	memcpy(command->argv, argv, sizeof(argv));
}

/* Everything from here to keep() runs between fork and exec: only async-signal-safe calls. */

static void default_signals(const sigset_t *blocked)
{
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, blocked, NULL);
}

/* Leave nothing of the parent's open but the report pipe: a pipe of its kept open would not end. */
static void detach(int report)
{
	const struct sched_param none = { 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		(void)dup2(null, fd);
	if (report > STDERR_FILENO + 1)
		(void)close_range(STDERR_FILENO + 1, (unsigned int)report - 1, 0);
	(void)close_range((unsigned int)report + 1, ~0U, 0);
	(void)sched_setscheduler(0, SCHED_OTHER, &none);
}

/* Wait until no child is left. False when some still are after `limit_ms`. */
static bool reap_all(const sigset_t *chld, int limit_ms)
{
	const struct timespec step = { .tv_nsec = 10000000 };

	for (int waited = 0; waited <= limit_ms; waited += 10) {
		pid_t pid;

		do
			pid = waitpid(-1, NULL, WNOHANG);
		while (pid > 0 || (pid < 0 && errno == EINTR));
		if (pid < 0)
			return true;
		(void)sigtimedwait(chld, NULL, &step);
	}
	return false;
}

/* Has this child ended? It stays a zombie, so that its number stays its own. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* Wait until stress-ng ends by itself, or SIGTERM says that we shall, or our parent died. */
static void await_end(pid_t pid, const sigset_t *wanted)
{
	for (;;) {
		int signal = sigwaitinfo(wanted, NULL);

		if (signal == SIGTERM)
			break;
		if (signal == SIGCHLD && has_ended(pid))
			break;
	}
}

/* Tell the parent why there is no load. All signals but SIGKILL are blocked or default here. */
_Noreturn static void fail(int report, int errnum)
{
	ssize_t sent = write(report, &errnum, sizeof(errnum));

	_exit(sent == sizeof(errnum) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* The process that becomes stress-ng. */
_Noreturn static void become_stress(char *const argv[], int report)
{
	sigset_t none;

	(void)setpgid(0, 0);
	/* If even the keeper is killed, so is stress-ng, whose workers watch for its death. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	default_signals(&none);
	execvp(argv[0], argv);
	fail(report, errno);
}

/*
 * The keeper. It adopts whatever stress-ng leaves behind, so that waiting for children is waiting
 * for everything, and holds the report pipe open until all is gone.
 */
_Noreturn static void keep(char *const argv[], pid_t parent, int report)
{
	sigset_t wanted, chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigfillset(&wanted);
	default_signals(&wanted);
	wanted = chld;
	sigaddset(&wanted, SIGTERM);
	(void)setsid();
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	detach(report);
	pid = fork();
	if (!pid)
		become_stress(argv, report);
	if (pid < 0)
		fail(report, errno);
	(void)setpgid(pid, pid);
	await_end(pid, &wanted);
	(void)kill(pid, SIGTERM);
	if (!reap_all(&chld, END_LIMIT_MS)) {
		(void)kill(-pid, SIGKILL);
		(void)reap_all(&chld, END_LIMIT_MS);
	}
	_exit(EXIT_SUCCESS);
}

/* The text of /proc/PID/stat. False when there is no such process any more. */
static bool read_stat(const char *pid, char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	return true;
}

/*
 * Is this process a worker of that session? proc(5): "pid (name) state ppid pgrp session ...";
 * a name may hold anything, so it ends at the last ')'. Workers are children of the group's
 * leader; their own children, which some have, carry the same name.
 */
static bool is_worker(const char *pid, pid_t session)
{
	enum { PPID, PGRP, SESSION, NUMBERS };
	long number[NUMBERS];
	char text[512], *field;
	const char *name;

	if (!read_stat(pid, text, sizeof(text)))
		return false;
	name = strchr(text, '(');
	field = strrchr(text, ')');
	if (!name || !field || strncmp(name + 1, WORKER_PREFIX, strlen(WORKER_PREFIX)) != 0)
		return false;
	/* Over ") " and the state. */
	field += strnlen(field, 3);
	for (int i = 0; i < NUMBERS; i++)
		number[i] = strtol(field, &field, 10);
	return number[PPID] == number[PGRP] && number[SESSION] == session;
}

static size_t count_workers(pid_t session)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	if (!proc)
		return 0;
	while ((entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			n += is_worker(entry->d_name, session);
	closedir(proc);
	return n;
}

/* Wait for the workers, for stress-ng's failure to start, or for its end. */
static int await_workers(pid_t session, int report, size_t workers, struct err *err)
{
	struct pollfd pipe_end = { .fd = report, .events = POLLIN };

	for (int waited = 0; waited < START_LIMIT_MS; waited += START_POLL_MS) {
		int errnum = 0;

		if (poll(&pipe_end, 1, START_POLL_MS) > 0) {
			if (read(report, &errnum, sizeof(errnum)) == sizeof(errnum))
				return err_set(err, errnum, "start stress-ng");
			return err_set(err, ECHILD, "stress-ng ended at once");
		}
		if (count_workers(session) >= workers)
			return 0;
	}
	return err_set(err, ETIMEDOUT, "stress-ng: %zu workers did not all start in %d s", workers,
		       START_LIMIT_MS / 1000);
}

int load_start(struct load *load, const struct cpus *cpus, struct err *err)
{
	pid_t parent = getpid();
	struct command *command;
	int report[2], result;

	load->pid = 0;
	if (!cpus->n)
		return err_set(err, EINVAL, "load on no CPU");
	command = malloc(sizeof(*command));
	if (!command)
		return err_set(err, ENOMEM, "load");
	command_fill(command, cpus);
	if (pipe2(report, O_CLOEXEC)) {
		result = err_set(err, errno, "pipe");
		free(command);
		return result;
	}
	load->pid = fork();
	if (!load->pid)
		keep(command->argv, parent, report[1]);
	result = load->pid < 0 ? err_set(err, errno, "fork") : 0;
	free(command);
	close(report[1]);
	if (result)
		load->pid = 0;
	else
		result = await_workers(load->pid, report[0], STRESSORS * cpus->n, err);
	close(report[0]);
	if (result)
		load_stop(load);
	return result;
}

bool load_running(const struct load *load)
{
	return load->pid && !has_ended(load->pid);
}

void load_stop(struct load *load)
{
	if (!load->pid)
		return;
	(void)kill(load->pid, SIGTERM);
	while (waitpid(load->pid, NULL, 0) < 0 && errno == EINTR)
		;
	load->pid = 0;
}
