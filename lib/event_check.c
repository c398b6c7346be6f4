// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page faults are the oracle: with a period of 1 each first touch of a page is one sample with that
 * page's address, in the order of the touches. Everything runs without a PMU.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"

Suite *suite(void);

/* Memory whose pages have not been touched. */
struct pages {
	char *memory;
	size_t n;
	size_t page_size;
};

static void get_pages(struct pages *pages, size_t n)
{
	pages->n = n;
	pages->page_size = (size_t)sysconf(_SC_PAGESIZE);
	pages->memory = mmap(NULL, n * pages->page_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(pages->memory, MAP_FAILED);
	/* One fault per page, whatever the machine does with huge pages. */
	(void)madvise(pages->memory, n * pages->page_size, MADV_NOHUGEPAGE);
}

static void touch(const struct pages *pages, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		((volatile char *)pages->memory)[i * pages->page_size] = 1;
}

/* Index of the page that addr lies in, or -1. */
static long page_index(const struct pages *pages, uint64_t addr)
{
	uint64_t base = (uintptr_t)pages->memory;

	if (addr < base || addr >= base + pages->n * pages->page_size)
		return -1;
	return (long)((addr - base) / pages->page_size);
}

static void put_pages(struct pages *pages)
{
	munmap(pages->memory, pages->n * pages->page_size);
}

static struct perf_event_attr page_faults(uint64_t period)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = period;
	attr.sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	return attr;
}

/* Header, identifier, pid and tid, time, addr: 8 bytes each. */
#define SAMPLE_SIZE 40

/* Fail with what the library says. */
#define ok(call, err)                                                                  \
	do {                                                                           \
		int result_ = (call);                                                  \
		ck_assert_msg(result_ == 0, "%s: %d: %s", #call, result_, (err).text); \
	} while (0)

/* Errors of a machine that allows no perf events at all, e.g. a container. */
static bool is_forbidden(int result)
{
	return result == -EACCES || result == -EPERM || result == -ENOSYS;
}

static bool perf_allowed(void)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	struct event event;
	struct err err;
	int result = event_open_self(&event, &attr, &err);

	if (is_forbidden(result)) {
		printf("event: tests that open events skipped: %s\n", err.text);
		return false;
	}
	event_close(&event);
	return true;
}

struct seen {
	uint64_t samples;  /* all */
	uint64_t in_order; /* of the pages, each as expected */
	uint64_t lost;
	uint64_t records; /* of other types */
};

/* Read the ring, in which the pages must appear from `first` on, up (step 1) or down (-1). */
static void drain(struct event *event, const struct pages *pages, long first, long step,
		  struct seen *seen)
{
	struct ring_record record;
	struct ring_sample sample;
	struct err err;
	int result;

	memset(seen, 0, sizeof(*seen));
	while ((result = ring_next(&event->ring, &record, &err)) == 1) {
		uint64_t lost;

		if (record.header->type == PERF_RECORD_LOST) {
			ok(ring_parse_lost(&record, &lost, &err), err);
			seen->lost += lost;
			continue;
		}
		if (record.header->type != PERF_RECORD_SAMPLE) {
			seen->records++;
			continue;
		}
		ok(ring_parse_sample(&record, &event->attr, &sample, &err), err);
		ck_assert_uint_eq(sample.tid, (uint32_t)gettid());
		ck_assert_uint_eq(sample.identifier, event->id);
		seen->samples++;
		if (page_index(pages, sample.addr) < 0)
			continue; /* a fault of libc or the stack */
		ck_assert_int_eq(page_index(pages, sample.addr), first);
		first += step;
		seen->in_order++;
	}
	ck_assert_msg(result == 0, "ring_next: %d: %s", result, err.text);
}

START_TEST(counts_page_faults)
{
	struct perf_event_attr attr = page_faults(0);
	struct event_count count;
	struct event event;
	struct pages pages;
	struct err err;

	get_pages(&pages, 100);
	ok(event_open_self(&event, &attr, &err), err);
	touch(&pages, 0, 10); /* not enabled yet */
	ok(event_read(&event, &count, &err), err);
	ck_assert_uint_eq(count.value, 0);
	ok(event_enable(&event, &err), err);
	touch(&pages, 10, 60);
	ok(event_disable(&event, &err), err);
	touch(&pages, 60, 100);
	ok(event_read(&event, &count, &err), err);
	ck_assert_uint_ge(count.value, 50);
	ck_assert_uint_lt(count.value, 90); /* nor what was touched while disabled */
	ck_assert_uint_gt(count.enabled, 0);
	ck_assert_uint_eq(count.enabled, count.running); /* software is never multiplexed */
	event_close(&event);
	put_pages(&pages);
}
END_TEST

