// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "record.h"

/*
 * Describing prints constants and probing opens a few events: milliseconds. The limits are for a
 * machine under full load.
 */
#define DESCRIBE_MS 10000
#define PROBE_MS 20000

/* A declaration is a few kilobytes. */
#define ANSWER_MAX ((size_t)1 << 20)

/* A day: longer is a mistake in a declaration. */
#define BUDGET_MAX_S 86400

int suite_beside_program(const char *const *places, size_t n, char *path, size_t size,
			 struct err *err)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		return err_set(err, errno, "/proc/self/exe");
	self[len] = '\0';
	*strrchr(self, '/') = '\0'; /* the link is an absolute path */
	for (size_t i = 0; i < n; i++) {
		if ((size_t)snprintf(path, size, "%s/%s", self, places[i]) >= size)
			return err_set(err, ENAMETOOLONG, "%s/%s", self, places[i]);
		if (!access(path, R_OK))
			return 0;
	}
	return err_plain(err, ENOENT, "neither %s/%s nor %s/%s is there", self, places[0], self,
			 places[n - 1]);
}

int suite_default_dir(char *dir, size_t size, struct err *err)
{
	static const char *const places[] = { "suites", "../libexec/pmiproof/suites" };
	int result = suite_beside_program(places, 2, dir, size, err);

	if (result)
		err_prefix(err, "no hypotheses");
	return result;
}

static bool matches(const char *pattern, const char *theme, const char *name)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", theme, name);
	return !fnmatch(pattern, name, 0) || !fnmatch(pattern, full, 0);
}

/* Does a pattern want it? Marks the patterns that do. */
static bool wanted(const char *theme, const char *name, char *const *patterns, size_t n, bool *used)
{
	bool any = n == 0;

	for (size_t i = 0; i < n; i++) {
		if (matches(patterns[i], theme, name)) {
			used[i] = true;
			any = true;
		}
	}
	return any;
}

/* Test binaries: executable files without a dot in their name (so no object files, no scripts). */
static bool is_test(const char *path, const char *name)
{
	struct stat st;

	return !strchr(name, '.') && !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* A copy for records, which are UTF-8 whatever files are called; NULL when memory ran out. */
static char *valid_text(const char *text)
{
	json_t *holder = json_object();
	const char *valid;
	char *copy;

	record_set_text(holder, "text", text, (size_t)-1);
	valid = json_string_value(json_object_get(holder, "text"));
	copy = valid ? strdup(valid) : NULL;
	json_decref(holder);
	return copy;
}

static int add(struct suite *suite, const char *path, const char *theme, const char *name)
{
	struct suite_test *tests = reallocarray(suite->tests, suite->n + 1, sizeof(*tests));
	struct suite_test *test;

	if (!tests)
		return -ENOMEM;
	suite->tests = tests;
	test = &tests[suite->n++];
	memset(test, 0, sizeof(*test));
	test->path = strdup(path);
	test->theme = valid_text(theme);
	test->name = valid_text(name);
	test->declaration = json_object();
	test->klog = calloc(1, sizeof(*test->klog));
	test->sysctls = calloc(1, sizeof(*test->sysctls));
	return test->path && test->theme && test->name && test->declaration && test->klog &&
			       test->sysctls
		       ? 0
		       : -ENOMEM;
}

/* What the search for test binaries goes by. */
struct search {
	struct suite *suite;
	char *const *patterns;
	size_t n_patterns;
	bool *used; /* per pattern: it matched something */
};

static int search_theme(struct search *search, const char *dir, const char *theme, struct err *err)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *folder;
	int result = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, theme);
	folder = opendir(path);
	if (!folder)
		return errno == ENOTDIR ? 0 : err_set(err, errno, "open %s", path);
	while (!result && (entry = readdir(folder))) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s", dir, theme, entry->d_name) >=
		    sizeof(path))
			result = err_set(err, ENAMETOOLONG, "%s", path);
		else if (is_test(path, entry->d_name) &&
			 wanted(theme, entry->d_name, search->patterns, search->n_patterns,
				search->used) &&
			 add(search->suite, path, theme, entry->d_name))
			result = err_set(err, ENOMEM, "list of tests");
	}
	closedir(folder);
	return result;
}

