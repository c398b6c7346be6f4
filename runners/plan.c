// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "record.h"
#include "unit.h"

/* Arguments of a test that do not depend on the number of settings: path, --cpu LIST, workload. */
#define FIXED_ARGUMENTS 4

/* What a setting is about, up to its '='. */
static void setting_name(const struct run_options_setting *setting, char *name, size_t size)
{
	snprintf(name, size, "%.*s", (int)strcspn(setting->setting, "="), setting->setting);
}

/* The test that a setting, given with `option`, is for; NULL with err. */
static const struct suite_test *setting_test(const struct suite *suite,
					     const struct run_options_setting *setting,
					     const char *option, struct err *err)
{
	const struct suite_test *test =
		suite_test_named(suite, setting->hypothesis, strlen(setting->hypothesis));

	if (!test)
		err_set(err, 0, "%s %s.%s: no such hypothesis is to be run", option,
			setting->hypothesis, setting->setting);
	else if (*test->problem)
		err_set(err, 0, "%s %s.%s: it cannot be asked what it takes: %s", option,
			setting->hypothesis, setting->setting, test->problem);
	return test && !*test->problem ? test : NULL;
}

/* Are the options about something that is in the suite? */
static int check_bound(const struct suite *suite, const struct run_options_setting *bound,
		       struct err *err)
{
	const struct suite_test *test = setting_test(suite, bound, "--bound", err);
	const char *value_text = bound->setting + strcspn(bound->setting, "=") + 1;
	const char *unit = NULL;
	char check[128];
	double value;
	int result;

	if (!test)
		return -EINVAL;
	setting_name(bound, check, sizeof(check));
	unit = json_string_value(json_object_get(suite_find(test, "checks", check), "bound_unit"));
	if (!unit)
		return err_set(err, 0, "--bound %s.%s: no check of that name takes a bound",
			       bound->hypothesis, bound->setting);
	result = unit_parse_explicit(value_text, unit, &value, err);
	if (result)
		err_prefix(err, "--bound %s.%s", bound->hypothesis, check);
	return result;
}

static int check_own(const struct suite *suite, const struct run_options_setting *own,
		     struct err *err)
{
	const struct suite_test *test = setting_test(suite, own, "--option", err);
	char name[128];

	if (!test)
		return -EINVAL;
	setting_name(own, name, sizeof(name));
	if (!suite_find(test, "options", name))
		return err_set(err, 0, "--option %s.%s: it has no option of that name",
			       own->hypothesis, own->setting);
	return 0;
}

static int check_options(const struct suite *suite, const struct run_options *options,
			 struct err *err)
{
	bool takes_workload = false;
	int result = 0;

	for (size_t i = 0; !result && i < options->bounds.n; i++)
		result = check_bound(suite, &options->bounds.of[i], err);
	for (size_t i = 0; !result && i < options->own.n; i++)
		result = check_own(suite, &options->own.of[i], err);
	for (size_t i = 0; i < suite->n; i++)
		takes_workload |= suite_find(&suite->tests[i], "options", "workload") != NULL;
	if (!result && options->workload && !takes_workload)
		result = err_set(err, 0, "--workload: no hypothesis to be run takes one");
	return result;
}

/* The command line of one test. Newly allocated, its strings too. */
static char **make_argv(const struct suite_test *test, const struct run_options *options)
{
	const struct run_options_settings *bounds = &options->bounds, *own = &options->own;
	char **argv = calloc(FIXED_ARGUMENTS + 2 * bounds->n + own->n + 1, sizeof(*argv));
	size_t n = 0;

	if (!argv)
		return NULL;
	argv[n++] = strdup(test->path);
	if (options->cpu_list) {
		argv[n++] = strdup("--cpu");
		argv[n++] = strdup(options->cpu_list);
	}
	for (size_t i = 0; i < bounds->n; i++) {
		if (strcmp(bounds->of[i].hypothesis, test->name) != 0)
			continue;
		argv[n++] = strdup("--bound");
		argv[n++] = strdup(bounds->of[i].setting);
	}
	for (size_t i = 0; i < own->n; i++)
		if (!strcmp(own->of[i].hypothesis, test->name) &&
		    asprintf(&argv[n++], "--%s", own->of[i].setting) < 0)
			argv[n - 1] = NULL;
	if (options->workload && suite_find(test, "options", "workload") &&
	    asprintf(&argv[n++], "--workload=%s", options->workload) < 0)
		argv[n - 1] = NULL;
	return argv;
}

/* For people: the first of one needs no number. */
static char *make_label(const struct suite_test *test, unsigned int iter, unsigned int repeat)
{
	char *label;

	if (repeat == 1 && iter == 1)
		return strdup(test->name);
	return asprintf(&label, "%s/%u", test->name, iter) < 0 ? NULL : label;
}

static int add_entry(struct plan *plan, const struct suite_test *test, char *const *argv,
		     unsigned int iter)
{
	char *label = make_label(test, iter, plan->repeat);

	if (!label || !argv) {
		free(label);
		return -ENOMEM;
	}
	plan->labels[plan->n] = label;
	plan->entries[plan->n] = (struct planned){
		.test = test,
		.iter = iter,
		.number = plan->n + 1,
		.label = label,
		.argv = argv,
		.verdict = VERDICT_NONE,
	};
	plan->n++;
	return 0;
}

