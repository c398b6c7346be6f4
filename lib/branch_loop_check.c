// SPDX-License-Identifier: GPL-2.0-or-later
#include "branch_loop.h"

#include <check.h>
#include <string.h>

Suite *suite(void);

#define KERNEL 0xffffffff81000000ULL
#define BIT(type) (1U << PERF_BR_##type)
#define BACK 0x1092ULL /* the system call is at 0x1090 */

/* Three jumps and three calls with their returns, in a loop from 0x1000 to 0x1100. */
static const struct loop_branch nine[] = {
	{ 0x1000, 0x1010, PERF_BR_UNCOND }, { 0x1012, 0x1080, PERF_BR_CALL },
	{ 0x1082, 0x1017, PERF_BR_RET },    { 0x1020, 0x1030, PERF_BR_UNCOND },
	{ 0x1032, 0x1080, PERF_BR_CALL },   { 0x1082, 0x1037, PERF_BR_RET },
	{ 0x1040, 0x1050, PERF_BR_UNCOND }, { 0x1052, 0x1080, PERF_BR_CALL },
	{ 0x1082, 0x1057, PERF_BR_RET },
};

static const struct branch_loop loop = {
	.branches = nine, .n = 9, .begin = 0x1000, .end = 0x1100, .back = BACK
};

static const struct branch_filter any_user = { .types = BIT(UNCOND) | BIT(CALL) | BIT(RET),
					       .user = true };

#define DEPTH 16

/* A stack as it must be: the newest is branch number `newest`, and only `types` are in it. */
static uint64_t sound(struct perf_branch_entry *stack, long newest, uint32_t types)
{
	uint64_t nr = 0;

	memset(stack, 0, DEPTH * sizeof(*stack));
	for (long i = newest + 900; nr < DEPTH; i--) {
		const struct loop_branch *branch = &nine[i % 9];

		if (!(types & (1U << branch->type)))
			continue;
		stack[nr].from = branch->from;
		stack[nr++].to = branch->to;
	}
	return nr;
}

static struct branch_tally judge(const struct branch_filter *filter, uint64_t ip,
				 const struct perf_branch_entry *stack, uint64_t nr)
{
	struct branch_tally tally = { .loop = &loop, .filter = *filter };
	const struct ring_sample sample = { .ip = ip, .branches = stack, .branch_nr = nr };

	branch_tally_take(&tally, &sample);
	return tally;
}

static uint64_t wrong(const struct branch_tally *tally)
{
	return tally->unknown + tally->unasked + tally->missing + tally->disordered +
	       tally->to_kernel + tally->to_user + tally->from_kernel;
}

START_TEST(sound_stacks)
{
	static const uint32_t types[] = { BIT(UNCOND), BIT(CALL), BIT(RET), BIT(CALL) | BIT(RET),
					  BIT(UNCOND) | BIT(CALL) | BIT(RET) };

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		const struct branch_filter filter = { .types = types[t], .user = true };
		struct perf_branch_entry stack[DEPTH];
		struct branch_tally tally;

		sound(stack, _i, types[t]);
		tally = judge(&filter, 0x1001, stack, DEPTH);
		ck_assert_uint_eq(tally.stacks, 1);
		ck_assert_uint_eq(wrong(&tally), 0);
		ck_assert_uint_eq(tally.deepest, DEPTH);
		ck_assert_uint_eq(tally.branches, DEPTH);
	}
}
END_TEST

/* What was before the loop ends the walk; a sample elsewhere is not judged. */
START_TEST(before_and_elsewhere)
{
	struct perf_branch_entry stack[DEPTH];
	struct branch_tally tally;

	sound(stack, 4, any_user.types);
	stack[6].from = 0x9000;
	stack[7].to = 0x9000;
	stack[8].from = 0x9000;
	tally = judge(&any_user, 0x10ff, stack, DEPTH);
	ck_assert_uint_eq(tally.stacks, 1);
	ck_assert_uint_eq(wrong(&tally), 0);
	stack[2].from = 0x1003;
	ck_assert_uint_eq(judge(&any_user, 0x1100, stack, DEPTH).stacks, 0);
	ck_assert_uint_eq(judge(&any_user, 0xfff, stack, DEPTH).stacks, 0);
}
END_TEST

