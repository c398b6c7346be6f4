// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace_page.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/* Of libtraceevent, which is not everywhere (trace_none.c). */
#if __has_include(<kbuffer.h>)
#include <kbuffer.h>
#endif

Suite *suite(void);

#define PAGE 4096
#define START 1000000 /* time stamp of the pages built here */
#define LOST (1u << 31)
#define LOST_STORED (1u << 30)

/* A page being built: header of `word` bytes of commit, then records. */
struct builder {
	unsigned char page[PAGE];
	size_t word;
	size_t used;
};

static void set_commit(struct builder *builder, uint64_t flags)
{
	uint64_t commit = builder->used | flags;
	uint32_t low = (uint32_t)commit;

	if (builder->word == sizeof(low))
		memcpy(builder->page + sizeof(uint64_t), &low, sizeof(low));
	else
		memcpy(builder->page + sizeof(uint64_t), &commit, sizeof(commit));
}

static struct builder *new_page(size_t word)
{
	struct builder *builder = calloc(1, sizeof(*builder));
	uint64_t start = START;

	ck_assert_ptr_nonnull(builder);
	memcpy(builder->page, &start, sizeof(start));
	builder->word = word;
	return builder;
}

static void add_word(struct builder *builder, uint32_t value)
{
	memcpy(builder->page + sizeof(uint64_t) + builder->word + builder->used, &value,
	       sizeof(value));
	builder->used += sizeof(value);
	set_commit(builder, 0);
}

/* The bit order of a record header follows the byte order. */
static void add_head(struct builder *builder, uint32_t type, uint32_t time)
{
	add_word(builder,
		 __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? type | time << 5 : type << 27 | time);
}

/* A record of n words, each `value`. */
static void add_record(struct builder *builder, uint32_t time, uint32_t n, uint32_t value)
{
	add_head(builder, n, time);
	for (uint32_t i = 0; i < n; i++)
		add_word(builder, value);
}

static void expect(struct trace_page *page, uint64_t time, size_t size, uint32_t value)
{
	const void *data;
	size_t got;
	uint32_t first;

	ck_assert_int_eq(trace_page_next(page, &data, &got), 1);
	ck_assert_uint_eq(page->time, time);
	ck_assert_uint_eq(got, size);
	memcpy(&first, data, sizeof(first));
	ck_assert_uint_eq(first, value);
}

static void expect_end(struct trace_page *page)
{
	const void *data;
	size_t size;

	ck_assert_int_eq(trace_page_next(page, &data, &size), 0);
	ck_assert_int_eq(trace_page_next(page, &data, &size), 0);
}

/* All kinds of records, in one page. */
static struct builder *mixed_page(size_t word)
{
	struct builder *builder = new_page(word);

	add_record(builder, 5, 2, 0x11);
	/* 30: (3 << 27) + 7 more */
	add_head(builder, 30, 7);
	add_word(builder, 3);
	add_record(builder, 1, 28, 0x22);
	/* 29: one that was discarded: 2 words follow, its time counts */
	add_head(builder, 29, 9);
	add_word(builder, 8);
	add_word(builder, 0xdead);
	/* 0: longer than 28 words, or not a number of words: 4 + 6 bytes, padded to 12 */
	add_head(builder, 0, 2);
	add_word(builder, 10);
	add_word(builder, 0x33);
	add_word(builder, 0x33);
	/* 31: absolute: (20 << 27) + 4 */
	add_head(builder, 31, 4);
	add_word(builder, 20);
	add_record(builder, 6, 1, 0x44);
	/* nothing but padding behind this */
	add_head(builder, 29, 0);
	add_word(builder, 0xdead);
	return builder;
}

START_TEST(all_kinds)
{
	struct builder *builder = mixed_page(_i ? 4 : 8);
	uint64_t time = START + 5;
	struct trace_page page;

	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, builder->word), 0);
	ck_assert_uint_eq(page.lost, 0);
	ck_assert_uint_eq(page.used, builder->used);
	expect(&page, time, 8, 0x11);
	time += (3ull << 27) + 7 + 1;
	expect(&page, time, 112, 0x22);
	time += 9 + 2;
	expect(&page, time, 6, 0x33);
	time = (20ull << 27) + 4 + 6;
	expect(&page, time, 4, 0x44);
	expect_end(&page);
	free(builder);
}
END_TEST

/* An absolute stamp has 59 bits; the five above come from the time so far. */
START_TEST(stamp_keeps_top_bits)
{
	struct builder *builder = new_page(8);
	uint64_t start = 3ull << 59 | 77;
	struct trace_page page;

	memcpy(builder->page, &start, sizeof(start));
	add_head(builder, 31, 4);
	add_word(builder, 1);
	add_record(builder, 0, 1, 0x55);
	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, 8), 0);
	expect(&page, 3ull << 59 | 1ull << 27 | 4, 4, 0x55);
	free(builder);
}
END_TEST

