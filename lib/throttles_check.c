// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <math.h>
#include <string.h>

#include "throttles.h"

Suite *suite(void);

/* A machine with HZ = 250 and a limit of 1000 samples per second: four in each tick of 4 ms. */
#define ID 77
#define TICK 4000000
#define LIMIT 1000
#define HZ 250
#define PER_TICK 4
#define TICKS 5

enum kind { SAMPLE, STOP, START, LOST };

/* A record: of a kind, with its time, and with the ids of a THROTTLE or UNTHROTTLE. */
struct entry {
	enum kind kind;
	uint64_t time;
	uint64_t id, stream;
};

/* In each tick three samples, a THROTTLE and its sample; an UNTHROTTLE at the next tick. */
#define ENTRIES (TICKS * (PER_TICK + 2))

static size_t sound(struct entry *entries)
{
	size_t n = 0;

	for (uint64_t tick = 0; tick < TICKS; tick++) {
		uint64_t start = (tick + 1) * TICK;

		for (uint64_t i = 1; i < PER_TICK; i++)
			entries[n++] = (struct entry){ SAMPLE, start + i * 1000, 0, 0 };
		entries[n++] = (struct entry){ STOP, start + PER_TICK * 1000, ID, ID };
		entries[n++] = (struct entry){ SAMPLE, start + PER_TICK * 1000 + 1, 0, 0 };
		entries[n++] = (struct entry){ START, start + TICK, ID, ID };
	}
	return n;
}

static struct throttles judge(const struct entry *entries, size_t n)
{
	struct throttles throttles = { .rule = throttle_rule(ID, LIMIT, HZ) };

	throttles.rule.after = throttles.started = TICK;
	throttles.rule.before = (uint64_t)(TICKS + 2) * TICK;
	for (size_t i = 0; i < n; i++) {
		const struct ring_throttle record = { .time = entries[i].time,
						      .id = entries[i].id,
						      .stream_id = entries[i].stream };

		switch (entries[i].kind) {
		case SAMPLE:
			throttles_sample(&throttles, entries[i].time);
			break;
		case STOP:
			throttles_stop(&throttles, &record);
			break;
		case START:
			throttles_start(&throttles, &record);
			break;
		case LOST:
			throttles_lost(&throttles, 1);
			break;
		}
	}
	return throttles;
}

/* Without the entry `at`. */
static size_t without(struct entry *entries, size_t n, size_t at)
{
	memmove(&entries[at], &entries[at + 1], (n - at - 1) * sizeof(*entries));
	return n - 1;
}

/* With one more before `at`. */
static size_t with(struct entry *entries, size_t n, size_t at, struct entry entry)
{
	memmove(&entries[at + 1], &entries[at], (n - at) * sizeof(*entries));
	entries[at] = entry;
	return n + 1;
}

static void nothing_wrong(const struct throttles *throttles)
{
	ck_assert_uint_eq(throttles->unpaired, 0);
	ck_assert_uint_eq(throttles->wrong_id, 0);
	ck_assert_uint_eq(throttles->wrong_time, 0);
	ck_assert_uint_eq(throttles->while_throttled, 0);
	ck_assert_uint_eq(throttles->few, 0);
	ck_assert_uint_eq(throttles->many, 0);
}

START_TEST(limit_by_tick)
{
	ck_assert_uint_eq(throttles_per_tick(100000, 250), 400);
	ck_assert_uint_eq(throttles_per_tick(1000, 1000), 1);
	/* Rounded up. */
	ck_assert_uint_eq(throttles_per_tick(1001, 1000), 2);
	ck_assert_uint_eq(throttles_per_tick(1, 250), 1);
}
END_TEST

/* Where HZ is not known, what holds for all from 100 to 1024. */
START_TEST(rule_without_hz)
{
	const struct throttle_rule rule = throttle_rule(ID, 4000, 0);

	ck_assert_uint_eq(rule.least, 4);
	ck_assert_uint_eq(rule.most, 40);
	ck_assert_uint_eq(rule.tick_ns, 10000000);
}
END_TEST

START_TEST(sound_run)
{
	struct entry entries[ENTRIES] = { 0 };
	const struct throttles throttles = judge(entries, sound(entries));

	nothing_wrong(&throttles);
	ck_assert_uint_eq(throttles.samples, TICKS * PER_TICK);
	ck_assert_uint_eq(throttles.throttled, TICKS);
	ck_assert_uint_eq(throttles.unthrottled, TICKS);
	ck_assert_uint_eq(throttles.judged, TICKS);
	ck_assert_uint_eq(throttles.fewest, PER_TICK);
	ck_assert_uint_eq(throttles.most, PER_TICK);
	ck_assert(!throttles.is_throttled);
	ck_assert_uint_eq(throttles.pauses, TICKS - 1);
	ck_assert_double_eq_tol(throttles_pause(&throttles, 7 * TICK), 0.999, 0.0005);
}
END_TEST

