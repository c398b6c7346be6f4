// SPDX-License-Identifier: GPL-2.0-or-later
#include "wakeup.h"

#include <check.h>
#include <errno.h>
#include <string.h>

Suite *suite(void);

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What the planted timer does at a deadline. */
struct planted_wakeup {
	int64_t offset;	 /* of the wake-up from the deadline, ns */
	int expirations; /* or -errno */
};

/* A planted clock and timer: time passes only while sleeping. */
struct planted {
	const struct planted_wakeup *wakeups;
	size_t n;
	size_t slept;
	int64_t time;
	int now_error;
	int64_t distance[64];
	int64_t limit;
};

static int planted_now(void *context, int64_t *now)
{
	const struct planted *planted = context;

	*now = planted->time;
	return planted->now_error;
}

/* After the last planted wake-up comes the first again. */
static int planted_sleep(void *context, int64_t deadline, int64_t limit, int64_t *woke)
{
	struct planted *planted = context;
	const struct planted_wakeup *wakeup = &planted->wakeups[planted->slept % planted->n];

	planted->distance[planted->slept++ % N_OF(planted->distance)] = deadline - planted->time;
	planted->limit = limit - deadline;
	planted->time = deadline + wakeup->offset;
	*woke = planted->time;
	return wakeup->expirations;
}

static const struct wakeup_plan few = { .rounds = 4, .interval = 1000000 };

static int measure_planted(struct wakeup_series *series, struct planted *planted,
			   const struct wakeup_plan *plan, struct err *err)
{
	const struct wakeup_source source = { .now = planted_now,
					      .sleep = planted_sleep,
					      .context = planted };

	planted->time = 5000000000000;
	return wakeup_measure(series, plan, &source, err);
}

/* Measure against a table of wake-ups with a plan of as many rounds. */
static struct wakeup_series measure_table(const struct planted_wakeup *wakeups, size_t n)
{
	struct planted planted = { .wakeups = wakeups, .n = n };
	struct wakeup_plan plan = few;
	struct wakeup_series series;
	struct err err;

	plan.rounds = n;
	ck_assert_int_eq(measure_planted(&series, &planted, &plan, &err), 0);
	return series;
}

START_TEST(sound_timer_answers_all)
{
	static const struct planted_wakeup wakeups[] = { { 300, 1 }, { 0, 1 }, { 7000, 1 } };
	struct wakeup_series series = measure_table(wakeups, N_OF(wakeups));

	ck_assert_uint_eq(series.programmed, 3);
	ck_assert_uint_eq(series.answered, 3);
	ck_assert_uint_eq(series.early, 0);
	ck_assert_uint_eq(series.n, 3);
	for (size_t i = 0; i < series.n; i++)
		ck_assert_double_eq(series.latency[i], (double)wakeups[i].offset);
	wakeup_free(&series);
	ck_assert_ptr_null(series.latency);
}
END_TEST

START_TEST(early_wakeup_is_seen)
{
	static const struct planted_wakeup wakeups[] = { { 300, 1 }, { -1, 1 }, { 200, 1 } };
	struct wakeup_series series = measure_table(wakeups, N_OF(wakeups));

	ck_assert_uint_eq(series.early, 1);
	ck_assert_uint_eq(series.answered, 3);
	ck_assert_double_eq(series.latency[1], -1);
	wakeup_free(&series);
}
END_TEST

/* Woken before the deadline although the timer did not expire. */
START_TEST(wakeup_without_expiration_is_seen)
{
	static const struct planted_wakeup wakeups[] = { { -500, 0 }, { 200, 1 } };
	struct wakeup_series series = measure_table(wakeups, N_OF(wakeups));

	ck_assert_uint_eq(series.early, 1);
	ck_assert_uint_eq(series.programmed, 2);
	ck_assert_uint_eq(series.answered, 1);
	wakeup_free(&series);
}
END_TEST

