// SPDX-License-Identifier: GPL-2.0-or-later
#include "command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "err.h"

int command_error(const char *subcommand, const char *fmt, ...)
{
	char text[sizeof(((struct err *)0)->text) + 128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fprintf(stderr, "pmiproof %s: %s\n", subcommand, text);
	return COMMAND_ERROR;
}

int command_bad_option(const char *subcommand, int found, char **argv)
{
	/* optopt is the letter of a short option; a long one is the argument just passed. */
	if (optopt > ' ' && optopt < 128)
		return command_error(subcommand, "option -%c %s; see --help", optopt,
				     found == ':' ? "needs a value" : "is not known");
	return command_error(subcommand, "option %s %s; see --help", argv[optind - 1],
			     found == ':' ? "needs a value" : "is not known or not complete");
}