/* It ends while it is throttled: no fault. */
START_TEST(ends_throttled)
{
	struct entry entries[ENTRIES] = { 0 };
	const struct throttles throttles = judge(entries, sound(entries) - 1);

	nothing_wrong(&throttles);
	ck_assert(throttles.is_throttled);
	ck_assert_double_le(throttles_pause(&throttles, (TICKS + 1) * TICK), 1);
}
END_TEST

/* Stopped for good: the pause is what it has lasted for, also when it is the first one. */
START_TEST(never_goes_on)
{
	struct entry entries[ENTRIES];
	const size_t n = sound(entries);
	struct throttles throttles = judge(entries, n - 1);

	ck_assert_double_gt(throttles_pause(&throttles, 20 * TICK), 10);
	/* Said to go on, and does not. */
	throttles = judge(entries, n);
	ck_assert(!throttles.is_throttled);
	ck_assert_double_gt(throttles_pause(&throttles, 20 * TICK), 10);
	throttles = judge(entries, PER_TICK + 1);
	ck_assert_double_gt(throttles_pause(&throttles, 20 * TICK), 10);
	ck_assert_double_lt(throttles_pause(&throttles, 2 * TICK), 1.1);
	throttles = judge(entries, PER_TICK - 1);
	ck_assert(isnan(throttles_pause(&throttles, 20 * TICK)));
}
END_TEST

/* It goes on at every third tick only. */
START_TEST(goes_on_late)
{
	struct entry entries[ENTRIES];
	const size_t n = sound(entries);
	struct throttles throttles;

	for (size_t i = 0; i < n; i++)
		entries[i].time = entries[i].time / TICK * TICK * 3 + entries[i].time % TICK;
	throttles = judge(entries, n);
	ck_assert_double_gt(throttles_pause(&throttles, entries[n - 1].time), 2.5);
}
END_TEST

START_TEST(stopped_early)
{
	struct entry entries[ENTRIES];
	const size_t n = without(entries, sound(entries), 0);
	const struct throttles throttles = judge(entries, n);

	ck_assert_uint_eq(throttles.few, 1);
	ck_assert_uint_eq(throttles.many, 0);
	ck_assert_uint_eq(throttles.fewest, PER_TICK - 1);
}
END_TEST

START_TEST(stopped_late)
{
	struct entry entries[ENTRIES + 1];
	const struct entry more = { SAMPLE, TICK + 500, 0, 0 };
	const size_t n = with(entries, sound(entries), 0, more);
	const struct throttles throttles = judge(entries, n);

	ck_assert_uint_eq(throttles.few, 0);
	ck_assert_uint_eq(throttles.many, 1);
	ck_assert_uint_eq(throttles.most, PER_TICK + 1);
}
END_TEST

/* One that was not stopped in its first tick has the samples of two. */
START_TEST(over_a_tick)
{
	struct throttles throttles = { .rule = throttle_rule(ID, LIMIT, HZ) };
	const struct ring_throttle stop = { .time = TICK + 5000, .id = ID, .stream_id = ID };

	for (uint64_t i = 1; i <= 2 * PER_TICK - 1; i++)
		throttles_sample(&throttles, i * TICK / (2 * PER_TICK));
	throttles_stop(&throttles, &stop);
	throttles_sample(&throttles, stop.time);
	ck_assert_uint_eq(throttles.many, 0);
	ck_assert_uint_eq(throttles.judged, 1);
}
END_TEST

/* Where samples were lost nobody knows how many there were. */
START_TEST(lost_samples)
{
	struct entry entries[ENTRIES + 1];
	size_t n = without(entries, sound(entries), 1);
	const struct entry lost = { LOST, 0, 0, 0 };
	struct throttles throttles;

	n = with(entries, n, 1, lost);
	throttles = judge(entries, n);
	nothing_wrong(&throttles);
	ck_assert_uint_eq(throttles.judged, TICKS - 1);
	ck_assert_uint_eq(throttles.lost, 1);
}
END_TEST

