// SPDX-License-Identifier: GPL-2.0-or-later
#include "run_options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define REPEAT_MAX 1000000
#define RESETS_MAX 1000000
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
	"      --watchdog DEV     what resets the machine should a may-hang hypothesis stop it: a\n"
	"                         device, auto (default: a hardware watchdog; without one they\n"
	"                         are not run), or none (somebody else resets it)\n"
	"      --no-escalate      do not let the kernel panic at stalls and lockups meanwhile, "
	"nor\n"
	"                         the watchdog end a process that cannot be killed\n"
	"      --bound HYPOTHESIS.CHECK=VALUE\n"
	"                         bound of a check that takes one (list -v); may be repeated\n"
	"      --option HYPOTHESIS.NAME=VALUE\n"
	"                         an option of its own (list -v); may be repeated\n"
	"      --workload CMD     what to measure under, for hypotheses that take one\n"
	"      --identify         let the report name the machine (host name, serial numbers)\n"
	"      --mirror DEST      send journal and kernel log elsewhere as they are written:\n"
	"                         serial:DEVICE[,BAUD], tcp:HOST:PORT, file:PATH; may be repeated\n"
	"      --ktap             KTAP on standard output, and nothing else there\n"
	"      --known FILE       table of known issues, in place of the one that is installed;\n"
	"                         with --resume: in place of that of the run\n"
	"      --suites DIR       where the hypotheses are\n"
	"      --resume DIR       go on with the run of this report, which was cut off; its\n"
	"                         settings are those it began with\n"
	"      --retry-hung       with --resume: try once more what hung\n"
	"      --max-resets N     with --resume: go on until the machine was reset N times\n"
	"                         (default: 3, or 2 in a row in which no test got its verdict)\n"
	"  -h, --help             this text\n\n"
	"Ctrl-C ends the running test, marks the rest as not run, and leaves a valid report; a\n"
	"second one kills the test at once.\n\n"
	"Exit code: 0 nothing refuted but known issues, 1 something refuted or hung, 2 bad "
	"arguments\n"
	"or not able to run, 3 nothing refuted but something broken, 130 interrupted.\n";

enum {
	OPT_REPEAT = 256,
	OPT_CPU,
	OPT_SCALE,
	OPT_LABEL,
	OPT_ALLOW,
	OPT_WATCHDOG,
	OPT_NO_ESCALATE,
	OPT_BOUND,
	OPT_OPTION,
	OPT_WORKLOAD,
	OPT_IDENTIFY,
	OPT_KTAP,
	OPT_MIRROR,
	OPT_SUITES,
	OPT_RESUME,
	OPT_RETRY_HUNG,
	OPT_MAX_RESETS,
	OPT_KNOWN,
};

static const struct option run_long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "cpu", required_argument, NULL, OPT_CPU },
	{ "timeout-scale", required_argument, NULL, OPT_SCALE },
	{ "label", required_argument, NULL, OPT_LABEL },
	{ "allow", required_argument, NULL, OPT_ALLOW },
	{ "watchdog", required_argument, NULL, OPT_WATCHDOG },
	{ "no-escalate", no_argument, NULL, OPT_NO_ESCALATE },
	{ "bound", required_argument, NULL, OPT_BOUND },
	{ "option", required_argument, NULL, OPT_OPTION },
	{ "workload", required_argument, NULL, OPT_WORKLOAD },
	{ "identify", no_argument, NULL, OPT_IDENTIFY },
	{ "mirror", required_argument, NULL, OPT_MIRROR },
	{ "ktap", no_argument, NULL, OPT_KTAP },
	{ "suites", required_argument, NULL, OPT_SUITES },
	{ "resume", required_argument, NULL, OPT_RESUME },
	{ "retry-hung", no_argument, NULL, OPT_RETRY_HUNG },
	{ "max-resets", required_argument, NULL, OPT_MAX_RESETS },
	{ "known", required_argument, NULL, OPT_KNOWN },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int parse_count(unsigned int *count, const char *option, const char *text, long max,
		       struct err *err)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 1 || n > max)
		return err_set(err, 0, "--%s %s: not a number from 1 to %ld", option, text, max);
	*count = (unsigned int)n;
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

