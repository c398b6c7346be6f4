// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/format.h"
#include "../reports/outfile.h"
#include "command.h"
#include "known_table.h"
#include "progress.h"

static const char help[] =
	"usage: pmiproof report [OPTION...] DIR\n\n"
	"Shows the report of a run: DIR is what 'pmiproof run' left, or a journal file.\n\n"
	"  -f, --format FORMAT  one of the list below\n"
	"  -o, --output FILE    write it there, all or nothing; - is standard output\n"
	"      --baseline DIR   the report to compare with, for formats that do\n"
	"      --known FILE     table of known issues, in place of the one that is installed\n"
	"  -v, --verbose        term: every evaluation, kernel-log event and line of output\n"
	"  -h, --help           this text\n\n"
	"formats:\n";

struct report_command {
	struct format_request request;
	const char *output; /* NULL: standard output */
	const char *known;  /* --known; NULL: the default */
	bool verbose;
	bool helped;
};

enum { OPT_BASELINE = 256, OPT_KNOWN };

static void put_help(void)
{
	fputs(help, stdout);
	for (const struct format *f = formats; f->name; f++)
		printf("  %-6s %s\n", f->name, f->description);
}

static int set_format(struct report_command *command, const char *name)
{
	command->request.format = format_find(name);
	if (command->request.format)
		return COMMAND_OK;
	return command_error("report", "--format %s is not known; --help lists the formats", name);
}

static int set_option(struct report_command *command, int option, const char *value)
{
	switch (option) {
	case 'f':
		return set_format(command, value);
	case 'o':
		command->output = strcmp(value, "-") != 0 ? value : NULL;
		return COMMAND_OK;
	case OPT_KNOWN:
		command->known = value;
		return COMMAND_OK;
	case 'v':
		command->verbose = true;
		return COMMAND_OK;
	case 'h':
		put_help();
		command->helped = true;
		return COMMAND_OK;
	default:
		command->request.baseline = value;
		return COMMAND_OK;
	}
}

static int parse(struct report_command *command, int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "baseline", required_argument, NULL, OPT_BASELINE },
		{ "known", required_argument, NULL, OPT_KNOWN },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int result = COMMAND_OK;
	int option;

	opterr = 0;
	while (!result && !command->helped &&
	       (option = getopt_long(argc, argv, ":f:o:vh", options, NULL)) != -1)
		result = option == '?' || option == ':'
				 ? command_bad_option("report", option, argv, options)
				 : set_option(command, option, optarg);
	return result;
}

/* What does not go together, or is not there. */
static int refuse(const struct report_command *command)
{
	const struct format_request *request = &command->request;

	if (!*request->path || (request->baseline && !*request->baseline))
		return command_error("report", "the name of the report is empty");
	if (command->output && !*command->output)
		return command_error("report", "the name after --output is empty");
	if (request->baseline && !request->format->write_against)
		return command_error("report", "--baseline: format %s compares nothing",
				     request->format->name);
	if (command->verbose && !request->format->write_as)
		return command_error("report", "--verbose: format %s shows everything it can",
				     request->format->name);
	return COMMAND_OK;
}

/* The report as text, to be freed. */
static int make_text(const struct report_command *command, char **text, size_t *size,
		     struct err *err)
{
	struct format_request request = command->request;
	struct known_issues known;
	int result = known_table_load(&known, command->known, err);

	/* A file is no terminal. */
	if (!command->output)
		request.shown = progress_report_options(stdout);
	request.shown.verbose = command->verbose;
	request.shown.known = &known;
	if (!result)
		result = format_text(&request, text, size, err);
	known_free(&known);
	return result;
}

static int show(const struct report_command *command)
{
	struct err err;
	size_t size;
	char *text;
	int result;

	if (make_text(command, &text, &size, &err))
		return command_error("report", "%s", err.text);
	if (command->output) {
		result = outfile_write(command->output, text, size, &err)
				 ? command_error("report", "%s", err.text)
				 : COMMAND_OK;
	} else {
		fwrite(text, 1, size, stdout);
		result = command_flush("report") ? COMMAND_ERROR : COMMAND_OK;
	}
	free(text);
	return result;
}

int cmd_report(int argc, char **argv)
{
	struct report_command command = { .request.format = &formats[0] };
	int result = parse(&command, argc, argv);

	if (result || command.helped)
		return result;
	if (optind + 1 != argc)
		return command_error("report", "exactly one report directory is needed; see "
					       "--help");
	command.request.path = argv[optind];
	result = refuse(&command);
	return result ? result : show(&command);
}
