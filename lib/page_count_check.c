// SPDX-License-Identifier: GPL-2.0-or-later
#include "page_count.h"

#include <check.h>
#include <errno.h>
#include <string.h>

Suite *suite(void);

/* A CPU: what its instructions say, and what a PMI does to the page meanwhile. */
struct cpu {
	struct perf_event_mmap_page *page;
	uint64_t counter[4]; /* raw, as wide as they are */
	uint64_t clock;
	unsigned int asked; /* for a counter */
	unsigned int pmis;  /* that are still to come, one each time that a counter is read */
	bool stays_locked;
};

/* An overflow while the page is read: the counter is set anew, and the page written. */
static void pmi(struct cpu *cpu)
{
	struct perf_event_mmap_page *page = cpu->page;

	page->lock += 2 - cpu->stays_locked;
	cpu->counter[2] = UINT64_C(1) << 47;
	page->offset = 5000 + (INT64_C(1) << 47);
	cpu->pmis--;
}

static uint64_t fake_counter(void *context, uint32_t number)
{
	struct cpu *cpu = context;
	uint64_t value = cpu->counter[number];

	cpu->asked++;
	if (cpu->pmis)
		pmi(cpu);
	return value;
}

static uint64_t fake_clock(void *context)
{
	const struct cpu *cpu = context;

	return cpu->clock;
}

struct fixture {
	struct perf_event_mmap_page page;
	struct cpu cpu;
	struct page_reader reader;
	struct page_reading reading;
	struct err err;
};

/*
 * On counter 2 of 48 bits, which was set to -1000 (what 48 bits of that are) when the event had
 * 3000, and has counted 17 since.
 */
static void set_up(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->page.lock = 6;
	f->page.index = 3;
	f->page.offset = 3000 + 1000;
	f->page.cap_bit0_is_deprecated = 1;
	f->page.cap_user_rdpmc = 1;
	f->page.pmc_width = 48;
	f->page.time_enabled = 800;
	f->page.time_running = 600;
	f->cpu.page = &f->page;
	f->cpu.counter[2] = (UINT64_C(1) << 48) - 1000 + 17;
	f->reader = (struct page_reader){ fake_counter, fake_clock, &f->cpu };
}

static int read_page(struct fixture *f)
{
	return page_count_read(&f->page, &f->reader, &f->reading, &f->err);
}

/* --- Folding --- */

START_TEST(folds)
{
	/* A counter that was set to -left and an event that had c: it adds c + left. */
	ck_assert_uint_eq(page_count_fold(1000, UINT64_C(0xfffffffffc18), 48), 0);
	ck_assert_uint_eq(page_count_fold(1000, UINT64_C(0xfffffffffc19), 48), 1);
	/* It has come past 0, and the PMI is still to come. */
	ck_assert_uint_eq(page_count_fold(1000, 3, 48), 1003);
	/* An offset below 0, of a counter that was set to a positive value. */
	ck_assert_uint_eq(page_count_fold(-500, 507, 48), 7);
}
END_TEST

START_TEST(folds_each_width)
{
	for (unsigned int width = 2; width <= 64; width++) {
		const uint64_t top = UINT64_C(1) << (width - 1);

		/* The greatest and the least number of so many bits. */
		ck_assert_uint_eq(page_count_fold(0, top - 1, width), top - 1);
		ck_assert_uint_eq(page_count_fold(0, top, width), 0 - top);
		/* What is above the width is nobody's. */
		if (width < 64)
			ck_assert_uint_eq(page_count_fold(0, (top - 1) | top << 1, width), top - 1);
	}
	ck_assert_uint_eq(page_count_fold(0, 1, 1), UINT64_MAX);
}
END_TEST

START_TEST(folds_round_the_end)
{
	/* As unsigned numbers do; counts of 64 bits come round, too. */
	ck_assert_uint_eq(page_count_fold(INT64_MAX, 1, 48), UINT64_C(1) << 63);
	ck_assert_uint_eq(page_count_fold(INT64_MIN, UINT64_C(0xffffffffffff), 48), INT64_MAX);
}
END_TEST

