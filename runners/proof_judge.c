// SPDX-License-Identifier: GPL-2.0-or-later
#include "proof_judge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/checks.h"
#include "../reports/figure.h"
#include "record.h"
#include "unit.h"

/* Say what is wrong; the first thing said stays. Returns false. */
__attribute__((format(printf, 2, 3))) static bool wrong(struct proof_outcome *outcome,
							const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!outcome->problem[0])
		vsnprintf(outcome->problem, sizeof(outcome->problem), fmt, args);
	va_end(args);
	return false;
}

/* Add to the figures of an outcome. */
__attribute__((format(printf, 2, 3))) static void show(struct proof_outcome *outcome,
						       const char *fmt, ...)
{
	size_t used = strlen(outcome->figure);
	size_t left = sizeof(outcome->figure) - used;
	va_list args;

	if (used && left > 2) {
		memcpy(outcome->figure + used, "; ", 3);
		used += 2;
		left -= 2;
	}
	va_start(args, fmt);
	vsnprintf(outcome->figure + used, left, fmt, args);
	va_end(args);
}

void proof_judge_impossible(struct proof_outcome *outcome, const char *fmt, ...)
{
	va_list args;

	*outcome = (struct proof_outcome){ .judged = true };
	snprintf(outcome->verdict, sizeof(outcome->verdict), "-");
	va_start(args, fmt);
	vsnprintf(outcome->problem, sizeof(outcome->problem), fmt, args);
	va_end(args);
}

/* A list of the record has these texts, each of `size`, in this order. */
static bool same_texts(const json_t *list, const char *texts, size_t size, size_t n)
{
	bool same = json_array_size(list) == n;

	for (size_t i = 0; same && i < n; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		same = text && !strcmp(text, texts + i * size);
	}
	return same;
}

int proof_judge_machine(const struct proof_machine *machine, const struct report *report,
			struct err *err)
{
	const json_t *lab = json_object_get(report->machine, "lab");

	if (!report->emulated || !lab)
		return err_set(err, 0, "the report is not of an emulated machine");
	if (strcmp(record_text(lab, "cpu_model"), machine->lab.model->name) != 0)
		return err_set(err, 0, "the CPU was %s, not %s", record_text(lab, "cpu_model"),
			       machine->lab.model->name);
	if (strcmp(record_text(lab, "mode"), lab_mode_name(machine->lab.mode)) != 0)
		return err_set(err, 0, "the mode was %s", record_text(lab, "mode"));
	if (!same_texts(json_object_get(lab, "faults"), machine->lab.faults[0],
			sizeof(machine->lab.faults[0]), machine->lab.n_faults))
		return err_set(err, 0, "the faults were not those of machine %s", machine->name);
	if (!same_texts(json_object_get(lab, "params"), machine->lab.params[0],
			sizeof(machine->lab.params[0]), machine->lab.n_params))
		return err_set(err, 0, "the parameters were not those of machine %s",
			       machine->name);
	if (strcmp(record_text(lab, "variant"), machine->lab.variant) != 0)
		return err_set(err, 0, "the kernel's variant was '%s', not '%s'",
			       record_text(lab, "variant"), machine->lab.variant);
	return 0;
}

/* A record must not say of itself what its figures do not. */
static bool agree(const struct report_execution *execution, struct proof_outcome *outcome)
{
	const json_t *record;
	size_t i;

	json_array_foreach(execution->checks, i, record)
	{
		if (check_holds(record) != json_is_true(json_object_get(record, "ok")))
			return wrong(outcome, "check %s says %s, its figures do not",
				     record_text(record, "name"),
				     check_holds(record) ? "no" : "ok");
	}
	json_array_foreach(execution->controls, i, record)
	{
		const json_t *value = json_object_get(record, "value");
		const json_t *floor = json_object_get(record, "floor");
		bool holds = json_is_number(value) && json_is_number(floor) &&
			     json_number_value(value) > json_number_value(floor);

		if (holds != json_is_true(json_object_get(record, "ok")))
			return wrong(outcome, "control %s says %s, its figures do not",
				     record_text(record, "name"), holds ? "no" : "ok");
	}
	return true;
}

