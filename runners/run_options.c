// SPDX-License-Identifier: GPL-2.0-or-later
#include "run_options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define REPEAT_MAX 1000000
#define SCALE_MIN 0.001
#define SCALE_MAX 1000.0

static const char help[] =
	"usage: pmiproof run [OPTION]... [PATTERN...]\n\n"
	"Tests hypotheses on this machine and leaves a report. PATTERN is a shell pattern for\n"
	"NAME or THEME/NAME (see 'pmiproof list'); without one all are run.\n\n"
	"  -o, --output DIR       where the report goes; must not exist\n"
	"                         (default: pmiproof-reports/<time>)\n"
	"      --repeat N         run the whole list N times\n"
	"      --cpu LIST         CPUs to test (\"0-3,8\"; default: all)\n"
	"      --timeout-scale X  multiply all time budgets, on a slow machine\n"
	"      --label K=V        say what is special about this run; may be repeated\n"
	"      --allow LEVEL      most dangerous level to run: safe, may-throttle (default),\n"
	"                         may-hang\n"
	"      --bound HYPOTHESIS.CHECK=VALUE\n"
	"                         bound of a check that takes one (list -v); may be repeated\n"
	"      --workload CMD     what to measure under, for hypotheses that take one\n"
	"      --identify         let the report name the machine (host name, serial numbers)\n"
	"      --ktap             KTAP on standard output, and nothing else there\n"
	"      --suites DIR       where the hypotheses are\n"
	"  -h, --help             this text\n\n"
	"Ctrl-C ends the running test, marks the rest as not run, and leaves a valid report; a\n"
	"second one kills the test at once.\n\n"
	"Exit code: 0 nothing refuted, 1 something refuted or hung, 2 bad arguments or not able "
	"to\n"
	"run, 3 nothing refuted but something broken, 130 interrupted.\n";

enum {
	OPT_REPEAT = 256,
	OPT_CPU,
	OPT_SCALE,
	OPT_LABEL,
	OPT_ALLOW,
	OPT_BOUND,
	OPT_WORKLOAD,
	OPT_IDENTIFY,
	OPT_KTAP,
	OPT_SUITES,
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "cpu", required_argument, NULL, OPT_CPU },
	{ "timeout-scale", required_argument, NULL, OPT_SCALE },
	{ "label", required_argument, NULL, OPT_LABEL },
	{ "allow", required_argument, NULL, OPT_ALLOW },
	{ "bound", required_argument, NULL, OPT_BOUND },
	{ "workload", required_argument, NULL, OPT_WORKLOAD },
	{ "identify", no_argument, NULL, OPT_IDENTIFY },
	{ "ktap", no_argument, NULL, OPT_KTAP },
	{ "suites", required_argument, NULL, OPT_SUITES },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int parse_repeat(struct run_options *options, const char *text, struct err *err)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 1 || n > REPEAT_MAX)
		return err_set(err, 0, "--repeat %s: not a number from 1 to %d", text, REPEAT_MAX);
	options->repeat = (unsigned int)n;
	return 0;
}

static int parse_scale(struct run_options *options, const char *text, struct err *err)
{
	char *end;
	double scale = strtod(text, &end);

	if (end == text || *end || !(scale >= SCALE_MIN && scale <= SCALE_MAX))
		return err_set(err, 0, "--timeout-scale %s: not a number from %g to %g", text,
			       SCALE_MIN, SCALE_MAX);
	options->scale = scale;
	return 0;
}

static int parse_cpu(struct run_options *options, const char *text, struct err *err)
{
	int result = cpus_parse(&options->cpus, text, &options->allowed, err);

	if (result)
		err_prefix(err, "--cpu %s", text);
	options->cpu_list = text;
	return result;
}

static int parse_label(struct run_options *options, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	json_t *value = equals ? json_string(equals + 1) : NULL;
	char *key;
	int result;

	if (!equals || equals == text || !value) {
		json_decref(value);
		return err_set(err, 0, "--label %s: not KEY=VALUE in UTF-8", text);
	}
	key = strndup(text, (size_t)(equals - text));
	if (!key || json_object_get(options->labels, key)) {
		json_decref(value);
		result = err_set(err, key ? 0 : ENOMEM, "--label %s: given twice", text);
	} else if (json_object_set_new(options->labels, key, value)) {
		result = err_set(err, 0, "--label %s: not KEY=VALUE in UTF-8", text);
	} else {
		result = 0;
	}
	free(key);
	return result;
}

static int parse_bound(struct run_options *options, const char *text, struct err *err)
{
	const char *dot = strchr(text, '.');
	const char *equals = strchr(text, '=');
	struct run_options_bound *bounds;
	char *hypothesis;

	if (!dot || !equals || equals < dot + 2 || dot == text || !equals[1])
		return err_set(err, 0, "--bound %s: not HYPOTHESIS.CHECK=VALUE", text);
	hypothesis = strndup(text, (size_t)(dot - text));
	bounds = reallocarray(options->bounds, options->n_bounds + 1, sizeof(*bounds));
	if (bounds)
		options->bounds = bounds;
	if (!bounds || !hypothesis) {
		free(hypothesis);
		return err_set(err, ENOMEM, "--bound %s", text);
	}
	bounds[options->n_bounds].hypothesis = hypothesis;
	bounds[options->n_bounds++].setting = dot + 1;
	return 0;
}

static int take_option(struct run_options *options, int option, const char *value, struct err *err)
{
	switch (option) {
	case 'o':
		options->output = value;
		return *value ? 0 : err_set(err, 0, "--output: the name is empty");
	case OPT_REPEAT:
		return parse_repeat(options, value, err);
	case OPT_CPU:
		return parse_cpu(options, value, err);
	case OPT_SCALE:
		return parse_scale(options, value, err);
	case OPT_LABEL:
		return parse_label(options, value, err);
	case OPT_ALLOW:
		if (danger_parse(value, &options->allow))
			return err_set(err, 0, "--allow %s: not safe, may-throttle or may-hang",
				       value);
		return 0;
	case OPT_BOUND:
		return parse_bound(options, value, err);
	case OPT_WORKLOAD:
		options->workload = value;
		return 0;
	case OPT_IDENTIFY:
		options->identify = true;
		return 0;
	case OPT_KTAP:
		options->ktap = true;
		return 0;
	default: /* OPT_SUITES: the last one in the table */
		options->suites = value;
		return 0;
	}
}

int run_options_parse(struct run_options *options, int argc, char **argv)
{
	struct err err;
	int option;

	*options = (struct run_options){
		.repeat = 1,
		.scale = 1,
		.allow = DANGER_MAY_THROTTLE,
		.labels = json_object(),
	};
	if (!options->labels)
		return command_error("run", "out of memory");
	if (cpus_allowed(&options->allowed, &err))
		return command_error("run", "%s", err.text);
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return COMMAND_OK;
		}
		if (option == '?' || option == ':')
			return command_bad_option("run", option, argv);
		if (take_option(options, option, optarg, &err))
			return command_error("run", "%s", err.text);
	}
	options->patterns = argv + optind;
	options->n_patterns = (size_t)(argc - optind);
	return -1;
}

void run_options_free(struct run_options *options)
{
	json_decref(options->labels);
	for (size_t i = 0; i < options->n_bounds; i++)
		free(options->bounds[i].hypothesis);
	free(options->bounds);
}