int plan_make(struct plan *plan, const struct suite *suite, const struct run_options *options,
	      struct err *err)
{
	size_t n = suite->n * options->repeat;
	int result;

	*plan = (struct plan){ .n_tests = suite->n, .repeat = options->repeat };
	result = check_options(suite, options, err);
	if (result)
		return result;
	plan->entries = calloc(n, sizeof(*plan->entries));
	plan->labels = calloc(n, sizeof(*plan->labels));
	plan->argvs = calloc(suite->n, sizeof(*plan->argvs));
	if (!plan->entries || !plan->labels || !plan->argvs)
		return err_set(err, ENOMEM, "plan");
	for (size_t i = 0; i < suite->n; i++)
		plan->argvs[i] = make_argv(&suite->tests[i], options);
	for (unsigned int iter = 1; !result && iter <= options->repeat; iter++)
		for (size_t i = 0; !result && i < suite->n; i++)
			result = add_entry(plan, &suite->tests[i], plan->argvs[i], iter);
	return result ? err_set(err, ENOMEM, "plan") : 0;
}

int plan_add(struct plan *plan, const char *test, unsigned int iter, struct err *err)
{
	struct planned *entries;
	char **labels;
	size_t t = 0;

	while (t < plan->n_tests && strcmp(plan->entries[t].test->name, test) != 0)
		t++;
	if (t == plan->n_tests)
		return err_set(err, 0, "%s: no such hypothesis is planned", test);
	entries = reallocarray(plan->entries, plan->n + 1, sizeof(*entries));
	if (entries)
		plan->entries = entries;
	labels = reallocarray(plan->labels, plan->n + 1, sizeof(*labels));
	if (labels)
		plan->labels = labels;
	if (!entries || !labels || add_entry(plan, entries[t].test, plan->argvs[t], iter))
		return err_set(err, ENOMEM, "plan");
	return 0;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; plan->argvs && i < plan->n_tests; i++) {
		for (char **arg = plan->argvs[i]; arg && *arg; arg++)
			free(*arg);
		free(plan->argvs[i]);
	}
	for (size_t i = 0; i < plan->n; i++)
		free(plan->labels[i]);
	free(plan->argvs);
	free(plan->labels);
	free(plan->entries);
}

static json_t *planned_json(const struct suite_test *test)
{
	json_t *entry = json_pack("{s:s, s:s, s:i}", "test", test->name, "danger",
				  danger_name(test->danger), "budget_s", (int)test->budget_s);

	record_set_text(entry, "claim", suite_text(test, "claim"), (size_t)-1);
	record_set_text(entry, "source", suite_text(test, "source"), (size_t)-1);
	return entry;
}

json_t *plan_planned(const struct suite *suite)
{
	json_t *planned = json_array();

	for (size_t i = 0; i < suite->n; i++)
		json_array_append_new(planned, planned_json(&suite->tests[i]));
	return planned;
}

/* What a resumed run needs to find the same suites and table, and a workload the same files. */
static void add_cwd(json_t *record, const struct run_options *options)
{
	char cwd[PATH_MAX];
	bool matters = options->workload || (options->suites && *options->suites != '/') ||
		       (options->known && *options->known != '/');

	if (matters && getcwd(cwd, sizeof(cwd)))
		record_set_text(record, "cwd", cwd, (size_t)-1);
}

json_t *plan_record(const struct suite *suite, const struct run_options *options, int argc,
		    char **argv)
{
	json_t *args = json_array();
	json_t *record;

	for (int i = 0; i < argc; i++) {
		json_t *holder = json_object();

		record_set_text(holder, "arg", argv[i], (size_t)-1);
		json_array_append(args, json_object_get(holder, "arg"));
		json_decref(holder);
	}
	record = json_pack("{s:s, s:s, s:o, s:O, s:o, s:i}", "type", "run", "version",
			   PMIPROOF_VERSION, "args", args, "labels", options->labels, "planned",
			   plan_planned(suite), "repeat", (int)options->repeat);
	if (record)
		add_cwd(record, options);
	return record;
}

json_t *plan_done(const struct plan *plan, int exit_code, bool interrupted)
{
	json_t *counts = json_object();

	for (enum verdict v = VERDICT_HUNG; v < VERDICT_NONE; v++) {
		json_int_t n = 0;

		for (size_t i = 0; i < plan->n; i++)
			n += plan->entries[i].verdict == v;
		json_object_set_new(counts, verdict_name(v), json_integer(n));
	}
	return json_pack("{s:s, s:o, s:i, s:b}", "type", "done", "counts", counts, "exit",
			 exit_code, "interrupted", (int)interrupted);
}

int plan_exit(const struct plan *plan)
{
	enum verdict worst = VERDICT_NONE;

	for (size_t i = 0; i < plan->n; i++)
		worst = verdict_worse(worst, plan->entries[i].verdict);
	return command_exit_code(worst);
}
