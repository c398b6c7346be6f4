// SPDX-License-Identifier: GPL-2.0-or-later
#include "feeder.h"

#include <check.h>
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "clock.h"

Suite *suite(void);

/* A signal that is not there blocks or fails, from a certain time on. */
struct stub {
	atomic_uint taken;
	atomic_uint good; /* how often it is there */
	bool fails;	  /* else it blocks, until `go` is posted */
	long ms;	  /* that it takes */
	sem_t go;
};

static struct stub stubs[3];
static struct feeder_sign signs[3];
static atomic_uint meals;
static bool spoiled;
static struct feeder feeder;
static struct err err;

static int take(void *context, struct err *why)
{
	struct stub *stub = context;

	if (stub->ms)
		clock_sleep_ms(stub->ms);
	if (atomic_fetch_add(&stub->taken, 1) < atomic_load(&stub->good))
		return 0;
	if (stub->fails)
		return err_set(why, EIO, "write it");
	while (sem_wait(&stub->go))
		;
	return 0;
}

static int feed(void *context, struct err *why)
{
	(void)context;
	if (spoiled)
		return err_set(why, ENODEV, "feed it");
	atomic_fetch_add(&meals, 1);
	return 0;
}

static void make(void)
{
	static const char *const names[] = { "scheduler", "rcu", "disk" };

	atomic_store(&meals, 0);
	spoiled = false;
	for (size_t i = 0; i < 3; i++) {
		stubs[i].ms = 0;
		stubs[i].fails = false;
		atomic_store(&stubs[i].taken, 0);
		atomic_store(&stubs[i].good, 1000000);
		sem_init(&stubs[i].go, 0, 0);
		signs[i] = (struct feeder_sign){
			.name = names[i], .how = "it is called", .take = take, .context = &stubs[i]
		};
	}
}

/* A timeout of 1 s: a round each 250 ms. */
static void start(void)
{
	const struct feeder_eater eater = { .feed = feed, .timeout_s = 1, .name = "/dev/dog" };

	ck_assert_int_eq(feeder_start(&feeder, &eater, signs, 3, &err), 0);
}

static void end(void)
{
	feeder_ask_to_end(&feeder);
	ck_assert(feeder_ended(&feeder, 20000));
}

static void wait_until(const atomic_uint *count, unsigned int least)
{
	int64_t until = clock_ms() + 20000;

	while (atomic_load(count) < least && clock_ms() < until)
		clock_sleep_ms(5);
	ck_assert_uint_ge(atomic_load(count), least);
}

static void wait_until_failed(void)
{
	int64_t until = clock_ms() + 20000;

	while (!atomic_load(&feeder.failed) && clock_ms() < until)
		clock_sleep_ms(5);
}

START_TEST(only_what_was_just_there_counts)
{
	const struct feeder_taken all[] = { { 0, 1000 }, { 0, 1010 }, { 0, 1020 } };

	ck_assert(feeder_may_feed(all, 3, 1020, 250));
	ck_assert(feeder_may_feed(all, 3, 1250, 250));
	ck_assert(!feeder_may_feed(all, 3, 1251, 250)); /* the first is too old */
	ck_assert(!feeder_may_feed(all, 3, 1019, 250)); /* the last is of the future */
	ck_assert(!feeder_may_feed(all, 0, 1020, 250)); /* nothing was there */
	for (size_t i = 0; i < 3; i++) {
		struct feeder_taken one_failed[3];

		memcpy(one_failed, all, sizeof(all));
		one_failed[i].result = -EIO;
		ck_assert(!feeder_may_feed(one_failed, 3, 1020, 250));
	}
}
END_TEST

START_TEST(a_quarter_of_the_timeout)
{
	ck_assert_int_eq(feeder_interval_ms(60), 15000);
	ck_assert_int_eq(feeder_interval_ms(10), 2500);
}
END_TEST

START_TEST(fed_after_each_round)
{
	start();
	wait_until(&meals, 3);
	/* Whenever it was fed, each sign had been taken once more. */
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_ge(atomic_load(&stubs[i].taken), atomic_load(&meals));
	end();
	ck_assert(!feeder_look(&feeder, clock_ms(), &err));
}
END_TEST

