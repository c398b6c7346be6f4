/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMMAND_H
#define PMIPROOF_COMMAND_H

#include <getopt.h>
#include <stddef.h>

#include "err.h"
#include "verdict.h"

#ifndef PMIPROOF_VERSION
#define PMIPROOF_VERSION "0.1"
#endif

/* Exit codes of the command; what a script goes by. */
enum command_exit {
	COMMAND_OK = 0,		   /* nothing was refuted */
	COMMAND_REFUTED = 1,	   /* something was refuted, or hung */
	COMMAND_ERROR = 2,	   /* bad arguments, or it could not be set up */
	COMMAND_BROKEN = 3,	   /* nothing was refuted, but something gave no conclusion */
	COMMAND_INTERRUPTED = 130, /* as a shell reports a program ended by SIGINT: 128 + 2 */
};

/* The subcommands; argv[0] is the name of the subcommand. Return the exit code. */
int cmd_list(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_lab(int argc, char **argv);

/*
 * `run` in the lab's machine: from test number `first` of the plan on (from 1), and with the
 * journal going to the host (port.h) instead of a directory. Returns the exit code; where a test
 * cannot be killed the run ends there, without a last record.
 */
int cmd_run_in_guest(int argc, char **argv, size_t first);

/* Exit code for the worst verdict of a run. */
int command_exit_code(enum verdict worst);

/* The value of an option, a number from 1 to `most`. -EINVAL with err naming the option. */
int command_count(size_t *count, const char *option, const char *text, size_t most,
		  struct err *err);

/* Print "pmiproof <subcommand>: <fmt...>" as an error line and return COMMAND_ERROR. */
int command_error(const char *subcommand, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Write out what is buffered for standard output. When that, or anything written there before, was
 * lost: one error line, once, and -EIO.
 */
int command_flush(const char *subcommand);

/*
 * What getopt_long() found wrong in argv for these long options (it returned `found`, '?' or
 * ':'; opterr is 0): one error line.
 * Returns COMMAND_ERROR.
 */
int command_bad_option(const char *subcommand, int found, char **argv,
		       const struct option *options);

#endif
