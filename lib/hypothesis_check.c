// SPDX-License-Identifier: GPL-2.0-or-later
/* The framework, by running whole hypotheses made for it in a child and reading what comes out. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fixtures/outcome.h"
#include "hypothesis.h"

Suite *suite(void);

/* What a run that is to be ended says when it is as far as that. */
#define ENDLESS "waits to be ended"

/* Run it with up to two arguments; `send` (0: none) is sent to it once it has said ENDLESS. */
static void run_in_child(const struct hypothesis *h, const char *one, const char *two, int send,
			 struct outcome *outcome)
{
	const char *const arguments[] = { one, two, NULL };
	struct outcome_child child;

	outcome_start_recorded(&child, h, arguments);
	if (send) {
		ck_assert(outcome_says(&child, ENDLESS));
		kill(child.pid, send);
	}
	outcome_wait(&child, outcome);
}

/* The nth (from 0) record of a type, a new reference or NULL. */
static json_t *find_record(const struct outcome *outcome, const char *type, int n)
{
	const char *at = outcome->records;

	while (*at) {
		json_error_t error;
		json_t *record = json_loads(at, JSON_DISABLE_EOF_CHECK, &error);

		ck_assert_msg(record != NULL, "bad record: %s", error.text);
		if (!strcmp(json_string_value(json_object_get(record, "type")), type) && !n--)
			return record;
		json_decref(record);
		at = strchr(at, '\n');
		ck_assert_ptr_nonnull(at);
		at++;
	}
	return NULL;
}

static void assert_verdict(const struct outcome *outcome, const char *verdict, const char *reason)
{
	json_t *record = find_record(outcome, "verdict", 0);

	ck_assert_ptr_nonnull(record);
	ck_assert_str_eq(json_string_value(json_object_get(record, "verdict")), verdict);
	ck_assert_msg(strstr(json_string_value(json_object_get(record, "reason")), reason) != NULL,
		      "reason '%s' lacks '%s'",
		      json_string_value(json_object_get(record, "reason")), reason);
	json_decref(record);
}

static const struct check two_checks[] = {
	{ "first", "one is at most two", "arithmetic", false },
	{ "second", "bounded when asked", "the user", true, "ns" },
	{ 0 },
};

static const struct need impossible[] = {
	{ .kind = NEED_FILE, .what = "/nonexistent/counter" },
	{ .kind = NEED_END },
};

#define HYPOTHESIS(function)                                                           \
	{                                                                              \
		.name = "planted", .claim = "A planted claim.", .source = "this test", \
		.budget_s = 5, .checks = two_checks, .run = (function)                 \
	}

static int run_good(struct run *run)
{
	double bound;

	if (!run_control(run, "effect", 5, 0, "1"))
		return 0;
	run_check_le(run, "first", "row 1", 1, 2, "1");
	run_check_le(run, "first", "row 2", 2, 2, "1");
	if (run_bound(run, "second", &bound))
		run_check_le(run, "second", NULL, 60000, bound, "ns");
	return 0;
}

static int run_failing(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", "bad row", 3, 2, "1");
	run_check_le(run, "first", "good row", 1, 2, "1");
	/* What comes later must not hide the refutation. */
	return run_skip(run, "too late to skip");
}

static int run_uncontrolled(struct run *run)
{
	run_check_le(run, "first", NULL, 1, 2, "1");
	return 0;
}

