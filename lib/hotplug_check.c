// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <string.h>

#include "hotplug.h"

Suite *suite(void);

static void count_one(int cpu, void *n)
{
	(void)cpu;
	(*(int *)n)++;
}

/* Of this machine: nothing is switched here, all that were online are. */
START_TEST(nothing_to_restore)
{
	char list[HOTPLUG_LIST_MAX];
	struct err err;
	int n = 0;

	hotplug_online(list);
	ck_assert_int_eq(hotplug_restore(list, count_one, &n, &err), 0);
	ck_assert_int_eq(hotplug_restore("", count_one, &n, &err), 0);
	ck_assert_int_eq(hotplug_restore("no list", count_one, &n, &err), 0);
	ck_assert_int_eq(n, 0);
}
END_TEST

START_TEST(no_such_cpu)
{
	struct err err;
	int n = 0;

	ck_assert(!hotplug_may(4000));
	ck_assert_int_eq(hotplug_set(4000, true, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "cpu4000/online"));
	ck_assert_int_eq(hotplug_restore("0,4000", count_one, &n, &err), -ENOENT);
	ck_assert_int_eq(n, 0);
}
END_TEST

static const struct hotplug_seen sound = {
	.known = 19000100, .count = 19012000, .samples = 95, .period = 200003
};

START_TEST(sound_counts)
{
	ck_assert_double_lt(hotplug_count_off(&sound), 0.1);
	ck_assert_double_eq(hotplug_count_short(&sound), 0);
	ck_assert_double_eq(hotplug_samples_off(&sound), 0);
}
END_TEST

START_TEST(wrong_counts)
{
	struct hotplug_seen seen = sound;

	/* Nothing is counted or sampled any more; or counted, but not sampled. */
	seen.count = 0;
	seen.samples = 0;
	ck_assert_double_eq(hotplug_count_off(&seen), 100);
	ck_assert_double_eq(hotplug_count_short(&seen), 100);
	seen.count = sound.count;
	ck_assert_double_eq(hotplug_samples_off(&seen), 95);
	/* Too much: others' work, or garbage of a counter that was not set up anew. */
	seen = sound;
	seen.count = 2 * sound.known;
	ck_assert_double_eq(hotplug_count_off(&seen), 100);
	ck_assert_double_eq(hotplug_count_short(&seen), 0);
	ck_assert_double_eq(hotplug_samples_off(&seen), 94);
	/* Twice the samples. */
	seen = sound;
	seen.samples = 190;
	ck_assert_double_eq(hotplug_samples_off(&seen), 95);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("hotplug");
	TCase *tests = tcase_create("hotplug");

	tcase_add_test(tests, nothing_to_restore);
	tcase_add_test(tests, no_such_cpu);
	tcase_add_test(tests, sound_counts);
	tcase_add_test(tests, wrong_counts);
	suite_add_tcase(s, tests);
	return s;
}