/* Each of the three in turn: it was there twice, and then it is not. */
START_TEST(a_blocked_sign_does_not_feed)
{
	static const char *const waits[] = { "vital sign of scheduler: it is called",
					     "vital sign of rcu: it is called",
					     "vital sign of disk: it is called" };
	struct stub *stub = &stubs[_i];
	unsigned int before;

	atomic_store(&stub->good, 2);
	start();
	wait_until(&stub->taken, 3);
	before = atomic_load(&meals);
	ck_assert_uint_le(before, 2);
	/* Four rounds of a machine that works. */
	clock_sleep_ms(1000);
	ck_assert_uint_eq(atomic_load(&meals), before);
	ck_assert(feeder_look(&feeder, clock_ms(), &err));
	ck_assert_msg(strstr(err.text, waits[_i]) != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/dog was not fed for"));
	/* It is said once. */
	ck_assert(!feeder_look(&feeder, clock_ms(), &err));
	/* It does not end as long as that lasts. */
	feeder_ask_to_end(&feeder);
	ck_assert(!feeder_ended(&feeder, 50));
	atomic_store(&stub->good, 1000000);
	sem_post(&stub->go);
	ck_assert(feeder_ended(&feeder, 20000));
}
END_TEST

START_TEST(a_machine_that_comes_back_is_fed_again)
{
	atomic_store(&stubs[1].good, 1);
	start();
	wait_until(&stubs[1].taken, 2);
	clock_sleep_ms(600);
	ck_assert(feeder_look(&feeder, clock_ms(), &err));
	atomic_store(&stubs[1].good, 1000000);
	sem_post(&stubs[1].go);
	wait_until(&meals, 2);
	ck_assert(feeder_look(&feeder, atomic_load(&feeder.last_fed), &err));
	ck_assert_str_eq(err.text, "watchdog: /dev/dog is fed again");
	end();
}
END_TEST

START_TEST(a_failed_sign_does_not_feed)
{
	stubs[2].fails = true;
	atomic_store(&stubs[2].good, 1);
	start();
	wait_until(&stubs[2].taken, 2);
	wait_until_failed();
	ck_assert(feeder_look(&feeder, clock_ms(), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "watchdog: vital sign disk: write it: EIO"));
	ck_assert_uint_le(atomic_load(&meals), 1);
	atomic_store(&stubs[2].good, 1000000);
	wait_until(&meals, 2);
	end();
}
END_TEST

/* The last takes longer than an interval: what was learnt of the first is worth nothing then. */
START_TEST(a_slow_sign_does_not_feed)
{
	stubs[2].ms = 400;
	start();
	wait_until(&stubs[2].taken, 3);
	ck_assert_uint_eq(atomic_load(&meals), 0);
	end();
	ck_assert_uint_eq(atomic_load(&meals), 0);
}
END_TEST

START_TEST(a_device_that_cannot_be_fed)
{
	spoiled = true;
	start();
	wait_until_failed();
	ck_assert(feeder_look(&feeder, clock_ms(), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "feed it: ENODEV"));
	ck_assert_uint_eq(atomic_load(&feeder.fed), 0);
	end();
}
END_TEST

/* Nothing is being taken and it is late all the same: the thread gets no CPU. */
START_TEST(a_thread_that_does_not_run)
{
	start();
	wait_until(&meals, 1);
	end();
	ck_assert(feeder_look(&feeder, clock_ms() + 501, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "the thread that feeds it does not run"));
}
END_TEST

static atomic_int policy = -1, blocked = -1;

static int look_at_self(void *context, struct err *why)
{
	sigset_t mask;

	(void)context, (void)why;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	atomic_store(&blocked, sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM));
	atomic_store(&policy, sched_getscheduler(0));
	return 0;
}

/* A privileged thread would go on feeding where nobody else gets to run. */
START_TEST(no_privilege)
{
	const struct sched_param fifo = { .sched_priority = 1 };
	const struct sched_param other = { .sched_priority = 0 };
	bool privileged = !sched_setscheduler(0, SCHED_FIFO, &fifo);

	signs[0].take = look_at_self;
	start();
	wait_until(&meals, 1);
	end();
	if (privileged)
		ck_assert_int_eq(sched_setscheduler(0, SCHED_OTHER, &other), 0);
	ck_assert_int_eq(atomic_load(&policy), SCHED_OTHER);
	ck_assert_int_eq(atomic_load(&blocked), 1);
}
END_TEST

START_TEST(without_signs_nothing_is_fed)
{
	const struct feeder_eater eater = { .feed = feed, .timeout_s = 1, .name = "/dev/dog" };

	ck_assert_int_ne(feeder_start(&feeder, &eater, signs, 0, &err), 0);
	ck_assert_int_ne(feeder_start(&feeder, &eater, signs, FEEDER_SIGNS_MAX + 1, &err), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("feeder");
	TCase *t = tcase_create("feeder");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, make, NULL);
	tcase_add_test(t, only_what_was_just_there_counts);
	tcase_add_test(t, a_quarter_of_the_timeout);
	tcase_add_test(t, fed_after_each_round);
	tcase_add_loop_test(t, a_blocked_sign_does_not_feed, 0, 3);
	tcase_add_test(t, a_machine_that_comes_back_is_fed_again);
	tcase_add_test(t, a_failed_sign_does_not_feed);
	tcase_add_test(t, a_slow_sign_does_not_feed);
	tcase_add_test(t, a_device_that_cannot_be_fed);
	tcase_add_test(t, a_thread_that_does_not_run);
	tcase_add_test(t, no_privilege);
	tcase_add_test(t, without_signs_nothing_is_fed);
	suite_add_tcase(s, t);
	return s;
}