START_TEST(lost_expiration_is_seen)
{
	static const struct planted_wakeup wakeups[] = { { 300, 1 },
							 { WAKEUP_LIMIT_NS, 0 },
							 { 200, 1 } };
	struct wakeup_series series = measure_table(wakeups, N_OF(wakeups));

	ck_assert_uint_eq(series.programmed, 3);
	ck_assert_uint_eq(series.answered, 2);
	ck_assert_uint_eq(series.early, 0);
	/* It has no latency, and does not shift those of the others. */
	ck_assert_uint_eq(series.n, 2);
	ck_assert_double_eq(series.latency[1], 200);
	wakeup_free(&series);
}
END_TEST

/* An interrupt that only the limit's own timer made good was lost all the same. */
START_TEST(expiration_at_the_limit_is_lost)
{
	static const struct planted_wakeup wakeups[] = { { WAKEUP_LIMIT_NS, 1 },
							 { WAKEUP_LIMIT_NS - 1, 1 } };
	struct wakeup_series series = measure_table(wakeups, N_OF(wakeups));

	ck_assert_uint_eq(series.programmed, 2);
	ck_assert_uint_eq(series.answered, 1);
	ck_assert_double_eq(series.latency[0], (double)(WAKEUP_LIMIT_NS - 1));
	wakeup_free(&series);
}
END_TEST

START_TEST(surplus_expiration_is_seen)
{
	static const struct planted_wakeup wakeups[] = { { 300, 2 }, { 200, 1 } };
	struct wakeup_series series = measure_table(wakeups, N_OF(wakeups));

	ck_assert_uint_eq(series.programmed, 2);
	ck_assert_uint_eq(series.answered, 1);
	wakeup_free(&series);
}
END_TEST

START_TEST(dead_timer_ends_the_series)
{
	static const struct planted_wakeup dead = { WAKEUP_LIMIT_NS, 0 };
	struct planted planted = { .wakeups = &dead, .n = 1 };
	struct wakeup_plan plan = few;
	struct wakeup_series series;
	struct err err;

	plan.rounds = 1000;
	ck_assert_int_eq(measure_planted(&series, &planted, &plan, &err), 0);
	ck_assert_uint_eq(planted.slept, WAKEUP_UNANSWERED_MAX);
	ck_assert_uint_eq(series.programmed, WAKEUP_UNANSWERED_MAX);
	ck_assert_uint_eq(series.answered, 0);
	ck_assert_uint_eq(series.n, 0);
	ck_assert_int_eq(planted.limit, WAKEUP_LIMIT_NS);
	wakeup_free(&series);
}
END_TEST

static void distances(const struct wakeup_plan *plan, int64_t *distance)
{
	static const struct planted_wakeup sound = { 100, 1 };
	struct planted planted = { .wakeups = &sound, .n = 1 };
	struct wakeup_series series;
	struct err err;

	ck_assert_uint_le(plan->rounds, N_OF(planted.distance));
	ck_assert_int_eq(measure_planted(&series, &planted, plan, &err), 0);
	ck_assert_uint_eq(planted.slept, plan->rounds);
	memcpy(distance, planted.distance, plan->rounds * sizeof(*distance));
	wakeup_free(&series);
}

START_TEST(distances_are_dithered_and_repeatable)
{
	struct wakeup_plan plan = { .rounds = 64, .interval = 1000, .dither = 500, .seed = 7 };
	int64_t first[64], again[64], other[64], fixed[64];
	int64_t least = INT64_MAX, most = 0;

	distances(&plan, first);
	distances(&plan, again);
	plan.seed = 8;
	distances(&plan, other);
	plan.dither = 0;
	distances(&plan, fixed);
	for (size_t i = 0; i < plan.rounds; i++) {
		ck_assert_int_ge(first[i], 1000);
		ck_assert_int_lt(first[i], 1500);
		ck_assert_int_eq(fixed[i], 1000);
		least = first[i] < least ? first[i] : least;
		most = first[i] > most ? first[i] : most;
	}
	ck_assert_mem_eq(first, again, sizeof(first));
	ck_assert_mem_ne(first, other, sizeof(first));
	/* 64 even draws leave the outer fifths empty with a chance of 2 x 0.8^64, 1e-6. */
	ck_assert_int_lt(least, 1100);
	ck_assert_int_ge(most, 1400);
}
END_TEST

