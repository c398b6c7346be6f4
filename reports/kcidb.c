// SPDX-License-Identifier: GPL-2.0-or-later
#include "kcidb.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "record.h"
#include "term.h"
#include "text.h"
#include "verdict_map.h"

/* Of the schema that is followed. */
#define MAJOR 5
#define MINOR 3

/* The longest log_excerpt that it takes, in characters; of ours each is a byte at least. */
#define EXCERPT_MAX 16384

/* What an origin, and with others a path, is made of. */
#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789_"
#define PATH LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ-"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct kcidb {
	const struct report *report;
	const char *origin;
	char *run;   /* what tells this run from others, of the characters of PATH */
	char *build; /* id */
	json_t *environment;
	json_t *tests, *issues, *incidents;
	bool lost; /* memory ran out */
};

/* Text with what is not in `allowed` replaced by '_', never empty; NULL when memory ran out. */
static char *slug(const char *text, const char *allowed)
{
	char *copy = strdup(*text ? text : "_");

	for (char *c = copy; c && *c; c++)
		if (!strchr(allowed, *c))
			*c = '_';
	return copy;
}

/* object[key] = text put together. */
static void set_format(struct kcidb *kcidb, json_t *object, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void set_format(struct kcidb *kcidb, json_t *object, const char *key, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = text_format(fmt, args);
	va_end(args);
	if (!text) {
		kcidb->lost = true;
		return;
	}
	record_set_text(object, key, text, (size_t)-1);
	free(text);
}

/* A date and time as RFC 3339 has it, or nothing. */
static void set_time(json_t *object, const char *key, const char *text)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	if (rest && *rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (rest && !strcmp(rest, "Z"))
		json_object_set_new(object, key, json_string(text));
}

/* A new object with what all have: who submits it, and its id. Appended to `list`. */
static json_t *add(struct kcidb *kcidb, json_t *list)
{
	json_t *object = json_object();

	record_set_text(object, "origin", kcidb->origin, (size_t)-1);
	if (json_array_append_new(list, object))
		kcidb->lost = true;
	return object;
}

static void set_copy(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set(object, key, value);
}

/* What is known of the machine; CPU, microcode and PMU have no place of their own in KCIDB. */
static json_t *make_environment(struct kcidb *kcidb)
{
	static const char *const groups[] = { "cpu",	     "kernel", "pmu",	  "hypervisor",
					      "clocksource", "idle",   "cpufreq", "taint",
					      "watchdog",    "lab" };
	const json_t *machine = kcidb->report->machine;
	const char *cpu = record_text(json_object_get(machine, "cpu"), "name");
	json_t *environment = json_object();
	json_t *misc = json_object();

	set_format(kcidb, environment, "comment", "%s%s", *cpu ? cpu : "unknown CPU",
		   kcidb->report->emulated ? ", emulated: figures are not of silicon" : "");
	record_set_text(misc, "platform", cpu, (size_t)-1);
	json_object_set_new(misc, "emulated", json_boolean(kcidb->report->emulated));
	for (size_t i = 0; i < COUNT(groups); i++)
		set_copy(misc, groups[i], json_object_get(machine, groups[i]));
	set_copy(misc, "labels", json_object_get(kcidb->report->run, "labels"));
	json_object_set_new(environment, "misc", misc);
	return environment;
}

/* One line of a log, while there is room for it. */
static void put_line(FILE *out, const char *text)
{
	char *line = text_escape(text, (size_t)-1);

	if (line && ftell(out) >= 0 && (size_t)ftell(out) + strlen(line) < EXCERPT_MAX)
		fprintf(out, "%s\n", line);
	free(line);
}

/* What matters most for the outcome first: reasons, kernel log, output. */
static void set_excerpt(struct kcidb *kcidb, json_t *test, const struct report_execution *execution)
{
	const json_t *const lists[] = { execution->logs, execution->output };
	const json_t *item;
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		kcidb->lost = true;
		return;
	}
	json_array_foreach(json_object_get(execution->end, "reasons"), i, item)
	{
		put_line(out, json_is_string(item) ? json_string_value(item) : "?");
	}
	for (size_t l = 0; l < COUNT(lists); l++)
		json_array_foreach((json_t *)lists[l], i, item)
		{
			put_line(out, record_text(item, "text"));
		}
	if (fclose(out))
		kcidb->lost = true;
	else if (size)
		record_set_text(test, "log_excerpt", text, size);
	free(text);
}

