/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_VERDICT_H
#define PMIPROOF_VERDICT_H

/*
 * What a run says about a hypothesis, worst first, so that the smaller of two is the one to keep.
 * VERDICT_NONE is "nothing said yet" and worse than nothing: verdict_worse() never picks it over a
 * real one.
 */
enum verdict {
	VERDICT_HUNG,	/* the machine or the test stopped and had to be ended from outside */
	VERDICT_FAIL,	/* the claim is refuted, with evidence */
	VERDICT_BROKEN, /* no conclusion: control failed, evidence lost, or a bug of the suite */
	VERDICT_KNOWN,	/* refuted as listed for this CPU and kernel */
	VERDICT_PASS,	/* the claim held, with positive control and measurements */
	VERDICT_SKIP,	/* cannot be tested here; the reason says what was tried */
	VERDICT_NOTRUN, /* not reached: the run was interrupted before it */
	VERDICT_NONE,
};

/* Lower-case name as used in records ("pass"); "none" for VERDICT_NONE. Never NULL. */
const char *verdict_name(enum verdict verdict);

/* The verdict of that name, or VERDICT_NONE when there is none of that name. */
enum verdict verdict_parse(const char *name);

/* The worse of two verdicts. */
enum verdict verdict_worse(enum verdict a, enum verdict b);

/*
 * Exit code of a test binary: kselftest's KSFT_PASS 0, KSFT_FAIL 1, KSFT_XFAIL 2 and KSFT_SKIP 4
 * (tools/testing/selftests/kselftest.h). Hung and broken are KSFT_FAIL: kselftest has no code for
 * them.
 */
int verdict_ksft_exit(enum verdict verdict);

#endif
