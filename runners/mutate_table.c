// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/table.h"
#include "markdown.h"

/* Of the document. */
#define VERSION 1

static enum table_style style_of(enum mutate_fate fate)
{
	if (mutate_fate_killed(fate))
		return fate == FATE_NAMED ? TABLE_GOOD : TABLE_ODD;
	return fate == FATE_EQUIVALENT ? TABLE_PLAIN : TABLE_BAD;
}

int mutate_table_print(const struct mutate_results *results, FILE *out, size_t width, bool colour)
{
	static const struct table_column columns[] = {
		{ "mutant", TABLE_LEFT },
		{ "breaks", TABLE_LEFT },
		{ "", TABLE_LEFT },
		{ "noticed by", TABLE_STACK },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]), 1);

	for (size_t i = 0; i < results->plan->n_subjects; i++) {
		const struct mutant *mutant = results->plan->subjects[i].mutant;
		enum mutate_fate fate = results->outcomes[i].fate;
		char *text = mutate_results_text(results, i);

		table_row(table);
		table_cell(table, 0, TABLE_PLAIN, "%s", mutant->machine.name);
		table_cell(table, 1, TABLE_PLAIN, "%s", mutant->function);
		table_cell(table, 2, style_of(fate), "%s", mutate_fate_text(fate));
		table_cell(table, 3, TABLE_PLAIN, "%s", text ? text : "");
		free(text);
	}
	return table_print(table, out, 2, width, colour);
}

static double percent_named(const struct mutate_sum *sum)
{
	return sum->live ? 100.0 * (double)sum->fates[FATE_NAMED] / (double)sum->live : 0;
}

static void put_problems(const struct mutate_results *results, const char *before, FILE *out)
{
	const json_t *problem;
	size_t i;

	json_array_foreach(results->problems, i, problem)
	{
		fprintf(out, "%s%s\n", before, json_string_value(problem));
	}
}

void mutate_table_sums(const struct mutate_results *results, FILE *out)
{
	const struct mutate_sum sum = mutate_results_sum(results, NULL);

	fprintf(out, "unmutated: %zu of %zu verdicts pass\n", results->good, results->verdicts);
	put_problems(results, "  ", out);
	if (!results->plan->n_subjects)
		return;
	fprintf(out, "%zu mutants:", results->plan->n_subjects);
	for (size_t i = 0, n = 0; i < FATES; i++)
		if (sum.fates[i])
			fprintf(out, "%s %zu %s", n++ ? "," : "", sum.fates[i],
				mutate_fate_text((enum mutate_fate)i));
	fprintf(out,
		"\n%zu of %zu live mutants (%.1f %%) killed by a check that names the right "
		"thing\n",
		sum.fates[FATE_NAMED], sum.live, percent_named(&sum));
}

/* Is it the first subject that breaks its file? */
static bool is_first_of_file(const struct mutate_plan *plan, size_t subject)
{
	for (size_t i = 0; i < subject; i++)
		if (!strcmp(plan->subjects[i].mutant->file, plan->subjects[subject].mutant->file))
			return false;
	return true;
}

static void put_sum(FILE *out, const char *name, const struct mutate_sum *sum)
{
	fprintf(out, "| %s | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %.1f %% |\n", name,
		sum->live, sum->fates[FATE_NAMED], sum->fates[FATE_KILLED], sum->fates[FATE_HUNG],
		sum->fates[FATE_LOG], sum->fates[FATE_UNCLEAR], sum->fates[FATE_SURVIVED],
		sum->fates[FATE_EQUIVALENT], percent_named(sum));
}

static void put_sums(const struct mutate_results *results, FILE *out)
{
	const struct mutate_plan *plan = results->plan;
	const struct mutate_sum all = mutate_results_sum(results, NULL);

	fputs("| file | live | killed, named | killed | hung | kernel log alone | no conclusion | "
	      "survived | equivalent | named |\n|---|---|---|---|---|---|---|---|---|---|\n",
	      out);
	for (size_t i = 0; i < plan->n_subjects; i++) {
		const char *file = plan->subjects[i].mutant->file;
		const struct mutate_sum sum = mutate_results_sum(results, file);
		char name[256];

		snprintf(name, sizeof(name), "`%s`", file);
		if (is_first_of_file(plan, i))
			put_sum(out, name, &sum);
	}
	put_sum(out, "**all**", &all);
	if (all.fates[FATE_DEAD] || all.fates[FATE_MISSING])
		fprintf(out, "\nNot counted: %zu that the witness does not see, %zu not run.\n",
			all.fates[FATE_DEAD], all.fates[FATE_MISSING]);
	fprintf(out, "\nUnmutated: %zu runs of %zu machines, %zu of %zu verdicts pass.\n\n",
		plan->n_unmutated * results->runs, plan->n_unmutated, results->good,
		results->verdicts);
	put_problems(results, "- ", out);
}

