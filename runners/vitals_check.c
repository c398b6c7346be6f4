// SPDX-License-Identifier: GPL-2.0-or-later
#include "vitals.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite(void);

static char dir[] = "/tmp/vitals-XXXXXX";
static struct vitals vitals;
static struct cpus cpus;
static struct err err;

static void make(void)
{
	snprintf(dir, sizeof(dir), "/tmp/vitals-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(cpus_allowed(&cpus, &err), 0);
}

static void drop(void)
{
	rmdir(dir);
}

static const struct feeder_sign *find(const char *name)
{
	for (size_t i = 0; i < vitals.n; i++)
		if (!strcmp(vitals.signs[i].name, name))
			return &vitals.signs[i];
	return NULL;
}

static int take(const char *name)
{
	const struct feeder_sign *sign = find(name);

	ck_assert_msg(sign != NULL, "no sign %s", name);
	return sign->take(sign->context, &err);
}

/* On this kernel, which works. */
START_TEST(a_machine_that_works_has_them)
{
	ck_assert_int_eq(vitals_open(&vitals, &cpus, dir, &err), 0);
	ck_assert_int_eq(take("scheduler"), 0);
	ck_assert_int_eq(take("disk"), 0);
	if (find("rcu"))
		ck_assert_int_eq(take("rcu"), 0);
	else
		ck_assert_ptr_nonnull(strstr(vitals.missing.text, "RCU"));
	vitals_close(&vitals);
}
END_TEST

/* It ran on the last of the CPUs, and then wherever it may again. */
START_TEST(the_thread_goes_back)
{
	struct cpus after;

	ck_assert_int_eq(vitals_open(&vitals, &cpus, dir, &err), 0);
	ck_assert_int_eq(take("scheduler"), 0);
	ck_assert_int_eq(cpus_allowed(&after, &err), 0);
	ck_assert_uint_eq(after.n, cpus.n);
	vitals_close(&vitals);
}
END_TEST

/* A CPU that is not online is no sign that the machine hangs; but one must be. */
START_TEST(a_cpu_that_is_offline)
{
	cpus.cpu[cpus.n++] = CPUS_MAX - 1;
	ck_assert_int_eq(vitals_open(&vitals, &cpus, dir, &err), 0);
	ck_assert_int_eq(take("scheduler"), 0);
	vitals.cpus.n = 1;
	vitals.cpus.cpu[0] = CPUS_MAX - 1;
	ck_assert_int_lt(take("scheduler"), 0);
	vitals_close(&vitals);
}
END_TEST

START_TEST(a_disk_that_fails)
{
	int disk, ends[2];

	ck_assert_int_eq(vitals_open(&vitals, &cpus, dir, &err), 0);
	ck_assert_int_eq(take("disk"), 0);
	disk = vitals.disk;
	ck_assert_int_eq(pipe(ends), 0); /* takes no pwrite() */
	vitals.disk = ends[1];
	ck_assert_int_ne(take("disk"), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "watchdog-disk"));
	vitals.disk = disk;
	close(ends[0]);
	close(ends[1]);
	vitals_close(&vitals);
}
END_TEST

/* A full disk answers: the machine is not to be reset for it. */
START_TEST(a_full_disk_works)
{
	int disk;

	ck_assert_int_eq(vitals_open(&vitals, &cpus, dir, &err), 0);
	disk = vitals.disk;
	vitals.disk = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(vitals.disk, 0);
	ck_assert_int_eq(take("disk"), 0);
	close(vitals.disk);
	vitals.disk = disk;
	vitals_close(&vitals);
}
END_TEST

START_TEST(nothing_is_left_in_the_report)
{
	struct dirent *entry;
	DIR *report;
	int n = 0;

	ck_assert_int_eq(vitals_open(&vitals, &cpus, dir, &err), 0);
	ck_assert_int_eq(access(vitals.path, W_OK), 0);
	vitals_close(&vitals);
	report = opendir(dir);
	while ((entry = readdir(report)))
		n += entry->d_name[0] != '.';
	closedir(report);
	ck_assert_int_eq(n, 0);
}
END_TEST

START_TEST(no_report_no_vitals)
{
	ck_assert_int_ne(vitals_open(&vitals, &cpus, "/nonexistent", &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "make /nonexistent/watchdog-disk: ENOENT"));
	vitals_close(&vitals);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("vitals");
	TCase *t = tcase_create("vitals");

	tcase_add_checked_fixture(t, make, drop);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_machine_that_works_has_them);
	tcase_add_test(t, the_thread_goes_back);
	tcase_add_test(t, a_cpu_that_is_offline);
	tcase_add_test(t, a_disk_that_fails);
	tcase_add_test(t, a_full_disk_works);
	tcase_add_test(t, nothing_is_left_in_the_report);
	tcase_add_test(t, no_report_no_vitals);
	suite_add_tcase(s, t);
	return s;
}
