// SPDX-License-Identifier: GPL-2.0-or-later
#include "placement.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

Suite *suite(void);

static cpu_set_t affinity(void)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return set;
}

static int last_cpu(const cpu_set_t *set)
{
	int cpu = CPU_SETSIZE - 1;

	while (cpu && !CPU_ISSET((size_t)cpu, set))
		cpu--;
	return cpu;
}

START_TEST(pins_and_puts_back)
{
	struct placement placement;
	cpu_set_t before = affinity(), pinned, after;
	int cpu = last_cpu(&before);
	struct err err;

	ck_assert_int_eq(placement_policy(SCHED_BATCH, 0, &err), 0);
	ck_assert_int_eq(placement_pin(&placement, cpu, &err), 0);
	pinned = affinity();
	ck_assert_int_eq(CPU_COUNT(&pinned), 1);
	ck_assert(CPU_ISSET((size_t)cpu, &pinned));
	ck_assert_int_eq(placement_policy(SCHED_OTHER, 0, &err), 0);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_OTHER);
	ck_assert_int_eq(placement_restore(&placement, &err), 0);
	after = affinity();
	ck_assert(CPU_EQUAL(&before, &after));
	ck_assert_int_eq(sched_getscheduler(0), SCHED_BATCH);
}
END_TEST

START_TEST(puts_back_a_priority)
{
	struct placement placement;
	struct sched_param param;
	cpu_set_t before = affinity();
	struct err err;
	int result = placement_policy(SCHED_FIFO, 3, &err);

	if (result == -EPERM) {
		fprintf(stderr, "placement_check: not tested: %s\n", err.text);
		return;
	}
	ck_assert_int_eq(result, 0);
	ck_assert_int_eq(placement_pin(&placement, last_cpu(&before), &err), 0);
	ck_assert_int_eq(placement_policy(SCHED_OTHER, 0, &err), 0);
	ck_assert_int_eq(placement_restore(&placement, &err), 0);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_FIFO);
	ck_assert_int_eq(sched_getparam(0, &param), 0);
	ck_assert_int_eq(param.sched_priority, 3);
}
END_TEST

START_TEST(errors_name_what_was_asked)
{
	struct placement placement;
	struct err err;

	ck_assert_int_eq(placement_policy(SCHED_OTHER, 5, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "SCHED_OTHER, priority 5: EINVAL"));
	ck_assert_int_lt(placement_pin(&placement, CPUS_MAX - 1, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "4095"));
	/* What was remembered before the failure can be put back. */
	ck_assert_int_eq(placement_restore(&placement, &err), 0);
}
END_TEST

/* On a machine with one CPU both are the same. */
START_TEST(goes_back_and_forth)
{
	const cpu_set_t before = affinity();
	struct migration migration = { .cpu = { sched_getcpu(), last_cpu(&before) } };
	struct err err;

	ck_assert_int_eq(placement_migrate(&migration, &err), 0);
	ck_assert_int_eq(sched_getcpu(), migration.cpu[1]);
	ck_assert_int_eq(placement_migrate(&migration, &err), 0);
	ck_assert_int_eq(sched_getcpu(), migration.cpu[0]);
	migration.cpu[1] = CPUS_MAX - 1;
	ck_assert_int_lt(placement_migrate(&migration, &err), 0);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(before), &before), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("placement");
	TCase *tc = tcase_create("placement");

	tcase_add_test(tc, pins_and_puts_back);
	tcase_add_test(tc, goes_back_and_forth);
	tcase_add_test(tc, puts_back_a_priority);
	tcase_add_test(tc, errors_name_what_was_asked);
	suite_add_tcase(s, tc);
	return s;
}