static int put_mutant(const struct mutate_results *results, size_t subject, FILE *out)
{
	const struct mutate_subject *what = &results->plan->subjects[subject];
	enum mutate_fate fate = results->outcomes[subject].fate;
	char *text = mutate_results_text(results, subject);

	fputs("| ", out);
	markdown_cell(out, what->mutant->machine.name);
	putc(' ', out);
	markdown_cell(out, what->mutant->function);
	putc(' ', out);
	markdown_cell(out, what->mutant->effect);
	fprintf(out, " %s%s%s | ", fate == FATE_NAMED || fate == FATE_EQUIVALENT ? "" : "**",
		mutate_fate_text(fate), fate == FATE_NAMED || fate == FATE_EQUIVALENT ? "" : "**");
	markdown_cell(out, text ? text : "");
	putc('\n', out);
	free(text);
	return text ? 0 : -ENOMEM;
}

int mutate_table_markdown(const struct mutate_results *results, FILE *out)
{
	int result = 0;

	put_sums(results, out);
	fputs("\n| mutant | function | what a user of perf sees | came out | noticed by |\n"
	      "|---|---|---|---|---|\n",
	      out);
	for (size_t i = 0; !result && i < results->plan->n_subjects; i++)
		result = put_mutant(results, i, out);
	return result;
}

static json_t *sum_json(const struct mutate_sum *sum)
{
	json_t *object = json_pack("{s:I, s:I, s:f}", "live", (json_int_t)sum->live, "killed",
				   (json_int_t)sum->killed, "named_percent", percent_named(sum));

	for (size_t i = 0; object && i < FATES; i++)
		json_object_set_new(object, mutate_fate_name((enum mutate_fate)i),
				    json_integer((json_int_t)sum->fates[i]));
	return object;
}

static const char *witness_text(enum mutate_witness witness)
{
	return witness == WITNESS_LIVE ? "live" : witness == WITNESS_DEAD ? "dead" : NULL;
}

/* Add a list unless it is empty. */
static void set_list(json_t *object, const char *key, json_t *list)
{
	if (json_array_size(list))
		json_object_set(object, key, list);
}

static json_t *subject_json(const struct mutate_results *results, size_t subject)
{
	const struct mutate_subject *what = &results->plan->subjects[subject];
	const struct mutate_outcome *outcome = &results->outcomes[subject];
	char *options = prove_guest_text(&what->machine);
	json_t *object = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s*, s:s*, s:s*}", "name",
		what->mutant->machine.name, "file", what->mutant->file, "function",
		what->mutant->function, "effect", what->mutant->effect, "options",
		options ? options : "", "fate", mutate_fate_name(outcome->fate), "equivalent",
		what->mutant->equivalent, "witness", witness_text(results->witnesses[subject]),
		"problem", *outcome->problem ? outcome->problem : NULL);

	free(options);
	if (!object)
		return NULL;
	set_list(object, "named", outcome->named);
	set_list(object, "others", outcome->others);
	set_list(object, "hung", outcome->hung);
	set_list(object, "logs", outcome->logs);
	set_list(object, "unclear", outcome->unclear);
	set_list(object, "changed", outcome->changed);
	return object;
}

json_t *mutate_table_json(const struct mutate_results *results)
{
	const struct mutate_sum sum = mutate_results_sum(results, NULL);
	json_t *mutants = json_array();
	const char *release;
	json_t *unused, *kernels = json_array();

	json_object_foreach(results->origin.kernels, release, unused)
	{
		json_array_append_new(kernels, json_string(release));
	}
	for (size_t i = 0; i < results->plan->n_subjects; i++)
		json_array_append_new(mutants, subject_json(results, i));
	return json_pack("{s:i, s:b, s:o, s:{s:I, s:I, s:I, s:O}, s:o, s:o}", "version", VERSION,
			 "emulated", 1, "kernels", kernels, "unmutated", "runs",
			 (json_int_t)results->runs, "verdicts", (json_int_t)results->verdicts,
			 "good", (json_int_t)results->good, "problems", results->problems, "sum",
			 sum_json(&sum), "mutants", mutants);
}

