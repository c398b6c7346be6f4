/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_OPTIONS_H
#define PMIPROOF_COMPARE_OPTIONS_H

#include <getopt.h>

#include "../reports/compare.h"

/* What comparing reports, and comparing those of a history, have in common. */

struct compare_options {
	struct compare_request request;
	bool json;
	bool fail_on_regression, fail_on_new_fail;
};

#define COMPARE_OPTIONS_INIT                 \
	{                                    \
		.request.by = COMPARE_REPORT \
	}

enum { COMPARE_OPT_BY = 256, COMPARE_OPT_FORMAT, COMPARE_OPT_FAIL_ON, COMPARE_OPT_THRESHOLD };

/* Values of further options are from here on. */
#define COMPARE_OPTIONS_MORE 300

#define COMPARE_OPTIONS                                                      \
	{ "by", required_argument, NULL, COMPARE_OPT_BY },                   \
		{ "format", required_argument, NULL, COMPARE_OPT_FORMAT },   \
		{ "fail-on", required_argument, NULL, COMPARE_OPT_FAIL_ON }, \
	{                                                                    \
		"threshold", required_argument, NULL, COMPARE_OPT_THRESHOLD  \
	}

#define COMPARE_OPTIONS_HELP                                                                    \
	"      --by KEY             compare groups of reports: cpu-model, kernel, or label K\n" \
	"      --format FORMAT      term (default) or json\n"                                   \
	"      --fail-on WHAT[,WHAT]  exit code 1 for a regression (a time that grew), or a\n"  \
	"                           new-fail (a hypothesis that fails or hangs and did not in " \
	"A)\n"                                                                                  \
	"      --threshold PCT      a time that grew by no more is no regression (default: 0)\n"

/* Take an option of the table. --by label has a second value, which is taken from argv. */
int compare_options_take(struct compare_options *options, int option, const char *value, int argc,
			 char **argv, struct err *err);

/* Show a comparison on standard output, and judge it. Returns the exit code. */
int compare_options_show(const char *subcommand, struct compare_options *options,
			 const struct comparison *all);

#endif
