// SPDX-License-Identifier: GPL-2.0-or-later
#include "hypothesis.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "ktap.h"
#include "needs.h"
#include "record.h"
#include "run.h"
#include "unit.h"

/* Exit code for arguments that make no sense; nothing has run then. */
#define EXIT_USAGE 2

static const char *const dangers[] = {
	[DANGER_SAFE] = "safe",
	[DANGER_MAY_THROTTLE] = "may-throttle",
	[DANGER_MAY_HANG] = "may-hang",
};

const char *danger_name(enum danger danger)
{
	return dangers[danger];
}

int danger_parse(const char *name, enum danger *danger)
{
	for (size_t i = 0; i < sizeof(dangers) / sizeof(dangers[0]); i++) {
		if (!strcmp(dangers[i], name)) {
			*danger = (enum danger)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* What the command line asks for. */
enum mode { MODE_RUN, MODE_DESCRIBE, MODE_PROBE, MODE_HELP };

static void print_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(object);
}

static json_t *needs_json(const struct need *needs)
{
	json_t *array = json_array();

	for (; needs && needs->kind != NEED_END; needs++)
		json_array_append_new(array,
				      json_pack("{s:s, s:s*, s:i}", "need", need_name(needs->kind),
						"what", needs->what, "value", (int)needs->value));
	return array;
}

static json_t *checks_json(const struct check *checks)
{
	json_t *array = json_array();

	for (; checks->name; checks++)
		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:s, s:b, s:s*}", "name", checks->name,
						"claim", checks->claim, "origin", checks->origin,
						"optional", (int)checks->optional, "bound_unit",
						checks->bound_unit));
	return array;
}

static json_t *klog_json(const struct klog_allow *allow)
{
	json_t *array = json_array();

	for (; allow && allow->class != KLOG_NONE; allow++)
		json_array_append_new(array, json_pack("{s:s, s:i}", "class",
						       klog_class_name(allow->class), "max",
						       (int)allow->max));
	return array;
}

static json_t *sysctls_json(const char *const *names)
{
	json_t *array = json_array();

	for (; names && *names; names++)
		json_array_append_new(array, json_string(*names));
	return array;
}

static json_t *escalate_json(const struct hypothesis *h)
{
	unsigned int bits = escalate_resolve(h->escalate, h->danger == DANGER_MAY_HANG, h->klog);
	json_t *array = json_array();

	for (const struct escalate_kind *kind = escalate_kinds; kind->name; kind++)
		if (bits & kind->bit)
			json_array_append_new(array, json_string(kind->name));
	return array;
}

static json_t *options_json(const struct option_spec *options)
{
	json_t *array = json_array();

	for (; options && options->name; options++)
		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:s}", "name", options->name, "value",
						options->value, "help", options->help));
	return array;
}

static void describe(const struct hypothesis *h)
{
	print_json(json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
			     h->name, "claim", h->claim, "source", h->source, "danger",
			     danger_name(h->danger), "budget_s", (int)h->budget_s, "needs",
			     needs_json(h->needs), "checks", checks_json(h->checks), "klog",
			     klog_json(h->klog), "sysctls", sysctls_json(h->sysctls), "escalate",
			     escalate_json(h), "options", options_json(h->options)));
}

static void probe(const struct run *run)
{
	struct err err = { .text = "" };
	int result = needs_met(run->hypothesis->needs, &run->cpus, &err);
	json_t *object = json_pack("{s:b}", "ready", !result);

	record_set_text(object, "reason", err.text, (size_t)-1);
	print_json(object);
}

static void help(const struct hypothesis *h)
{
	printf("%s: %s\n\n", h->name, h->claim);
	printf("usage: %s [--cpu LIST] [--bound CHECK=VALUE]... [OPTION]...\n"
	       "       %s --describe | --probe | --help\n\n"
	       "  --cpu LIST           use these CPUs (\"0-3,8\"; default: all allowed)\n"
	       "  --bound CHECK=VALUE  set the bound of a check that takes one (\"50us\")\n"
	       "  --describe           print the declaration as JSON\n"
	       "  --probe              would it run here? as JSON\n",
	       h->name, h->name);
	for (const struct option_spec *o = h->options; o && o->name; o++)
		printf("  --%s=%s\n                       %s\n", o->name, o->value, o->help);
	puts("\nResults are KTAP on stdout. Exit code: 0 pass, 1 refuted or no conclusion, 4 "
	     "skip,\n"
	     "2 bad arguments.");
}