START_TEST(unknown_branch)
{
	struct perf_branch_entry stack[DEPTH];
	struct branch_tally tally;

	sound(stack, _i % 9, any_user.types);
	if (_i < 9)
		stack[_i].from++;
	else
		stack[_i - 9].to++;
	tally = judge(&any_user, 0x1001, stack, DEPTH);
	ck_assert_uint_eq(tally.unknown, 1);
	ck_assert_uint_eq(tally.unasked + tally.to_kernel + tally.from_kernel, 0);
}
END_TEST

/* Everything where only some was asked for. */
START_TEST(unasked_branch)
{
	const struct branch_filter calls = { .types = BIT(CALL), .user = true };
	struct perf_branch_entry stack[DEPTH];
	struct branch_tally tally;

	sound(stack, _i, any_user.types);
	tally = judge(&calls, 0x1001, stack, DEPTH);
	ck_assert_uint_eq(tally.unasked, 1);
	ck_assert_uint_eq(tally.missing + tally.disordered + tally.unknown, 0);
}
END_TEST

/* Any one but the newest and the oldest is taken out: no rest looks whole. */
START_TEST(missing_branch)
{
	static const uint32_t types[] = { BIT(CALL), BIT(UNCOND) | BIT(CALL) | BIT(RET) };

	for (int out = 1; out < DEPTH - 1; out++) {
		const struct branch_filter filter = { .types = types[_i], .user = true };
		struct perf_branch_entry stack[DEPTH];
		struct branch_tally tally;

		sound(stack, out % 9, types[_i]);
		memmove(stack + out, stack + out + 1, (size_t)(DEPTH - 1 - out) * sizeof(*stack));
		tally = judge(&filter, 0x1001, stack, DEPTH - 1);
		ck_assert_uint_eq(tally.missing, 1);
		ck_assert_uint_eq(wrong(&tally), 1);
	}
}
END_TEST

START_TEST(none_at_all)
{
	struct branch_tally tally = judge(&any_user, 0x1001, NULL, 0);

	ck_assert_uint_eq(tally.stacks, 1);
	ck_assert_uint_eq(tally.missing, 1);
	ck_assert_uint_eq(wrong(&tally), 1);
}
END_TEST

START_TEST(oldest_first)
{
	struct perf_branch_entry stack[DEPTH], turned[DEPTH];
	struct branch_tally tally;

	sound(stack, _i, any_user.types);
	for (int i = 0; i < DEPTH; i++)
		turned[i] = stack[DEPTH - 1 - i];
	tally = judge(&any_user, 0x1001, turned, DEPTH);
	ck_assert_uint_eq(tally.disordered, 1);
	ck_assert_uint_eq(wrong(&tally), 1);
	/* Two may be either way, and one is. */
	ck_assert_uint_eq(judge(&any_user, 0x1001, turned, 2).disordered, 0);
	ck_assert_uint_eq(wrong(&tally), 1);
}
END_TEST

/* Two changed places: neither sound nor turned round. */
START_TEST(swapped_neighbours)
{
	struct perf_branch_entry stack[DEPTH], kept;
	struct branch_tally tally;

	sound(stack, 4, any_user.types);
	kept = stack[_i];
	stack[_i] = stack[_i + 1];
	stack[_i + 1] = kept;
	tally = judge(&any_user, 0x1001, stack, DEPTH);
	ck_assert_uint_eq(tally.missing, 1);
	ck_assert_uint_eq(tally.disordered, 0);
}
END_TEST