START_TEST(clocks_count)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	struct err err;

	ck_assert_uint_eq(attr.type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(attr.config, PERF_COUNT_SW_CPU_CLOCK);
	ck_assert_uint_eq(attr.size, sizeof(attr));
	ck_assert(attr.disabled);
	ck_assert(!attr.exclude_kernel && !attr.exclude_user && !attr.exclude_hv);
	ok(event_probe(&attr, &err), err);
	attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	ok(event_probe(&attr, &err), err);
	attr = event_attr_cpu_clock(12345);
	ck_assert_uint_eq(attr.sample_period, 12345);
	ck_assert(!attr.freq);
	ok(event_probe(&attr, &err), err);
}
END_TEST

/* The dummy event opens everywhere and never counts. */
START_TEST(probe_counted_nothing)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct err err;

	ck_assert_int_eq(event_probe(&attr, &err), -ENODATA);
	ck_assert_ptr_nonnull(strstr(err.text, "counted nothing"));
	ck_assert_ptr_nonnull(strstr(err.text, "type 1 (software), config 0x9"));
}
END_TEST

/* An event that was never on a CPU, and one that was but did not count. */
START_TEST(counted_says_which)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	struct event_count count = { .enabled = 5, .running = 4 };
	struct event event;
	struct err err;

	ok(event_open_self(&event, &attr, &err), err);
	ck_assert_int_eq(event_counted(&event, &count, &err), -ENODATA);
	ck_assert_ptr_nonnull(strstr(err.text, "counted nothing (enabled 5 ns, running 4 ns)"));
	ok(event_read(&event, &count, &err), err);
	ck_assert_int_eq(event_counted(&event, &count, &err), -ENODATA);
	ck_assert_ptr_nonnull(strstr(err.text, "never scheduled (enabled 0 ns"));
	count.value = 1;
	ok(event_counted(&event, &count, &err), err);
	event_close(&event);
}
END_TEST

START_TEST(ring_has_every_fault)
{
	struct perf_event_attr attr = page_faults(1);
	struct event event;
	struct pages pages;
	struct seen seen;
	struct err err;

	get_pages(&pages, 3000);
	ok(event_open_self(&event, &attr, &err), err);
	ok(event_map(&event, 16, false, &err), err);
	ok(event_enable(&event, &err), err);
	/* Several times round the ring, so that records wrap. */
	for (size_t i = 0; i < pages.n; i += 1000) {
		touch(&pages, i, i + 1000);
		drain(&event, &pages, (long)i, 1, &seen);
		ck_assert_uint_eq(seen.in_order, 1000);
		ck_assert_uint_eq(seen.lost, 0);
	}
	ok(event_disable(&event, &err), err);
	event_close(&event);
	put_pages(&pages);
}
END_TEST

/* What did not fit is reported with the next record that does. */
START_TEST(ring_counts_lost)
{
	struct perf_event_attr attr = page_faults(1);
	struct event_count count;
	struct event event;
	struct pages pages;
	struct seen first, second;
	struct err err;

	get_pages(&pages, 501);
	ok(event_open_self(&event, &attr, &err), err);
	ok(event_map(&event, 1, false, &err), err);
	ok(event_enable(&event, &err), err);
	touch(&pages, 0, 500);
	/* So that no fault of the reader itself is the next record. */
	ok(event_disable(&event, &err), err);
	drain(&event, &pages, 0, 1, &first);
	ok(event_enable(&event, &err), err);
	touch(&pages, 500, 501);
	ok(event_disable(&event, &err), err);
	drain(&event, &pages, 500, 1, &second);
	ok(event_read(&event, &count, &err), err);
	ck_assert_uint_lt(first.in_order, 500);
	ck_assert_uint_gt(second.lost, 0);
	ck_assert_uint_eq(second.in_order, 1);
	ck_assert_uint_eq(first.samples + first.lost + second.samples + second.lost, count.value);
	event_close(&event);
	put_pages(&pages);
}
END_TEST