/* The kernel-log event of this class that was not expected, or NULL. */
static const json_t *find_log(const struct report_execution *execution, enum klog_class class)
{
	const json_t *record;
	size_t i;

	json_array_foreach(execution->logs, i, record)
	{
		if (!json_is_true(json_object_get(record, "expected")) &&
		    klog_class_parse(record_text(record, "class")) == class)
			return record;
	}
	return NULL;
}

/* The first evaluation of a check that did not hold, or NULL. */
static const json_t *find_failed(const struct report_execution *execution, const char *name)
{
	const json_t *record;
	size_t i;

	json_array_foreach(execution->checks, i, record)
	{
		if (!strcmp(record_text(record, "name"), name) && !check_holds(record))
			return record;
	}
	return NULL;
}

static bool has_reason(const struct report_execution *execution, const char *reason)
{
	enum klog_class class = proof_reason_class(reason);

	return class == KLOG_NONE ? find_failed(execution, reason) : find_log(execution, class);
}

static bool may_be(const struct proof_row *row, const char *reason)
{
	return proof_list_has(&row->by, reason) || proof_list_has(&row->also, reason);
}

/* Nothing spoke against the claim but what the row says. */
static bool only_listed(const struct proof_row *row, const struct report_execution *execution,
			struct proof_outcome *outcome)
{
	const json_t *record;
	size_t i;

	json_array_foreach(execution->checks, i, record)
	{
		if (!check_holds(record) && !may_be(row, record_text(record, "name")))
			return wrong(outcome, "check %s does not hold, which is to hold",
				     record_text(record, "name"));
	}
	/* A machine that hangs may say anything in its last moments. */
	if (row->verdict == VERDICT_HUNG)
		return true;
	json_array_foreach(execution->logs, i, record)
	{
		const char *class = record_text(record, "class");
		char reason[64];

		snprintf(reason, sizeof(reason), "klog:%s", class);
		if (klog_class_effect(klog_class_parse(class)) != VERDICT_PASS &&
		    !json_is_true(json_object_get(record, "expected")) && !may_be(row, reason))
			return wrong(outcome, "the kernel log has a message of class %s: %s", class,
				     record_text(record, "text"));
	}
	return true;
}

/* What the verdict says of itself, "" when it does not. */
static const char *first_reason(const struct report_execution *execution)
{
	const json_t *reasons = json_object_get(execution->end, "reasons");
	const char *first = json_string_value(json_array_get(reasons, 0));

	return first ? first : "";
}

static bool all_there(const struct proof_row *row, const struct report_execution *execution,
		      struct proof_outcome *outcome)
{
	for (size_t i = 0; i < row->by.n; i++)
		if (!has_reason(execution, row->by.name[i]))
			return wrong(outcome, "%s, but not by %s: %s", outcome->verdict,
				     row->by.name[i], first_reason(execution));
	return true;
}

static bool says(const struct proof_row *row, const struct report_execution *execution,
		 struct proof_outcome *outcome)
{
	const json_t *reason;
	size_t i;

	if (!row->says)
		return true;
	json_array_foreach(json_object_get(execution->end, "reasons"), i, reason)
	{
		if (json_is_string(reason) && strstr(json_string_value(reason), row->says))
			return true;
	}
	return wrong(outcome, "%s, but no reason says '%s'", outcome->verdict, row->says);
}

/* A verdict of checks rests on a check and on a positive control. */
static bool has_base(const struct proof_row *row, const struct report_execution *execution,
		     struct proof_outcome *outcome)
{
	const json_t *control;
	size_t i;

