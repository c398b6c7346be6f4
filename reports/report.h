/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_REPORT_H
#define PMIPROOF_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "err.h"

struct known_issues;

struct report_options {
	bool colour;
	bool verbose;	    /* all evaluations, kernel-log events and output, not a selection */
	unsigned int width; /* columns of the terminal; 0 = unlimited */
	/* Lines of it: the verdicts are said again below what is longer. 0 = unlimited. */
	unsigned int height;
	const struct known_issues
		*known; /* what failed is judged by (known.h); NULL: nothing is known */
};

/*
 * Write the report of a run for a terminal. path: a report directory or a journal file. Everything
 * is put together before the first byte goes out, so that a journal that cannot be read leaves
 * nothing half-printed. Text that came from the machine is escaped (text.h).
 * Returns 0, or -errno (-ENODATA: not a single record) with err naming file and line of what is
 * wrong with the journal.
 */
int report_term(FILE *out, const char *path, const struct report_options *options, struct err *err);

#endif