START_TEST(overwrite_keeps_newest)
{
	struct perf_event_attr attr = page_faults(1);
	struct event event;
	struct pages pages;
	struct seen seen;
	struct err err;

	attr.write_backward = 1;
	get_pages(&pages, 520);
	ok(event_open_self(&event, &attr, &err), err);
	ok(event_map(&event, 1, true, &err), err);
	ok(event_enable(&event, &err), err);
	touch(&pages, 0, 500);
	ok(event_pause(&event, true, &err), err);
	drain(&event, &pages, 499, -1, &seen);
	/* All of a page of whole records, less what was no page of ours. */
	ck_assert_uint_eq(seen.samples, (uint64_t)pages.page_size / SAMPLE_SIZE);
	ck_assert_uint_gt(seen.in_order, seen.samples / 2);
	ck_assert_uint_eq(seen.lost, 0);
	touch(&pages, 500, 510); /* paused: not in the ring */
	ok(event_pause(&event, false, &err), err);
	touch(&pages, 510, 520);
	ok(event_pause(&event, true, &err), err);
	drain(&event, &pages, 519, -1, &seen);
	ck_assert_uint_eq(seen.in_order, 10);
	event_close(&event);
	put_pages(&pages);
}
END_TEST

START_TEST(refresh_stops)
{
	struct perf_event_attr attr = page_faults(1);
	struct event event;
	struct pages pages;
	struct seen seen;
	struct err err;

	get_pages(&pages, 20);
	ok(event_open_self(&event, &attr, &err), err);
	ok(event_map(&event, 1, false, &err), err);
	ok(event_refresh(&event, 3, &err), err);
	touch(&pages, 0, 10);
	drain(&event, &pages, 0, 1, &seen);
	ck_assert_uint_eq(seen.samples, 3);
	ok(event_refresh(&event, 2, &err), err);
	touch(&pages, 10, 20);
	drain(&event, &pages, 10, 1, &seen);
	ck_assert_uint_eq(seen.samples, 2);
	event_close(&event);
	put_pages(&pages);
}
END_TEST

/* Both kinds of samples are in the ring of the first, and told apart. */
START_TEST(output_of_another_event)
{
	struct perf_event_attr attr = page_faults(1);
	struct event first, second;
	struct ring_record record;
	struct ring_sample sample;
	size_t of_first = 0, of_second = 0;
	struct pages pages;
	struct err err;

	get_pages(&pages, 10);
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	ok(event_open_self(&first, &attr, &err), err);
	/* Not the same event: Linux 6.18 gives samples of both the ids of one. */
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	ok(event_open_self(&second, &attr, &err), err);
	ok(event_map(&first, 1, false, &err), err);
	ok(event_redirect(&second, &first, &err), err);
	ok(event_enable(&first, &err), err);
	ok(event_enable(&second, &err), err);
	touch(&pages, 0, 10);
	ok(event_disable(&first, &err), err);
	ok(event_disable(&second, &err), err);
	while (ring_next(&first.ring, &record, &err) > 0) {
		ok(ring_parse_sample(&record, &attr, &sample, &err), err);
		of_first += sample.identifier == first.id;
		of_second += sample.identifier == second.id;
	}
	ck_assert_uint_ge(of_first, 10);
	ck_assert_uint_ge(of_second, 10);
	ck_assert_int_lt(event_redirect(&first, &first, &err), 0);
	event_close(&second);
	event_close(&first);
	put_pages(&pages);
}
END_TEST

START_TEST(member_follows_leader)
{
	struct perf_event_attr clock = event_attr_cpu_clock(0);
	struct perf_event_attr faults = page_faults(0);
	struct event leader, member;
	struct event_count count;
	struct pages pages;
	struct err err;

	get_pages(&pages, 40);
	ok(event_open_self(&leader, &clock, &err), err);
	ok(event_open_member(&member, &faults, &leader, &err), err);
	ck_assert_uint_ne(leader.id, member.id);
	touch(&pages, 0, 20);
	ok(event_read(&member, &count, &err), err);
	ck_assert_uint_eq(count.value, 0);
	ok(event_enable(&leader, &err), err);
	touch(&pages, 20, 40);
	ok(event_disable(&leader, &err), err);
	ok(event_read(&member, &count, &err), err);
	ck_assert_uint_ge(count.value, 20);
	ok(event_read(&leader, &count, &err), err);
	ck_assert_uint_gt(count.value, 0);
	event_close(&member);
	event_close(&leader);
	put_pages(&pages);
}
END_TEST

