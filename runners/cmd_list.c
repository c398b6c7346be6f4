// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reports/text.h"
#include "command.h"
#include "progress.h"
#include "record.h"
#include "suite.h"

static const char help[] =
	"usage: pmiproof list [-v] [--json] [--suites DIR] [PATTERN...]\n\n"
	"Lists hypotheses: what each claims, where the claim comes from, what it needs, how\n"
	"dangerous it is, and whether it would run here. PATTERN is a shell pattern for NAME or\n"
	"THEME/NAME.\n\n"
	"  -v, --verbose  also checks and where their bounds come from, budget, options, sysctls\n"
	"                 that may be changed, and kernel-log messages that may be caused\n"
	"      --json     everything, as one JSON array\n"
	"      --suites DIR  where the hypotheses are, if not where this program was built or\n"
	"                 installed\n"
	"  -h, --help     this text\n";

enum { OPT_JSON = 256, OPT_SUITES };

struct list_options {
	bool verbose;
	bool json;
	const char *suites;
};

/* Whether a test would run here, as said by itself. */
struct readiness {
	bool ready;
	char reason[sizeof(((struct err *)0)->text) + 16];
};

/* Parse; returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, struct list_options *list)
{
	static const struct option options[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "suites", required_argument, NULL, OPT_SUITES },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":vh", options, NULL)) != -1) {
		switch (option) {
		case 'v':
			list->verbose = true;
			break;
		case OPT_JSON:
			list->json = true;
			break;
		case OPT_SUITES:
			if (!*optarg)
				return command_error("list", "--suites: the name is empty");
			list->suites = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return COMMAND_OK;
		default:
			return command_bad_option("list", option, argv, options);
		}
	}
	return -1;
}

static void ask(const struct suite_test *test, struct readiness *readiness)
{
	struct err err;

	*readiness = (struct readiness){ 0 };
	if (test->problem[0])
		snprintf(readiness->reason, sizeof(readiness->reason), "broken: %s", test->problem);
	else if (suite_probe(test, &readiness->ready, readiness->reason, sizeof(readiness->reason),
			     &err))
		snprintf(readiness->reason, sizeof(readiness->reason), "broken: %s", err.text);
}

static void print_field(const char *key, const char *text, size_t width)
{
	if (!*text)
		return;
	printf("    %-9s ", key);
	text_wrap(stdout, text, 14, 14, width);
}

/* The entries of a list of the declaration, each as one field. */
static void print_list(const struct suite_test *test, const char *list, const char *key,
		       const char *const *parts, size_t width)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(test->declaration, list), i, item)
	{
		char text[2048] = "";
		size_t used = 0;

		for (const char *const *part = parts; *part; part++) {
			const json_t *value = json_object_get(item, *part);
			const char *gap = used ? ": " : "";

			if (json_is_string(value) && used < sizeof(text))
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
							 gap, json_string_value(value));
			else if (json_integer_value(value) && used < sizeof(text))
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 " %" JSON_INTEGER_FORMAT,
							 json_integer_value(value));
		}
		if (json_is_string(item))
			snprintf(text, sizeof(text), "%s", json_string_value(item));
		print_field(i ? "" : key, text, width);
	}
}

/* How to set the bounds of those checks that take one. */
static void print_bounds(const struct suite_test *test, size_t width)
{
	const char *key = "bounds";
	const json_t *check;
	size_t i;

	json_array_foreach(json_object_get(test->declaration, "checks"), i, check)
	{
		const char *unit = json_string_value(json_object_get(check, "bound_unit"));
		char text[512];

		if (!unit)
			continue;
		snprintf(text, sizeof(text), "--bound %s.%s=VALUE (%s)", test->name,
			 json_string_value(json_object_get(check, "name")),
			 !strcmp(unit, "1") ? "a number" : unit);
		print_field(key, text, width);
		key = "";
	}
}

static void print_details(const struct suite_test *test, size_t width)
{
	static const char *const check[] = { "name", "claim", "origin", NULL };
	static const char *const klog[] = { "class", "max", NULL };
	static const char *const option[] = { "name", "value", "help", NULL };
	char budget[32];

	snprintf(budget, sizeof(budget), "%u s", test->budget_s);
	print_field("budget", budget, width);
	print_list(test, "checks", "checks", check, width);
	print_bounds(test, width);
	print_list(test, "options", "options", option, width);
	print_list(test, "sysctls", "sysctls", check, width);
	print_list(test, "escalate", "panics at", check, width);
	print_list(test, "klog", "log", klog, width);
	print_field("program", test->path, width);
}

static void print_test(const struct suite_test *test, const struct readiness *readiness,
		       bool verbose, size_t width)
{
	static const char *const need[] = { "need", "what", "value", NULL };
	const char *here = readiness->ready ? "yes" : "no";
	char text[1024];

	text_put(stdout, test->theme, (size_t)-1);
	putchar('/');
	text_put(stdout, test->name, (size_t)-1);
	putchar('\n');
	if (!test->problem[0]) {
		print_field("claim", suite_text(test, "claim"), width);
		print_field("source", suite_text(test, "source"), width);
		print_list(test, "needs", "needs", need, width);
		snprintf(text, sizeof(text), "%s%s", danger_name(test->danger),
			 test->danger == DANGER_MAY_HANG ? " (runs only with --allow may-hang, and "
							   "a hardware watchdog or --watchdog none)"
							 : "");
		print_field("danger", text, width);
	}
	snprintf(text, sizeof(text), "%s%s%s", here, *readiness->reason ? ": " : "",
		 readiness->reason);
	print_field("runs here", text, width);
	if (verbose && !test->problem[0])
		print_details(test, width);
}

static json_t *test_json(const struct suite_test *test, const struct readiness *readiness)
{
	json_t *object = json_deep_copy(test->declaration);

	json_object_set_new(object, "name", json_string(test->name));
	json_object_set_new(object, "theme", json_string(test->theme));
	record_set_text(object, "path", test->path, (size_t)-1);
	json_object_set_new(object, "ready", json_boolean(readiness->ready));
	record_set_text(object, "reason", readiness->reason, (size_t)-1);
	json_object_set_new(object, "default",
			    json_boolean(!test->problem[0] && test->danger != DANGER_MAY_HANG));
	return object;
}

static void print_suite(const struct suite *suite, const struct list_options *list)
{
	size_t width = isatty(STDOUT_FILENO) ? progress_columns(stdout) : 0;
	json_t *all = json_array();
	struct readiness readiness;

	for (size_t i = 0; i < suite->n; i++) {
		ask(&suite->tests[i], &readiness);
		if (list->json)
			json_array_append_new(all, test_json(&suite->tests[i], &readiness));
		else
			print_test(&suite->tests[i], &readiness, list->verbose, width);
	}
	if (list->json) {
		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	json_decref(all);
}

int cmd_list(int argc, char **argv)
{
	struct list_options list = { 0 };
	char dir[PATH_MAX];
	struct suite suite;
	struct err err;
	int code = parse(argc, argv, &list);

	if (code >= 0)
		return code;
	if (!list.suites) {
		if (suite_default_dir(dir, sizeof(dir), &err))
			return command_error("list", "%s", err.text);
		list.suites = dir;
	}
	if (suite_load(&suite, list.suites, argv + optind, (size_t)(argc - optind), &err))
		return command_error("list", "%s", err.text);
	print_suite(&suite, &list);
	suite_free(&suite);
	return COMMAND_OK;
}
