// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "ack_scheme.h"

Suite *suite(void);

#define ENABLED 0x70000000fULL

/* Accesses as they are written in a list: what a handler did, in the letters of ack_scheme.h. */
static size_t play(const char *steps, struct msr_access *access)
{
	static const struct {
		char letter;
		struct msr_access access;
	} plays[] = {
		{ 'D', { .msr = 0x38f, .op = MSR_WRITE } },
		{ 'E', { .msr = 0x38f, .op = MSR_WRITE, .value = ENABLED } },
		{ 'S', { .msr = 0x38e, .op = MSR_READ, .value = 1 } },
		{ '0', { .msr = 0x38e, .op = MSR_READ } }, /* status that is 0 */
		{ 'A', { .msr = 0x390, .op = MSR_WRITE, .value = 1 } },
		{ 'a', { .msr = 0x390, .op = MSR_WRITE, .value = 3 } }, /* of one bit more */
		{ 'Q', { .msr = 0x3f1, .op = MSR_WRITE } },
		{ 'P', { .msr = 0x3f1, .op = MSR_WRITE, .value = 1 } },
		{ 'L', { .msr = 0x834, .op = MSR_WRITE, .value = 0x400 } },
		{ 'C', { .msr = 0, .op = MSR_RDPMC } },
		{ 'c', { .msr = 0x4c1, .op = MSR_WRITE, .value = 0xffff } },
		{ 'B', { .msr = 0x680, .op = MSR_READ } },
		{ 'b', { .msr = 0x1c9, .op = MSR_READ } },
		{ 'x', { .msr = 0x600, .op = MSR_WRITE } }, /* no step at all */
	};
	size_t n = 0;

	for (; *steps; steps++)
		for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++)
			if (plays[i].letter == *steps)
				access[n++] = plays[i].access;
	return n;
}

static struct msr_access played[512];

static struct msr_pmi pmi_of(const char *steps)
{
	return (struct msr_pmi){
		.access = played,
		.n = play(steps, played),
		.handled = 1,
		.ctrl = ENABLED,
		.ctrl_known = true,
		.pebs = 1,
		.pebs_known = true,
	};
}

/*
 * What the handlers do: the counts and orders that the patches to them state, and that reading
 * intel_pmu_handle_irq() of Linux 6.1 gives.
 */
static const struct {
	const char *steps, *sequence, *scheme;
} sound[] = {
	{ "LDSACc0E", "LDSACSE", "classic" },
	{ "DSACc0LE", "DSACSLE", "mid ack" },
	{ "DSACc0EL", "DSACSEL", "late ack" },
	{ "DSACc0E", "DSACSE", "status until 0" },
	{ "DSbBBBACc0E", "DSBACSE", "status until 0" },
	{ "DSxAC0E", "DSACSE", "status until 0" },
	{ "DQSAC0PE", "DQSACSPE", "PEBS toggle" },
	{ "DSCcLAE", "DSCLAE", "status last" },
	{ "DSCcAE", "DSCAE", "status last" },
	{ "SCA", "SCA", "freezing" },
	{ "SCcLA", "SCLA", "freezing" },
};

START_TEST(schemes)
{
	struct msr_pmi pmi = pmi_of(sound[_i].steps);
	char text[ACK_SEQUENCE_MAX];
	const struct ack_scheme *scheme;

	ck_assert_str_eq(ack_sequence(&pmi, text), sound[_i].sequence);
	scheme = ack_scheme(text);
	ck_assert_ptr_nonnull(scheme);
	ck_assert_str_eq(scheme->name, sound[_i].scheme);
	ck_assert(ack_as_read(&pmi));
	ck_assert(ack_restores(&pmi));
}
END_TEST

