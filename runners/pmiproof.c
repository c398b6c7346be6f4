// SPDX-License-Identifier: GPL-2.0-or-later
/* The pmiproof command: finds the subcommand and leaves the rest to it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "list", cmd_list, "hypotheses, and whether each would run here" },
	{ "run", cmd_run, "test hypotheses on this machine and leave a report" },
	{ "report", cmd_report, "show the report of a run again" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *out)
{
	fputs("usage: pmiproof COMMAND [OPTION]... [ARGUMENT]...\n"
	      "       pmiproof --help | --version\n\n"
	      "Tests claims about how Linux handles performance-monitoring interrupts.\n\n",
	      out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-8s%s\n", commands[i].name, commands[i].help);
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

/* Output that was not written (a full disk) must not look like success. */
static int flush(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "pmiproof: standard output: %s\n", strerror(errno));
		return code ? code : COMMAND_ERROR;
	}
	return code;
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
	if (argc < 2) {
		help(stderr);
		return COMMAND_ERROR;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help(stdout);
		return flush(COMMAND_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("pmiproof " PMIPROOF_VERSION);
		return flush(COMMAND_OK);
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return flush(commands[i].run(argc - 1, argv + 1));
	fprintf(stderr, "pmiproof: no command '%s'; see 'pmiproof --help'\n", argv[1]);
	return COMMAND_ERROR;
}