/* The test that a text "NAME.CHECK" is about, or NULL. */
static const struct suite_test *test_of(const struct suite *suite, const json_t *text)
{
	const char *name = json_string_value(text);

	return suite_test_named(suite, name, strcspn(name, "."));
}

/* Write the tests of a project that are in a list; returns how many. */
static size_t put_peers(const struct suite *suite, const char *theme, const json_t *list, size_t n,
			FILE *out)
{
	const json_t *text;
	size_t i;

	json_array_foreach(list, i, text)
	{
		const struct suite_test *test = test_of(suite, text);

		if (!test || strcmp(test->theme, theme) != 0)
			continue;
		if (out)
			fprintf(out, "%s%s", n ? ", " : "", test->name);
		n++;
	}
	return n;
}

/* Tests of a project that noticed a subject, by a check or as they did not end. */
static size_t put_noticed(const struct mutate_results *results, const struct suite *suite,
			  size_t subject, const char *theme, FILE *out)
{
	const struct mutate_outcome *outcome = &results->outcomes[subject];
	size_t n = put_peers(suite, theme, outcome->named, 0, out);

	n = put_peers(suite, theme, outcome->others, n, out);
	return put_peers(suite, theme, outcome->hung, n, out);
}

/* Is it the first test of its theme? They come in the order of themes. */
static bool begins_theme(const struct suite *suite, size_t test)
{
	return !test || strcmp(suite->tests[test - 1].theme, suite->tests[test].theme) != 0;
}

static void put_peer_row(const struct mutate_results *results, const struct suite *suite,
			 size_t subject, FILE *out)
{
	enum mutate_fate fate = results->outcomes[subject].fate;

	fprintf(out, "| %s | %s |", results->plan->subjects[subject].mutant->machine.name,
		mutate_fate_text(fate));
	for (size_t t = 0; t < suite->n; t++) {
		char *text = NULL;
		size_t size;
		FILE *cell = begins_theme(suite, t) ? open_memstream(&text, &size) : NULL;

		if (!cell)
			continue;
		put_noticed(results, suite, subject, suite->tests[t].theme, cell);
		fclose(cell);
		putc(' ', out);
		markdown_cell(out, text);
		free(text);
	}
	putc('\n', out);
}

/* How many live mutants each project noticed. */
static void put_peer_sums(const struct mutate_results *results, const struct suite *suite,
			  FILE *out)
{
	const struct mutate_sum sum = mutate_results_sum(results, NULL);

	fprintf(out, "| **of %zu live** | **%zu** |", sum.live, sum.killed);
	for (size_t t = 0; t < suite->n; t++) {
		size_t n = 0;

		if (!begins_theme(suite, t))
			continue;
		for (size_t i = 0; i < results->plan->n_subjects; i++)
			n += put_noticed(results, suite, i, suite->tests[t].theme, NULL) > 0;
		fprintf(out, " **%zu** |", n);
	}
	putc('\n', out);
}

int mutate_table_peers(const struct mutate_results *results, const struct suite *suite, FILE *out)
{
	fprintf(out,
		"Tests: %zu. Unmutated: %zu runs of %zu machines, %zu of %zu verdicts "
		"pass.\n\n",
		mutate_plan_rows(&results->plan->unmutated[0]),
		results->plan->n_unmutated * results->runs, results->plan->n_unmutated,
		results->good, results->verdicts);
	fputs("| mutant | came out |", out);
	for (size_t t = 0; t < suite->n; t++)
		if (begins_theme(suite, t))
			fprintf(out, " %s |", suite->tests[t].theme);
	fputs("\n|---|---|", out);
	for (size_t t = 0; t < suite->n; t++)
		if (begins_theme(suite, t))
			fputs("---|", out);
	putc('\n', out);
	put_peer_sums(results, suite, out);
	for (size_t i = 0; i < results->plan->n_subjects; i++)
		put_peer_row(results, suite, i, out);
	return ferror(out) ? -ENOMEM : 0;
}