static int search_all(struct search *search, const char *dir, struct err *err)
{
	DIR *folder = opendir(dir);
	const struct dirent *entry;
	int result = 0;

	if (!folder)
		return err_set(err, errno, "open %s", dir);
	while (!result && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			result = search_theme(search, dir, entry->d_name, err);
	closedir(folder);
	for (size_t i = 0; !result && i < search->n_patterns; i++)
		if (!search->used[i])
			result = err_plain(err, ENOENT, "no hypothesis matches '%s'",
					   search->patterns[i]);
	if (!result && !search->suite->n)
		result = err_plain(err, ENOENT, "no hypothesis in %s", dir);
	return result;
}

static int by_name(const void *a, const void *b)
{
	const struct suite_test *left = a, *right = b;
	int theme = strcmp(left->theme, right->theme);

	return theme ? theme : strcmp(left->name, right->name);
}

static int bad(struct err *err, const char *key, const char *what)
{
	return err_plain(err, EBADMSG, "its declaration: \"%s\" is %s", key, what);
}

static int declare_klog(struct suite_test *test, struct err *err)
{
	const json_t *list = json_object_get(test->declaration, "klog");
	struct klog_allow *allow;
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return bad(err, "klog", "no array");
	allow = calloc(json_array_size(list) + 1, sizeof(*allow));
	if (!allow)
		return err_set(err, ENOMEM, "declaration");
	free(test->klog);
	test->klog = allow;
	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(json_object_get(item, "class"));
		json_int_t max = json_integer_value(json_object_get(item, "max"));

		allow[i].class = name ? klog_class_parse(name) : KLOG_NONE;
		allow[i].max = (unsigned int)max;
		if (allow[i].class == KLOG_NONE || max < 0 || max > UINT_MAX)
			return bad(err, "klog", "no table of known classes");
	}
	return 0;
}

static int declare_sysctls(struct suite_test *test, struct err *err)
{
	const json_t *list = json_object_get(test->declaration, "sysctls");
	const char **names;
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return bad(err, "sysctls", "no array");
	names = calloc(json_array_size(list) + 1, sizeof(*names));
	if (!names)
		return err_set(err, ENOMEM, "declaration");
	free(test->sysctls);
	test->sysctls = names;
	json_array_foreach(list, i, item)
	{
		names[i] = json_string_value(item);
		if (!names[i] || strchr(names[i], '/'))
			return bad(err, "sysctls", "no list of dotted names");
	}
	return 0;
}

/* It may be left out: nothing is escalated. */
static int declare_escalate(struct suite_test *test, struct err *err)
{
	const json_t *list = json_object_get(test->declaration, "escalate");
	const json_t *item;
	size_t i;

	test->escalate = 0;
	if (list && !json_is_array(list))
		return bad(err, "escalate", "no array");
	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(item);
		unsigned int bit = name ? escalate_parse(name) : 0;

		if (!bit)
			return bad(err, "escalate", "no list of what can be escalated");
		test->escalate |= bit;
	}
	return 0;
}

/* Every entry of a list has a name of its own. */
static int check_names(const struct suite_test *test, const char *key, struct err *err)
{
	const json_t *list = json_object_get(test->declaration, key);
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return bad(err, key, "no array");
	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));

		if (!name || suite_find(test, key, name) != item)
			return bad(err, key, "a list with an entry without a name of its own");
	}
	return 0;
}

static int check_declaration(struct suite_test *test, struct err *err)
{
	static const char *const texts[] = { "name", "claim", "source", "danger" };
	json_int_t budget = json_integer_value(json_object_get(test->declaration, "budget_s"));
	enum danger danger;
	int result;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!*suite_text(test, texts[i]))
			return bad(err, texts[i], "no text");
	if (strcmp(suite_text(test, "name"), test->name) != 0)
		return bad(err, "name", "not the name of the file");
	if (danger_parse(suite_text(test, "danger"), &danger))
		return bad(err, "danger", "none that is known");
	if (budget <= 0 || budget > BUDGET_MAX_S)
		return bad(err, "budget_s", "no number of seconds from 1 to 86400");
	result = check_names(test, "checks", err);
	if (!result)
		result = check_names(test, "options", err);
	if (!result)
		result = declare_klog(test, err);
	if (!result)
		result = declare_sysctls(test, err);
	if (!result)
		result = declare_escalate(test, err);
	if (!json_array_size(json_object_get(test->declaration, "checks")))
		result = result ? result : bad(err, "checks", "empty");
	test->danger = danger;
	test->budget_s = (unsigned int)budget;
	return result;
}

int suite_declare(struct suite_test *test, const char *text, size_t len, struct err *err)
{
	json_error_t error;
	json_t *declaration = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);

	if (!json_is_object(declaration)) {
		json_decref(declaration);
		return err_plain(err, EBADMSG, "its declaration is no JSON object: %s",
				 declaration ? "another value" : error.text);
	}
	json_decref(test->declaration);
	test->declaration = declaration;
	return check_declaration(test, err);
}

