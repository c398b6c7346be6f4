// SPDX-License-Identifier: GPL-2.0-or-later
#include "page_count.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#define TRIES 1000   /* the kernel writes for less than a us, a few times a ms at the most */
#define SHIFT_MAX 32 /* with it the product of the remainder and time_mult fits 64 bits */

#ifdef __x86_64__
/* Both instructions may run before those ahead of them, a return from the kernel among these. */
static uint64_t read_pmc(void *context, uint32_t number)
{
	uint64_t value;

	(void)context;
	__builtin_ia32_lfence();
	value = __builtin_ia32_rdpmc((int)number);
	__builtin_ia32_lfence();
	return value;
}

static uint64_t read_tsc(void *context)
{
	uint64_t value;

	(void)context;
	__builtin_ia32_lfence();
	value = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return value;
}

static const struct page_reader readers[] = { { read_pmc, read_tsc, NULL }, { 0 } };
#else
static const struct page_reader readers[] = { { 0 } };
#endif

const struct page_reader *page_reader_here(void)
{
	return readers[0].counter ? &readers[0] : NULL;
}

bool page_count_allowed(const struct perf_event_mmap_page *page)
{
	/* Before Linux 3.12 the same bit of the page meant something else. */
	return page->cap_bit0_is_deprecated && page->cap_user_rdpmc;
}

uint64_t page_count_fold(int64_t offset, uint64_t raw, unsigned int width)
{
	const unsigned int unused = 64 - width;

	return (uint64_t)offset + (uint64_t)((int64_t)(raw << unused) >> unused);
}

/* The page's fields and what the CPU says with them, in one pass that may be torn. */
struct pass {
	struct page_reading reading;
	int64_t offset;
	bool allowed;
	unsigned int width, shift;
	uint64_t raw;
};

/* Time of a clock reading after the times of the page were written, in ns. */
static uint64_t time_since(const volatile struct perf_event_mmap_page *page, uint64_t cycles)
{
	const unsigned int shift = page->time_shift;
	const uint64_t mult = page->time_mult;
	uint64_t rest;

	if (page->cap_user_time_short)
		cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
	rest = cycles & ((UINT64_C(1) << shift) - 1);
	return page->time_offset + (cycles >> shift) * mult + ((rest * mult) >> shift);
}

static struct pass read_once(const volatile struct perf_event_mmap_page *page,
			     const struct page_reader *reader)
{
	struct pass pass = {
		.reading = { .index = page->index,
			     .enabled = page->time_enabled,
			     .running = page->time_running,
			     .timed = page->cap_user_time },
		.offset = page->offset,
		.allowed = page->cap_bit0_is_deprecated && page->cap_user_rdpmc,
		.width = page->pmc_width,
		.shift = page->time_shift,
	};

	if (pass.reading.index && pass.allowed)
		pass.raw = reader->counter(reader->context, pass.reading.index - 1);
	if (pass.reading.timed && pass.shift <= SHIFT_MAX)
		pass.reading.since = time_since(page, reader->clock(reader->context));
	return pass;
}

/* Make a reading of a pass that was not torn. */
static int fold(const struct pass *pass, struct page_reading *reading, struct err *err)
{
	if (pass->reading.index && !pass->allowed)
		return err_plain(err, EACCES, "page of an event: on counter %u, which it forbids",
				 pass->reading.index - 1);
	if (pass->reading.index && (!pass->width || pass->width > 64))
		return err_plain(err, EBADMSG, "page of an event: counters of %u bits",
				 pass->width);
	if (pass->reading.timed && pass->shift > SHIFT_MAX)
		return err_plain(err, EBADMSG, "page of an event: time_shift %u", pass->shift);
	*reading = pass->reading;
	reading->width = pass->width;
	reading->value = pass->reading.index ? page_count_fold(pass->offset, pass->raw, pass->width)
					     : (uint64_t)pass->offset;
	return 0;
}

int page_count_read(const struct perf_event_mmap_page *page, const struct page_reader *reader,
		    struct page_reading *reading, struct err *err)
{
	uint32_t lock = 0;

	for (int i = 0; i < TRIES; i++) {
		struct pass pass;

		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		if (lock & 1)
			continue;
		pass = read_once(page, reader);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) == lock)
			return fold(&pass, reading, err);
	}
	return err_plain(err, EAGAIN,
			 "page of an event: never unchanged while it was read, lock %u", lock);
}

static bool between(uint64_t low, uint64_t value, uint64_t high)
{
	return low <= value && value <= high;
}

/* a - b in so many bits, with sign. */
static int64_t difference(uint64_t a, uint64_t b, unsigned int width)
{
	return (int64_t)page_count_fold(0, a - b, width);
}

static void judge_value(struct page_watch *watch, uint64_t low, const struct page_reading *reading,
			uint64_t high)
{
	const unsigned int width = reading->index ? reading->width : 64;
	const int64_t above_low = difference(reading->value, low, width);
	const int64_t above_high = difference(reading->value, high, width);
	double off;

	if (between(low, reading->value, high))
		return;
	if (above_low >= 0 && above_high <= 0) {
		watch->high++;
		return;
	}
	watch->outside++;
	off = (double)(above_low < 0 ? above_low : above_high);
	if (fabs(off) > fabs(watch->worst))
		watch->worst = off;
}

/* Was it enabled, and on no counter, as read(2) has it? */
static bool waited(const struct event_count *before, const struct event_count *after)
{
	return after->enabled > before->enabled && after->running == before->running;
}

static void judge_times(struct page_watch *watch, const struct event_count *before,
			const struct page_reading *reading, const struct event_count *after)
{
	const bool waits = !reading->index && waited(before, after);
	const uint64_t enabled = reading->enabled + reading->since;

	if (!reading->timed || !(reading->index || waits))
		return;
	watch->timed++;
	if (!between(before->enabled, enabled, after->enabled) ||
	    (waits ? reading->running < before->running || reading->running > enabled
		   : !between(before->running, reading->running + reading->since, after->running)))
		watch->off_time++;
}

void page_watch_take(struct page_watch *watch, const struct event_count *before,
		     const struct page_reading *reading, const struct event_count *after)
{
	watch->readings++;
	watch->on += !!reading->index;
	watch->waiting += waited(before, after);
	judge_value(watch, before->value, reading, after->value);
	judge_times(watch, before, reading, after);
}
