// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>

#include "../reports/compare.h"
#include "command.h"
#include "progress.h"

static const char help[] =
	"usage: pmiproof compare A B [C...]\n\n"
	"Compares reports: A is the baseline. Each is a report directory or a journal file.\n"
	"Verdicts side by side; of each series of samples both medians, the change, its interval\n"
	"and whether it may be chance. Reports of different CPU models, or of an emulated and a\n"
	"real machine, are shown side by side only.\n\n"
	"  -h, --help  this text\n";

int cmd_compare(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct report_options how = progress_report_options(stdout);
	struct err err;
	int option;
	int n;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option != 'h')
			return command_bad_option("compare", option, argv, options);
		fputs(help, stdout);
		return COMMAND_OK;
	}
	n = argc - optind;
	if (n < 2 || n > COMPARE_MAX)
		return command_error("compare", "2 to %d reports are needed; see --help",
				     COMPARE_MAX);
	for (int i = optind; i < argc; i++)
		if (!*argv[i])
			return command_error("compare", "the name of a report is empty");
	if (compare_term(stdout, argv + optind, (size_t)n, &how, &err))
		return command_error("compare", "%s", err.text);
	return COMMAND_OK;
}
