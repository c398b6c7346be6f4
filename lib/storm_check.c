// SPDX-License-Identifier: GPL-2.0-or-later
#include "storm.h"

#include <check.h>
#include <stdio.h>

#include "event.h"

Suite *suite(void);

#define PLANNED_NS 100000000

static const struct sampler_plan plan = { .pages = 64, .planned_ns = PLANNED_NS };
static const struct cpus one_cpu = { .n = 1, .cpu = { 0 } };

static void count_look(struct storm *storm, void *context)
{
	uint64_t *looks = context;

	(*looks)++;
	ck_assert_uint_eq(storm->looks, *looks);
}

/* Nothing is sampled: there are looks, the bystanders go on, and the limit is what it was. */
START_TEST(without_sampling)
{
	uint64_t looks = 0;
	struct storm storm = { .look = count_look, .context = &looks };
	struct bystanders all;
	struct err err;

	ck_assert_int_eq(bystanders_start(&all, &one_cpu, BYSTANDER_KINDS, &err), 0);
	ck_assert_msg(!storm_run(&storm, NULL, 0, &plan, &all, &err), "%s", err.text);
	ck_assert_uint_ge(looks, 1);
	ck_assert_double_ge(storm.seconds, PLANNED_NS / 1e9);
	ck_assert_double_gt(storm.longest_ns, 0);
	ck_assert_double_gt(storm.lap.rate[0], 0);
	for (int i = 0; i < SAMPLER_SLICES; i++)
		ck_assert_int_ge(storm.at[i], storm.least);
	ck_assert_uint_eq(storm.sampler.n, 0);
	storm_free(&storm);
	bystanders_stop(&all);
	bystanders_free(&all);
}
END_TEST

/* A task is sampled, and nothing stops it before the end. */
START_TEST(of_a_task)
{
	struct sampler_target target = { .attr = event_attr_cpu_clock(1000003), .cpu = -1 };
	struct storm storm = { 0 };
	struct bystanders all;
	struct err err;

	ck_assert_int_eq(bystanders_start(&all, &one_cpu, 1, &err), 0);
	target.tid = all.worker[0].tid;
	if (storm_run(&storm, &target, 1, &plan, &all, &err)) {
		printf("skipped: %s\n", err.text);
	} else {
		ck_assert_uint_eq(storm.sampler.n, 1);
		ck_assert_int_eq(storm.sampler.cpu[0].event.pid, target.tid);
		ck_assert_uint_ge(storm.sampler.cpu[0].samples, 1);
	}
	storm_free(&storm);
	bystanders_stop(&all);
	bystanders_free(&all);
}
END_TEST

/* One that does not open: an error, and nothing is left behind. */
START_TEST(no_such_task)
{
	const struct sampler_target target = { event_attr_cpu_clock(1000003), -1, 1 << 30 };
	struct storm storm = { 0 };
	struct bystanders all;
	struct err err;

	ck_assert_int_eq(bystanders_start(&all, &one_cpu, 1, &err), 0);
	ck_assert_int_lt(storm_run(&storm, &target, 1, &plan, &all, &err), 0);
	ck_assert_uint_eq(storm.looks, 0);
	storm_free(&storm);
	bystanders_stop(&all);
	bystanders_free(&all);
}
END_TEST

START_TEST(looks_by_length)
{
	ck_assert_uint_eq(storm_looks(1000000000), 100);
	ck_assert_uint_eq(storm_looks(17000000000), 1700);
	ck_assert_uint_eq(storm_looks(50000000), 20);
}
END_TEST

/* Twice as many rounds in the same time are twice the rate; grace periods likewise. */
START_TEST(lap_of_bystanders)
{
	struct bystander_worker workers[2] = { { .rounds = 5 }, { .rounds = 7 } };
	struct bystanders all = { .worker = workers, .n = 2, .kinds = 1, .grace_total = 3 };
	struct bystander_lap lap, alone = { 0 };
	double rates[2];
	struct err err;

	ck_assert_int_eq(bystander_lap_start(&lap, &all, &err), 0);
	all.worker[0].rounds += 100;
	all.worker[1].rounds += 200;
	all.grace_total += 50;
	bystander_lap_end(&lap, &all);
	ck_assert_double_gt(lap.rate[0], 0);
	ck_assert_double_eq_tol(lap.rate[1] / lap.rate[0], 2, 1e-9);
	ck_assert_double_eq_tol(lap.grace_rate / lap.rate[0], 0.5, 1e-9);
	ck_assert_uint_eq(lap.grace_from, 3);
	ck_assert_uint_eq(lap.grace_to, 53);
	/* The first did half of what it does alone, the second as much. */
	alone.rate = rates;
	alone.rate[0] = 2 * lap.rate[0];
	alone.rate[1] = lap.rate[1];
	ck_assert_double_eq_tol(bystander_lap_left(&lap, &alone, &all, BYSTANDER_COMPUTES, 1, 2),
				100, 1e-9);
	ck_assert_double_eq_tol(bystander_lap_left(&lap, &alone, &all, BYSTANDER_COMPUTES, 0, 2),
				50, 1e-9);
	bystander_lap_free(&lap);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("storm");
	TCase *tcase = tcase_create("storm");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, without_sampling);
	tcase_add_test(tcase, of_a_task);
	tcase_add_test(tcase, no_such_task);
	tcase_add_test(tcase, looks_by_length);
	tcase_add_test(tcase, lap_of_bystanders);
	suite_add_tcase(s, tcase);
	return s;
}
