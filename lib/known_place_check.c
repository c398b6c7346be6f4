// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "known_place.h"

Suite *suite(void);

#define IP 0x401010
#define KERNEL 0xffffffff81000000
#define USER_MARK ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL_MARK ((uint64_t)PERF_CONTEXT_KERNEL)

static const uint64_t returns[] = { 0x402000, 0x403000, 0x404000 };
/* Registers 1, 6, 8 (the address) and 12. */
static const uint64_t regs[] = { 0x1111, 0x7ffe0000, 0, 0x4444 };
static const uint64_t stack[] = { 0xa, 0xb, 0xc };

static const struct known_place place = {
	.begin = 0x401000,
	.end = 0x401100,
	.returns = returns,
	.depth = 3,
	.regs = regs,
	.regs_mask = 1 << 1 | 1 << 6 | 1 << 8 | 1 << 12,
	.regs_unsaved = 1 << 1 | 1 << 12,
	.ip_reg = 8,
	.stack = stack,
	.stack_words = 3,
};

/* Sound chains: of user code, of the kernel, and with what called the first function. */
static const struct {
	uint64_t ip;
	uint64_t entries[12];
	uint64_t nr;
} sound[] = {
	{ IP, { USER_MARK, IP, 0x402000, 0x403000, 0x404000 }, 5 },
	{ IP, { USER_MARK, IP, 0x402000, 0x403000, 0x404000, 0x405000, 1 }, 7 },
	{ KERNEL,
	  { KERNEL_MARK, KERNEL, KERNEL + 8, USER_MARK, 0x401020, 0x402000, 0x403000, 0x404000 },
	  8 },
	{ KERNEL, { KERNEL_MARK, KERNEL, USER_MARK, 0x401020, 0x402000, 0x403000, 0x404000 }, 7 },
};

#define SOUND ((int)(sizeof(sound) / sizeof(sound[0])))

static struct ring_sample chain_sample(uint64_t ip, const uint64_t *entries, uint64_t nr)
{
	return (struct ring_sample){ .ip = ip, .callchain = entries, .callchain_nr = nr };
}

START_TEST(sound_chains)
{
	const struct ring_sample sample =
		chain_sample(sound[_i].ip, sound[_i].entries, sound[_i].nr);

	ck_assert(known_chain_right(&place, &sample));
}
END_TEST

/* Entries up to and with the last caller: the rest is not judged. */
static uint64_t judged(int i)
{
	return i == 1 ? 5 : sound[i].nr;
}

START_TEST(each_entry_left_out_is_noticed)
{
	for (uint64_t out = 0; out < judged(_i); out++) {
		uint64_t entries[12], n = 0;
		struct ring_sample sample;

		/* The kernel's callers may be fewer. */
		if (_i == 2 && out == 2)
			continue;
		for (uint64_t i = 0; i < sound[_i].nr; i++)
			if (i != out)
				entries[n++] = sound[_i].entries[i];
		sample = chain_sample(sound[_i].ip, entries, n);
		ck_assert_msg(!known_chain_right(&place, &sample), "entry %d", (int)out);
	}
}
END_TEST

START_TEST(each_entry_that_is_another_is_noticed)
{
	for (uint64_t at = 0; at < judged(_i); at++) {
		uint64_t entries[12];
		struct ring_sample sample = chain_sample(sound[_i].ip, entries, sound[_i].nr);

		if (_i == 2 && at == 2)
			continue;
		memcpy(entries, sound[_i].entries, sizeof(entries));
		entries[at] ^= 0x800;
		ck_assert_msg(!known_chain_right(&place, &sample), "entry %d", (int)at);
	}
}
END_TEST

START_TEST(cut_short)
{
	for (uint64_t nr = 0; nr < judged(_i); nr++) {
		const struct ring_sample sample = chain_sample(sound[_i].ip, sound[_i].entries, nr);

		ck_assert_msg(!known_chain_right(&place, &sample), "%d entries", (int)nr);
	}
}
END_TEST

START_TEST(limited)
{
	const uint64_t entries[] = { USER_MARK, IP, 0x402000, 0x403000 };
	struct ring_sample sample = chain_sample(IP, entries, 3);

	ck_assert(known_chain_limited(&place, &sample, 2));
	ck_assert(!known_chain_limited(&place, &sample, 1));
	ck_assert(!known_chain_limited(&place, &sample, 3));
	sample.callchain_nr = 4;
	ck_assert(!known_chain_limited(&place, &sample, 2));
	ck_assert(known_chain_limited(&place, &sample, 3));
	sample.callchain++;
	sample.callchain_nr = 3;
	ck_assert(!known_chain_limited(&place, &sample, 2));
	sample = chain_sample(IP + 1, entries, 3);
	ck_assert(!known_chain_limited(&place, &sample, 2));
}
END_TEST

