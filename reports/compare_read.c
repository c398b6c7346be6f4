// SPDX-License-Identifier: GPL-2.0-or-later
/* From reports to a comparison. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "known.h"
#include "record.h"
#include "term.h"

static int add_measure(struct comparison *all, size_t column, const char *hypothesis,
		       const json_t *measure)
{
	long series = comparison_find_series(
		all, hypothesis, record_text(measure, "table"), record_text(measure, "row"),
		record_text(measure, "name"), record_text(measure, "unit"));

	return series < 0 ? (int)series
			  : comparison_add_measure(all, (size_t)series, column, measure);
}

/* Keep what a hypothesis claims, of the first who says it. */
static int set_claim(struct compare_hypothesis *hypothesis, const char *claim)
{
	char *copy;

	if (*hypothesis->claim || !*claim)
		return 0;
	copy = strdup(claim);
	if (!copy)
		return -ENOMEM;
	free(hypothesis->claim);
	hypothesis->claim = copy;
	return 0;
}

/* A single figure; one that could not be computed has no value. */
static int add_figure(struct comparison *all, size_t column, const char *hypothesis,
		      const json_t *measure)
{
	const json_t *value = json_object_get(measure, "value");
	long figure;

	if (!value)
		return 0;
	figure = comparison_find_figure(all, hypothesis, record_text(measure, "table"),
					record_text(measure, "row"), record_text(measure, "name"),
					record_text(measure, "unit"));
	return figure < 0 ? (int)figure
			  : comparison_add_figure(all, (size_t)figure, column,
						  json_number_value(value));
}

static int add_verdict(struct comparison *all, size_t column, const struct report *report,
		       const struct report_test *test)
{
	long hypothesis = comparison_find_hypothesis(all, test->name);
	char *decided = term_decision(report, test);
	int result = hypothesis < 0 ? (int)hypothesis : decided ? 0 : -ENOMEM;

	if (!result)
		result = set_claim(&all->hypotheses[hypothesis], record_text(test->plan, "claim"));
	if (!result)
		result = comparison_add_verdict(all, (size_t)hypothesis, column,
						report_test_verdict(test), decided);
	free(decided);
	return result;
}

static int add_test(struct comparison *all, size_t column, const struct report *report,
		    const struct report_test *test)
{
	int result = add_verdict(all, column, report, test);

	for (size_t e = 0; !result && e < test->n_executions; e++) {
		json_t *measure;
		size_t i;

		json_array_foreach(test->executions[e].measures, i, measure)
		{
			/* What has no n is a single figure. */
			if (!result)
				result = json_object_get(measure, "n")
						 ? add_measure(all, column, test->name, measure)
						 : add_figure(all, column, test->name, measure);
		}
	}
	return result;
}

int comparison_add_report(struct comparison *all, size_t column, const struct report *report)
{
	int result = 0;

	comparison_add_machine(all, column, report->machine, report->run);
	for (size_t t = 0; !result && t < report->n_tests; t++)
		result = add_test(all, column, report, &report->tests[t]);
	return result;
}

int comparison_make(struct comparison *all, const struct report *reports, char *const *names,
		    size_t n_reports)
{
	int result = 0;

	comparison_begin(all, false);
	for (size_t r = 0; !result && r < n_reports; r++) {
		int column = comparison_add_column(all, names[r]);

		result = column < 0 ? column
				    : comparison_add_report(all, (size_t)column, &reports[r]);
	}
	if (!result)
		result = comparison_finish(all);
	if (result)
		comparison_free(all);
	return result;
}

static int add_group_verdict(struct comparison *all, size_t column,
			     const struct compare_hypothesis *hypothesis)
{
	long to = comparison_find_hypothesis(all, hypothesis->name);
	int result = to < 0 ? (int)to : set_claim(&all->hypotheses[to], hypothesis->claim);

	return result ? result
		      : comparison_add_verdict(all, (size_t)to, column,
					       compare_verdict(hypothesis, 0),
					       hypothesis->decided[0]);
}