static int parse_watchdog(struct run_options *options, const char *text, struct err *err)
{
	bool device =
		!strncmp(text, "/dev/", 5) && strlen(text) < sizeof(((struct watchdog *)0)->path);

	if (!device && strcmp(text, "auto") != 0 && strcmp(text, "none") != 0)
		return err_set(err, 0, "--watchdog %s: not auto, none or a device (/dev/watchdog0)",
			       text);
	options->hazard.watchdog = strcmp(text, "auto") ? text : NULL;
	return 0;
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

/* `form`: the option and what its value is to look like. */
static int parse_setting(struct run_options_settings *settings, const char *form, const char *text,
			 struct err *err)
{
	const char *dot = strchr(text, '.');
	const char *equals = strchr(text, '=');
	struct run_options_setting *of;
	char *hypothesis;

	if (!dot || !equals || equals < dot + 2 || dot == text || !equals[1])
		return err_set(err, 0, "%.*s %s: not %s", (int)strcspn(form, " "), form, text,
			       strchr(form, ' ') + 1);
	hypothesis = strndup(text, (size_t)(dot - text));
	of = reallocarray(settings->of, settings->n + 1, sizeof(*of));
	if (of)
		settings->of = of;
	if (!of || !hypothesis) {
		free(hypothesis);
		return err_set(err, ENOMEM, "%s", text);
	}
	of[settings->n].hypothesis = hypothesis;
	of[settings->n++].setting = dot + 1;
	return 0;
}

static int add_mirror(struct run_options *options, char *dest, struct err *err)
{
	char **all = reallocarray(options->mirrors, options->n_mirrors + 1, sizeof(*all));

	if (!all)
		return err_set(err, ENOMEM, "--mirror %s", dest);
	options->mirrors = all;
	options->mirrors[options->n_mirrors++] = dest;
	return 0;
}

static void free_settings(struct run_options_settings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		free(settings->of[i].hypothesis);
	free(settings->of);
}

/* Options about a run that is resumed. Returns 1 when it is none of them. */
static int take_resume(struct run_options *options, int option, const char *value, struct err *err)
{
	switch (option) {
	case OPT_RESUME:
		options->resume = value;
		return *value ? 0 : err_set(err, 0, "--resume: the name is empty");
	case OPT_RETRY_HUNG:
		options->retry_hung = true;
		return 0;
	case OPT_MAX_RESETS:
		return parse_count(&options->resets_max, "max-resets", value, RESETS_MAX, err);
	case OPT_KNOWN:
		options->known = value;
		return *value ? 0 : err_set(err, 0, "--known: the name is empty");
	case OPT_KTAP: /* how it is shown, which may be another way this time */
		options->ktap = true;
		return 0;
	default:
		return 1;
	}
}

static int take_option(struct run_options *options, int option, char *value, struct err *err)
{
	int result = take_resume(options, option, value, err);

	if (result <= 0)
		return result;
	options->settings = true;
	switch (option) {
	case 'o':
		options->output = value;
		return *value ? 0 : err_set(err, 0, "--output: the name is empty");
	case OPT_REPEAT:
		return parse_count(&options->repeat, "repeat", value, REPEAT_MAX, err);
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
	case OPT_WATCHDOG:
		return parse_watchdog(options, value, err);
	case OPT_NO_ESCALATE:
		options->hazard.no_escalate = true;
		return 0;
	case OPT_BOUND:
		return parse_setting(&options->bounds, "--bound HYPOTHESIS.CHECK=VALUE", value,
				     err);
	case OPT_OPTION:
		return parse_setting(&options->own, "--option HYPOTHESIS.NAME=VALUE", value, err);
	case OPT_WORKLOAD:
		options->workload = value;
		return 0;
	case OPT_IDENTIFY:
		options->identify = true;
		return 0;
	case OPT_MIRROR:
		return add_mirror(options, value, err);
	default: /* OPT_SUITES: the last one in the table */
		options->suites = value;
		return *value ? 0 : err_set(err, 0, "--suites: the name is empty");
	}
}

#define LONG_OPTIONS_MAX 32

/* Our options and those of the further subcommand, as one table. */
static void join_options(struct option *all, const struct run_options_more *more)
{
	const struct option *const tables[] = { run_long_options, more ? more->options : NULL };
	size_t n = 0;

	memset(all, 0, LONG_OPTIONS_MAX * sizeof(*all));
	for (size_t i = 0; i < 2; i++)
		for (const struct option *row = tables[i];
		     row && row->name && n + 1 < LONG_OPTIONS_MAX; row++)
			all[n++] = *row;
}

static int init(struct run_options *options, const struct run_options_more *more, struct err *err)
{
	*options = (struct run_options){
		.repeat = 1,
		.scale = 1,
		.allow = more ? more->allow : DANGER_MAY_THROTTLE,
		.labels = json_object(),
	};
	if (!options->labels)
		return err_set(err, ENOMEM, "labels");
	if (!more)
		return cpus_allowed(&options->allowed, err);
	for (unsigned int cpu = 0; cpu < more->cpus; cpu++)
		options->allowed.cpu[options->allowed.n++] = (int)cpu;
	return 0;
}

/* What goes together, and what does not. */
static int check_resume(const struct run_options *options, const struct run_options_more *more,
			struct err *err)
{
	if (more && options->resume)
		return err_set(err, 0, "--resume: a run in the lab cannot be resumed");
	if (!options->resume && (options->retry_hung || options->resets_max))
		return err_set(err, 0, "--%s: only with --resume",
			       options->retry_hung ? "retry-hung" : "max-resets");
	if (options->resume && (options->settings || options->n_patterns))
		return err_set(err, 0,
			       "--resume: the settings are those that the run began with, "
			       "and cannot be given again");
	return 0;
}

int run_options_parse(struct run_options *options, const struct run_options_more *more, int argc,
		      char **argv)
{
	const char *subcommand = more ? more->subcommand : "run";
	struct option long_options[LONG_OPTIONS_MAX];
	struct err err;
	int option;

	if (init(options, more, &err))
		return command_error(subcommand, "%s", err.text);
	join_options(long_options, more);
	opterr = 0;
	optind = 0; /* the command line of a run that is resumed is parsed after ours */
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		int result;

		if (option == 'h') {
			fputs(more ? more->help : help, stdout);
			return COMMAND_OK;
		}
		if (option == '?' || option == ':')
			return command_bad_option(subcommand, option, argv, long_options);
		result = more && option >= RUN_OPTIONS_MORE
				 ? more->take(more->context, option, optarg, &err)
				 : take_option(options, option, optarg, &err);
		if (result)
			return command_error(subcommand, "%s", err.text);
	}
	if (more && options->n_mirrors)
		return command_error(subcommand,
				     "--mirror: the journal of the lab is on this machine anyway");
	options->patterns = argv + optind;
	options->n_patterns = (size_t)(argc - optind);
	if (check_resume(options, more, &err))
		return command_error(subcommand, "%s", err.text);
	return -1;
}

void run_options_free(struct run_options *options)
{
	json_decref(options->labels);
	free_settings(&options->bounds);
	free_settings(&options->own);
	free(options->mirrors);
}
