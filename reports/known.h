/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KNOWN_H
#define PMIPROOF_KNOWN_H

#include <stddef.h>
#include <stdio.h>

#include "kernel_version.h"
#include "model.h"

/* A check that is known to fail on some CPUs with some kernels. Texts belong to the table. */
struct known_issue {
	const char *cpu; /* shell pattern */
	const char *range;
	struct kernel_range kernels; /* the same, parsed */
	const char *hypothesis, *check, *reference;
};

struct known_issues {
	struct known_issue *issues;
	size_t n;
	char *text;
};

/*
 * Read a table (reports/known-issues says what is in it). -EINVAL with err naming file and line of
 * the first line that is wrong. known_free() in any case.
 */
int known_load(struct known_issues *known, const char *path, struct err *err);

/* The same of an open file, called `name`. */
int known_read(struct known_issues *known, FILE *file, const char *name, struct err *err);

void known_free(struct known_issues *known);

/*
 * Judge what failed by the table. An execution that is `fail` becomes `known` when everything that
 * speaks against it is listed for this CPU and kernel: every check that did not hold, with no
 * reason beside them and no unexpected message in the kernel log. report->known then tells of the
 * entries that applied, and of those whose check was made and held each time: that issue is gone.
 * The records stay as they are. Once for a report; 0 or -ENOMEM.
 */
int known_apply(const struct known_issues *known, struct report *report);

/*
 * Read a report that has at least the record it begins with, and judge it by the table unless that
 * is NULL. Returns 0 or -errno (-ENODATA: not a single record); then nothing is left to free.
 */
int known_report(struct report *report, const char *path, const struct known_issues *known,
		 struct err *err);

#endif