/* Is that a value for this option? */
static int check_option(const struct option_spec *option, const char *value, struct err *err)
{
	const char *const *word = option->words;
	size_t number;
	int result = 0;

	if (option->most)
		result = unit_parse_count(value, option->least, option->most, &number, err);
	while (word && *word && strcmp(*word, value) != 0)
		word++;
	if (word && !*word)
		result = err_set(err, 0, "\"%s\": not one of %s", value, option->value);
	if (result)
		err_prefix(err, "--%s", option->name);
	return result;
}

/* CHECK=VALUE, of a check that takes a bound. */
static int add_bound(struct run *run, char *text, struct err *err)
{
	char *equals = strchr(text, '=');
	const struct check *check = run->hypothesis->checks;
	struct run_bound_given *bound = &run->bounds[run->n_bounds];
	int result;

	if (!equals)
		return err_set(err, 0, "--bound %s: not CHECK=VALUE", text);
	*equals = '\0';
	while (check->name && strcmp(check->name, text) != 0)
		check++;
	if (!check->name || !check->bound_unit)
		return err_set(err, 0, "--bound %s: no check of that name takes a bound", text);
	for (size_t i = 0; i < run->n_bounds; i++)
		if (!strcmp(run->bounds[i].check, text))
			return err_set(err, 0, "--bound %s: given twice", text);
	result = unit_parse_explicit(equals + 1, check->bound_unit, &bound->value, err);
	if (result) {
		err_prefix(err, "--bound %s", text);
		return result;
	}
	bound->check = check->name;
	run->n_bounds++;
	return 0;
}

enum { OPT_CPU = 256, OPT_BOUND, OPT_DESCRIBE, OPT_PROBE, OPT_HELP, OPT_OWN };

/* The options of every hypothesis and then its own, for getopt_long(). Newly allocated. */
static struct option *long_options(const struct hypothesis *h)
{
	static const struct option common[] = {
		{ "cpu", required_argument, NULL, OPT_CPU },
		{ "bound", required_argument, NULL, OPT_BOUND },
		{ "describe", no_argument, NULL, OPT_DESCRIBE },
		{ "probe", no_argument, NULL, OPT_PROBE },
		{ "help", no_argument, NULL, OPT_HELP },
	};
	const size_t n_common = sizeof(common) / sizeof(common[0]);
	size_t n = 0;
	struct option *options;

	while (h->options && h->options[n].name)
		n++;
	options = calloc(n_common + n + 1, sizeof(*options));
	if (!options)
		return NULL;
	memcpy(options, common, sizeof(common));
	for (size_t i = 0; i < n; i++) {
		options[n_common + i].name = h->options[i].name;
		options[n_common + i].has_arg = required_argument;
		options[n_common + i].val = OPT_OWN + (int)i;
	}
	return options;
}

static int parse_option(struct run *run, int option, char *value, enum mode *mode, struct err *err)
{
	struct cpus allowed;
	int result;

	switch (option) {
	case OPT_CPU:
		result = cpus_allowed(&allowed, err);
		if (!result)
			result = cpus_parse(&run->cpus, value, &allowed, err);
		if (result)
			err_prefix(err, "--cpu %s", value);
		return result;
	case OPT_BOUND:
		return add_bound(run, value, err);
	case OPT_DESCRIBE:
		*mode = MODE_DESCRIBE;
		return 0;
	case OPT_PROBE:
		*mode = MODE_PROBE;
		return 0;
	case OPT_HELP:
		*mode = MODE_HELP;
		return 0;
	default:
		if (option < OPT_OWN)
			return err_set(err, 0, "unknown or incomplete option; see --help");
		run->options[option - OPT_OWN] = value;
		return check_option(&run->hypothesis->options[option - OPT_OWN], value, err);
	}
}