/* The same with a step missing, doubled or moved: none of them is a scheme. */
static const struct {
	const char *steps;
	bool as_read, restores;
} broken[] = {
	{ "DSCE", false, true },	/* never acknowledged */
	{ "DSAC0", true, false },	/* counters stay off */
	{ "DSACSACSAC0E", true, true }, /* the bit comes back */
	{ "DASC0E", false, true },	/* acknowledged before it is read */
	{ "SACE", true, true },		/* not disabled, but enabled */
	{ "DQSAC0E", true, false },	/* PEBS stays off */
	{ "SaC", false, true },		/* clears what was not read while counters run */
	{ "SACA", true, true },		/* acknowledged twice */
	{ "DSCEA", true, true },	/* counters go on before the acknowledgement */
	{ "LLDSAC0E", true, true },	/* the APIC twice */
	{ "DE", false, true },		/* nothing read */
	{ "", false, true },
};

START_TEST(mutated)
{
	struct msr_pmi pmi = pmi_of(broken[_i].steps);
	char text[ACK_SEQUENCE_MAX];

	ck_assert_msg(!ack_scheme(ack_sequence(&pmi, text)), "%s", text);
	ck_assert_int_eq(ack_as_read(&pmi), broken[_i].as_read);
	ck_assert_int_eq(ack_restores(&pmi), broken[_i].restores);
}
END_TEST

/* Disabled counters may hide a bit more: nothing can overflow between reading and clearing. */
START_TEST(clears_more_while_disabled)
{
	struct msr_pmi pmi = pmi_of("DSCaE");

	ck_assert(ack_as_read(&pmi));
	pmi = pmi_of("DSCEa");
	ck_assert(!ack_as_read(&pmi));
}
END_TEST

/* The order is as it should be, but the status read last was not 0. */
START_TEST(leaves_a_bit)
{
	struct msr_pmi pmi = pmi_of("DSACSE");
	char text[ACK_SEQUENCE_MAX];

	ck_assert_ptr_nonnull(ack_scheme(ack_sequence(&pmi, text)));
	ck_assert(!ack_as_read(&pmi));
}
END_TEST

START_TEST(leaves_as_found)
{
	/* A late PMI, after its counters were disabled: it must not enable them. */
	struct msr_pmi pmi = pmi_of("DSAC0");

	pmi.ctrl = 0;
	ck_assert(ack_restores(&pmi));
	pmi = pmi_of("DSAC0E");
	pmi.ctrl = 0;
	ck_assert(!ack_restores(&pmi));
	/* One counter fewer than before. */
	pmi = pmi_of("DSAC0E");
	pmi.ctrl = ENABLED | 0x10;
	ck_assert(!ack_restores(&pmi));
	/* Nothing is known of before: on, whatever it is. */
	pmi.ctrl_known = false;
	ck_assert(ack_restores(&pmi));
	pmi = pmi_of("DSAC0");
	pmi.ctrl_known = false;
	ck_assert(!ack_restores(&pmi));
}
END_TEST

START_TEST(long_sequences_are_cut)
{
	char steps[301] = "", text[ACK_SEQUENCE_MAX];
	struct msr_pmi pmi;

	for (int i = 0; i < 100; i++)
		memcpy(steps + 3 * i, "SAC", 4);
	pmi = pmi_of(steps);
	ck_assert_uint_eq(strlen(ack_sequence(&pmi, text)), ACK_SEQUENCE_MAX - 1);
	ck_assert_int_eq(text[ACK_SEQUENCE_MAX - 2], '+');
	ck_assert_ptr_null(ack_scheme(text));
	/* 31 steps fit. */
	steps[31] = '\0';
	pmi = pmi_of(steps);
	ck_assert_str_eq(ack_sequence(&pmi, text), steps);
}
END_TEST

/* Append a PMI with its end to a log. */
static void add_pmi(struct msr_log *log, const char *steps, uint32_t handled)
{
	uint64_t start = log->n ? log->access[log->n - 1].time + 1000 : 1000;
	size_t n = play(steps, log->access + log->n);

	for (size_t i = 0; i < n; i++)
		log->access[log->n + i].time = start + 10 * i;
	log->n += n;
	log->access[log->n++] = (struct msr_access){
		.time = start + 500,
		.value = 500,
		.msr = handled,
		.op = MSR_PMI,
	};
}