/* A test that cannot be described is not run, and nothing of its declaration is believed. */
static void describe(struct suite_test *test)
{
	char *argv[] = { test->path, (char[]){ "--describe" }, NULL };
	struct err err;
	char *text;
	size_t len;

	if (capture(argv, DESCRIBE_MS, ANSWER_MAX, &text, &len, &err)) {
		err_prefix(&err, "--describe");
		snprintf(test->problem, sizeof(test->problem), "%s", err.text);
		return;
	}
	if (suite_declare(test, text, len, &err)) {
		snprintf(test->problem, sizeof(test->problem), "%s", err.text);
		test->klog[0].class = KLOG_NONE;
		test->sysctls[0] = NULL;
		test->escalate = 0;
		test->danger = DANGER_SAFE;
		test->budget_s = 0;
		json_object_clear(test->declaration);
	}
	free(text);
}

/* Records name a hypothesis without its theme. */
static void mark_namesakes(struct suite *suite)
{
	for (size_t i = 0; i < suite->n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(suite->tests[i].name, suite->tests[j].name))
				snprintf(suite->tests[i].problem, sizeof(suite->tests[i].problem),
					 "theme %s has one of the same name",
					 suite->tests[j].theme);
}

int suite_load(struct suite *suite, const char *dir, char *const *patterns, size_t n_patterns,
	       struct err *err)
{
	struct search search = { .suite = suite, .patterns = patterns, .n_patterns = n_patterns };
	int result;

	*suite = (struct suite){ 0 };
	search.used = calloc(n_patterns + 1, sizeof(*search.used));
	if (!search.used)
		return err_set(err, ENOMEM, "patterns");
	result = search_all(&search, dir, err);
	free(search.used);
	if (result) {
		suite_free(suite);
		return result;
	}
	qsort(suite->tests, suite->n, sizeof(*suite->tests), by_name);
	for (size_t i = 0; i < suite->n; i++)
		describe(&suite->tests[i]);
	mark_namesakes(suite);
	return 0;
}

const struct suite_test *suite_test_named(const struct suite *suite, const char *name,
					  size_t length)
{
	for (size_t i = 0; i < suite->n; i++)
		if (strlen(suite->tests[i].name) == length &&
		    !strncmp(suite->tests[i].name, name, length))
			return &suite->tests[i];
	return NULL;
}

void suite_cut(struct suite *suite, size_t n)
{
	for (size_t i = n; i < suite->n; i++) {
		struct suite_test *test = &suite->tests[i];

		free(test->path);
		free(test->theme);
		free(test->name);
		free(test->klog);
		free(test->sysctls);
		json_decref(test->declaration);
	}
	suite->n = n < suite->n ? n : suite->n;
}

int suite_load_own(struct suite *suite, const char *dir, struct err *err)
{
	char own[PATH_MAX];
	int result = dir ? 0 : suite_default_dir(own, sizeof(own), err);

	return result ? result : suite_load(suite, dir ? dir : own, NULL, 0, err);
}

void suite_free(struct suite *suite)
{
	suite_cut(suite, 0);
	free(suite->tests);
	*suite = (struct suite){ 0 };
}

const json_t *suite_find(const struct suite_test *test, const char *list, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(test->declaration, list), i, item)
	{
		const char *own = json_string_value(json_object_get(item, "name"));

		if (own && !strcmp(own, name))
			return item;
	}
	return NULL;
}

const char *suite_text(const struct suite_test *test, const char *key)
{
	const char *text = json_string_value(json_object_get(test->declaration, key));

	return text ? text : "";
}

int suite_probe(const struct suite_test *test, bool *ready, char *reason, size_t size,
		struct err *err)
{
	char *argv[] = { test->path, (char[]){ "--probe" }, NULL };
	json_error_t error;
	json_t *answer;
	char *text;
	size_t len;
	int result = capture(argv, PROBE_MS, ANSWER_MAX, &text, &len, err);

	if (result) {
		err_prefix(err, "--probe");
		return result;
	}
	answer = json_loadb(text, len, 0, &error);
	free(text);
	if (!json_is_boolean(json_object_get(answer, "ready"))) {
		json_decref(answer);
		return err_plain(err, EBADMSG, "--probe: its answer does not say \"ready\"");
	}
	*ready = json_is_true(json_object_get(answer, "ready"));
	text = (char *)json_string_value(json_object_get(answer, "reason"));
	snprintf(reason, size, "%s", text ? text : "");
	json_decref(answer);
	return 0;
}
