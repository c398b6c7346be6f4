/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TAP_H
#define PMIPROOF_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "verdict.h"

/*
 * A whole run as one KTAP stream (Documentation/dev-tools/ktap.rst): each test's own output is the
 * subtests of its line. `out` may be NULL everywhere: then nothing is written.
 */
void tap_begin(FILE *out, size_t planned);

/* One line of a running test; what is no KTAP becomes a diagnostic. `name` opens its subtest. */
void tap_open(FILE *out, const char *name);
void tap_line(FILE *out, const char *line, size_t len, bool is_stderr, unsigned long omitted);

/* The result of test `number` (from 1). */
void tap_result(FILE *out, size_t number, const char *name, enum verdict verdict,
		const char *reason);

#endif