/* "pmiproof.HYPOTHESIS.TABLE.ROW.NAME.STATISTIC"; an empty part is left out. */
static void set_path(struct kcidb *kcidb, json_t *test, const char *const *parts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		kcidb->lost = true;
		return;
	}
	fputs("pmiproof", out);
	for (; *parts; parts++) {
		char *part = **parts ? slug(*parts, PATH) : NULL;

		if (part)
			fprintf(out, ".%s", part);
		free(part);
	}
	if (fclose(out))
		kcidb->lost = true;
	else
		json_object_set_new(test, "path", json_string(text));
	free(text);
}

static json_t *add_test(struct kcidb *kcidb, const char *status)
{
	json_t *test = add(kcidb, kcidb->tests);

	record_set_text(test, "build_id", kcidb->build, (size_t)-1);
	json_object_set_new(test, "status", json_string(status));
	return test;
}

static void add_number(struct kcidb *kcidb, const struct report_test *of, const json_t *measure,
		       const char *statistic, json_t *value)
{
	const char *unit = record_text(measure, "unit");
	const char *const parts[] = { of->name,
				      record_text(measure, "table"),
				      record_text(measure, "row"),
				      record_text(measure, "name"),
				      statistic,
				      NULL };
	json_int_t seq = json_integer_value(json_object_get(measure, "seq"));
	json_t *number = json_object();
	json_t *test = add_test(kcidb, "DONE");
	json_t *misc = json_object();

	/* The number of the record is unique in a run. */
	set_format(kcidb, test, "id", "%s:%s-%" JSON_INTEGER_FORMAT "%s%s", kcidb->origin,
		   kcidb->run, seq, *statistic ? "-" : "", statistic);
	set_path(kcidb, test, parts);
	json_object_set(number, "value", value);
	if (strcmp(unit, "1") != 0)
		record_set_text(number, "unit", unit, (size_t)-1);
	json_object_set_new(test, "number", number);
	set_time(test, "start_time", record_text(measure, "time"));
	set_copy(misc, "iteration", json_object_get(measure, "iter"));
	set_copy(misc, "labels", json_object_get(measure, "labels"));
	set_copy(misc, "n", json_object_get(measure, "n"));
	set_copy(misc, "resolution", json_object_get(measure, "resolution"));
	json_object_set_new(misc, "emulated", json_boolean(kcidb->report->emulated));
	json_object_set_new(test, "misc", misc);
}

/* Single figures, and of a series what is compared most. */
static void add_measures(struct kcidb *kcidb, const struct report_test *of,
			 const struct report_execution *execution)
{
	static const char *const statistics[] = { "avg", "p50", "p99", "max" };
	json_t *measure;
	size_t i;

	json_array_foreach(execution->measures, i, measure)
	{
		json_t *stats = json_object_get(measure, "stats");
		json_t *value = json_object_get(measure, "value");

		if (!json_object_get(measure, "n") && json_is_number(value))
			add_number(kcidb, of, measure, "", value);
		for (size_t s = 0; stats && s < COUNT(statistics); s++) {
			value = json_object_get(stats, statistics[s]);
			if (json_is_number(value))
				add_number(kcidb, of, measure, statistics[s], value);
		}
	}
}

/* What the table of known issues refers to for a hypothesis; "" when it is the test that knows. */
static const char *known_reference(const struct report *report, const char *hypothesis)
{
	const json_t *issue;
	size_t i;

	json_array_foreach(report->known, i, issue)
	{
		if (!strcmp(record_text(issue, "hypothesis"), hypothesis) &&
		    !strcmp(record_text(issue, "state"), "known"))
			return record_text(issue, "reference");
	}
	return "";
}