#if __has_include(<kbuffer.h>)
/* libtraceevent reads the same page the same way. */
START_TEST(same_as_kbuffer)
{
	struct builder *builder = mixed_page(_i ? 4 : 8);
	struct kbuffer *kbuf =
		kbuffer_alloc(_i ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct trace_page page;
	unsigned long long time;
	const void *data;
	size_t size;
	void *theirs;
	int n = 0;

	ck_assert_int_eq(kbuffer_load_subbuffer(kbuf, builder->page), 0);
	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, builder->word), 0);
	for (theirs = kbuffer_read_event(kbuf, &time); theirs;
	     theirs = kbuffer_next_event(kbuf, &time)) {
		ck_assert_int_eq(trace_page_next(&page, &data, &size), 1);
		ck_assert_ptr_eq(data, theirs);
		ck_assert_uint_eq(page.time, time);
		n++;
	}
	expect_end(&page);
	ck_assert_int_eq(n, 4);
	kbuffer_free(kbuf);
	free(builder);
}
END_TEST
#endif

/* The number of lost records stands behind the last one. */
START_TEST(lost_number)
{
	size_t word = _i ? 4 : 8;
	struct builder *builder = new_page(word);
	struct trace_page page;
	uint32_t number = 4321;

	add_record(builder, 1, 1, 0x11);
	add_record(builder, 1, 1, 0x12);
	memcpy(builder->page + 8 + word + builder->used, &number, sizeof(number));
	set_commit(builder, LOST | LOST_STORED);
	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, word), 0);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || word == 4)
		ck_assert_uint_eq(page.lost, 4321);
	expect(&page, START + 1, 4, 0x11);
	expect(&page, START + 2, 4, 0x12);
	expect_end(&page);
	free(builder);
}
END_TEST

START_TEST(lost_unknown)
{
	struct builder *builder = new_page(8);
	struct trace_page page;

	add_record(builder, 1, 1, 0x11);
	set_commit(builder, LOST);
	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, 8), 0);
	ck_assert_uint_eq(page.lost, TRACE_LOST_SOME);
	/* Said to be stored, but there is no room where it would be. */
	set_commit(builder, LOST | LOST_STORED);
	ck_assert_int_eq(trace_page_open(&page, builder->page, 16 + builder->used + 7, 8), 0);
	ck_assert_uint_eq(page.lost, TRACE_LOST_SOME);
	free(builder);
}
END_TEST

START_TEST(bad_header)
{
	struct builder *builder = new_page(8);
	struct trace_page page;

	add_record(builder, 1, 1, 0x11);
	ck_assert_int_eq(trace_page_open(&page, builder->page, 15, 8), -EBADMSG);
	ck_assert_int_eq(trace_page_open(&page, builder->page, 16 + 7, 8), -EBADMSG);
	ck_assert_int_eq(trace_page_open(&page, builder->page, 16 + 8, 8), 0);
	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, 3), -EBADMSG);
	free(builder);
}
END_TEST

/* Records that claim more than the page has; the first one is sound. */
static const struct {
	uint32_t type, time, next;
	size_t words; /* how many words of it there are */
} bad_records[] = {
	{ 4, 1, 0, 4 },		  /* data, three of four words */
	{ 0, 1, 16, 4 },	  /* long, 12 of 16 bytes */
	{ 0, 1, 3, 4 },		  /* long, shorter than its own length */
	{ 0, 1, 0xfffffffe, 4 },  /* long, a length that wraps when rounded up */
	{ 0, 1, 0, 1 },		  /* long, cut before its length */
	{ 29, 1, 64, 4 },	  /* discarded */
	{ 29, 1, 0xffffffff, 4 }, /* discarded */
	{ 30, 1, 0, 1 },	  /* time extend, cut in the middle */
	{ 31, 1, 0, 1 },	  /* time stamp, cut in the middle */
};

START_TEST(bad_record)
{
	struct builder *builder = new_page(8);
	struct trace_page page;
	const void *data;
	size_t size;

	add_record(builder, 1, 1, 0x11);
	add_head(builder, bad_records[_i].type, bad_records[_i].time);
	for (size_t i = 1; i < bad_records[_i].words; i++)
		add_word(builder, bad_records[_i].next);
	ck_assert_int_eq(trace_page_open(&page, builder->page, PAGE, 8), 0);
	expect(&page, START + 1, 4, 0x11);
	ck_assert_int_eq(trace_page_next(&page, &data, &size), -EBADMSG);
	free(builder);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("trace_page");
	TCase *tcase = tcase_create("page");

	tcase_add_loop_test(tcase, all_kinds, 0, 2);
	tcase_add_test(tcase, stamp_keeps_top_bits);
#if __has_include(<kbuffer.h>)
	tcase_add_loop_test(tcase, same_as_kbuffer, 0, 2);
#endif
	tcase_add_loop_test(tcase, lost_number, 0, 2);
	tcase_add_test(tcase, lost_unknown);
	tcase_add_test(tcase, bad_header);
	tcase_add_loop_test(tcase, bad_record, 0, sizeof(bad_records) / sizeof(*bad_records));
	suite_add_tcase(suite, tcase);
	return suite;
}
