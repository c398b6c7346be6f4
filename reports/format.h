/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_FORMAT_H
#define PMIPROOF_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "model.h"
#include "report.h"

/*
 * A form that a report can be given. What it writes depends on the report alone, so that a journal
 * gives the same text everywhere and at any time. `out` is memory: an error of it need not be
 * looked for. Returns 0 or -errno with err set.
 */
struct format {
	const char *name;
	const char *description; /* a few words for --help */
	int (*write)(const struct report *report, FILE *out, struct err *err);
	/* In the place of write(), for a form that may be told how to show it ... */
	int (*write_as)(const struct report *report, const struct report_options *options,
			FILE *out, struct err *err);
	/* ... or that can set figures beside those of another report, which may be NULL. */
	int (*write_against)(const struct report *report, const struct report *baseline, FILE *out,
			     struct err *err);
};

/* All of them; the last has no name. */
extern const struct format formats[];

/* The one of that name, or NULL. */
const struct format *format_find(const char *name);

/* What to read, and how to write it. */
struct format_request {
	const struct format *format;
	const char *path;     /* report directory or journal file */
	const char *baseline; /* the same for the report to compare with; NULL: none */
	struct report_options shown;
};

/*
 * The report as text, to be freed. Nothing of it is there when the journal cannot be read. Returns
 * 0 or -errno (-ENODATA: not a single record) with err naming file and line of what is wrong.
 */
int format_text(const struct format_request *request, char **text, size_t *size, struct err *err);

/* The same of reports that were read; `baseline` may be NULL. */
int format_report(const struct format_request *request, const struct report *report,
		  const struct report *baseline, char **text, size_t *size, struct err *err);

#endif