/* A failure that is listed for this CPU and kernel: an issue, and that it is this one. */
static void add_known(struct kcidb *kcidb, const struct report_test *of, const json_t *test)
{
	char *name = slug(of->name, PATH);
	const char *id = record_text(test, "id");
	json_t *issue = add(kcidb, kcidb->issues);
	json_t *incident = add(kcidb, kcidb->incidents);
	json_t *culprit = json_object();
	const char *reference = known_reference(kcidb->report, of->name);

	/* The hypothesis speaks of the tested code, or of the CPU, for which KCIDB has no word. */
	json_object_set_new(culprit, "code", json_true());
	json_object_set_new(issue, "culprit", culprit);
	set_format(kcidb, issue, "id", "%s:known-%s", kcidb->origin, name ? name : "");
	json_object_set_new(issue, "version", json_integer(1));
	set_format(kcidb, issue, "comment", "%s is refuted as listed for this CPU and kernel%s%s",
		   of->name, *reference ? ": " : "", reference);
	set_format(kcidb, incident, "id", "%s-known", id);
	set_copy(incident, "issue_id", json_object_get(issue, "id"));
	json_object_set_new(incident, "issue_version", json_integer(1));
	set_copy(incident, "test_id", json_object_get(test, "id"));
	json_object_set_new(incident, "present", json_true());
	free(name);
}

static json_t *make_misc(const struct report_test *of, const struct report_execution *execution,
			 enum verdict verdict)
{
	json_t *misc = json_object();

	json_object_set_new(misc, "verdict", json_string(verdict_name(verdict)));
	set_copy(misc, "claim", json_object_get(of->plan, "claim"));
	if (!execution)
		return misc;
	json_object_set_new(misc, "iteration", json_integer(execution->iter));
	set_copy(misc, "reasons", json_object_get(execution->end, "reasons"));
	set_copy(misc, "controls", execution->controls);
	set_copy(misc, "checks", execution->checks);
	set_copy(misc, "notes", execution->notes);
	return misc;
}

/* Number `t` of the hypotheses; execution is NULL for one that was never started. */
static void add_execution(struct kcidb *kcidb, size_t t, const struct report_execution *execution)
{
	const struct report_test *of = &kcidb->report->tests[t];
	enum verdict verdict = execution ? report_execution_verdict(execution) : VERDICT_NOTRUN;
	json_t *test = add_test(kcidb, verdict_map(verdict)->kcidb);
	char *name = slug(of->name, PATH);
	double duration;

	set_format(kcidb, test, "id", "%s:%s-t%zu-%s-%u", kcidb->origin, kcidb->run, t + 1,
		   name ? name : "", execution ? execution->iter : 0);
	free(name);
	set_path(kcidb, test, (const char *[]){ of->name, NULL });
	set_copy(test, "environment", kcidb->environment);
	json_object_set_new(test, "misc", make_misc(of, execution, verdict));
	if (!execution)
		return;
	duration = json_number_value(json_object_get(execution->end, "duration_s"));
	if (execution->end)
		json_object_set_new(test, "duration", record_number(fmax(0, duration)));
	set_time(test, "start_time", record_text(execution->start, "time"));
	if (!execution->end)
		record_set_text(test, "comment", TERM_STOPPED, (size_t)-1);
	set_excerpt(kcidb, test, execution);
	if (verdict == VERDICT_KNOWN)
		add_known(kcidb, of, test);
	add_measures(kcidb, of, execution);
}

/* The kernel that ran: where its source is from is not known to it. */
static void add_build(struct kcidb *kcidb, json_t *document)
{
	const json_t *kernel = json_object_get(kcidb->report->machine, "kernel");
	json_t *checkouts = json_array(), *builds = json_array();
	json_t *checkout = add(kcidb, checkouts);
	json_t *build = add(kcidb, builds);
	char *machine = slug(record_text(kernel, "machine"), LOWER);

	record_set_text(checkout, "id", kcidb->build, (size_t)-1);
	set_format(kcidb, checkout, "comment", "source of the kernel %s that was found running",
		   record_text(kernel, "release"));
	record_set_text(build, "id", kcidb->build, (size_t)-1);
	set_copy(build, "checkout_id", json_object_get(checkout, "id"));
	set_format(kcidb, build, "comment", "%s %s", record_text(kernel, "release"),
		   record_text(kernel, "build"));
	if (machine)
		json_object_set_new(build, "architecture", json_string(machine));
	free(machine);
	json_object_set_new(document, "checkouts", checkouts);
	json_object_set_new(document, "builds", builds);
}

