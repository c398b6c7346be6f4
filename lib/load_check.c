// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite(void);

#define MAX_FOUND 64

/* The processes of a session, zombies included. */
struct found {
	size_t n;
	pid_t pid[MAX_FOUND];
};

static struct found find_session(pid_t session)
{
	struct found found = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	ck_assert_ptr_nonnull(proc);
	while ((entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && getsid(pid) == session && found.n < MAX_FOUND)
			found.pid[found.n++] = pid;
	}
	closedir(proc);
	return found;
}

static void read_name(pid_t pid, char *name, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	name[0] = '\0';
	if (!file)
		return;
	if (fgets(name, (int)size, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

static size_t count_named(const struct found *found, const char *wanted)
{
	char name[32];
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++) {
		read_name(found->pid[i], name, sizeof(name));
		n += !strcmp(name, wanted);
	}
	return n;
}

/* The last CPU that this process may run on. */
static struct cpus last_cpu(void)
{
	struct cpus cpus = { .n = 1 };
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus.cpu[0] = cpu;
	return cpus;
}

/* Orphans of this test's children become its own, so that it can see them end. */
static void adopt_orphans(void)
{
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

/* Reap what was adopted until the session is empty. A busy machine gets half a minute. */
static bool session_empties(pid_t session)
{
	for (int i = 0; i < 3000; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (!find_session(session).n)
			return true;
		(void)usleep(10000);
	}
	return false;
}

START_TEST(runs_pinned_in_its_own_group_and_leaves_nothing)
{
	static const char *const workers[] = { "stress-ng-cpu", "stress-ng-cache", "stress-ng-pipe",
					       "stress-ng-timer" };
	struct cpus cpus = last_cpu();
	struct found found;
	struct load load;
	struct err err;
	pid_t session;
	cpu_set_t set;

	ck_assert_msg(!load_start(&load, &cpus, &err), "%s", err.text);
	session = load.pid;
	ck_assert_int_gt(session, 0);
	ck_assert(load_running(&load));
	found = find_session(session);
	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		ck_assert_uint_ge(count_named(&found, workers[i]), 1);
	for (size_t i = 0; i < found.n; i++) {
		if (found.pid[i] == session)
			continue;
		ck_assert_int_ne(getpgid(found.pid[i]), getpgid(0));
		ck_assert_int_eq(sched_getscheduler(found.pid[i]), SCHED_OTHER);
		ck_assert_int_eq(sched_getaffinity(found.pid[i], sizeof(set), &set), 0);
		ck_assert_int_eq(CPU_COUNT(&set), 1);
		ck_assert(CPU_ISSET((size_t)cpus.cpu[0], &set));
	}
	load_stop(&load);
	ck_assert_int_eq(load.pid, 0);
	ck_assert(!load_running(&load));
	ck_assert_uint_eq(find_session(session).n, 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(does_not_inherit_a_realtime_policy)
{
	const struct sched_param fifo = { .sched_priority = 1 };
	struct cpus cpus = last_cpu();
	struct found found;
	struct load load;
	struct err err;

	if (sched_setscheduler(0, SCHED_FIFO, &fifo)) {
		fprintf(stderr, "load_check: not tested: SCHED_FIFO: %s\n", strerror(errno));
		return;
	}
	ck_assert_msg(!load_start(&load, &cpus, &err), "%s", err.text);
	found = find_session(load.pid);
	ck_assert_uint_gt(found.n, 4);
	for (size_t i = 0; i < found.n; i++)
		ck_assert_int_eq(sched_getscheduler(found.pid[i]), SCHED_OTHER);
	load_stop(&load);
}
END_TEST

/* A child starts the load, says so, and waits to be killed. Returns the load's session. */
static pid_t start_in_child(pid_t *child)
{
	struct cpus cpus = last_cpu();
	struct load load = { 0 };
	struct err err;
	int told[2];

	ck_assert_int_eq(pipe(told), 0);
	*child = fork();
	if (!*child) {
		if (load_start(&load, &cpus, &err) ||
		    write(told[1], &load.pid, sizeof(load.pid)) != sizeof(load.pid))
			_exit(1);
		for (;;)
			(void)pause();
	}
	close(told[1]);
	ck_assert_int_eq(read(told[0], &load.pid, sizeof(load.pid)), sizeof(load.pid));
	close(told[0]);
	ck_assert_uint_gt(find_session(load.pid).n, 4);
	return load.pid;
}

START_TEST(ends_when_its_parent_is_killed)
{
	pid_t child, session;

	adopt_orphans();
	session = start_in_child(&child);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert(session_empties(session));
}
END_TEST

/* Write an executable script into dir. */
static void put_script(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

/* Put a stand-in for stress-ng first in PATH; without one, nothing is in PATH at all. */
static void stand_in(char *dir, const char *stress, const char *worker)
{
	char path[256];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	if (stress)
		put_script(dir, "stress-ng", stress);
	if (worker)
		put_script(dir, "stress-ng-worker", worker);
	snprintf(path, sizeof(path), stress ? "%s:/usr/bin:/bin" : "%s", dir);
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
}

static void remove_stand_in(const char *dir)
{
	static const char *const names[] = { "stress-ng", "stress-ng-worker" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	ck_assert_int_eq(rmdir(dir), 0);
}

/* Start a load on the last CPU with such a stand-in, which is gone again when this returns. */
static int start_stand_in(struct load *load, const char *stress, const char *worker,
			  struct err *err)
{
	char dir[] = "/tmp/load_check.XXXXXX";
	const struct cpus cpus = last_cpu();
	int result;

	stand_in(dir, stress, worker);
	result = load_start(load, &cpus, err);
	remove_stand_in(dir);
	return result;
}

/* End a load; nothing of it may be left when that returns. */
static void stop_whole(struct load *load)
{
	pid_t session = load->pid;

	struct found left;

	load_stop(load);
	left = find_session(session);
	for (size_t i = 0; i < left.n; i++)
		kill(left.pid[i], SIGKILL);
	ck_assert_uint_eq(left.n, 0);
}

#define START_WORKERS \
	"#!/bin/sh\n" \
	"for i in 1 2 3 4; do stress-ng-worker & done\n"

START_TEST(missing_stress_ng_is_told)
{
	struct load load;
	struct err err;

	ck_assert_int_eq(start_stand_in(&load, NULL, NULL, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "stress-ng: ENOENT"));
	ck_assert_int_eq(load.pid, 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	load_stop(&load);
}
END_TEST

START_TEST(stress_ng_that_ends_at_once_is_told)
{
	struct load load;
	struct err err;

	ck_assert_int_eq(start_stand_in(&load, "#!/bin/sh\nexit 3\n", NULL, &err), -ECHILD);
	ck_assert_int_eq(load.pid, 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(deaf_workers_are_killed)
{
	struct load load;
	struct err err;

	/* What is ignored stays ignored across exec: the sleeps do not hear SIGTERM either. */
	ck_assert_msg(!start_stand_in(&load, START_WORKERS "trap '' TERM\nsleep 1000\n",
				      "#!/bin/sh\ntrap '' TERM\nsleep 1000\n", &err),
		      "%s", err.text);
	/* Give the traps time to be set; without that the test would only be easier to pass. */
	(void)usleep(300000);
	stop_whole(&load);
}
END_TEST

START_TEST(load_that_ended_does_not_run)
{
	struct load load;
	struct err err;

	/* Only the first process ends; its workers are left behind and must not stay. */
	ck_assert_msg(!start_stand_in(&load, START_WORKERS "sleep 0.5\n", "#!/bin/sh\nsleep 1000\n",
				      &err),
		      "%s", err.text);
	for (int i = 0; i < 3000 && load_running(&load); i++)
		(void)usleep(10000);
	ck_assert(!load_running(&load));
	stop_whole(&load);
}
END_TEST

START_TEST(no_cpu_is_an_error)
{
	const struct cpus none = { 0 };
	struct load load = { .pid = 1 };
	struct err err;

	ck_assert_int_eq(load_start(&load, &none, &err), -EINVAL);
	ck_assert_int_eq(load.pid, 0);
	load_stop(&load);
	ck_assert(!load_running(&load));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("load");
	TCase *tc = tcase_create("load");

	tcase_set_timeout(tc, 90);
	tcase_add_test(tc, runs_pinned_in_its_own_group_and_leaves_nothing);
	tcase_add_test(tc, does_not_inherit_a_realtime_policy);
	tcase_add_test(tc, ends_when_its_parent_is_killed);
	tcase_add_test(tc, missing_stress_ng_is_told);
	tcase_add_test(tc, stress_ng_that_ends_at_once_is_told);
	tcase_add_test(tc, deaf_workers_are_killed);
	tcase_add_test(tc, load_that_ended_does_not_run);
	tcase_add_test(tc, no_cpu_is_an_error);
	suite_add_tcase(s, tc);
	return s;
}
