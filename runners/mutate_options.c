// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "cpus.h"

#define JOBS_MAX 256
#define RUNS_MAX 1000
#define RUNS_STANDARD 3

static const char help[] =
	"usage: pmiproof lab mutate [OPTION]... [PATTERN...]\n\n"
	"Shows what the hypotheses notice: runs them on the kernel with one small break planted "
	"in\n"
	"its PMI path after the other, and says which check fails that held in each of several\n"
	"unmutated runs. PATTERN is a shell pattern for names of mutants; without one, all.\n\n"
	"      --hypotheses PATTERN\n"
	"                       only hypotheses that match, NAME or THEME/NAME; may be repeated\n"
	"      --named          on each mutant only the hypotheses that are to name it: sooner "
	"done\n"
	"  -o, --output DIR     where the reports go, one directory for each machine (default: a\n"
	"                       new one below pmiproof-reports)\n"
	"      --resume DIR     go on with what an interrupted command left there\n"
	"      --baseline-runs N\n"
	"                       unmutated runs of each machine (default: 3)\n"
	"      --unmutated      only those, of the machines that the mutants have\n"
	"      --witness FILE   what witnesses see of the mutants: lines 'NAME live' or 'NAME "
	"dead'\n"
	"      --jobs N         CPUs for guests (default: all); an smp machine takes two\n"
	"      --markdown FILE  also put the table into FILE, between the lines\n"
	"                       <!-- mutate: begin --> and <!-- mutate: end -->\n"
	"      --json           print it as JSON\n"
	"      --list           only say what would be run\n"
	"      --table FILE     mutants (default: those that came with this program)\n"
	"      --peers DIR      tests of other projects, in DIR as ci/peers lays them out, in "
	"place\n"
	"                       of hypotheses; the markers of --markdown are of mutate-peers then\n"
	"      --suites DIR     where the hypotheses are, if not where this program was built or\n"
	"                       installed\n"
	"  -h, --help           this text\n\n"
	"Exit codes: 0 each mutant that is not equivalent was killed and unmutated runs pass, 1 "
	"not,\n"
	"2 could not be set up, 130 interrupted.\n";

enum {
	OPT_HYPOTHESES = 256,
	OPT_NAMED,
	OPT_RESUME,
	OPT_RUNS,
	OPT_UNMUTATED,
	OPT_WITNESS,
	OPT_JOBS,
	OPT_MARKDOWN,
	OPT_JSON,
	OPT_LIST,
	OPT_TABLE,
	OPT_SUITES,
	OPT_PEERS
};

static const struct option long_options[] = {
	{ "hypotheses", required_argument, NULL, OPT_HYPOTHESES },
	{ "named", no_argument, NULL, OPT_NAMED },
	{ "output", required_argument, NULL, 'o' },
	{ "resume", required_argument, NULL, OPT_RESUME },
	{ "baseline-runs", required_argument, NULL, OPT_RUNS },
	{ "unmutated", no_argument, NULL, OPT_UNMUTATED },
	{ "witness", required_argument, NULL, OPT_WITNESS },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "markdown", required_argument, NULL, OPT_MARKDOWN },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "table", required_argument, NULL, OPT_TABLE },
	{ "suites", required_argument, NULL, OPT_SUITES },
	{ "peers", required_argument, NULL, OPT_PEERS },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int add_hypotheses(struct mutate_options *options, char *pattern, struct err *err)
{
	struct mutate_choice *choice = &options->choice;

	if (choice->n_hypotheses == MUTATE_HYPOTHESES_MAX)
		return err_set(err, 0, "--hypotheses: more than %d", MUTATE_HYPOTHESES_MAX);
	options->hypotheses[choice->n_hypotheses++] = pattern;
	return 0;
}

static int set_output(struct mutate_options *options, const char *dir, bool resume, struct err *err)
{
	if (options->output)
		return err_set(err, 0, "one of --output and --resume, once");
	options->output = dir;
	options->resume = resume;
	return 0;
}

/* An option without a value. */
static void take_flag(struct mutate_options *options, int option)
{
	options->choice.named |= option == OPT_NAMED;
	options->unmutated |= option == OPT_UNMUTATED;
	options->json |= option == OPT_JSON;
	options->list |= option == OPT_LIST;
}

static int take(struct mutate_options *options, int option, char *value, struct err *err)
{
	if (value && !*value)
		return err_set(err, 0, "the value of an option is empty");
	switch (option) {
	case 'o':
	case OPT_RESUME:
		return set_output(options, value, option == OPT_RESUME, err);
	case OPT_HYPOTHESES:
		return add_hypotheses(options, value, err);
	case OPT_RUNS:
		return command_count(&options->runs, "--baseline-runs", value, RUNS_MAX, err);
	case OPT_JOBS:
		return command_count(&options->jobs, "--jobs", value, JOBS_MAX, err);
	case OPT_WITNESS:
		options->witness = value;
		break;
	case OPT_MARKDOWN:
		options->markdown = value;
		break;
	case OPT_TABLE:
		if ((size_t)snprintf(options->table, sizeof(options->table), "%s", value) >=
		    sizeof(options->table))
			return err_set(err, ENAMETOOLONG, "--table");
		break;
	case OPT_SUITES:
		options->suites = value;
		break;
	case OPT_PEERS:
		options->peers = value;
		break;
	default:
		take_flag(options, option);
		break;
	}
	return 0;
}

/* Where the tests of others are, and what they need in the machine. */
static int find_peers(struct mutate_options *options, struct err *err)
{
	char *dir = realpath(options->peers, NULL);
	int result = 0;

	if (!dir)
		return err_set(err, errno, "--peers %s", options->peers);
	if (options->suites || options->choice.named)
		result = err_set(err, 0, "--peers: not with --suites or --named");
	if ((size_t)snprintf(options->peers_suites, PATH_MAX, "%s/suites", dir) >= PATH_MAX ||
	    (size_t)snprintf(options->peers_tree, PATH_MAX, "%s/tree", dir) >= PATH_MAX)
		result = err_set(err, ENAMETOOLONG, "--peers");
	options->suites = options->peers_suites;
	free(dir);
	return result;
}

/* What was not given, and what does not go together. */
static int complete(struct mutate_options *options, struct err *err)
{
	struct cpus cpus;
	int result = 0;

	options->choice.hypotheses = options->hypotheses;
	if (!options->jobs) {
		result = cpus_allowed(&cpus, err);
		options->jobs = cpus.n;
	}
	if (!result && !*options->table)
		result = mutants_default(options->table, sizeof(options->table), err);
	if (!result && options->peers)
		result = find_peers(options, err);
	if (!result && options->markdown && options->unmutated)
		result = err_set(err, 0,
				 "--markdown takes what became of mutants, and --unmutated "
				 "runs none");
	return result;
}

int mutate_options_parse(struct mutate_options *options, int argc, char **argv)
{
	struct err err;
	int option;

	*options = (struct mutate_options){ .runs = RUNS_STANDARD };
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return COMMAND_OK;
		}
		if (option == '?' || option == ':')
			return command_bad_option("lab mutate", option, argv, long_options);
		if (take(options, option, optarg, &err))
			return command_error("lab mutate", "%s", err.text);
	}
	options->choice.patterns = argv + optind;
	options->choice.n_patterns = (size_t)(argc - optind);
	return complete(options, &err) ? command_error("lab mutate", "%s", err.text) : -1;
}