static json_t *make_document(struct kcidb *kcidb, bool own_build)
{
	const struct report *report = kcidb->report;
	json_t *document = json_object();
	json_t *version = json_object();

	json_object_set_new(version, "major", json_integer(MAJOR));
	json_object_set_new(version, "minor", json_integer(MINOR));
	json_object_set_new(document, "version", version);
	if (own_build)
		add_build(kcidb, document);
	for (size_t t = 0; t < report->n_tests; t++) {
		for (size_t e = 0; e < report->tests[t].n_executions; e++)
			add_execution(kcidb, t, &report->tests[t].executions[e]);
		if (!report->tests[t].n_executions)
			add_execution(kcidb, t, NULL);
	}
	json_object_set(document, "tests", kcidb->tests);
	if (json_array_size(kcidb->issues)) {
		json_object_set(document, "issues", kcidb->issues);
		json_object_set(document, "incidents", kcidb->incidents);
	}
	return document;
}

/* Boot and time of the first record: no two runs have both. */
static char *run_name(const struct report *report)
{
	char *text, *name;

	if (asprintf(&text, "%s-%s", record_text(report->run, "boot"),
		     record_text(report->run, "time")) < 0)
		return NULL;
	name = slug(text, PATH);
	free(text);
	return name;
}

/* Of another's build the id, else one that is made of what the kernel calls itself. */
static char *build_id(const struct report *report, const char *origin, const char *label)
{
	const json_t *kernel = json_object_get(report->machine, "kernel");
	char *id, *text, *name;

	if (*label)
		return strdup(label);
	if (asprintf(&text, "%s-%s-%s", record_text(kernel, "release"),
		     record_text(kernel, "machine"), record_text(kernel, "build")) < 0)
		return NULL;
	name = slug(text, PATH ".");
	free(text);
	if (!name || asprintf(&id, "%s:kernel-%s", origin, name) < 0)
		id = NULL;
	free(name);
	return id;
}

static bool is_origin(const char *text, size_t length)
{
	return length && strspn(text, LOWER) == length;
}

static int check_labels(const char *origin, const char *build, struct err *err)
{
	const char *colon = strchr(build, ':');

	if (*origin && !is_origin(origin, strlen(origin)))
		return err_plain(err, EINVAL,
				 "label " KCIDB_LABEL_ORIGIN "=%s: KCIDB takes a-z, 0-9 and _",
				 origin);
	if (*build && (!colon || strspn(build, LOWER) != (size_t)(colon - build) || colon == build))
		return err_plain(err, EINVAL,
				 "label " KCIDB_LABEL_BUILD "=%s: KCIDB takes ORIGIN:ID", build);
	return 0;
}

int kcidb_write(const struct report *report, FILE *out, struct err *err)
{
	const json_t *labels = json_object_get(report->run, "labels");
	const char *origin = record_text(labels, KCIDB_LABEL_ORIGIN);
	const char *build = record_text(labels, KCIDB_LABEL_BUILD);
	struct kcidb kcidb = { .report = report, .origin = KCIDB_DEFAULT_ORIGIN };
	int result = check_labels(origin, build, err);
	json_t *document;

	if (result)
		return result;
	if (*origin)
		kcidb.origin = origin;
	kcidb.run = run_name(report);
	kcidb.build = build_id(report, kcidb.origin, build);
	kcidb.tests = json_array();
	kcidb.issues = json_array();
	kcidb.incidents = json_array();
	kcidb.environment = make_environment(&kcidb);
	kcidb.lost |= !kcidb.run || !kcidb.build;
	document = kcidb.lost ? NULL : make_document(&kcidb, !*build);
	if (kcidb.lost || json_put(document, out))
		result = err_set(err, ENOMEM, "report");
	json_decref(document);
	json_decref(kcidb.tests);
	json_decref(kcidb.issues);
	json_decref(kcidb.incidents);
	json_decref(kcidb.environment);
	free(kcidb.run);
	free(kcidb.build);
	return result;
}