	if (row->verdict != VERDICT_PASS && row->verdict != VERDICT_FAIL)
		return true;
	if (row->verdict == VERDICT_PASS && !json_array_size(execution->checks))
		return wrong(outcome, "pass without a check");
	if (!json_array_size(execution->controls))
		return wrong(outcome, "%s without a positive control", outcome->verdict);
	json_array_foreach(execution->controls, i, control)
	{
		if (!json_is_true(json_object_get(control, "ok")))
			return wrong(outcome, "%s although the positive control %s does not hold",
				     outcome->verdict, record_text(control, "name"));
	}
	return true;
}

static bool judge_execution(const struct proof_row *row, const struct report_execution *execution,
			    struct proof_outcome *outcome)
{
	enum verdict verdict = report_execution_verdict(execution);
	const char *first = first_reason(execution);

	snprintf(outcome->verdict, sizeof(outcome->verdict), "%s", verdict_name(verdict));
	if (!execution->end)
		return wrong(outcome, "no verdict: the run stopped here");
	if (!agree(execution, outcome))
		return false;
	if (verdict != row->verdict)
		return wrong(outcome, "%s, not %s%s%s", verdict_name(verdict),
			     verdict_name(row->verdict), *first ? ": " : "", first);
	return all_there(row, execution, outcome) && only_listed(row, execution, outcome) &&
	       has_base(row, execution, outcome) && says(row, execution, outcome);
}

static void show_check(struct proof_outcome *outcome, const json_t *check)
{
	const char *unit = record_text(check, "unit");
	char value[48], bound[48];

	show(outcome, "%s %s, bound %s %s", record_text(check, "name"),
	     unit_format(json_number_value(json_object_get(check, "value")), unit, value,
			 sizeof(value)),
	     record_text(check, "op"),
	     unit_format(json_number_value(json_object_get(check, "bound")), unit, bound,
			 sizeof(bound)));
}

/* Of a pass: the check asked for, or the closest to its bound, or the first. */
static bool show_pass(const struct proof_row *row, const struct check_summary *summaries, size_t n,
		      struct proof_outcome *outcome)
{
	const struct check_summary *shown = check_closest(summaries, n);

	if (!shown)
		shown = summaries;
	for (size_t i = 0; row->shows && i < n; i++)
		if (!strcmp(summaries[i].name, row->shows))
			shown = &summaries[i];
	if (!n || (row->shows && strcmp(shown->name, row->shows) != 0))
		return wrong(outcome, "check %s was not made", row->shows ? row->shows : "");
	show_check(outcome, shown->worst);
	return true;
}

/* Of another verdict: the reasons that the row names, or else what the verdict says of itself. */
static void show_reasons(const struct proof_row *row, const struct report_execution *deciding,
			 const struct check_summary *summaries, size_t n,
			 struct proof_outcome *outcome)
{
	const char *first = first_reason(deciding);

	for (size_t i = 0; i < row->by.n; i++) {
		const char *name = row->by.name[i];
		enum klog_class class = proof_reason_class(name);

		if (class != KLOG_NONE)
			show(outcome, "%s: %s", name,
			     record_text(find_log(deciding, class), "text"));
		for (size_t k = 0; k < n; k++)
			if (!strcmp(summaries[k].name, name))
				show_check(outcome, summaries[k].worst);
	}
	if (!row->by.n && *first)
		show(outcome, "%s", first);
}

static bool show_figures(const struct proof_row *row, const struct report_test *test,
			 struct proof_outcome *outcome)
{
	for (size_t i = 0; i < row->n_figures; i++) {
		const struct proof_figure *f = &row->figures[i];
		struct figure figure;
		char text[48];
		int result = figure_find(test, f->table, f->row, f->column, &figure);

		if (result)
			return wrong(outcome, "figure %s, %s, %s: %s", f->table, f->row, f->column,
				     strerrorname_np(-result));
		show(outcome, "%s, %s, %s: %s%s%s%s", f->table, f->row, f->column,
		     unit_format(figure.greatest, figure.unit, text, sizeof(text)),
		     f->beside ? " (" : "", f->beside ? f->beside : "", f->beside ? ")" : "");
		if (figure.least < f->least || figure.greatest > f->most)
			return wrong(outcome, "figure %s, %s, %s: %g to %g %s, not from %g to %g",
				     f->table, f->row, f->column, figure.least, figure.greatest,
				     figure.unit, f->least, f->most);
	}
	return true;
}

