// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "cpus.h"
#include "suite.h"

#define JOBS_MAX 256
#define REPEAT_MAX 1000

static const char help[] =
	"usage: pmiproof lab prove [OPTION]... [PATTERN...]\n\n"
	"Shows that hypotheses tell right from wrong: runs them on sound emulated machines, on "
	"ones\n"
	"that misbehave and on kernels with known mistakes, and compares verdicts and what they "
	"rest\n"
	"on with a table of expectations. PATTERN is a shell pattern for a machine, a hypothesis, "
	"or\n"
	"MACHINE/HYPOTHESIS.\n\n"
	"  -o, --output DIR     where the reports go, one directory for each machine (default: a "
	"new\n"
	"                       one below pmiproof-reports)\n"
	"      --table FILE     expectations (default: those that came with this program)\n"
	"      --partial        FILE need not have rows for each hypothesis, fault and variant\n"
	"      --kernel FILE    a kernel to be tested (default: $LAB_KERNEL): on machines of its\n"
	"                       architecture it takes the place of the one without variants\n"
	"                       (plain); without a pattern only those that boot it are run\n"
	"      --jobs N         CPUs for guests (default: all); an smp machine takes two\n"
	"      --repeat N       everything N times, and how often rows did not come out alike\n"
	"      --markdown FILE  also put the matrix into FILE, between the lines\n"
	"                       <!-- prove: begin --> and <!-- prove: end -->\n"
	"      --list           only say what would be run\n"
	"      --suites DIR     where the hypotheses are, if not where this program was built or\n"
	"                       installed\n"
	"  -h, --help           this text\n\n"
	"The last line counts rows that came out as expected (passed) and others (failed). Exit "
	"codes:\n"
	"0 all as expected, 1 not, 2 could not be set up, 130 interrupted.\n";

enum {
	OPT_TABLE = 256,
	OPT_PARTIAL,
	OPT_KERNEL,
	OPT_JOBS,
	OPT_REPEAT,
	OPT_MARKDOWN,
	OPT_LIST,
	OPT_SUITES
};

/* In a build tree and where it is installed. */
static const char *const places[] = { "../fixtures/proofs", "../libexec/pmiproof/proofs" };

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "table", required_argument, NULL, OPT_TABLE },
	{ "partial", no_argument, NULL, OPT_PARTIAL },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "markdown", required_argument, NULL, OPT_MARKDOWN },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "suites", required_argument, NULL, OPT_SUITES },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int set_table(struct prove_options *options, const char *path, struct err *err)
{
	return (size_t)snprintf(options->table, sizeof(options->table), "%s", path) >=
			       sizeof(options->table)
		       ? err_set(err, ENAMETOOLONG, "--table")
		       : 0;
}

static int take(struct prove_options *options, int option, const char *value, struct err *err)
{
	switch (option) {
	case 'o':
		options->output = value;
		break;
	case OPT_TABLE:
		return *value ? set_table(options, value, err)
			      : err_set(err, 0, "--table: the name is empty");
	case OPT_PARTIAL:
		options->partial = true;
		break;
	case OPT_KERNEL:
		options->kernel = value;
		break;
	case OPT_JOBS:
		return command_count(&options->jobs, "--jobs", value, JOBS_MAX, err);
	case OPT_REPEAT:
		return command_count(&options->repeat, "--repeat", value, REPEAT_MAX, err);
	case OPT_MARKDOWN:
		options->markdown = value;
		break;
	case OPT_LIST:
		options->list = true;
		break;
	default: /* OPT_SUITES: the last one in the table */
		options->suites = value;
		break;
	}
	return value && !*value ? err_set(err, 0, "the name of a file is empty") : 0;
}

/* What was not given, and what does not go together. */
static int complete(struct prove_options *options, struct err *err)
{
	struct cpus cpus;
	int result = 0;

	if (!options->jobs) {
		result = cpus_allowed(&cpus, err);
		options->jobs = cpus.n;
	}
	if (!result && !*options->table)
		result = suite_beside_program(places, 2, options->table, sizeof(options->table),
					      err);
	if (!result && options->markdown && options->n_patterns)
		result = err_set(err, 0, "--markdown takes the whole matrix, not that of '%s'",
				 options->patterns[0]);
	return result;
}

int prove_options_parse(struct prove_options *options, int argc, char **argv)
{
	struct err err;
	int option;

	*options = (struct prove_options){ .repeat = 1 };
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return COMMAND_OK;
		}
		if (option == '?' || option == ':')
			return command_bad_option("lab", option, argv, long_options);
		if (take(options, option, optarg, &err))
			return command_error("lab", "%s", err.text);
	}
	options->patterns = argv + optind;
	options->n_patterns = (size_t)(argc - optind);
	return complete(options, &err) ? command_error("lab", "%s", err.text) : -1;
}
