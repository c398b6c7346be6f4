/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TAP_H
#define PMIPROOF_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "verdict.h"

/*
 * A whole run as one KTAP stream (Documentation/dev-tools/ktap.rst): each test's own output is the
 * subtests of its line. All zeros to begin with, but `out`, which may be NULL: then nothing is
 * written.
 */
struct tap {
	FILE *out;
	bool may_hold; /* of the test that runs, subtests that failed */
	FILE *held;    /* lines of it from the first of them on; or NULL */
	char *text;
	size_t size;
};

void tap_begin(struct tap *tap, size_t planned);

/*
 * `name` opens its subtest. With `may_hold` what it fails may turn out to be a known issue: from
 * its first subtest that is "not ok" on, lines wait for the result.
 */
void tap_open(struct tap *tap, const char *name, bool may_hold);

/* One line of a running test; what is no KTAP becomes a diagnostic. */
void tap_line(struct tap *tap, const char *line, size_t len, bool is_stderr, unsigned long omitted);

/*
 * The result of test `number` (from 1). With VERDICT_KNOWN its subtests that failed are "ok" and
 * XFAIL, too: a parser that adds up the innermost results would find a failure otherwise.
 */
void tap_result(struct tap *tap, size_t number, const char *name, enum verdict verdict,
		const char *reason);

#endif
