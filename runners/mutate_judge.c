// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_judge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../reports/checks.h"
#include "klog.h"
#include "record.h"

static const struct {
	const char *text, *name;
} fates[FATES] = {
	[FATE_NAMED] = { "killed, named", "named" },
	[FATE_KILLED] = { "killed", "other" },
	[FATE_HUNG] = { "hung", "hung" },
	[FATE_LOG] = { "kernel log alone", "log" },
	[FATE_UNCLEAR] = { "no conclusion", "unclear" },
	[FATE_SURVIVED] = { "survived", "survived" },
	[FATE_EQUIVALENT] = { "equivalent", "equivalent" },
	[FATE_DEAD] = { "not live", "dead" },
	[FATE_MISSING] = { "not run", "missing" },
};

const char *mutate_fate_text(enum mutate_fate fate)
{
	return fates[fate].text;
}

const char *mutate_fate_name(enum mutate_fate fate)
{
	return fates[fate].name;
}

bool mutate_fate_killed(enum mutate_fate fate)
{
	return fate == FATE_NAMED || fate == FATE_KILLED || fate == FATE_HUNG;
}

void mutate_judge_impossible(struct mutate_outcome *outcome, const char *fmt, ...)
{
	va_list args;

	outcome->fate = FATE_MISSING;
	va_start(args, fmt);
	vsnprintf(outcome->problem, sizeof(outcome->problem), fmt, args);
	va_end(args);
}

void mutate_outcome_free(struct mutate_outcome *outcome)
{
	json_decref(outcome->named);
	json_decref(outcome->others);
	json_decref(outcome->hung);
	json_decref(outcome->logs);
	json_decref(outcome->unclear);
	json_decref(outcome->changed);
	*outcome = (struct mutate_outcome){ .fate = FATE_MISSING };
}

/* What one judgement is made from. */
struct judging {
	const struct mutant *mutant;
	const struct report *unmutated;
	size_t n;
	struct mutate_outcome *outcome;
};

/* A verdict that checks had their say in. */
static bool is_decided(enum verdict verdict)
{
	return verdict == VERDICT_PASS || verdict == VERDICT_FAIL || verdict == VERDICT_KNOWN;
}

/* Was the check made in this execution, and did each evaluation hold? */
static bool held_once(const struct report_execution *execution, const char *check)
{
	const json_t *record;
	size_t i, made = 0;

	if (!is_decided(report_execution_verdict(execution)))
		return false;
	json_array_foreach(execution->checks, i, record)
	{
		if (strcmp(record_text(record, "name"), check) != 0)
			continue;
		if (!check_holds(record))
			return false;
		made++;
	}
	return made;
}

/* Did it in each execution of each unmutated run? */
static bool held(const struct judging *judging, const char *hypothesis, const char *check)
{
	for (size_t i = 0; i < judging->n; i++) {
		const struct report_test *test =
			report_find_test(&judging->unmutated[i], hypothesis);

		if (!test || !test->n_executions)
			return false;
		for (size_t k = 0; k < test->n_executions; k++)
			if (!held_once(&test->executions[k], check))
				return false;
	}
	return judging->n;
}

/* Had the hypothesis one of these verdicts in each unmutated run? */
static bool had(const struct judging *judging, const char *hypothesis, bool (*is)(enum verdict))
{
	for (size_t i = 0; i < judging->n; i++) {
		const struct report_test *test =
			report_find_test(&judging->unmutated[i], hypothesis);

		if (!test || !is(report_test_verdict(test)))
			return false;
	}
	return judging->n;
}

static bool is_not_hung(enum verdict verdict)
{
	return is_decided(verdict) || verdict == VERDICT_BROKEN || verdict == VERDICT_SKIP;
}

/* A message that refutes and that the hypothesis may not cause. */
static bool speaks(const json_t *log)
{
	enum klog_class class = klog_class_parse(record_text(log, "class"));

	return klog_class_effect(class) == VERDICT_FAIL &&
	       !json_is_true(json_object_get(log, "expected"));
}

/* Did an unmutated run have such a message of this class, too? */
static bool was_logged(const struct judging *judging, const char *hypothesis, const char *class)
{
	for (size_t i = 0; i < judging->n; i++) {
		const struct report_test *test =
			report_find_test(&judging->unmutated[i], hypothesis);

		for (size_t k = 0; test && k < test->n_executions; k++) {
			const json_t *log;
			size_t j;

			json_array_foreach(test->executions[k].logs, j, log)
			{
				if (speaks(log) && !strcmp(record_text(log, "class"), class))
					return true;
			}
		}
	}
	return false;
}

/* Add a text once. */
__attribute__((format(printf, 2, 3))) static void add(json_t *list, const char *fmt, ...)
{
	json_t *text, *there;
	va_list args;
	size_t i;

	va_start(args, fmt);
	text = json_vsprintf(fmt, args);
	va_end(args);
	json_array_foreach(list, i, there)
	{
		if (json_equal(there, text)) {
			json_decref(text);
			return;
		}
	}
	json_array_append_new(list, text);
}

