// SPDX-License-Identifier: GPL-2.0-or-later
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "../reports/text.h"
#include "err.h"
#include "unit.h"

int command_exit_code(enum verdict worst)
{
	if (worst == VERDICT_HUNG || worst == VERDICT_FAIL)
		return COMMAND_REFUTED;
	return worst == VERDICT_BROKEN ? COMMAND_BROKEN : COMMAND_OK;
}

int command_error(const char *subcommand, const char *fmt, ...)
{
	char text[sizeof(((struct err *)0)->text) + 128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fprintf(stderr, "pmiproof %s: ", subcommand);
	text_put(stderr, text, (size_t)-1);
	fputc('\n', stderr);
	return COMMAND_ERROR;
}

int command_flush(const char *subcommand)
{
	int errnum;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	errnum = errno;
	__fpurge(stdout);
	clearerr(stdout);
	command_error(subcommand, "not all could be written to standard output%s%s",
		      errnum ? ": " : "", errnum ? strerrorname_np(errnum) : "");
	return -EIO;
}

/* Options of the table that the name after "--" may stand for, as getopt_long() takes it. */
static size_t candidates(const struct option *options, const char *name, size_t length)
{
	size_t n = 0;

	for (; options->name; options++) {
		if (strncmp(options->name, name, length) != 0)
			continue;
		if (!options->name[length])
			return 1;
		n++;
	}
	return n;
}

int command_bad_option(const char *subcommand, int found, char **argv, const struct option *options)
{
	/* A long option is the argument just passed; optopt is the letter of a short one. */
	const char *passed = argv[optind - 1];
	size_t length = strcspn(passed, "=");
	size_t n = strncmp(passed, "--", 2) ? 0 : candidates(options, passed + 2, length - 2);
	const char *what = "is not known";

	if (optopt > ' ' && optopt < 128 && !n)
		return command_error(subcommand, "option -%c %s; see --help", optopt,
				     found == ':' ? "needs a value" : what);
	if (found == ':')
		what = "needs a value";
	else if (n > 1)
		what = "is not complete: several options begin so";
	else if (n == 1)
		what = "takes no value";
	return command_error(subcommand, "option %.*s %s; see --help", (int)length, passed, what);
}

int command_count(size_t *count, const char *option, const char *text, size_t most, struct err *err)
{
	int result = unit_parse_count(text, 1, most, count, err);

	if (result)
		err_prefix(err, "%s", option);
	return result;
}