static int run_no_effect(struct run *run)
{
	run_control(run, "effect", 0, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	return 0;
}

static int run_unreached(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	return 0;
}

static int run_undeclared(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	run_check_le(run, "third", NULL, 1, 2, "1");
	return 0;
}

static int run_nan(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	run_check_le(run, "first", NULL, NAN, 2, "1");
	return 0;
}

static int run_error(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	return -5;
}

static int run_skipping(struct run *run)
{
	return run_skip(run, "no such thing: ENOENT");
}

/* A run function, and the verdict and reason it must come to. */
static const struct {
	const char *name;
	int (*run)(struct run *run);
	const char *verdict, *reason;
	int exit;
} outcomes[] = {
	{ "good", run_good, "pass", "", 0 },
	{ "failing", run_failing, "fail", "first: bad row", 1 },
	{ "uncontrolled", run_uncontrolled, "broken", "no positive control", 1 },
	{ "no effect", run_no_effect, "broken", "positive control does not hold: effect", 1 },
	{ "unreached", run_unreached, "broken", "check first was never reached", 1 },
	{ "undeclared", run_undeclared, "broken", "check third is not declared", 1 },
	{ "not a number", run_nan, "broken", "not a number", 1 },
	{ "error", run_error, "broken", "returned -5", 1 },
	{ "skipping", run_skipping, "skip", "no such thing: ENOENT", 4 },
};

/* A reader that looks at the lines only comes to the same result as one that looks at the exit. */
static void assert_ktap_agrees(const char *out, int exit)
{
	bool not_ok = strstr(out, "\nnot ok ") != NULL;

	ck_assert_msg(not_ok == (exit == 1), "exit code %d after\n%s", exit, out);
	ck_assert_ptr_nonnull(strstr(out, "ok 3 "));
	ck_assert_ptr_nonnull(strstr(out, "conclusion"));
	ck_assert_ptr_null(strstr(out, "Planned tests != run tests"));
}

START_TEST(verdicts)
{
	const struct hypothesis h = HYPOTHESIS(outcomes[_i].run);
	static struct outcome outcome;

	run_in_child(&h, NULL, NULL, 0, &outcome);
	assert_verdict(&outcome, outcomes[_i].verdict, outcomes[_i].reason);
	outcome_exited(&outcome, outcomes[_i].exit);
	ck_assert_ptr_nonnull(strstr(outcome.out, "TAP version 13\n1..3\n"));
	assert_ktap_agrees(outcome.out, outcomes[_i].exit);
}
END_TEST

START_TEST(ktap_lines)
{
	const struct hypothesis failing = HYPOTHESIS(run_failing);
	const struct hypothesis good = HYPOTHESIS(run_good);
	static struct outcome outcome;

	run_in_child(&failing, NULL, NULL, 0, &outcome);
	ck_assert_ptr_nonnull(strstr(outcome.out, "\nnot ok 1 first: bad row: 3 <= 2\n"));
	run_in_child(&good, NULL, NULL, 0, &outcome);
	ck_assert_ptr_nonnull(strstr(outcome.out, "\nok 1 first"));
	ck_assert_ptr_nonnull(strstr(outcome.out, "\nok 2 # SKIP second: no bound was set\n"));
}
END_TEST

START_TEST(bounds)
{
	const struct hypothesis h = HYPOTHESIS(run_good);
	static struct outcome outcome;

	run_in_child(&h, "--bound=second=50us", NULL, 0, &outcome);
	assert_verdict(&outcome, "fail", "second");
	run_in_child(&h, "--bound=second=0.1ms", NULL, 0, &outcome);
	assert_verdict(&outcome, "pass", "");
}
END_TEST

static const struct {
	const char *one, *two;
} bad_arguments[] = {
	{ "--frobnicate", NULL },   { "stray", NULL },
	{ "--cpu", NULL },	    { "--cpu=0-", NULL },
	{ "--cpu=4095", NULL },	    { "--bound=nosuch=1", NULL },
	{ "--bound=second", NULL }, { "--bound=second=1us", "--bound=second=2us" },
};

START_TEST(usage)
{
	const struct hypothesis h = HYPOTHESIS(run_good);
	static struct outcome outcome;

	run_in_child(&h, bad_arguments[_i].one, bad_arguments[_i].two, 0, &outcome);
	outcome_exited(&outcome, 2);
	/* Nothing ran. */
	ck_assert_str_eq(outcome.records, "");
	ck_assert_str_eq(outcome.out, "");
}
END_TEST

static const char *const colours[] = { "red", "green", NULL };

static const struct option_spec some_options[] = {
	{ .name = "count", .value = "N", .help = "a number", .least = 3, .most = 10 },
	{ .name = "colour", .value = "red|green", .help = "a word", .words = colours },
	{ .name = "text", .value = "T", .help = "any" },
	{ 0 },
};

static int run_with_options(struct run *run)
{
	const char *colour = run_option(run, "colour");
	size_t count = 5;
	bool given = run_option_count(run, "count", &count);

	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	run_note(run, "count %zu %s, colour %s", count, given ? "given" : "default",
		 colour ? colour : "none");
	return 0;
}

static const struct {
	const char *one, *two;
	int exit;
	const char *says; /* on stdout when it ran, on stderr when not */
} option_values[] = {
	{ NULL, NULL, 0, "count 5 default, colour none" },
	{ "--count=3", "--colour=green", 0, "count 3 given, colour green" },
	{ "--count=10", "--text=", 0, "count 10 given" },
	{ "--count=2", NULL, 2, "--count: \"2\": not a whole number from 3 to 10" },
	{ "--count=11", NULL, 2, "--count: " },
	{ "--count=", NULL, 2, "--count: " },
	{ "--count=4x", NULL, 2, "--count: " },
	{ "--colour=", NULL, 2, "--colour: " },
	{ "--colour=gre", NULL, 2, "--colour: \"gre\": not one of red|green" },
	/* A later good one does not hide a bad one. */
	{ "--count=0", "--count=5", 2, "--count: \"0\"" },
};

START_TEST(values_of_options)
{
	struct hypothesis h = HYPOTHESIS(run_with_options);
	static struct outcome outcome;

	h.options = some_options;
	run_in_child(&h, option_values[_i].one, option_values[_i].two, 0, &outcome);
	outcome_exited(&outcome, option_values[_i].exit);
	if (option_values[_i].exit) {
		ck_assert_str_eq(outcome.records, "");
		ck_assert_str_eq(outcome.out, "");
	}
	ck_assert_msg(strstr(option_values[_i].exit ? outcome.err : outcome.records,
			     option_values[_i].says) != NULL,
		      "no '%s' in '%s'", option_values[_i].says,
		      option_values[_i].exit ? outcome.err : outcome.records);
}
END_TEST

START_TEST(unmet_need_is_a_skip)
{
	struct hypothesis h = HYPOTHESIS(run_good);
	static struct outcome outcome;
	json_error_t error;
	json_t *probe;

	h.needs = impossible;
	run_in_child(&h, NULL, NULL, 0, &outcome);
	assert_verdict(&outcome, "skip", "/nonexistent/counter");
	assert_verdict(&outcome, "skip", "ENOENT");
	outcome_exited(&outcome, 4);

	run_in_child(&h, "--probe", NULL, 0, &outcome);
	probe = json_loads(outcome.out, 0, &error);
	ck_assert(json_is_false(json_object_get(probe, "ready")));
	ck_assert_ptr_nonnull(
		strstr(json_string_value(json_object_get(probe, "reason")), "ENOENT"));
	json_decref(probe);
	ck_assert_str_eq(outcome.records, "");
}
END_TEST

START_TEST(description)
{
	const struct hypothesis h = HYPOTHESIS(run_good);
	static struct outcome outcome;
	json_error_t error;
	json_t *object, *checks;

	run_in_child(&h, "--describe", NULL, 0, &outcome);
	outcome_exited(&outcome, 0);
	object = json_loads(outcome.out, 0, &error);
	ck_assert_str_eq(json_string_value(json_object_get(object, "name")), "planted");
	ck_assert_str_eq(json_string_value(json_object_get(object, "danger")), "safe");
	ck_assert_int_eq(json_integer_value(json_object_get(object, "budget_s")), 5);
	checks = json_object_get(object, "checks");
	ck_assert_uint_eq(json_array_size(checks), 2);
	ck_assert(json_is_true(json_object_get(json_array_get(checks, 1), "optional")));
	json_decref(object);
}
END_TEST

/* One sample more than is kept in order, with two values only. */
#define MANY 65537

static int run_measuring(struct run *run)
{
	const char *const labels[] = { "load", "none", NULL };
	double *many = calloc(MANY, sizeof(*many));
	const double few[] = { 9, 2, 4 };

	many[3] = 7;
	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	run_measure(run, &(struct measure){ .table = "t",
					    .row = "few",
					    .name = "x",
					    .unit = "ns",
					    .labels = labels,
					    .warm_skip = 1,
					    .samples = few,
					    .n = 3 });
	run_measure(run, &(struct measure){ .table = "t",
					    .row = "many",
					    .name = "x",
					    .unit = "ns",
					    .samples = many,
					    .n = MANY });
	free(many);
	return 0;
}

START_TEST(measures_are_lossless)
{
	const struct hypothesis h = HYPOTHESIS(run_measuring);
	static struct outcome outcome;
	json_t *few, *many, *histogram;

	run_in_child(&h, NULL, NULL, 0, &outcome);
	few = find_record(&outcome, "measure", 0);
	ck_assert_uint_eq(json_array_size(json_object_get(few, "samples")), 3);
	ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(few, "samples"), 0)), 9);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(few, "stats"), "max")),
			 9);
	ck_assert_int_eq(
		json_integer_value(json_object_get(json_object_get(few, "stats"), "warm_max")), 4);
	ck_assert_str_eq(json_string_value(json_object_get(json_object_get(few, "labels"), "load")),
			 "none");
	many = find_record(&outcome, "measure", 1);
	ck_assert_ptr_null(json_object_get(many, "samples"));
	histogram = json_object_get(many, "histogram");
	ck_assert_uint_eq(json_array_size(histogram), 2);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(histogram, 0), 1)),
			 MANY - 1);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(histogram, 1), 0)), 7);
	json_decref(few);
	json_decref(many);
}
END_TEST