/* --- Sound pages --- */

START_TEST(reads_a_counter)
{
	struct fixture f;

	set_up(&f);
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.reading.value, 3017);
	ck_assert_uint_eq(f.reading.index, 3);
	ck_assert_uint_eq(f.reading.width, 48);
	ck_assert_uint_eq(f.reading.enabled, 800);
	ck_assert_uint_eq(f.reading.running, 600);
	ck_assert(!f.reading.timed);
}
END_TEST

START_TEST(off_its_counter_it_reads_none)
{
	struct fixture f;

	set_up(&f);
	f.page.index = 0;
	f.page.offset = 3017;
	f.page.pmc_width = 0;
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.reading.value, 3017);
	ck_assert_uint_eq(f.reading.index, 0);
	ck_assert_uint_eq(f.cpu.asked, 0);
}
END_TEST

/* As long as counters may not be read events are on none. */
START_TEST(not_allowed)
{
	struct fixture f;

	set_up(&f);
	ck_assert(page_count_allowed(&f.page));
	f.page.cap_user_rdpmc = 0;
	ck_assert(!page_count_allowed(&f.page));
	f.page.index = 0;
	ck_assert_int_eq(read_page(&f), 0);
	f.page.cap_user_rdpmc = 1;
	f.page.cap_bit0_is_deprecated = 0;
	ck_assert(!page_count_allowed(&f.page));
}
END_TEST

/* What was read of a page that a PMI wrote meanwhile is thrown away. */
START_TEST(reads_again)
{
	struct fixture f;

	set_up(&f);
	f.cpu.pmis = 3;
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.cpu.asked, 4);
	ck_assert_uint_eq(f.reading.value, 5000);
}
END_TEST

START_TEST(times)
{
	struct fixture f;

	/* Half a ns a cycle: 1001 cycles from a time of -300 ns on. */
	set_up(&f);
	f.page.cap_user_time = 1;
	f.page.time_mult = 512;
	f.page.time_shift = 10;
	f.page.time_offset = (uint64_t)-300;
	f.cpu.clock = 1001;
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert(f.reading.timed);
	ck_assert_uint_eq(f.reading.since, 200);
	/* More cycles than fit when they are multiplied. */
	f.cpu.clock = UINT64_C(3) << 61;
	f.page.time_offset = 0 - (UINT64_C(3) << 60);
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.reading.since, 0);
	/* Any shift for which that can be computed. */
	f.page.time_shift = 0;
	f.page.time_mult = 1;
	f.page.time_offset = 0;
	f.cpu.clock = 77;
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.reading.since, 77);
	f.page.time_shift = 32;
	f.page.time_mult = UINT32_MAX;
	f.cpu.clock = UINT64_C(2) << 32;
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.reading.since, UINT64_C(2) * UINT32_MAX);
}
END_TEST

/* A clock of 8 bits that has come round since. */
START_TEST(times_of_a_short_clock)
{
	struct fixture f;

	set_up(&f);
	f.page.cap_user_time = 1;
	f.page.cap_user_time_short = 1;
	f.page.time_mult = 1;
	f.page.time_cycles = 0x3f0;
	f.page.time_mask = 0xff;
	f.cpu.clock = 0x05;
	f.page.time_offset = 0 - UINT64_C(0x3f0);
	ck_assert_int_eq(read_page(&f), 0);
	ck_assert_uint_eq(f.reading.since, 0x15);
}
END_TEST

/* --- Broken pages --- */

START_TEST(left_locked)
{
	struct fixture f;

	set_up(&f);
	f.page.lock = 7;
	ck_assert_int_eq(read_page(&f), -EAGAIN);
	ck_assert_ptr_nonnull(strstr(f.err.text, "lock 7"));
	ck_assert_uint_eq(f.cpu.asked, 0);
	/* Locked while it was read, and never again free. */
	set_up(&f);
	f.cpu.pmis = 1;
	f.cpu.stays_locked = true;
	ck_assert_int_eq(read_page(&f), -EAGAIN);
}
END_TEST

