// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "../reports/report.h"
#include "command.h"
#include "progress.h"

static const char help[] =
	"usage: pmiproof report [-v] DIR\n\n"
	"Shows the report of a run: DIR is what 'pmiproof run' left, or a journal file.\n\n"
	"  -v, --verbose  every evaluation, kernel-log event and line of output\n"
	"  -h, --help     this text\n";

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct report_options how = {
		.colour = progress_colour(stdout),
		.width = isatty(STDOUT_FILENO) ? progress_columns(stdout) : 0,
	};
	struct err err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":vh", options, NULL)) != -1) {
		switch (option) {
		case 'v':
			how.verbose = true;
			break;
		case 'h':
			fputs(help, stdout);
			return COMMAND_OK;
		default:
			return command_bad_option("report", option, argv);
		}
	}
	if (optind + 1 != argc)
		return command_error("report", "exactly one report directory is needed; see "
					       "--help");
	if (report_term(stdout, argv[optind], &how, &err))
		return command_error("report", "%s", err.text);
	return COMMAND_OK;
}