static bool show_row(const struct proof_row *row, const struct report_test *test,
		     struct proof_outcome *outcome)
{
	struct check_summary *summaries;
	bool good = true;
	size_t n;

	if (check_summaries(test, &summaries, &n))
		return wrong(outcome, "out of memory");
	if (row->verdict == VERDICT_PASS)
		good = show_pass(row, summaries, n, outcome);
	else
		show_reasons(row, report_test_deciding(test), summaries, n, outcome);
	free(summaries);
	return good && show_figures(row, test, outcome);
}

void proof_judge_row(const struct proof_machine *machine, const struct proof_row *row,
		     const struct report *report, struct proof_outcome *outcome)
{
	const struct report_test *test = report_find_test(report, row->hypothesis);
	bool good = true;

	if (!test) {
		proof_judge_impossible(outcome, "the report has no %s", row->hypothesis);
		return;
	}
	*outcome = (struct proof_outcome){ .judged = true };
	for (size_t i = 0; good && i < test->n_executions; i++)
		good = judge_execution(row, &test->executions[i], outcome);
	if (good && test->n_executions != machine->repeat)
		good = wrong(outcome, "%zu iterations instead of %zu", test->n_executions,
			     machine->repeat);
	snprintf(outcome->verdict, sizeof(outcome->verdict), "%s",
		 verdict_name(report_test_verdict(test)));
	outcome->right = good && show_row(row, test, outcome);
}

static bool find_figure(const struct proof_side *side, const struct report *report,
			struct figure *figure, struct proof_outcome *outcome)
{
	const struct proof_figure *f = &side->figure;
	const struct report_test *test = report_find_test(report, side->hypothesis);
	int result = test ? figure_find(test, f->table, f->row, f->column, figure) : -ENOENT;

	if (!result)
		return true;
	return wrong(outcome, "machine %s, %s, figure %s, %s, %s: %s", side->machine_name,
		     side->hypothesis, f->table, f->row, f->column, strerrorname_np(-result));
}

void proof_judge_relation(const struct proof_relation *relation, const struct report *left,
			  const struct report *right, struct proof_outcome *outcome)
{
	struct figure x = { 0 }, y = { 0 };
	char shown_x[48], shown_y[48];

	*outcome = (struct proof_outcome){ .judged = true };
	snprintf(outcome->verdict, sizeof(outcome->verdict), "-");
	if (!find_figure(&relation->left, left, &x, outcome) ||
	    !find_figure(&relation->right, right, &y, outcome))
		return;
	if (strcmp(x.unit, y.unit) != 0 || !(y.least > 0)) {
		wrong(outcome, "%g %s and %g %s have no ratio", x.greatest, x.unit, y.least,
		      y.unit);
		return;
	}
	outcome->right = x.greatest <= relation->factor * y.least;
	snprintf(outcome->verdict, sizeof(outcome->verdict), "%s",
		 outcome->right ? "holds" : "does not");
	show(outcome, "%s, %s: %s is %.4g times %s, bound <= %g", relation->left.figure.row,
	     relation->left.figure.column,
	     unit_format(x.greatest, x.unit, shown_x, sizeof(shown_x)), x.greatest / y.least,
	     unit_format(y.least, y.unit, shown_y, sizeof(shown_y)), relation->factor);
	if (!outcome->right)
		wrong(outcome, "%s", outcome->figure);
}