/* One report as a member of a group: of each series its median. */
static int add_medians(struct comparison *all, size_t column, const struct comparison *one)
{
	int result = 0;

	comparison_add_machine(all, column, one->column[0].machine, one->column[0].run);
	for (size_t h = 0; !result && h < one->n_hypotheses; h++)
		result = add_group_verdict(all, column, &one->hypotheses[h]);
	for (size_t s = 0; !result && s < one->n_series; s++) {
		const struct compare_series *series = &one->series[s];
		long to = comparison_find_series(all, series->hypothesis, series->table,
						 series->row, series->name, series->unit);

		if (to < 0)
			return (int)to;
		if (series->side[0].n)
			result = comparison_add_value(all, (size_t)to, column,
						      series->side[0].median,
						      series->side[0].resolution);
	}
	return result;
}

static int add_figure_medians(struct comparison *all, size_t column, const struct comparison *one)
{
	int result = 0;

	for (size_t f = 0; !result && f < one->n_figures; f++) {
		const struct compare_series *figure = &one->figures[f];
		long to = comparison_find_figure(all, figure->hypothesis, figure->table,
						 figure->row, figure->name, figure->unit);

		result = to < 0 ? (int)to
				: comparison_add_figure(all, (size_t)to, column,
							figure->side[0].median);
	}
	return result;
}

static int add_member(struct comparison *all, const struct compare_request *request,
		      const struct report *report)
{
	char *const names[] = { (char *)"" };
	char *name = compare_key(request->by, request->key, report->machine,
				 json_object_get(report->run, "labels"));
	struct comparison one;
	int column, result;

	if (!name)
		return -ENOMEM;
	column = comparison_find_column(all, name);
	free(name);
	if (column < 0)
		return column;
	result = comparison_make(&one, report, names, 1);
	if (result)
		return result;
	result = add_medians(all, (size_t)column, &one);
	if (!result)
		result = add_figure_medians(all, (size_t)column, &one);
	comparison_free(&one);
	return result;
}

static int add_path(struct comparison *all, const struct compare_request *request, const char *path,
		    struct err *err)
{
	struct report report;
	int result = known_report(&report, path, request->shown.known, err);

	if (result)
		return result;
	if (request->by == COMPARE_REPORT) {
		int column = comparison_add_column(all, path);

		result = column < 0 ? column : comparison_add_report(all, (size_t)column, &report);
	} else {
		result = add_member(all, request, &report);
	}
	report_free(&report);
	if (result == -E2BIG)
		return err_plain(err, E2BIG, "more than %d columns", COMPARE_MAX);
	if (result == -EOVERFLOW)
		return err_plain(err, EOVERFLOW, "%s: too many different hypotheses or series",
				 path);
	if (result == -EBADMSG)
		return err_plain(err, EBADMSG, "%s: a histogram makes no sense", path);
	return result ? err_set(err, -result, "compare %s", path) : 0;
}

int compare_read(struct comparison *all, const struct compare_request *request, struct err *err)
{
	int result = 0;

	comparison_begin(all, request->by != COMPARE_REPORT);
	all->threshold = request->threshold;
	for (size_t i = 0; !result && i < request->n; i++)
		result = add_path(all, request, request->paths[i], err);
	if (!result && comparison_finish(all))
		result = err_set(err, ENOMEM, "comparison");
	if (result)
		comparison_free(all);
	return result;
}

/* --- groups --- */

static void put_cpu(FILE *out, const json_t *machine)
{
	const json_t *cpu = json_object_get(machine, "cpu");
	const json_t *lab = json_object_get(machine, "lab");

	if (json_is_true(json_object_get(machine, "emulated")))
		fprintf(out, "%s (emulated, %s)", record_text(lab, "cpu_model"),
			record_text(lab, "mode"));
	else if (*record_text(cpu, "name"))
		fputs(record_text(cpu, "name"), out);
	else
		fputs("unknown CPU", out);
}

static void put_kernel(FILE *out, const json_t *machine)
{
	const char *release = record_text(json_object_get(machine, "kernel"), "release");
	const char *variant = record_text(json_object_get(machine, "lab"), "variant");

	fprintf(out, "%s%s%s", *release ? release : "unknown kernel", *variant ? ", " : "",
		variant);
}

char *compare_key(enum compare_by by, const char *key, const json_t *machine, const json_t *labels)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (by == COMPARE_CPU_MODEL)
		put_cpu(out, machine);
	else if (by == COMPARE_KERNEL)
		put_kernel(out, machine);
	else if (json_object_get(labels, key))
		fputs(record_text(labels, key), out);
	else
		fprintf(out, "no %s", key);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
