// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "family.h"

Suite *suite(void);

static int place(const char *mountinfo, const char *membership, char *path, size_t size)
{
	FILE *mounts = fmemopen((void *)(uintptr_t)mountinfo, strlen(mountinfo), "r");
	FILE *own = fmemopen((void *)(uintptr_t)membership, strlen(membership), "r");
	int result = cgroup_place(mounts, own, path, size, NULL);

	fclose(mounts);
	fclose(own);
	return result;
}

static const char unified[] = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
			      "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "
			      "rw,nsdelegate\n";
static const char hybrid[] = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs cgroup2 rw\n"
			     "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
			     "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

START_TEST(finds_its_place)
{
	char path[64];

	ck_assert_int_eq(place(unified, "0::/user.slice/x\n", path, sizeof(path)), 0);
	ck_assert_str_eq(path, "/sys/fs/cgroup/user.slice/x");
	ck_assert_int_eq(
		place(hybrid, "9:name=systemd:/\n4:memory:/a/b\n0::/\n", path, sizeof(path)), 0);
	ck_assert_str_eq(path, "/sys/fs/cgroup/unified/");
	ck_assert_int_eq(place(hybrid, "4:memory:/a/b\n", path, sizeof(path)), -ENOENT);
	ck_assert_int_eq(
		place("32 31 0:29 / /x rw - cgroup cgroup rw\n", "0::/\n", path, sizeof(path)),
		-ENOENT);
	ck_assert_int_eq(place(unified, "0::/user.slice/x\n", path, 10), -ENAMETOOLONG);
}
END_TEST

/* A child that has a child of its own; both only wait. Returns when both exist. */
static pid_t two_generations(int procs)
{
	int fds[2];
	char ready;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (procs >= 0 && write(procs, "0", 1) != 1)
			_exit(1);
		setsid();
		if (fork() == 0 && write(fds[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(fds[0], &ready, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

START_TEST(counts_descendants)
{
	pid_t pids[8];
	pid_t pid = two_generations(-1);
	size_t n = family_descendants(getpid(), 0, pids, 8);
	char name[32];

	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(family_descendants(getpid(), pid, pids, 8), 0);
	ck_assert_uint_eq(family_descendants(pid, 0, pids, 8), 1);
	ck_assert_str_eq(family_name(pids[0], name, sizeof(name)), "cgroup_check");
	kill(pids[0], SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(family_state(pid), 0);
}
END_TEST

START_TEST(kills_all_in_it)
{
	struct err err;
	int where = cgroup_open_place(&err);
	struct cgroup cgroup;
	pid_t pids[8];
	int procs;
	pid_t pid;

	if (where < 0 || cgroup_create(&cgroup, where, 1, &err)) {
		fprintf(stderr, "skipped: %s\n", err.text);
		return;
	}
	procs = cgroup_open_procs(&cgroup);
	pid = two_generations(procs);
	close(procs);
	ck_assert_uint_eq(cgroup_pids(&cgroup, pids, 8), 2);
	ck_assert_uint_eq(cgroup_remove_leftovers(where, 0), 0); /* we live */
	ck_assert_int_eq(cgroup_destroy(&cgroup, &err), 0);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(faccessat(where, cgroup.name, F_OK, 0), -1);
	ck_assert_int_eq(cgroup_destroy(&cgroup, &err), 0); /* once more does nothing */
	close(where);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("cgroup");
	TCase *c = tcase_create("cgroup");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, finds_its_place);
	tcase_add_test(c, counts_descendants);
	tcase_add_test(c, kills_all_in_it);
	suite_add_tcase(s, c);
	return s;
}