START_TEST(one_mode_only)
{
	const uint64_t user[] = { USER_MARK, IP, 0x402000 };
	const uint64_t kernel[] = { KERNEL_MARK, KERNEL };
	const uint64_t odd[] = { KERNEL_MARK, IP };
	const uint64_t both[] = { KERNEL_MARK, KERNEL, USER_MARK, IP };
	struct ring_sample sample = chain_sample(KERNEL, user, 3);

	ck_assert(known_chain_only(&sample, true));
	ck_assert(!known_chain_only(&sample, false));
	sample = chain_sample(KERNEL, kernel, 2);
	ck_assert(known_chain_only(&sample, false));
	ck_assert(!known_chain_only(&sample, true));
	sample = chain_sample(KERNEL, odd, 2);
	ck_assert(!known_chain_only(&sample, true));
	ck_assert(!known_chain_only(&sample, false));
	sample = chain_sample(KERNEL, both, 4);
	ck_assert(!known_chain_only(&sample, true));
	ck_assert(!known_chain_only(&sample, false));
	sample = chain_sample(KERNEL, kernel, 1);
	ck_assert(!known_chain_only(&sample, false));
}
END_TEST

START_TEST(modes)
{
	ck_assert(known_mode_right(IP, PERF_RECORD_MISC_USER));
	ck_assert(!known_mode_right(IP, PERF_RECORD_MISC_KERNEL));
	ck_assert(known_mode_right(KERNEL, PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP));
	ck_assert(!known_mode_right(KERNEL, PERF_RECORD_MISC_USER));
	ck_assert(!known_mode_right(IP, PERF_RECORD_MISC_GUEST_USER));
	ck_assert(!known_mode_right(IP, 0));
}
END_TEST

static struct ring_sample regs_sample(uint64_t ip, const uint64_t *values)
{
	return (struct ring_sample){ .ip = ip,
				     .user_regs_abi = PERF_SAMPLE_REGS_ABI_64,
				     .user_regs = values,
				     .intr_regs_abi = PERF_SAMPLE_REGS_ABI_64,
				     .intr_regs = values };
}

/* A sample there with one of the registers, number `at` of the mask, being another. */
static bool regs_right_with(uint64_t ip, size_t at, uint64_t value)
{
	uint64_t values[] = { regs[0], regs[1], known_is_user(ip) ? ip : 0x401020, regs[3] };
	struct ring_sample sample;

	values[at] = value;
	sample = regs_sample(ip, values);
	if (known_is_user(ip))
		ck_assert_int_eq(known_intr_regs_right(&place, &sample),
				 known_regs_right(&place, &sample));
	return known_regs_right(&place, &sample);
}

START_TEST(registers)
{
	const uint64_t values[] = { regs[0], regs[1], IP, regs[3] };
	struct ring_sample sample = regs_sample(IP, values);

	ck_assert(regs_right_with(IP, 0, regs[0]));
	for (size_t i = 0; i < 4; i++)
		ck_assert(!regs_right_with(IP, i, values[i] ^ 1));
	ck_assert(!regs_right_with(IP, 0, UINT64_MAX));
	sample.user_regs_abi = PERF_SAMPLE_REGS_ABI_NONE;
	ck_assert(!known_regs_right(&place, &sample));
}
END_TEST

/* In a system call some may be missing, but none may be wrong. */
START_TEST(registers_in_the_kernel)
{
	ck_assert(regs_right_with(KERNEL, 0, regs[0]));
	ck_assert(regs_right_with(KERNEL, 0, UINT64_MAX));
	ck_assert(!regs_right_with(KERNEL, 0, 5));
	ck_assert(!regs_right_with(KERNEL, 1, UINT64_MAX));
	ck_assert(!regs_right_with(KERNEL, 2, KERNEL));
}
END_TEST

START_TEST(stacks)
{
	uint64_t words[] = { 0xa, 0xb, 0xc, 0xd };
	struct ring_sample sample = { .user_stack = words,
				      .user_stack_size = sizeof(words),
				      .user_stack_used = sizeof(words) };

	ck_assert(known_stack_right(&place, &sample));
	sample.user_stack = words + 1;
	ck_assert(!known_stack_right(&place, &sample));
	sample.user_stack = words;
	sample.user_stack_used = 16;
	ck_assert(!known_stack_right(&place, &sample));
	sample.user_stack_used = 24;
	ck_assert(known_stack_right(&place, &sample));
	words[2] = 0;
	ck_assert(!known_stack_right(&place, &sample));
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("known_place");
	TCase *tests = tcase_create("known_place");

	tcase_add_loop_test(tests, sound_chains, 0, SOUND);
	tcase_add_loop_test(tests, each_entry_left_out_is_noticed, 0, SOUND);
	tcase_add_loop_test(tests, each_entry_that_is_another_is_noticed, 0, SOUND);
	tcase_add_loop_test(tests, cut_short, 0, SOUND);
	tcase_add_test(tests, limited);
	tcase_add_test(tests, one_mode_only);
	tcase_add_test(tests, modes);
	tcase_add_test(tests, registers);
	tcase_add_test(tests, registers_in_the_kernel);
	tcase_add_test(tests, stacks);
	suite_add_tcase(all, tests);
	return all;
}