/* Whichever THROTTLE or UNTHROTTLE is missing, they do not come in pairs. */
START_TEST(half_a_pair)
{
	struct entry entries[ENTRIES];
	struct throttles throttles;
	size_t n;

	for (size_t i = 0; i + 1 < ENTRIES; i++) {
		n = sound(entries);
		if (entries[i].kind == SAMPLE)
			continue;
		n = without(entries, n, i);
		throttles = judge(entries, n);
		ck_assert_uint_eq(throttles.unpaired, 1);
	}
}
END_TEST

START_TEST(other_ids)
{
	struct entry entries[ENTRIES];
	struct throttles throttles;
	const size_t n = sound(entries);

	entries[PER_TICK - 1].id = ID + 1;
	entries[PER_TICK + 1].stream = 0;
	throttles = judge(entries, n);
	ck_assert_uint_eq(throttles.wrong_id, 2);
}
END_TEST

/* Too early, before everything, of the future, and so late that the next record is before it. */
START_TEST(wrong_times)
{
	static const int64_t off[] = { -3000, -2 * TICK, 100 * TICK, 2000 };
	struct entry entries[ENTRIES];
	struct throttles throttles;

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		const size_t n = sound(entries);

		entries[PER_TICK - 1].time += (uint64_t)off[i];
		throttles = judge(entries, n);
		ck_assert_uint_ge(throttles.wrong_time, 1);
	}
}
END_TEST

START_TEST(sample_while_throttled)
{
	struct entry entries[ENTRIES + 1];
	const struct entry more = { SAMPLE, TICK + 9000, 0, 0 };
	const size_t n = with(entries, sound(entries), PER_TICK + 1, more);
	const struct throttles throttles = judge(entries, n);

	ck_assert_uint_eq(throttles.while_throttled, 1);
	ck_assert_uint_eq(throttles.unpaired, 0);
}
END_TEST

/* More pauses than are kept. */
START_TEST(many_pauses)
{
	struct throttles throttles = { .rule = throttle_rule(ID, LIMIT, HZ) };
	struct ring_throttle record = { .id = ID, .stream_id = ID };

	throttles.rule.before = UINT64_MAX;
	for (uint64_t i = 1; i <= 2 * THROTTLES_PAUSES_MAX; i++) {
		record.time = 2 * i * TICK;
		throttles_stop(&throttles, &record);
		throttles_sample(&throttles, record.time);
		record.time += TICK;
		throttles_start(&throttles, &record);
		throttles_sample(&throttles, record.time);
	}
	ck_assert_uint_eq(throttles.pauses, THROTTLES_PAUSES_MAX);
	ck_assert_uint_eq(throttles.unthrottled, 2 * THROTTLES_PAUSES_MAX);
	ck_assert_double_eq(throttles_pause(&throttles, record.time), 1);
}
END_TEST

/*
 * Below the limit, but stopped with as many samples as a tick may have: it cannot be told from
 * these records in which ticks they were, so that the stretch is not too short. That it is stopped
 * shows.
 */
START_TEST(stopped_below_the_limit)
{
	struct entry entries[2 * PER_TICK + 1];
	struct throttles seen;
	size_t n = 0;

	for (uint64_t i = 1; i < PER_TICK; i++)
		entries[n++] = (struct entry){ SAMPLE, TICK + i * TICK / 2, 0, 0 };
	seen = judge(entries, n);
	ck_assert_uint_eq(seen.throttled, 0);
	entries[n++] = (struct entry){ STOP, TICK + PER_TICK * TICK / 2, ID, ID };
	entries[n++] = (struct entry){ SAMPLE, TICK + PER_TICK * TICK / 2 + 1, 0, 0 };
	seen = judge(entries, n);
	ck_assert_uint_eq(seen.throttled, 1);
	ck_assert_uint_eq(seen.few, 0);
	ck_assert_uint_eq(seen.judged, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("throttles");
	TCase *tests = tcase_create("throttles");

	tcase_add_test(tests, limit_by_tick);
	tcase_add_test(tests, rule_without_hz);
	tcase_add_test(tests, sound_run);
	tcase_add_test(tests, ends_throttled);
	tcase_add_test(tests, never_goes_on);
	tcase_add_test(tests, goes_on_late);
	tcase_add_test(tests, stopped_early);
	tcase_add_test(tests, stopped_below_the_limit);
	tcase_add_test(tests, stopped_late);
	tcase_add_test(tests, over_a_tick);
	tcase_add_test(tests, lost_samples);
	tcase_add_test(tests, half_a_pair);
	tcase_add_test(tests, other_ids);
	tcase_add_test(tests, wrong_times);
	tcase_add_test(tests, sample_while_throttled);
	tcase_add_test(tests, many_pauses);
	suite_add_tcase(s, tests);
	return s;
}
