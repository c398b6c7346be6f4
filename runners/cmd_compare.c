// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "../reports/compare.h"
#include "command.h"
#include "compare_options.h"
#include "known_table.h"

static const char help[] =
	"usage: pmiproof compare [OPTION]... A B [C...]\n"
	"       pmiproof compare --by KEY [OPTION]... REPORT...\n\n"
	"Compares reports: A is the baseline. Each is a report directory or a journal file.\n"
	"Verdicts side by side; of each series of samples both medians, the change, its interval\n"
	"and whether it may be chance. Reports of different CPU models, or of an emulated and a\n"
	"real machine, are shown side by side only.\n\n" COMPARE_OPTIONS_HELP
	"      --known FILE         table of known issues, in place of the one that is installed\n"
	"  -h, --help               this text\n\n"
	"Exit code: 0 compared, and nothing of --fail-on found; 1 something of it; 2 bad "
	"arguments\n"
	"or reports; 3 with --fail-on, when nothing could be compared with A.\n";

static int compare(struct compare_options *options, const char *table)
{
	struct known_issues known;
	struct comparison all;
	struct err err;
	int result = known_table_load(&known, table, &err);

	options->request.shown.known = &known;
	if (!result)
		result = compare_read(&all, &options->request, &err);
	options->request.shown.known = NULL;
	known_free(&known);
	if (result)
		return command_error("compare", "%s", err.text);
	result = compare_options_show("compare", options, &all);
	comparison_free(&all);
	return result;
}

enum { OPT_KNOWN = COMPARE_OPTIONS_MORE };

int cmd_compare(int argc, char **argv)
{
	static const struct option long_options[] = {
		COMPARE_OPTIONS,
		{ "known", required_argument, NULL, OPT_KNOWN },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct compare_options options = COMPARE_OPTIONS_INIT;
	const char *table = NULL;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":" COMPARE_OPTIONS_SHORT "h", long_options,
				     NULL)) != -1) {
		struct err err;

		if (option == '?' || option == ':')
			return command_bad_option("compare", option, argv, long_options);
		if (option == 'h') {
			fputs(help, stdout);
			return COMMAND_OK;
		}
		if (option == OPT_KNOWN)
			table = optarg;
		else if (compare_options_take(&options, option, optarg, argc, argv, &err))
			return command_error("compare", "%s", err.text);
	}
	options.request.args = argv;
	options.request.n_args = (size_t)argc;
	options.request.paths = argv + optind;
	options.request.n = (size_t)(argc - optind);
	if (options.request.by == COMPARE_REPORT &&
	    (options.request.n < 2 || options.request.n > COMPARE_MAX))
		return command_error("compare", "2 to %d reports are needed; see --help",
				     COMPARE_MAX);
	if (!options.request.n)
		return command_error("compare", "no report is given; see --help");
	for (int i = optind; i < argc; i++)
		if (!*argv[i])
			return command_error("compare", "the name of a report is empty");
	return compare(&options, table);
}