/* A child's faults are not ours, and ours are not lost when it closes its copy of the event. */
START_TEST(child_closes_its_copy)
{
	struct perf_event_attr attr = page_faults(1);
	struct event event;
	struct pages pages;
	struct seen seen;
	struct err err;
	int status;
	pid_t child;

	get_pages(&pages, 20);
	ok(event_open_self(&event, &attr, &err), err);
	ck_assert_int_eq(fcntl(event.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ok(event_map(&event, 1, false, &err), err);
	ok(event_enable(&event, &err), err);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		size_t size = 2 * pages.page_size;
		/* Where the ring is in the parent, something else is in the child. */
		char *reused = mmap(event.ring.page, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (reused != (char *)event.ring.page)
			_exit(1);
		event_close(&event);
		memset(reused, 1, size); /* a crash if it was unmapped */
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	drain(&event, &pages, 0, 1, &seen);
	touch(&pages, 0, 20);
	drain(&event, &pages, 0, 1, &seen);
	ck_assert_uint_eq(seen.in_order, 20);
	event_close(&event);
	event_close(&event); /* closing twice is safe */
	put_pages(&pages);
}
END_TEST

/* An event of a task that waits for us: it counts there and not here. */
START_TEST(open_task)
{
	struct perf_event_attr attr = page_faults(0);
	struct event event, on_cpu;
	struct event_count count, count_on_cpu;
	struct pages pages;
	struct err err;
	int go[2], status;
	pid_t child;

	get_pages(&pages, 50);
	ck_assert_int_eq(pipe2(go, O_CLOEXEC), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		char byte;

		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		touch(&pages, 0, 50);
		_exit(0);
	}
	ok(event_open_task(&event, &attr, child, &err), err);
	/* Counts only what the child does while on CPU 0. */
	ok(event_open_task_cpu(&on_cpu, &attr, child, 0, &err), err);
	ok(event_enable(&event, &err), err);
	ok(event_enable(&on_cpu, &err), err);
	ck_assert_int_eq(write(go[1], "x", 1), 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ok(event_read(&event, &count, &err), err);
	ok(event_read(&on_cpu, &count_on_cpu, &err), err);
	ck_assert_uint_ge(count.value, 50);
	ck_assert_uint_le(count_on_cpu.value, count.value);
	event_close(&on_cpu);
	event_close(&event);
	close(go[0]);
	close(go[1]);
	put_pages(&pages);
}
END_TEST

/* Needs more rights than the rest: everything on a CPU. */
START_TEST(open_cpu)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	struct event_count count;
	struct event event;
	struct err err;
	int result = event_open_cpu(&event, &attr, 0, &err);

	if (is_forbidden(result)) {
		printf("event: open_cpu skipped: %s\n", err.text);
		return;
	}
	ck_assert_msg(result == 0, "%s", err.text);
	ok(event_enable(&event, &err), err);
	usleep(1000);
	ok(event_disable(&event, &err), err);
	ok(event_read(&event, &count, &err), err);
	/* The CPU's clock runs also when it is idle. */
	ck_assert_uint_ge(count.value, 1000000);
	event_close(&event);
}
END_TEST

START_TEST(map_refuses)
{
	struct perf_event_attr attr = page_faults(1);
	struct event event;
	struct err err;

	ok(event_open_self(&event, &attr, &err), err);
	ck_assert_int_eq(event_map(&event, 0, false, &err), -EINVAL);
	ck_assert_int_eq(event_map(&event, 3, false, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "power of two"));
	ck_assert_int_eq(event_map(&event, 1, true, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "write_backward"));
	ok(event_map(&event, 1, false, &err), err);
	ck_assert_int_eq(event_map(&event, 1, false, &err), -EINVAL);
	event_close(&event);
}
END_TEST

START_TEST(read_refuses_group)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	struct event_count count;
	struct event event;
	struct err err;

	attr.read_format |= PERF_FORMAT_GROUP;
	ok(event_open_self(&event, &attr, &err), err);
	ck_assert_int_eq(event_read(&event, &count, &err), -EINVAL);
	event_close(&event);
}
END_TEST

/* A message must say what was asked for, and what the kernel said. */
static void expect_parts(const char *text, const char *const *parts)
{
	for (; *parts; parts++)
		ck_assert_msg(strstr(text, *parts) != NULL, "\"%s\" lacks \"%s\"", text, *parts);
}

START_TEST(error_names_everything)
{
	/* No PMU has the type number INT_MAX: they are handed out from 6 up. */
	struct perf_event_attr attr = event_attr(INT32_MAX, 0xc0ffee);
	struct event event;
	struct err err;

	attr.sample_period = 4711;
	attr.precise_ip = 2;
	ck_assert_int_eq(event_open_cpu(&event, &attr, 0, &err), -ENOENT);
	ck_assert_int_eq(event.fd, -1);
	expect_parts(err.text, (const char *const[]){ "type 2147483647,", "config 0xc0ffee",
						      "period 4711", "precise_ip 2", "task any",
						      "CPU 0", "ENOENT", "no such event", NULL });
	attr.freq = 1;
	attr.sample_freq = 99;
	ck_assert_int_eq(event_open_task(&event, &attr, getpid(), &err), -ENOENT);
	expect_parts(err.text, (const char *const[]){ "frequency 99", "CPU any", NULL });
	ck_assert_int_eq(event_open_self(&event, &attr, NULL), -ENOENT);
	event_close(&event);
}
END_TEST

START_TEST(error_no_task)
{
	struct perf_event_attr attr = event_attr_cpu_clock(0);
	struct event event;
	struct err err;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child)
		_exit(0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(event_open_task(&event, &attr, child, &err), -ESRCH);
	expect_parts(err.text, (const char *const[]){ "ESRCH", "no such task", NULL });
}
END_TEST

/* Where cycles do not exist the message has to say so; where they do, they count. */
START_TEST(hardware_event)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct event event;
	struct err err;
	int result = event_probe(&attr, &err);

	if (result == -ENOENT) {
		ck_assert_int_eq(event_open_self(&event, &attr, &err), -ENOENT);
		expect_parts(err.text, (const char *const[]){ "type 0 (hardware), config 0x0",
							      "ENOENT", "no such event", NULL });
		return;
	}
	printf("event: cycles here: %s\n", result ? err.text : "they count");
	ck_assert(result == 0 || result == -ENODATA || is_forbidden(result));
}
END_TEST

START_TEST(meanings)
{
	static const int known[] = { E2BIG,  EACCES, EBADF, EBUSY,	EINVAL,	   ENODEV, ENOENT,
				     ENOSPC, ENOSYS, EPERM, EOPNOTSUPP, EOVERFLOW, ESRCH,  EMFILE };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert_str_ne(event_errno_meaning(known[i]), "");
	ck_assert_str_eq(event_errno_meaning(ENOMEM), "");
	ck_assert_ptr_nonnull(strstr(event_errno_meaning(EOPNOTSUPP), "cannot sample"));
}
END_TEST

START_TEST(closed_event)
{
	struct event event = EVENT_CLOSED;

	event_close(&event);
	ck_assert_int_eq(event.fd, -1);
}
END_TEST

static TCase *events_case(void)
{
	TCase *tcase = tcase_create("events");

	tcase_add_test(tcase, counts_page_faults);
	tcase_add_test(tcase, clocks_count);
	tcase_add_test(tcase, probe_counted_nothing);
	tcase_add_test(tcase, counted_says_which);
	tcase_add_test(tcase, ring_has_every_fault);
	tcase_add_test(tcase, ring_counts_lost);
	tcase_add_test(tcase, overwrite_keeps_newest);
	tcase_add_test(tcase, refresh_stops);
	tcase_add_test(tcase, output_of_another_event);
	tcase_add_test(tcase, member_follows_leader);
	tcase_add_test(tcase, child_closes_its_copy);
	tcase_add_test(tcase, open_task);
	tcase_add_test(tcase, open_cpu);
	tcase_add_test(tcase, map_refuses);
	tcase_add_test(tcase, read_refuses_group);
	tcase_add_test(tcase, error_names_everything);
	tcase_add_test(tcase, error_no_task);
	tcase_add_test(tcase, hardware_event);
	return tcase;
}

Suite *suite(void)
{
	Suite *s = suite_create("event");
	TCase *tcase = tcase_create("texts");

	tcase_add_test(tcase, meanings);
	tcase_add_test(tcase, closed_event);
	suite_add_tcase(s, tcase);
	if (perf_allowed())
		suite_add_tcase(s, events_case());
	return s;
}
