// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_judge.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite(void);

/* A report with one hypothesis, "h", that was executed once, or (verdict NULL) only planned. */
struct run {
	const char *verdict;
	const char *held, *failed; /* names of checks that did and did not, with blanks between */
	const char *logs;	   /* classes of messages that were not expected */
	const char *expected;	   /* ... and that were */
	const char *reason;
};

static void add_checks(json_t *checks, const char *names, double value)
{
	char *copy = strdup(names ? names : ""), *rest = copy;

	for (const char *name; (name = strsep(&rest, " "));)
		if (*name)
			json_array_append_new(checks, json_pack("{s:s, s:s, s:f, s:i, s:b}", "name",
								name, "op", "<=", "value", value,
								"bound", 10, "ok", value <= 10));
	free(copy);
}

static void add_logs(json_t *logs, const char *classes, int expected)
{
	char *copy = strdup(classes ? classes : ""), *rest = copy;

	for (const char *class; (class = strsep(&rest, " "));)
		if (*class)
			json_array_append_new(logs, json_pack("{s:s, s:b}", "class", class,
							      "expected", expected));
	free(copy);
}

static struct report_execution *make_execution(const struct run *run)
{
	struct report_execution *execution = calloc(1, sizeof(*execution));

	execution->checks = json_array();
	execution->logs = json_array();
	add_checks(execution->checks, run->held, 9);
	add_checks(execution->checks, run->failed, 11);
	add_logs(execution->logs, run->logs, 0);
	add_logs(execution->logs, run->expected, 1);
	if (*run->verdict)
		execution->end =
			json_pack("{s:s, s:[s*]}", "verdict", run->verdict, "reasons", run->reason);
	return execution;
}

static struct report make_report(const struct run *run)
{
	struct report report = { .tests = calloc(1, sizeof(*report.tests)),
				 .n_tests = 1,
				 .index = json_pack("{s:i}", "h", 0) };

	report.tests->name = "h";
	if (run->verdict) {
		report.tests->executions = make_execution(run);
		report.tests->n_executions = 1;
	}
	return report;
}

static void free_made(struct report *report)
{
	struct report_execution *execution = report->tests->executions;

	if (execution) {
		json_decref(execution->checks);
		json_decref(execution->logs);
		json_decref(execution->end);
	}
	free(execution);
	free(report->tests);
	json_decref(report->index);
}

/* What becomes of a mutant that names these checks of h, with `n` unmutated runs. */
static struct mutate_outcome judge_it(const struct mutant *mutant, enum mutate_witness witness,
				      const struct run *mutated, const struct run *unmutated,
				      size_t n)
{
	struct report report = make_report(mutated), before[3];
	struct mutate_outcome outcome;

	for (size_t i = 0; i < n; i++)
		before[i] = make_report(&unmutated[i]);
	ck_assert_int_eq(mutate_judge(mutant, witness, &report, before, n, &outcome), 0);
	for (size_t i = 0; i < n; i++)
		free_made(&before[i]);
	free_made(&report);
	return outcome;
}

static const char *names[] = { "h.right", "h.right2" };
static const struct mutant standard = { .names = names, .n_names = 2 };

/* Three unmutated runs that are alike. */
static struct mutate_outcome judge(const struct run *mutated, const struct run *unmutated)
{
	const struct run before[] = { *unmutated, *unmutated, *unmutated };

	return judge_it(&standard, WITNESS_LIVE, mutated, before, 3);
}

static void has(const json_t *list, const char *text)
{
	char *all = json_dumps(list, 0);

	ck_assert_msg(json_array_size(list) == 1 &&
			      !strcmp(json_string_value(json_array_get(list, 0)), text),
		      "%s is not [\"%s\"]", all, text);
	free(all);
}

static void is(struct mutate_outcome outcome, enum mutate_fate fate)
{
	ck_assert_msg(outcome.fate == fate, "%s, not %s", mutate_fate_name(outcome.fate),
		      mutate_fate_name(fate));
	mutate_outcome_free(&outcome);
}

static const struct run good = { .verdict = "pass", .held = "right right2 other" };

