/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_INTAKE_H
#define PMIPROOF_INTAKE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "judge.h"
#include "suite.h"

/* Most that one execution may record: a bound against filling the disk. */
#define INTAKE_BYTES_MAX ((uint64_t)1 << 30)

/*
 * What comes through a test's record descriptor, checked, and what it says about the verdict. A
 * test is not trusted: it may be broken by what it does to the machine.
 */
struct intake {
	const struct suite_test *test;
	enum verdict said; /* in its verdict record; VERDICT_NONE: there was none */
	char reason[512];
	bool *reached; /* per declared check */
	unsigned int failed;
	unsigned int undefined; /* checks whose value was not a number */
	char first_failed[512];
	unsigned int bad; /* lines that are no records a test may write */
	char first_bad[512];
	uint64_t bytes;
	char progress[256]; /* text of the last progress record */
};

/* -ENOMEM. */
int intake_init(struct intake *intake, const struct suite_test *test);
void intake_free(struct intake *intake);

/*
 * One line. Returns the record to be kept, as a new reference, or NULL: progress, or a bad line,
 * which is counted (`cut`: it was too long to be read).
 */
json_t *intake_line(struct intake *intake, const char *line, size_t len, bool cut);

/*
 * What the records say. `ended`: the test ended by itself, so its verdict must be there and every
 * check evaluated; else only the evidence counts (failed checks, bad lines).
 */
void intake_judge(const struct intake *intake, bool ended, struct judge *judge);

#endif