START_TEST(never_at_rest)
{
	struct fixture f;

	set_up(&f);
	f.cpu.pmis = UINT32_MAX;
	ck_assert_int_eq(read_page(&f), -EAGAIN);
	ck_assert_uint_lt(f.cpu.asked, 100000);
}
END_TEST

START_TEST(forbidden_counter)
{
	struct fixture f;

	set_up(&f);
	f.page.cap_user_rdpmc = 0;
	ck_assert_int_eq(read_page(&f), -EACCES);
	ck_assert_uint_eq(f.cpu.asked, 0);
}
END_TEST

START_TEST(impossible_width)
{
	static const unsigned int widths[] = { 0, 65, 128, 65535 };

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct fixture f;

		set_up(&f);
		f.page.pmc_width = (uint16_t)widths[i];
		ck_assert_int_eq(read_page(&f), -EBADMSG);
	}
}
END_TEST

START_TEST(impossible_shift)
{
	static const unsigned int shifts[] = { 33, 64, 65535 };

	for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		struct fixture f;

		set_up(&f);
		f.page.cap_user_time = 1;
		f.page.time_shift = (uint16_t)shifts[i];
		ck_assert_int_eq(read_page(&f), -EBADMSG);
		/* Of no concern where there are no times. */
		f.page.cap_user_time = 0;
		ck_assert_int_eq(read_page(&f), 0);
	}
}
END_TEST

/* --- Between two reads --- */

static const struct event_count low = { .value = 1000, .enabled = 500, .running = 400 };
static const struct event_count high = { .value = 1010, .enabled = 530, .running = 430 };
/* Enabled, and on no counter. */
static const struct event_count waits = { .value = 1000, .enabled = 530, .running = 400 };

static struct page_watch take(const struct event_count *before, struct page_reading reading,
			      const struct event_count *after)
{
	struct page_watch watch = { 0 };

	page_watch_take(&watch, before, &reading, after);
	ck_assert_uint_eq(watch.readings, 1);
	ck_assert_uint_eq(watch.on, reading.index != 0);
	return watch;
}

static struct page_reading on(uint64_t value)
{
	return (struct page_reading){ .index = 1, .width = 48, .value = value };
}

static struct page_reading timed(uint32_t index, uint64_t enabled, uint64_t running, uint64_t since)
{
	return (struct page_reading){ .index = index,
				      .width = 48,
				      .value = 1000,
				      .timed = true,
				      .enabled = enabled,
				      .running = running,
				      .since = since };
}

START_TEST(between)
{
	for (uint64_t value = 1000; value <= 1010; value++) {
		const struct page_watch watch = take(&low, on(value), &high);

		ck_assert_uint_eq(watch.outside + watch.high, 0);
	}
}
END_TEST

START_TEST(outside)
{
	struct page_watch watch = take(&low, on(999), &high);
	struct page_reading reading = on(1013);

	ck_assert_uint_eq(watch.outside, 1);
	ck_assert_double_eq(watch.worst, -1);
	page_watch_take(&watch, &low, &reading, &high);
	ck_assert_uint_eq(watch.outside, 2);
	ck_assert_double_eq(watch.worst, 3);
	/* Nearer, and not at all. */
	reading = on(1011);
	page_watch_take(&watch, &low, &reading, &high);
	reading = on(1005);
	page_watch_take(&watch, &low, &reading, &high);
	ck_assert_uint_eq(watch.readings, 4);
	ck_assert_uint_eq(watch.outside, 3);
	ck_assert_double_eq(watch.worst, 3);
	ck_assert_uint_eq(watch.high, 0);
	/* A stale page: whole periods are missing, and the sum is below 0. */
	watch = take(&low, on((uint64_t)-4000), &high);
	ck_assert_uint_eq(watch.outside, 1);
	ck_assert_double_eq(watch.worst, -5000);
}
END_TEST

