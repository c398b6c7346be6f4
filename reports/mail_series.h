/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MAIL_SERIES_H
#define PMIPROOF_MAIL_SERIES_H

#include <stdbool.h>
#include <stdio.h>

#include "compare.h"

/* Wide enough for tables, and what is still right after a few levels of quoting. */
#define MAIL_WIDTH 72

/* Series of samples as tables of plain text. */
struct mail_series {
	FILE *out;
	const struct comparison *all;
	/* What the columns are called; NULL where there is one, which needs no name. */
	const char *const *names;
	bool doubtful, factors; /* a change was shown as "~", as a multiple */
	int result;		/* the first error */
};

/* The series from first up to end, which make one table. */
void mail_series(struct mail_series *series, size_t first, size_t end);

/* How to read what was shown. */
void mail_series_remarks(const struct mail_series *series);

/* A paragraph, with an empty line before it. */
void mail_remark(FILE *out, const char *text);

#endif