static int run_bad_samples(struct run *run)
{
	const double samples[] = { 1, INFINITY };

	run_control(run, "effect", 5, 0, "1");
	run_check_le(run, "first", NULL, 1, 2, "1");
	run_measure(run, &(struct measure){ .table = "t",
					    .row = "r",
					    .name = "x",
					    .unit = "ns",
					    .samples = samples,
					    .n = 2 });
	return 0;
}

START_TEST(bad_samples_are_no_result)
{
	const struct hypothesis h = HYPOTHESIS(run_bad_samples);
	static struct outcome outcome;

	run_in_child(&h, NULL, NULL, 0, &outcome);
	assert_verdict(&outcome, "broken", "1 of 2 samples are not numbers");
}
END_TEST

static int run_endless(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_note(run, ENDLESS);
	(void)fflush(stdout);
	return pause();
}

START_TEST(sigterm_leaves_evidence)
{
	const struct hypothesis h = HYPOTHESIS(run_endless);
	static struct outcome outcome;
	json_t *note;

	run_in_child(&h, NULL, NULL, SIGTERM, &outcome);
	outcome_exited(&outcome, 1);
	note = find_record(&outcome, "note", 1);
	ck_assert_ptr_nonnull(note);
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(note, "text")),
				     "ended by signal 15: 1 controls"));
	json_decref(note);
	/* No verdict of its own: whoever ended it decides. */
	ck_assert_ptr_null(find_record(&outcome, "verdict", 0));
}
END_TEST