/* Right in the counter's bits, wrong above. */
START_TEST(high_bits)
{
	struct page_watch watch = take(&low, on(1005 - (UINT64_C(1) << 48)), &high);

	ck_assert_uint_eq(watch.high, 1);
	ck_assert_uint_eq(watch.outside, 0);
	watch = take(&low, on(1005 + (UINT64_C(3) << 48)), &high);
	ck_assert_uint_eq(watch.high, 1);
	/* Not by a multiple of 2^48. */
	watch = take(&low, on(1005 - (UINT64_C(1) << 47)), &high);
	ck_assert_uint_eq(watch.high, 0);
	ck_assert_uint_eq(watch.outside, 1);
	/* Nor both. */
	watch = take(&low, on(1011 + (UINT64_C(1) << 48)), &high);
	ck_assert_uint_eq(watch.outside, 1);
	ck_assert_double_eq(watch.worst, 1);
	/* On no counter there is no width. */
	watch = take(&low, (struct page_reading){ .value = 1005 + (UINT64_C(1) << 48) }, &high);
	ck_assert_uint_eq(watch.high, 0);
	ck_assert_uint_eq(watch.outside, 1);
}
END_TEST

START_TEST(times_between)
{
	ck_assert_uint_eq(take(&low, timed(1, 490, 390, 20), &high).off_time, 0);
	ck_assert_uint_eq(take(&low, timed(1, 490, 390, 20), &high).timed, 1);
	ck_assert_uint_eq(take(&low, timed(1, 490, 390, 40), &high).off_time, 0);
	/* Both too old, too new, and each of them. */
	ck_assert_uint_eq(take(&low, timed(1, 490, 390, 9), &high).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(1, 490, 390, 41), &high).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(1, 470, 390, 20), &high).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(1, 490, 420, 20), &high).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(1, 390, 490, 20), &high).off_time, 1);
	/* Where the page does not say how much has passed since they are not judged. */
	ck_assert_uint_eq(take(&low, on(1005), &high).timed, 0);
}
END_TEST

START_TEST(times_of_a_waiting_event)
{
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 20), &waits).off_time, 0);
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 20), &waits).timed, 1);
	/* Written when it had left its counter. */
	ck_assert_uint_eq(take(&low, timed(0, 490, 403, 20), &waits).off_time, 0);
	ck_assert_uint_eq(take(&low, timed(0, 490, 399, 20), &waits).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(0, 490, 511, 20), &waits).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 9), &waits).off_time, 1);
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 41), &waits).off_time, 1);
	/* It came to a counter, or is disabled: cannot be told. */
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 900), &high).timed, 0);
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 900), &low).timed, 0);
}
END_TEST

/* Whatever the page says. */
START_TEST(reads_show_waiting)
{
	ck_assert_uint_eq(take(&low, on(1000), &waits).waiting, 1);
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 20), &waits).waiting, 1);
	ck_assert_uint_eq(take(&low, on(1000), &high).waiting, 0);
	ck_assert_uint_eq(take(&low, timed(0, 490, 400, 20), &low).waiting, 0);
}
END_TEST

/* On this machine it is read by the instructions of the CPU, where they are known. */
START_TEST(reader_of_this_machine)
{
	const struct page_reader *reader = page_reader_here();
#ifdef __x86_64__
	uint64_t first, second;

	ck_assert_ptr_nonnull(reader);
	first = reader->clock(reader->context);
	second = reader->clock(reader->context);
	ck_assert_uint_gt(second, first);
#else
	ck_assert_ptr_null(reader);
#endif
}
END_TEST

Suite *suite(void)
{
	const TTest *const tests[] = { folds,
				       folds_each_width,
				       folds_round_the_end,
				       reads_a_counter,
				       off_its_counter_it_reads_none,
				       not_allowed,
				       reads_again,
				       times,
				       times_of_a_short_clock,
				       left_locked,
				       never_at_rest,
				       forbidden_counter,
				       impossible_width,
				       impossible_shift,
				       between,
				       outside,
				       high_bits,
				       times_between,
				       times_of_a_waiting_event,
				       reads_show_waiting,
				       reader_of_this_machine };
	Suite *s = suite_create("page_count");
	TCase *tcase = tcase_create("page_count");

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(s, tcase);
	return s;
}