static int parse_arguments(struct run *run, int argc, char **argv, enum mode *mode, struct err *err)
{
	struct option *options = long_options(run->hypothesis);
	int result = 0;
	int option;

	if (!options)
		return err_set(err, ENOMEM, "options");
	opterr = 0;
	optind = 1;
	while (!result && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		result = parse_option(run, option, optarg, mode, err);
	free(options);
	if (!result && optind < argc)
		result = err_set(err, 0, "unexpected argument '%s'; see --help", argv[optind]);
	if (!result && !run->cpus.n)
		result = cpus_allowed(&run->cpus, err);
	return result;
}

/* The verdict of one declared check, for its KTAP line. */
static enum verdict check_verdict(const struct run *run, size_t i, enum verdict whole,
				  const char **reason)
{
	const struct check_state *state = &run->checks[i];

	*reason = state->text;
	if (state->failed)
		return VERDICT_FAIL;
	if (state->undefined)
		return VERDICT_BROKEN;
	if (state->evaluated)
		return VERDICT_PASS;
	*reason = run->reason;
	if (whole == VERDICT_SKIP)
		return VERDICT_SKIP;
	if (!run->hypothesis->checks[i].optional)
		return VERDICT_BROKEN;
	*reason =
		run->hypothesis->checks[i].bound_unit ? "no bound was set" : "not applicable here";
	return VERDICT_SKIP;
}

static void tell_supervisor(struct run *run, enum verdict verdict)
{
	json_t *record =
		json_pack("{s:s, s:s}", "type", "verdict", "verdict", verdict_name(verdict));
	struct err err;

	record_set_text(record, "reason", run->reason, (size_t)-1);
	if (record_write(run->record_fd, record, &err))
		fprintf(stderr, "%s: %s\n", run->hypothesis->name, err.text);
}

/* Print the results and return the verdict of the whole. */
static enum verdict conclude(struct run *run, struct guard *guard, enum verdict verdict)
{
	const struct check *checks = run->hypothesis->checks;
	struct err why;
	enum verdict log = guard_finish(guard, &why);

	for (size_t i = 0; checks[i].name; i++) {
		const char *reason;
		enum verdict own = check_verdict(run, i, verdict, &reason);

		ktap_result(own, checks[i].name, reason);
	}
	if (guard->alone) {
		ktap_result(log, "kernel_log", why.text);
		/* A quiet kernel log is no reason to pass. */
		if (log < VERDICT_PASS && log < verdict) {
			snprintf(run->reason, sizeof(run->reason), "%s", why.text);
			verdict = log;
		}
	}
	/* What no check shows (a control that failed, a check never declared) has its line too. */
	ktap_result(verdict, "conclusion", run->reason);
	ktap_end();
	return verdict;
}

static int run_it(struct run *run)
{
	const struct hypothesis *h = run->hypothesis;
	enum verdict verdict;
	struct guard guard;
	struct err err;
	int result;

	run->record_fd = record_open(&err);
	run->ack_fd = run->record_fd < 0 ? -1 : record_open_ack(&err);
	if (run->record_fd < -1 || run->ack_fd < -1 || guard_start(&guard, run, &err)) {
		fprintf(stderr, "%s: %s\n", h->name, err.text);
		return EXIT_USAGE;
	}
	ktap_begin((unsigned int)run_check_count(h) + guard.alone + 1);
	ktap_diag("%s: %s", h->name, h->claim);
	result = needs_met(h->needs, &run->cpus, &err);
	if (result)
		result = run_skip(run, "%s", err.text);
	else
		result = h->run(run);
	verdict = conclude(run, &guard, run_judge(run, result));
	if (!guard.alone)
		tell_supervisor(run, verdict);
	return verdict_ksft_exit(verdict);
}

int hypothesis_main(const struct hypothesis *h, int argc, char **argv)
{
	enum mode mode = MODE_RUN;
	struct run *run = calloc(1, sizeof(*run));
	struct err err;
	int code = 0;

	if (!run || run_init(run, h)) {
		fprintf(stderr, "%s: out of memory\n", h->name);
		free(run);
		return EXIT_USAGE;
	}
	if (parse_arguments(run, argc, argv, &mode, &err)) {
		fprintf(stderr, "%s: %s\n", h->name, err.text);
		code = EXIT_USAGE;
	} else if (mode == MODE_DESCRIBE) {
		describe(h);
	} else if (mode == MODE_PROBE) {
		probe(run);
	} else if (mode == MODE_HELP) {
		help(h);
	} else {
		code = run_it(run);
	}
	run_free(run);
	free(run);
	return code;
}