static const char *first_reason(const struct report_execution *execution)
{
	const json_t *reasons = json_object_get(execution->end, "reasons");
	const char *first = json_string_value(json_array_get(reasons, 0));

	return first ? first : "";
}

static void take_checks(const struct judging *judging, const char *hypothesis,
			const struct report_execution *execution)
{
	const json_t *record;
	size_t i;

	json_array_foreach(execution->checks, i, record)
	{
		const char *check = record_text(record, "name");
		bool named = mutant_names(judging->mutant, hypothesis, check);

		if (!check_holds(record) && held(judging, hypothesis, check))
			add(named ? judging->outcome->named : judging->outcome->others, "%s.%s",
			    hypothesis, check);
	}
}

static void take_logs(const struct judging *judging, const char *hypothesis,
		      const struct report_execution *execution)
{
	const json_t *log;
	size_t i;

	json_array_foreach(execution->logs, i, log)
	{
		const char *class = record_text(log, "class");

		if (speaks(log) && !was_logged(judging, hypothesis, class))
			add(judging->outcome->logs, "%s: klog:%s", hypothesis, class);
	}
}

static void take_hung(const struct judging *judging, const char *hypothesis)
{
	bool named = mutant_names(judging->mutant, hypothesis, MUTANT_HUNG);

	if (had(judging, hypothesis, is_not_hung))
		add(named ? judging->outcome->named : judging->outcome->hung, "%s." MUTANT_HUNG,
		    hypothesis);
}

static void take_execution(const struct judging *judging, const char *hypothesis,
			   const struct report_execution *execution)
{
	struct mutate_outcome *outcome = judging->outcome;
	enum verdict verdict = report_execution_verdict(execution);
	bool was_decided = had(judging, hypothesis, is_decided);

	if (verdict == VERDICT_HUNG)
		take_hung(judging, hypothesis);
	if (verdict == VERDICT_HUNG || verdict == VERDICT_FAIL)
		take_checks(judging, hypothesis, execution);
	take_logs(judging, hypothesis, execution);
	if (!was_decided)
		return;
	if (verdict == VERDICT_BROKEN)
		add(outcome->unclear, "%s: broken: %s", hypothesis, first_reason(execution));
	else if (verdict == VERDICT_SKIP || verdict == VERDICT_NOTRUN || verdict == VERDICT_NONE)
		add(outcome->changed, "%s: %s: %s", hypothesis, verdict_name(verdict),
		    first_reason(execution));
}

static enum mutate_fate find_fate(const struct mutate_outcome *outcome)
{
	const struct {
		const json_t *list;
		enum mutate_fate fate;
	} order[] = {
		{ outcome->named, FATE_NAMED },	    { outcome->others, FATE_KILLED },
		{ outcome->hung, FATE_HUNG },	    { outcome->logs, FATE_LOG },
		{ outcome->unclear, FATE_UNCLEAR },
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (json_array_size(order[i].list))
			return order[i].fate;
	return FATE_SURVIVED;
}

/* What the table or the witness says of a mutant, beside what became of it. */
static void settle(const struct mutant *mutant, enum mutate_witness witness,
		   struct mutate_outcome *outcome)
{
	enum mutate_fate fate = find_fate(outcome);
	bool noticed = fate != FATE_SURVIVED;

	outcome->fate = fate;
	if (mutant->equivalent) {
		outcome->fate = FATE_EQUIVALENT;
		if (noticed)
			snprintf(outcome->problem, sizeof(outcome->problem),
				 "said to be equivalent, and yet: %s", mutate_fate_text(fate));
	} else if (witness == WITNESS_DEAD) {
		outcome->fate = FATE_DEAD;
		snprintf(outcome->problem, sizeof(outcome->problem),
			 "the witness does not see it%s%s", noticed ? ", and yet: " : "",
			 noticed ? mutate_fate_text(fate) : "");
	}
}

int mutate_judge(const struct mutant *mutant, enum mutate_witness witness,
		 const struct report *mutated, const struct report *unmutated, size_t n,
		 struct mutate_outcome *outcome)
{
	const struct judging judging = { mutant, unmutated, n, outcome };

	*outcome = (struct mutate_outcome){
		.fate = FATE_MISSING,
		.named = json_array(),
		.others = json_array(),
		.hung = json_array(),
		.logs = json_array(),
		.unclear = json_array(),
		.changed = json_array(),
	};
	if (!outcome->named || !outcome->others || !outcome->hung || !outcome->logs ||
	    !outcome->unclear || !outcome->changed)
		return -ENOMEM;
	for (size_t i = 0; i < mutated->n_tests; i++) {
		const struct report_test *test = &mutated->tests[i];

		for (size_t k = 0; k < test->n_executions; k++)
			take_execution(&judging, test->name, &test->executions[k]);
		if (!test->n_executions && had(&judging, test->name, is_decided))
			add(outcome->changed, "%s: %s", test->name, verdict_name(VERDICT_NOTRUN));
	}
	settle(mutant, witness, outcome);
	return 0;
}