START_TEST(errors_of_the_source_end_the_series)
{
	static const struct planted_wakeup wakeups[] = { { 300, 1 }, { 0, -EIO } };
	struct planted planted = { .wakeups = wakeups, .n = 2 };
	struct wakeup_series series;
	struct err err;

	ck_assert_int_eq(measure_planted(&series, &planted, &few, &err), -EIO);
	ck_assert_ptr_nonnull(strstr(err.text, "wake-up 2: EIO"));
	ck_assert_uint_eq(series.n, 1);
	wakeup_free(&series);

	planted.now_error = -EINVAL;
	ck_assert_int_eq(measure_planted(&series, &planted, &few, &err), -EINVAL);
	ck_assert_uint_eq(series.programmed, 0);
	wakeup_free(&series);
}
END_TEST

START_TEST(series_of_none)
{
	struct wakeup_series series = measure_table(&(struct planted_wakeup){ 0, 1 }, 0);

	ck_assert_uint_eq(series.programmed, 0);
	ck_assert_uint_eq(series.n, 0);
	wakeup_free(&series);
}
END_TEST

START_TEST(real_timer_answers)
{
	const struct wakeup_plan plan = { .rounds = 20, .interval = 1000000, .dither = 500000 };
	struct wakeup_source source;
	struct wakeup_series series;
	struct err err;

	ck_assert_int_eq(wakeup_source_open(&source, &err), 0);
	ck_assert_int_eq(wakeup_measure(&series, &plan, &source, &err), 0);
	ck_assert_uint_eq(series.programmed, 20);
	ck_assert_uint_eq(series.answered, 20);
	ck_assert_uint_eq(series.early, 0);
	ck_assert_uint_eq(series.n, 20);
	wakeup_free(&series);
	wakeup_source_close(&source);
	wakeup_source_close(&source);
}
END_TEST

/* The real source can tell that nothing came, and is in order again afterwards. */
START_TEST(real_timer_tells_what_did_not_come)
{
	struct wakeup_source source;
	int64_t start, woke;
	struct err err;

	ck_assert_int_eq(wakeup_source_open(&source, &err), 0);
	ck_assert_int_eq(source.now(source.context, &start), 0);
	/* The deadline is an hour off; the sleep ends without it after 2 ms. */
	ck_assert_int_eq(
		source.sleep(source.context, start + 3600000000000, start + 2000000, &woke), 0);
	ck_assert_int_ge(woke - start, 2000000);
	/* A deadline that has passed expires at once, and once. */
	ck_assert_int_eq(source.sleep(source.context, start, start + WAKEUP_LIMIT_NS, &woke), 1);
	wakeup_source_close(&source);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("wakeup");
	TCase *tc = tcase_create("wakeup");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, sound_timer_answers_all);
	tcase_add_test(tc, early_wakeup_is_seen);
	tcase_add_test(tc, wakeup_without_expiration_is_seen);
	tcase_add_test(tc, lost_expiration_is_seen);
	tcase_add_test(tc, expiration_at_the_limit_is_lost);
	tcase_add_test(tc, surplus_expiration_is_seen);
	tcase_add_test(tc, dead_timer_ends_the_series);
	tcase_add_test(tc, distances_are_dithered_and_repeatable);
	tcase_add_test(tc, errors_of_the_source_end_the_series);
	tcase_add_test(tc, series_of_none);
	tcase_add_test(tc, real_timer_answers);
	tcase_add_test(tc, real_timer_tells_what_did_not_come);
	suite_add_tcase(s, tc);
	return s;
}
