// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"
#include "process.h"
#include "recover.h"
#include "sysctl.h"

Suite *suite(void);

/* A sysctl that is another one in another UTS namespace: nothing outside this process sees it. */
#define OWN "kernel.domainname"

/* No process has it: above the largest pid there is (PID_MAX_LIMIT, 2^22). */
#define NOBODY 4194305

static json_t *did, *restored;
static struct err err;

static void begin(void)
{
	ck_assert_msg(!unshare(CLONE_NEWUTS), "needs root: %s", strerror(errno));
	did = json_array();
	restored = json_array();
}

static void end(void)
{
	json_decref(did);
	json_decref(restored);
}

static int recover(const char *saved)
{
	json_t *records = json_loads(saved, 0, NULL);
	int result;

	ck_assert_ptr_nonnull(records);
	json_array_clear(did);
	json_array_clear(restored);
	result = recover_machine(&(struct journal_state){ .saved = records }, did, restored, &err);
	json_decref(records);
	return result;
}

static const char *own(void)
{
	static char value[SYSCTL_VALUE_MAX];

	ck_assert_int_eq(sysctl_read(OWN, value, sizeof(value), &err), 0);
	return value;
}

START_TEST(puts_back_what_was_found)
{
	static const char saved[] = "[{\"sysctls\":{\"" OWN "\":\"found\"}},"
				    "{\"sysctls\":{\"" OWN "\":\"later\"}}]";

	ck_assert_int_eq(sysctl_write(OWN, "changed", &err), 0);
	ck_assert_int_eq(recover(saved), 0);
	ck_assert_str_eq(own(), "found");
	ck_assert_uint_eq(json_array_size(did), 1);
	ck_assert_str_eq(json_string_value(json_array_get(did, 0)),
			 OWN " put back from changed to found");
	ck_assert_uint_eq(json_array_size(restored), 1);
	ck_assert_str_eq(json_string_value(json_array_get(restored, 0)), OWN);
	/* Again: nothing is to be done. */
	ck_assert_int_eq(recover(saved), 0);
	ck_assert_uint_eq(json_array_size(did), 0);
	ck_assert_uint_eq(json_array_size(restored), 0);
}
END_TEST

START_TEST(nothing_saved)
{
	ck_assert_int_eq(recover("[]"), 0);
	ck_assert_uint_eq(json_array_size(did), 0);
}
END_TEST

/* What cannot be put back is an error, and the rest is put back all the same. */
START_TEST(goes_on_after_an_error)
{
	ck_assert_int_eq(sysctl_write(OWN, "changed", &err), 0);
	ck_assert_int_lt(
		recover("[{\"cpus_online\":\"0,4000\",\"sysctls\":{\"kernel.none\":\"1\",\"" OWN
			"\":\"found\"}}]"),
		0);
	ck_assert_msg(strstr(err.text, "cpu4000"), "%s", err.text);
	ck_assert_str_eq(own(), "found");
}
END_TEST

/* A process with this mark, in a session of its own. */
static pid_t start_marked(int mark)
{
	char value[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	setsid();
	snprintf(value, sizeof(value), "%d", mark);
	setenv(RECOVER_MARK, value, 1);
	execlp("sleep", "sleep", "1000", (char *)NULL);
	_exit(127);
}

/* Only after exec does it have its environment. */
static void await_name(pid_t pid, const char *name)
{
	struct process process = { 0 };

	while (!process_read(pid, &process) && strcmp(process.name, name) != 0)
		usleep(1000);
}

START_TEST(ends_marked_processes)
{
	pid_t marked = start_marked(NOBODY), other = start_marked(NOBODY + 1);
	char saved[64];
	int status;

	await_name(marked, "sleep");
	await_name(other, "sleep");
	snprintf(saved, sizeof(saved), "[{\"pid\":%d,\"sysctls\":{}}]", NOBODY);
	ck_assert_int_eq(recover(saved), 0);
	ck_assert_str_eq(json_string_value(json_array_get(did, 0)), "ended 1 processes of tests");
	ck_assert_int_eq(waitpid(marked, &status, 0), marked);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(waitpid(other, &status, WNOHANG), 0);
	kill(other, SIGKILL);
	waitpid(other, &status, 0);
}
END_TEST

START_TEST(saves_what_is_found)
{
	static const char *const names[] = { OWN, NULL };
	char online[256];
	json_t *record;
	const char *value;

	ck_assert_int_eq(sysctl_write(OWN, "found", &err), 0);
	record = recover_saved(names, &err);
	ck_assert_msg(record != NULL, "%s", err.text);
	value = json_string_value(json_object_get(json_object_get(record, "sysctls"), OWN));
	ck_assert_str_eq(value, "found");
	/* One that is watched in every run. */
	ck_assert_ptr_nonnull(json_object_get(json_object_get(record, "sysctls"), "kernel.panic"));
	ck_assert_int_eq(json_integer_value(json_object_get(record, "pid")), getpid());
	if (io_read_text("/sys/devices/system/cpu/online", online, sizeof(online)) > 0)
		ck_assert_str_eq(json_string_value(json_object_get(record, "cpus_online")), online);
	json_decref(record);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("recover");
	TCase *tc = tcase_create("recover");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, puts_back_what_was_found);
	tcase_add_test(tc, nothing_saved);
	tcase_add_test(tc, goes_on_after_an_error);
	tcase_add_test(tc, ends_marked_processes);
	tcase_add_test(tc, saves_what_is_found);
	suite_add_tcase(s, tc);
	return s;
}