static int run_hostile_text(struct run *run)
{
	run_control(run, "effect", 5, 0, "1");
	run_note(run, "line\nok 1 forged\n\x1b[2J");
	run_check_le(run, "first", "a\nok 2 forged", 1, 2, "1");
	return 0;
}

START_TEST(text_cannot_forge_results)
{
	const struct hypothesis h = HYPOTHESIS(run_hostile_text);
	static struct outcome outcome;

	run_in_child(&h, NULL, NULL, 0, &outcome);
	ck_assert_ptr_null(strstr(outcome.out, "\nok 1 forged"));
	ck_assert_ptr_null(strstr(outcome.out, "\nok 2 forged"));
	ck_assert_ptr_null(strchr(outcome.out, '\x1b'));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("hypothesis");
	TCase *tcase = tcase_create("hypothesis");

	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, verdicts, 0, sizeof(outcomes) / sizeof(outcomes[0]));
	tcase_add_test(tcase, ktap_lines);
	tcase_add_test(tcase, bounds);
	tcase_add_loop_test(tcase, usage, 0, sizeof(bad_arguments) / sizeof(bad_arguments[0]));
	tcase_add_loop_test(tcase, values_of_options, 0,
			    sizeof(option_values) / sizeof(option_values[0]));
	tcase_add_test(tcase, unmet_need_is_a_skip);
	tcase_add_test(tcase, description);
	tcase_add_test(tcase, measures_are_lossless);
	tcase_add_test(tcase, bad_samples_are_no_result);
	tcase_add_test(tcase, sigterm_leaves_evidence);
	tcase_add_test(tcase, text_cannot_forge_results);
	suite_add_tcase(s, tcase);
	return s;
}
