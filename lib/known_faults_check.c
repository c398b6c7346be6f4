// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stddef.h>

#include "known_faults.h"

Suite *suite(void);

#define ID 77
#define BEGIN 0x10000
#define PAGE 0x1000
#define PAGES 5
#define OFFSET 24

static struct known_faults known(void)
{
	return (struct known_faults){
		.id = ID, .begin = BEGIN, .page_size = PAGE, .pages = PAGES, .offset = OFFSET
	};
}

/* The sample of fault number `value`. */
static struct ring_sample at(uint64_t value)
{
	return (struct ring_sample){ .identifier = ID,
				     .id = ID,
				     .period = 1,
				     .addr = BEGIN + value % PAGES * PAGE + OFFSET,
				     .read_value = value,
				     .read_enabled = 1000 * value,
				     .read_running = 1000 * value,
				     .read_id = ID };
}

static void take(struct known_faults *faults, uint64_t from, uint64_t to)
{
	for (uint64_t value = from; value <= to; value++) {
		const struct ring_sample sample = at(value);

		known_faults_take(faults, &sample);
	}
}

START_TEST(sound_ones)
{
	struct known_faults faults = known();

	take(&faults, 1, 12);
	/* Some were lost: where it goes on is not known. */
	take(&faults, 20, 30);
	ck_assert_uint_eq(faults.right, 23);
	ck_assert_uint_eq(faults.wrong, 0);
	ck_assert_uint_eq(faults.elsewhere, 0);
}
END_TEST

/* Each single word that is another one. */
static const struct {
	size_t offset;
	uint64_t change;
} changes[] = {
	{ offsetof(struct ring_sample, identifier), 1 },
	{ offsetof(struct ring_sample, id), ID },
	{ offsetof(struct ring_sample, period), 2 },
	{ offsetof(struct ring_sample, read_id), UINT64_C(1) << 63 },
	{ offsetof(struct ring_sample, read_running), UINT64_C(1) << 62 },
	{ offsetof(struct ring_sample, addr), 8 },
	{ offsetof(struct ring_sample, addr), PAGE },
	{ offsetof(struct ring_sample, addr), OFFSET },
};

START_TEST(a_word_that_is_another)
{
	struct known_faults faults = known();
	struct ring_sample sample = at(8);

	*(uint64_t *)((char *)&sample + changes[_i].offset) ^= changes[_i].change;
	take(&faults, 1, 7);
	known_faults_take(&faults, &sample);
	ck_assert_uint_eq(faults.right, 7);
	ck_assert_uint_eq(faults.wrong, 1);
}
END_TEST

START_TEST(of_somebody_else)
{
	struct known_faults faults = known();
	struct ring_sample sample = at(3);

	take(&faults, 1, 2);
	sample.addr = BEGIN + PAGES * PAGE;
	known_faults_take(&faults, &sample);
	/* The next one is of the page that was due. */
	sample = at(4);
	sample.addr -= PAGE;
	known_faults_take(&faults, &sample);
	ck_assert_uint_eq(faults.elsewhere, 1);
	ck_assert_uint_eq(faults.right, 3);
	ck_assert_uint_eq(faults.wrong, 0);
	sample = at(6);
	sample.addr = BEGIN - 1;
	sample.id = 0;
	known_faults_take(&faults, &sample);
	ck_assert_uint_eq(faults.elsewhere, 2);
	ck_assert_uint_eq(faults.wrong, 1);
}
END_TEST

START_TEST(down_one_by_one)
{
	struct countdown countdown = { .next = 20 };

	for (uint64_t value = 20; value > 10; value--)
		countdown_take(&countdown, value);
	ck_assert_uint_eq(countdown.n, 10);
	ck_assert_uint_eq(countdown.breaks, 0);
	/* One is left out, then one comes again. */
	countdown_take(&countdown, 9);
	countdown_take(&countdown, 8);
	countdown_take(&countdown, 8);
	ck_assert_uint_eq(countdown.breaks, 2);
}
END_TEST

START_TEST(newest_is_missing)
{
	struct countdown countdown = { .next = 20 };

	for (uint64_t value = 19; value > 10; value--)
		countdown_take(&countdown, value);
	ck_assert_uint_eq(countdown.breaks, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("known_faults");
	TCase *tests = tcase_create("known_faults");

	tcase_add_test(tests, sound_ones);
	tcase_add_loop_test(tests, a_word_that_is_another, 0, sizeof(changes) / sizeof(changes[0]));
	tcase_add_test(tests, of_somebody_else);
	tcase_add_test(tests, down_one_by_one);
	tcase_add_test(tests, newest_is_missing);
	suite_add_tcase(all, tests);
	return all;
}
