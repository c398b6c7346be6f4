// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stddef.h>

#include "sample_who.h"

Suite *suite(void);

#define ID 50
#define PERIOD 1000

static struct sample_who known(void)
{
	return (struct sample_who){ .id = ID,
				    .period = PERIOD,
				    .pid = 10,
				    .tid = 11,
				    .cpu = 1,
				    .from_ns = 1000000,
				    .to_ns = 2000000 };
}

static struct ring_sample at(uint64_t ns)
{
	return (struct ring_sample){ .identifier = ID,
				     .id = ID,
				     .stream_id = ID,
				     .pid = 10,
				     .tid = 11,
				     .time = ns,
				     .cpu = 1,
				     .period = PERIOD };
}

static struct ring_sample of_child(uint64_t ns, uint32_t pid, uint32_t tid, uint64_t stream)
{
	struct ring_sample sample = at(ns);

	sample.pid = pid;
	sample.tid = tid;
	sample.stream_id = stream;
	return sample;
}

static void take(struct sample_who *who, struct ring_sample sample)
{
	sample_who_take(who, &sample);
}

static uint64_t wrong(const struct sample_who *who)
{
	return who->wrong_id + who->wrong_stream + who->wrong_task + who->wrong_cpu +
	       who->wrong_period + who->outside + who->not_later;
}

START_TEST(sound_ones)
{
	struct sample_who who = known();

	for (uint64_t i = 0; i < 10; i++)
		take(&who, at(1000000 + 10000 * i));
	sample_who_child(&who, 20, 20);
	take(&who, of_child(1200000, 20, 20, 77));
	take(&who, of_child(1300000, 20, 20, 77));
	take(&who, at(1400000));
	/* A thread; another stream. */
	sample_who_child(&who, 10, 21);
	take(&who, of_child(1500000, 10, 21, 78));
	ck_assert_uint_eq(wrong(&who), 0);
	ck_assert_uint_eq(who.samples, 14);
	ck_assert_uint_eq(who.of_child, 3);
	ck_assert_uint_eq(who.other_streams, 3);
}
END_TEST

/* Each field by itself, and the one result that it belongs to. */
#define WIDE(field, value, result)                                                             \
	{                                                                                      \
		offsetof(struct ring_sample, field), sizeof(((struct ring_sample *)0)->field), \
			value, offsetof(struct sample_who, result)                             \
	}

static const struct {
	size_t offset, size;
	uint64_t value;
	size_t result;
} broken[] = {
	WIDE(identifier, 0, wrong_id),	  WIDE(id, ID + 1, wrong_id),
	WIDE(stream_id, 0, wrong_stream), WIDE(stream_id, ID + 1, wrong_stream),
	WIDE(pid, 11, wrong_task),	  WIDE(tid, 10, wrong_task),
	WIDE(tid, 0, wrong_task),	  WIDE(cpu, 0, wrong_cpu),
	WIDE(period, 0, wrong_period),	  WIDE(period, PERIOD + 1, wrong_period),
	WIDE(time, 2100000, outside),
};

START_TEST(a_field_that_is_another)
{
	struct sample_who who = known();
	struct ring_sample sample = at(1500000);
	char *field = (char *)&sample + broken[_i].offset;

	if (broken[_i].size == sizeof(uint32_t))
		*(uint32_t *)field = (uint32_t)broken[_i].value;
	else
		*(uint64_t *)field = broken[_i].value;
	take(&who, sample);
	ck_assert_uint_eq(wrong(&who), 1);
	ck_assert_uint_eq(*(uint64_t *)((char *)&who + broken[_i].result), 1);
}
END_TEST

START_TEST(times)
{
	struct sample_who who = known();

	take(&who, at(1500000));
	take(&who, at(1500000));
	ck_assert_uint_eq(who.not_later, 1);
	/* As it is adjusted; and by far more. */
	take(&who, at(1499900));
	ck_assert_uint_eq(who.not_later, 1);
	take(&who, at(1400000));
	ck_assert_uint_eq(who.not_later, 2);
	/* Of the part before this one. */
	take(&who, at(990000));
	ck_assert_uint_eq(who.outside, 1);
	take(&who, at(0));
	ck_assert_uint_eq(who.outside, 2);
}
END_TEST

/* The read value number `n`, sound. */
static struct ring_sample read_at(uint64_t n)
{
	return (struct ring_sample){ .read_id = ID,
				     .read_value = n * PERIOD,
				     .read_enabled = n * 100,
				     .read_running = n * 100 };
}

static void take_read(struct sample_who *who, struct ring_sample sample)
{
	sample_who_read(who, &sample);
}

START_TEST(reads)
{
	struct sample_who who = known();
	struct ring_sample sample;

	take_read(&who, read_at(1));
	take_read(&who, read_at(2));
	ck_assert_uint_eq(who.wrong_read, 0);
	take_read(&who, read_at(2)); /* again */
	ck_assert_uint_eq(who.wrong_read, 1);
	take_read(&who, read_at(1)); /* before */
	ck_assert_uint_eq(who.wrong_read, 2);
	sample = read_at(5);
	sample.read_id++;
	take_read(&who, sample);
	ck_assert_uint_eq(who.wrong_read, 3);
	sample = read_at(6);
	sample.read_running++;
	take_read(&who, sample);
	ck_assert_uint_eq(who.wrong_read, 4);
	sample = read_at(7);
	sample.read_enabled = 10;
	sample.read_running = 5;
	take_read(&who, sample);
	ck_assert_uint_eq(who.wrong_read, 5);
}
END_TEST

START_TEST(a_coarse_clock)
{
	struct sample_who who = known();

	who.coarse = true;
	take(&who, at(1500000));
	take(&who, at(1500000));
	ck_assert_uint_eq(wrong(&who), 0);
	take(&who, at(1400000));
	ck_assert_uint_eq(who.not_later, 1);
}
END_TEST

START_TEST(children_mixed_up)
{
	struct sample_who who = known();

	sample_who_child(&who, 20, 21);
	/* Which of the events a task has may change; none is an error. */
	take(&who, of_child(1100000, 20, 21, ID));
	take(&who, of_child(1200000, 20, 21, 77));
	ck_assert_uint_eq(who.wrong_stream, 0);
	ck_assert_uint_eq(who.other_streams, 1);
	take(&who, of_child(1250000, 20, 21, 0));
	ck_assert_uint_eq(who.wrong_stream, 1);
	/* Of no task of ours. */
	take(&who, of_child(1300000, 21, 20, ID));
	ck_assert_uint_eq(who.wrong_task, 1);
	ck_assert_uint_eq(who.of_child, 3);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("sample_who");
	TCase *tests = tcase_create("sample_who");

	tcase_add_test(tests, sound_ones);
	tcase_add_loop_test(tests, a_field_that_is_another, 0, sizeof(broken) / sizeof(broken[0]));
	tcase_add_test(tests, times);
	tcase_add_test(tests, reads);
	tcase_add_test(tests, a_coarse_clock);
	tcase_add_test(tests, children_mixed_up);
	suite_add_tcase(all, tests);
	return all;
}
