/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_OPTIONS_H
#define PMIPROOF_COMPARE_OPTIONS_H

#include <getopt.h>

#include "../reports/compare.h"

/* What comparing reports, and comparing those of a history, have in common. */

/* A form that a comparison can be given; see compare.h for what writes it. */
struct compare_format {
	const char *name;
	int (*write)(FILE *out, const struct comparison *all, const struct compare_request *request,
		     struct err *err);
};

/* All of them; the last has no name. */
extern const struct compare_format compare_formats[];

struct compare_options {
	struct compare_request request;
	const struct compare_format *format;
	const char *output; /* NULL: standard output */
	bool fail_on_regression, fail_on_new_fail;
};

#define COMPARE_OPTIONS_INIT                                            \
	{                                                               \
		.request.by = COMPARE_REPORT, .format = compare_formats \
	}

enum {
	COMPARE_OPT_FORMAT = 'f',
	COMPARE_OPT_OUTPUT = 'o',
	COMPARE_OPT_BY = 256,
	COMPARE_OPT_FAIL_ON,
	COMPARE_OPT_THRESHOLD,
};

/* Those that have a letter, for getopt_long(). */
#define COMPARE_OPTIONS_SHORT "f:o:"

/* Values of further options are from here on. */
#define COMPARE_OPTIONS_MORE 300

#define COMPARE_OPTIONS                                                      \
	{ "by", required_argument, NULL, COMPARE_OPT_BY },                   \
		{ "format", required_argument, NULL, COMPARE_OPT_FORMAT },   \
		{ "output", required_argument, NULL, COMPARE_OPT_OUTPUT },   \
		{ "fail-on", required_argument, NULL, COMPARE_OPT_FAIL_ON }, \
	{                                                                    \
		"threshold", required_argument, NULL, COMPARE_OPT_THRESHOLD  \
	}

#define COMPARE_OPTIONS_HELP                                                                      \
	"      --by KEY             compare groups of reports: cpu-model, kernel, or label K\n"   \
	"  -f, --format FORMAT      term (default): tables for a terminal; html: one page with\n" \
	"                           tables and plots; mail: plain text of 72 columns; json\n"     \
	"  -o, --output FILE        write it there, all or nothing; - is standard output\n"       \
	"      --fail-on WHAT[,WHAT]  exit code 1 for a regression (a time that grew), or a\n"    \
	"                           new-fail (a hypothesis that fails or hangs and did not in "   \
	"A)\n"                                                                                    \
	"      --threshold PCT      a time that grew by no more is no regression (default: 0)\n"

/* Take an option of the table. --by label has a second value, which is taken from argv. */
int compare_options_take(struct compare_options *options, int option, const char *value, int argc,
			 char **argv, struct err *err);

/* Show a comparison where it is to go, and judge it. Returns the exit code. */
int compare_options_show(const char *subcommand, struct compare_options *options,
			 const struct comparison *all);

#endif