START_TEST(summary_of_a_log)
{
	static struct msr_access space[4096];
	struct msr_log log = { .access = space };
	struct ack_summary summary;

	/* One in four differs, one in eight loses its acknowledgement, one NMI has no cause. */
	for (int i = 0; i < 4; i++) {
		add_pmi(&log, "DSbBACc0E", 1);
		add_pmi(&log, "DSCcAE", 1);
		for (int j = 0; j < 5; j++)
			add_pmi(&log, "DSACc0E", 2);
		add_pmi(&log, "DSCcE", 1);
	}
	add_pmi(&log, "D0E", 0);
	/* Handled, says the handler, but there was nothing; and another's. */
	add_pmi(&log, "D0E", 1);
	add_pmi(&log, "", 0);
	ack_summarize(&log, &summary);
	ck_assert_uint_eq(summary.pmis, 32);
	ck_assert_uint_eq(summary.idle, 3);
	ck_assert_uint_eq(summary.as_read, 28);
	ck_assert_uint_eq(summary.restored, 32);
	ck_assert_uint_eq(summary.branches, 8);
	ck_assert_uint_eq(summary.rdpmcs, 32);
	/* D, c and E each; A in all but four. */
	ck_assert_uint_eq(summary.writes, 32 * 3 + 28);
	/* Twice in 24, once in 8. */
	ck_assert_uint_eq(summary.reads, 24 * 2 + 8);
	ck_assert_uint_eq(summary.groups, 4);
	ck_assert_str_eq(summary.group[0].sequence, "DSACSE");
	ck_assert_uint_eq(summary.group[0].n, 20);
	ck_assert_str_eq(summary.group[3].sequence, "DSCE");
}
END_TEST

/* Two schemes in turn: half of the PMIs have one sequence, whichever. */
START_TEST(two_schemes_in_turn)
{
	static struct msr_access space[4096];
	struct msr_log log = { .access = space };
	struct ack_summary summary;

	for (int i = 0; i < 50; i++) {
		add_pmi(&log, "DSACc0E", 1);
		add_pmi(&log, "DSCcAE", 1);
	}
	ack_summarize(&log, &summary);
	ck_assert_uint_eq(summary.pmis, 100);
	ck_assert_uint_eq(summary.groups, 2);
	ck_assert_uint_eq(summary.group[0].n, 50);
	ck_assert_uint_eq(summary.as_read, 100);
}
END_TEST

/* More sequences than there is room for: all PMIs still count. */
START_TEST(many_sequences)
{
	static struct msr_access space[8192];
	struct msr_log log = { .access = space };
	struct ack_summary summary;
	char steps[64] = "";

	for (int i = 0; i < ACK_GROUPS + 4; i++) {
		strcat(steps, "A");
		add_pmi(&log, steps, 1);
	}
	ack_summarize(&log, &summary);
	ck_assert_uint_eq(summary.pmis, ACK_GROUPS + 4);
	ck_assert_uint_eq(summary.groups, ACK_GROUPS);
	ck_assert_uint_eq(summary.group[0].n, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("ack_scheme");
	TCase *tcase = tcase_create("ack_scheme");

	tcase_add_loop_test(tcase, schemes, 0, sizeof(sound) / sizeof(sound[0]));
	tcase_add_loop_test(tcase, mutated, 0, sizeof(broken) / sizeof(broken[0]));
	tcase_add_test(tcase, clears_more_while_disabled);
	tcase_add_test(tcase, leaves_a_bit);
	tcase_add_test(tcase, leaves_as_found);
	tcase_add_test(tcase, long_sequences_are_cut);
	tcase_add_test(tcase, summary_of_a_log);
	tcase_add_test(tcase, two_schemes_in_turn);
	tcase_add_test(tcase, many_sequences);
	suite_add_tcase(s, tcase);
	return s;
}