START_TEST(a_check_kills)
{
	const struct run named = { .verdict = "fail", .held = "right2 other", .failed = "right" };
	const struct run others = { .verdict = "fail", .held = "right", .failed = "other other" };
	const struct run both = { .verdict = "fail", .failed = "other right right2" };
	struct mutate_outcome outcome = judge(&named, &good);

	has(outcome.named, "h.right");
	ck_assert_uint_eq(json_array_size(outcome.others), 0);
	is(outcome, FATE_NAMED);
	outcome = judge(&others, &good);
	has(outcome.others, "h.other");
	is(outcome, FATE_KILLED);
	outcome = judge(&both, &good);
	has(outcome.others, "h.other");
	ck_assert_uint_eq(json_array_size(outcome.named), 2);
	is(outcome, FATE_NAMED);
	is(judge(&good, &good), FATE_SURVIVED);
}
END_TEST

/* One that did not hold in each unmutated run, for whatever reason, kills nothing. */
START_TEST(a_check_that_may_fail_does_not_kill)
{
	const struct run mutated = { .verdict = "fail", .failed = "right" };
	const struct run bad[] = {
		{ .verdict = "fail", .held = "other", .failed = "right" },
		{ .verdict = "fail", .held = "right", .failed = "right" },
		{ .verdict = "known", .held = "other", .failed = "right" },
		{ .verdict = "pass", .held = "other" }, /* it was not made */
		{ .verdict = "broken", .held = "right" },
		{ .verdict = "hung", .held = "right" },
		{ .verdict = "skip" },
		{ .verdict = "", .held = "right" }, /* no verdict */
		{ .verdict = NULL },		    /* not run */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (size_t which = 0; which < 3; which++) {
			struct run before[] = { good, good, good };

			before[which] = bad[i];
			is(judge_it(&standard, WITNESS_LIVE, &mutated, before, 3), FATE_SURVIVED);
		}
	is(judge_it(&standard, WITNESS_LIVE, &mutated, NULL, 0), FATE_SURVIVED);
}
END_TEST

/* A known issue beside it does not hide what held. */
START_TEST(a_check_beside_a_known_failure_kills)
{
	const struct run before = { .verdict = "known", .held = "right", .failed = "other" };
	const struct run mutated = { .verdict = "fail", .failed = "right other" };
	struct mutate_outcome outcome = judge(&mutated, &before);

	has(outcome.named, "h.right");
	ck_assert_uint_eq(json_array_size(outcome.others), 0);
	is(outcome, FATE_NAMED);
}
END_TEST

START_TEST(what_is_missing_does_not_kill)
{
	const struct run fewer = { .verdict = "pass", .held = "other" };
	const struct run stopped = { .verdict = "" }, planned = { .verdict = NULL };
	const struct run notrun = { .verdict = "notrun" };
	struct mutate_outcome outcome = judge(&fewer, &good);

	ck_assert_uint_eq(json_array_size(outcome.changed), 0);
	is(outcome, FATE_SURVIVED);
	outcome = judge(&stopped, &good);
	has(outcome.changed, "h: none: ");
	is(outcome, FATE_SURVIVED);
	outcome = judge(&notrun, &good);
	has(outcome.changed, "h: notrun: ");
	is(outcome, FATE_SURVIVED);
	outcome = judge(&planned, &good);
	has(outcome.changed, "h: notrun");
	is(outcome, FATE_SURVIVED);
}
END_TEST

START_TEST(a_skip_is_shown)
{
	const struct run mutated = { .verdict = "skip", .reason = "no LBR" };
	struct mutate_outcome outcome = judge(&mutated, &good);

	has(outcome.changed, "h: skip: no LBR");
	is(outcome, FATE_SURVIVED);
	outcome = judge(&mutated, &mutated);
	ck_assert_uint_eq(json_array_size(outcome.changed), 0);
	is(outcome, FATE_SURVIVED);
}
END_TEST

/* Where a positive control fails nothing is concluded, whatever a check says. */
START_TEST(no_conclusion_is_apart)
{
	const struct run mutated = { .verdict = "broken",
				     .failed = "right",
				     .reason = "none seen" };
	struct mutate_outcome outcome = judge(&mutated, &good);

	has(outcome.unclear, "h: broken: none seen");
	ck_assert_uint_eq(json_array_size(outcome.named), 0);
	is(outcome, FATE_UNCLEAR);
	is(judge(&mutated, &mutated), FATE_SURVIVED);
}
END_TEST

START_TEST(the_log_alone_is_apart)
{
	const struct run logged = { .verdict = "fail", .held = "right", .logs = "pmu-loop" };
	const struct run expected = { .verdict = "pass", .held = "right", .expected = "pmu-loop" };
	const struct run metric = { .verdict = "pass", .held = "right", .logs = "throttle" };
	const struct run beside = { .verdict = "fail", .failed = "right", .logs = "pmu-loop" };
	struct mutate_outcome outcome = judge(&logged, &good);

	has(outcome.logs, "h: klog:pmu-loop");
	is(outcome, FATE_LOG);
	is(judge(&expected, &good), FATE_SURVIVED);
	is(judge(&metric, &good), FATE_SURVIVED);
	is(judge(&logged, &logged), FATE_SURVIVED);
	is(judge(&beside, &good), FATE_NAMED);
}
END_TEST

START_TEST(a_hang)
{
	static const char *hang[] = { "h.hung" };
	const struct mutant hangs = { .names = hang, .n_names = 1 };
	const struct run hung = { .verdict = "hung" };
	const struct run late = { .verdict = "hung", .failed = "right" };
	const struct run before[] = { good, good, hung };
	struct mutate_outcome outcome = judge(&hung, &good);

	has(outcome.hung, "h.hung");
	is(outcome, FATE_HUNG);
	outcome = judge(&late, &good);
	has(outcome.named, "h.right");
	is(outcome, FATE_NAMED);
	outcome = judge_it(&hangs, WITNESS_LIVE, &hung, before, 2);
	has(outcome.named, "h.hung");
	is(outcome, FATE_NAMED);
	is(judge_it(&hangs, WITNESS_LIVE, &hung, before, 3), FATE_SURVIVED);
}
END_TEST

START_TEST(equivalent_and_dead_ones)
{
	const struct mutant equivalent = { .equivalent = "nobody reads it" };
	const struct run killed = { .verdict = "fail", .failed = "other" };
	const struct run before[] = { good, good, good };
	struct mutate_outcome outcome = judge_it(&equivalent, WITNESS_NONE, &good, before, 3);

	ck_assert_str_eq(outcome.problem, "");
	is(outcome, FATE_EQUIVALENT);
	outcome = judge_it(&equivalent, WITNESS_NONE, &killed, before, 3);
	ck_assert_str_eq(outcome.problem, "said to be equivalent, and yet: killed");
	is(outcome, FATE_EQUIVALENT);
	outcome = judge_it(&standard, WITNESS_DEAD, &good, before, 3);
	ck_assert_str_eq(outcome.problem, "the witness does not see it");
	is(outcome, FATE_DEAD);
	outcome = judge_it(&standard, WITNESS_DEAD, &killed, before, 3);
	ck_assert_str_eq(outcome.problem, "the witness does not see it, and yet: killed");
	is(outcome, FATE_DEAD);
	is(judge_it(&standard, WITNESS_NONE, &killed, before, 3), FATE_KILLED);
}
END_TEST

START_TEST(impossible)
{
	struct mutate_outcome outcome = { 0 };

	mutate_judge_impossible(&outcome, "%d of 3", 2);
	ck_assert_str_eq(outcome.problem, "2 of 3");
	is(outcome, FATE_MISSING);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("mutate_judge");
	TCase *c = tcase_create("judging");

	tcase_add_test(c, a_check_kills);
	tcase_add_test(c, a_check_that_may_fail_does_not_kill);
	tcase_add_test(c, a_check_beside_a_known_failure_kills);
	tcase_add_test(c, what_is_missing_does_not_kill);
	tcase_add_test(c, a_skip_is_shown);
	tcase_add_test(c, no_conclusion_is_apart);
	tcase_add_test(c, the_log_alone_is_apart);
	tcase_add_test(c, a_hang);
	tcase_add_test(c, equivalent_and_dead_ones);
	tcase_add_test(c, impossible);
	suite_add_tcase(s, c);
	return s;
}