/* A round trip to the kernel in the middle: {to, from} asked for or not. */
START_TEST(kernel_branches)
{
	const struct branch_filter user = any_user;
	const struct branch_filter kernel = { .types = any_user.types | BIT(SYSCALL),
					      .kernel = true };
	const struct branch_filter all = { .types = any_user.types | BIT(SYSCALL) | BIT(SYSRET),
					   .user = true,
					   .kernel = true };
	struct perf_branch_entry stack[DEPTH + 3] = {
		{ .from = KERNEL + 0x90, .to = BACK, .type = PERF_BR_SYSRET },
		{ .from = KERNEL + 0x10, .to = KERNEL + 0x80, .type = PERF_BR_UNCOND },
		{ .from = BACK - 2, .to = KERNEL, .type = PERF_BR_SYSCALL },
	};
	struct branch_tally tally;

	sound(stack + 3, 8, any_user.types);
	tally = judge(&all, 0x1093, stack, DEPTH + 3);
	ck_assert_uint_eq(wrong(&tally), 0);
	ck_assert_uint_eq(tally.calls, 1);
	ck_assert_uint_eq(tally.returns, 1);

	tally = judge(&user, 0x1093, stack, DEPTH + 3);
	ck_assert_uint_eq(tally.to_kernel, 1);
	ck_assert_uint_eq(tally.from_kernel, 1);
	ck_assert_uint_eq(tally.to_user, 0);
	/* The return alone: it leads to user code, but tells of the kernel's. */
	stack[1] = stack[0];
	stack[1].type = PERF_BR_UNKNOWN;
	tally = judge(&user, 0x1093, stack + 1, 1);
	ck_assert_uint_eq(tally.to_kernel, 0);
	ck_assert_uint_eq(tally.from_kernel, 1);

	tally = judge(&kernel, 0x1093, stack + 2, 1);
	ck_assert_uint_eq(wrong(&tally), 0);
	ck_assert_uint_eq(tally.calls, 1);
	tally = judge(&kernel, 0x1093, stack, 1);
	ck_assert_uint_eq(tally.to_user, 1);
	tally = judge(&kernel, 0x1093, stack + 3, DEPTH);
	ck_assert_uint_eq(tally.to_user, 1);
	ck_assert_uint_eq(tally.from_kernel, 0);
}
END_TEST

/* Each entry in turn: the type of its neighbour, and none. */
START_TEST(types)
{
	struct perf_branch_entry stack[DEPTH];

	sound(stack, 4, any_user.types);
	ck_assert_uint_eq(judge(&any_user, 0x1001, stack, DEPTH).mistyped, 1);
	for (int i = 0; i < DEPTH; i++)
		stack[i].type = nine[(4 + 900 - i) % 9].type & 0xf;
	ck_assert_uint_eq(judge(&any_user, 0x1001, stack, DEPTH).mistyped, 0);
	stack[_i].type = nine[(4 + 900 - _i - 1) % 9].type & 0xf;
	ck_assert_uint_eq(judge(&any_user, 0x1001, stack, DEPTH).mistyped, 1);
	stack[_i].type = PERF_BR_UNKNOWN;
	ck_assert_uint_eq(judge(&any_user, 0x1001, stack, DEPTH).mistyped, 1);
}
END_TEST

/* A kernel branch of a type that was not asked for; one of no type is not judged. */
START_TEST(kernel_types)
{
	const struct branch_filter calls = { .types = BIT(CALL), .kernel = true };
	struct perf_branch_entry entry = { .from = KERNEL, .to = KERNEL + 8, .type = PERF_BR_CALL };

	ck_assert_uint_eq(judge(&calls, 0x1001, &entry, 1).unasked, 0);
	entry.type = PERF_BR_COND;
	ck_assert_uint_eq(judge(&calls, 0x1001, &entry, 1).unasked, 1);
	entry.type = PERF_BR_UNKNOWN;
	ck_assert_uint_eq(judge(&calls, 0x1001, &entry, 1).unasked, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("branch_loop");
	TCase *tcase = tcase_create("stacks");

	tcase_add_loop_test(tcase, sound_stacks, 0, 9);
	tcase_add_test(tcase, before_and_elsewhere);
	tcase_add_loop_test(tcase, unknown_branch, 0, 18);
	tcase_add_loop_test(tcase, unasked_branch, 0, 9);
	tcase_add_loop_test(tcase, missing_branch, 0, 2);
	tcase_add_test(tcase, none_at_all);
	tcase_add_loop_test(tcase, oldest_first, 0, 9);
	tcase_add_loop_test(tcase, swapped_neighbours, 1, 8);
	tcase_add_test(tcase, kernel_branches);
	tcase_add_loop_test(tcase, types, 0, DEPTH);
	tcase_add_test(tcase, kernel_types);
	suite_add_tcase(s, tcase);
	return s;
}
