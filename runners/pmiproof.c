// SPDX-License-Identifier: GPL-2.0-or-later
/* The pmiproof command: finds the subcommand and leaves the rest to it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../reports/text.h"
#include "command.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "list", cmd_list, "hypotheses, and whether each would run here" },
	{ "run", cmd_run, "test hypotheses on this machine and leave a report" },
	{ "recover", cmd_recover, "put the machine back when a run was killed" },
	{ "report", cmd_report, "show the report of a run again" },
	{ "compare", cmd_compare, "reports side by side, and what changed" },
	{ "history", cmd_history, "many reports in one file: what changed over time" },
	{ "lab", cmd_lab, "the same on an emulated machine that has a PMU" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *out)
{
	fputs("usage: pmiproof COMMAND [OPTION]... [ARGUMENT]...\n"
	      "       pmiproof --help | --version\n\n"
	      "Tests claims about how Linux handles performance-monitoring interrupts.\n\n",
	      out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-9s%s\n", commands[i].name, commands[i].help);
	fprintf(out, "  %-9s%s\n", "help", "this text, or 'help COMMAND' that of a command");
	fputs("\n'pmiproof COMMAND --help' describes a command.\n", out);
}

/* A descriptor 0, 1 or 2 that is closed would be given to a pipe or a file of ours. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/*
 * Output that was not written (a full disk) must not look like success. What failed has said so
 * already.
 */
static int flush(const char *subcommand, int code)
{
	if (code == COMMAND_ERROR || !command_flush(subcommand))
		return code;
	return code ? code : COMMAND_ERROR;
}

static int run_command(const char *name, int argc, char **argv)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return flush(name, commands[i].run(argc, argv));
	fputs("pmiproof: no command '", stderr);
	text_put(stderr, name, (size_t)-1);
	fputs("'; see 'pmiproof --help'\n", stderr);
	return COMMAND_ERROR;
}

/* "help" and "help COMMAND": argv[0] is "help". */
static int run_help(int argc, char **argv)
{
	char option[] = "--help";
	char *asked[] = { argv[argc - 1], option, NULL };

	if (argc > 2)
		return command_error("help", "at most one command");
	if (argc == 2)
		return run_command(argv[1], 2, asked);
	help(stdout);
	return flush("help", COMMAND_OK);
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
	if (argc < 2) {
		help(stderr);
		return COMMAND_ERROR;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run_help(1, argv + 1);
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version")) {
		puts("pmiproof " PMIPROOF_VERSION);
		return flush(argv[1], COMMAND_OK);
	}
	return run_command(argv[1], argc - 1, argv + 1);
}
