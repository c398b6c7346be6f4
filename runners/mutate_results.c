// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entries.h"

int mutate_results_init(struct mutate_results *results, const struct mutate_plan *plan,
			const char *dir, size_t runs, const struct known_issues *known,
			struct err *err)
{
	*results = (struct mutate_results){
		.plan = plan,
		.dir = dir,
		.known = known,
		.runs = runs,
		/* One more, as there may be none. */
		.outcomes = calloc(plan->n_subjects + 1, sizeof(*results->outcomes)),
		.witnesses = calloc(plan->n_subjects + 1, sizeof(*results->witnesses)),
		.unmutated = calloc(plan->n_unmutated * runs, sizeof(*results->unmutated)),
		.problems = json_array(),
		.origin.kernels = json_object(),
	};
	if (!results->outcomes || !results->witnesses || !results->unmutated ||
	    !results->problems || !results->origin.kernels)
		return err_set(err, ENOMEM, "results");
	for (size_t i = 0; i < plan->n_subjects; i++) {
		const struct mutate_subject *subject = &plan->subjects[i];

		results->outcomes[i].fate = FATE_MISSING;
		if (!mutate_plan_rows(&subject->machine))
			mutate_judge_impossible(&results->outcomes[i],
						"no hypothesis is to be run on it");
	}
	return 0;
}

void mutate_results_free(struct mutate_results *results)
{
	for (size_t i = 0; results->outcomes && i < results->plan->n_subjects; i++)
		mutate_outcome_free(&results->outcomes[i]);
	free(results->outcomes);
	free(results->witnesses);
	free(results->unmutated);
	json_decref(results->problems);
	json_decref(results->origin.kernels);
	*results = (struct mutate_results){ 0 };
}

/* NAME live|dead|unseen [WHAT IT SAW], or why one could not look: FAILED [WHAT] */
static int take_witness(void *context, unsigned int line, char **words, size_t n, struct err *err)
{
	static const struct {
		const char *word;
		enum mutate_witness witness;
	} said[] = { { "live", WITNESS_LIVE },
		     { "dead", WITNESS_DEAD },
		     { "unseen", WITNESS_NONE } };
	const struct mutate_results *results = context;
	size_t which = 0;

	(void)line;
	if (!strcmp(words[0], "FAILED"))
		return 0;
	while (n > 1 && which < 3 && strcmp(words[1], said[which].word) != 0)
		which++;
	if (n < 2 || which == 3)
		return err_set(err, 0, "not 'NAME live', 'NAME dead' or 'NAME unseen'");
	for (size_t i = 0; i < results->plan->n_subjects; i++)
		if (!strcmp(results->plan->subjects[i].machine.name, words[0]))
			results->witnesses[i] = said[which].witness;
	return 0;
}

int mutate_results_witness_parse(struct mutate_results *results, const char *path, FILE *file,
				 struct err *err)
{
	unsigned int line;
	char *text;
	int result = entries_read(file, &text, take_witness, results, &line, err);

	free(text);
	if (result)
		err_prefix(err, "%s:%u", path, line);
	return result;
}

int mutate_results_witness(struct mutate_results *results, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	int result;

	if (!file)
		return err_set(err, errno, "open %s", path);
	result = mutate_results_witness_parse(results, path, file, err);
	fclose(file);
	return result;
}

const struct mutate_subject *mutate_results_subject(const struct mutate_results *results,
						    const struct prove_guest *guest)
{
	for (size_t i = 0; i < results->plan->n_subjects; i++)
		if (guest->machine == &results->plan->subjects[i].machine)
			return &results->plan->subjects[i];
	return NULL;
}

/* Did it come to its end, with all that is to be run on the machine? */
static bool is_complete(const struct report *report, const struct proof_machine *machine)
{
	if (!report->done || json_is_true(json_object_get(report->done, "interrupted")))
		return false;
	for (size_t i = 0; i < machine->n_rows; i++) {
		const struct report_test *test =
			report_find_test(report, machine->rows[i].hypothesis);

		if (machine->rows[i].selected && (!test || !test->n_executions))
			return false;
	}
	return true;
}

static bool is_there(const struct prove_guest *guest)
{
	struct report report;
	struct err err;
	bool complete;

	if (prove_report_read(&report, guest->machine, guest->dir, &err))
		return false;
	complete = is_complete(&report, guest->machine);
	report_free(&report);
	return complete;
}

/* The report or what `lab run` printed: is one of them there? */
static bool is_taken(const char *dir)
{
	char log[PATH_MAX + 8];

	snprintf(log, sizeof(log), "%s.log", dir);
	return !access(dir, F_OK) || !access(log, F_OK);
}

int mutate_results_place(const struct mutate_results *results, struct prove_guest *guest,
			 bool resume, bool *there, struct err *err)
{
	bool mutated = mutate_results_subject(results, guest);
	const char *parent = mutated ? MUTATE_MUTANTS : MUTATE_UNMUTATED;
	char round[32] = "", again[32] = "";

	*there = false;
	if (!mutated)
		snprintf(round, sizeof(round), "-%zu", guest->round + 1);
	for (size_t number = 2;; number++) {
		if ((size_t)snprintf(guest->dir, sizeof(guest->dir), "%s/%s/%s%s%s", results->dir,
				     parent, guest->machine->name, round,
				     again) >= sizeof(guest->dir))
			return err_set(err, ENAMETOOLONG, "%s", results->dir);
		*there = resume && is_there(guest);
		if (*there || !resume || !is_taken(guest->dir))
			return 0;
		snprintf(again, sizeof(again), ".%zu", number);
	}
}

static char *unmutated_path(const struct mutate_results *results, size_t machine, size_t run)
{
	return results->unmutated[machine * results->runs + run];
}

/* What of a report is not as it should be without mutants. */
static void count_verdicts(struct mutate_results *results, const struct prove_guest *guest,
			   const struct report *report)
{
	for (size_t i = 0; i < guest->machine->n_rows; i++) {
		const struct proof_row *row = &guest->machine->rows[i];
		const struct report_test *test = report_find_test(report, row->hypothesis);
		enum verdict verdict = test ? report_test_verdict(test) : VERDICT_NOTRUN;
		const struct report_execution *deciding = test ? report_test_deciding(test) : NULL;
		const json_t *reasons = json_object_get(deciding ? deciding->end : NULL, "reasons");
		const char *reason = json_string_value(json_array_get(reasons, 0));

		if (!row->selected)
			continue;
		results->verdicts++;
		if (verdict == VERDICT_PASS || verdict == VERDICT_SKIP || verdict == VERDICT_KNOWN)
			results->good++;
		else
			json_array_append_new(results->problems,
					      json_sprintf("%s, run %zu, %s: %s%s%s",
							   guest->machine->name, guest->round + 1,
							   row->hypothesis, verdict_name(verdict),
							   reason ? ": " : "",
							   reason ? reason : ""));
	}
}

static bool take_unmutated(struct mutate_results *results, const struct prove_guest *guest,
			   char *text, size_t size)
{
	size_t machine = (size_t)(guest->machine - results->plan->unmutated);
	size_t verdicts = results->verdicts, good = results->good;
	struct report report;
	struct err err;
	int result = prove_report_take(&report, guest, &err);

	if (result) {
		results->verdicts += mutate_plan_rows(guest->machine);
		json_array_append_new(results->problems,
				      json_sprintf("%s, run %zu: %s", guest->machine->name,
						   guest->round + 1, err.text));
		snprintf(text, size, "%s", err.text);
		return false;
	}
	prove_origin_note(&results->origin, &report);
	/* Without memory what is known counts as a failure. */
	known_apply(results->known, &report);
	if (results->plan->sound[machine])
		count_verdicts(results, guest, &report);
	report_free(&report);
	snprintf(unmutated_path(results, machine, guest->round), PATH_MAX, "%s", guest->dir);
	if (!results->plan->sound[machine]) {
		snprintf(text, size, "a mutant is its base");
		return true;
	}
	verdicts = results->verdicts - verdicts;
	good = results->good - good;
	snprintf(text, size, "%zu of %zu pass", good, verdicts);
	return good == verdicts;
}

/* Read the reports of a machine without mutants. Returns how many of `runs` there are. */
static size_t read_unmutated(const struct mutate_results *results, size_t machine,
			     struct report *reports, struct err *err)
{
	size_t n = 0;

	while (n < results->runs) {
		const char *path = unmutated_path(results, machine, n);

		if (!*path) {
			err_set(err, 0, "%zu of %zu unmutated runs of %s are missing",
				results->runs - n, results->runs,
				results->plan->unmutated[machine].name);
			break;
		}
		if (report_read(&reports[n], path, err))
			break;
		n++;
	}
	return n;
}

/* Judge a report of the subject. */
static void judge(struct mutate_results *results, size_t subject, const struct report *mutated,
		  struct mutate_outcome *outcome)
{
	const struct mutate_subject *what = &results->plan->subjects[subject];
	struct report *reports = calloc(results->runs, sizeof(*reports));
	struct err err;
	size_t n = reports ? read_unmutated(results, what->unmutated, reports, &err) : 0;

	if (!reports)
		mutate_judge_impossible(outcome, "out of memory");
	else if (n < results->runs)
		mutate_judge_impossible(outcome, "%s", err.text);
	else if (mutate_judge(what->mutant, results->witnesses[subject], mutated, reports, n,
			      outcome))
		mutate_judge_impossible(outcome, "out of memory");
	while (n--)
		report_free(&reports[n]);
	free(reports);
}

static bool take_mutated(struct mutate_results *results, const struct prove_guest *guest,
			 size_t subject, char *text, size_t size)
{
	struct mutate_outcome *outcome = &results->outcomes[subject];
	struct report report;
	struct err err;
	char *noticed;

	mutate_outcome_free(outcome);
	if (prove_report_take(&report, guest, &err)) {
		mutate_judge_impossible(outcome, "%s", err.text);
	} else {
		prove_origin_note(&results->origin, &report);
		judge(results, subject, &report, outcome);
		report_free(&report);
	}
	noticed = mutate_results_text(results, subject);
	snprintf(text, size, "%s%s%s", mutate_fate_text(outcome->fate),
		 noticed && *noticed ? ": " : "", noticed ? noticed : "");
	free(noticed);
	return !*outcome->problem &&
	       (mutate_fate_killed(outcome->fate) || outcome->fate == FATE_EQUIVALENT);
}

bool mutate_results_take(struct mutate_results *results, const struct prove_guest *guest,
			 char *text, size_t size)
{
	const struct mutate_subject *subject = mutate_results_subject(results, guest);

	return subject ? take_mutated(results, guest, (size_t)(subject - results->plan->subjects),
				      text, size)
		       : take_unmutated(results, guest, text, size);
}

struct mutate_sum mutate_results_sum(const struct mutate_results *results, const char *file)
{
	const struct mutate_plan *plan = results->plan;
	struct mutate_sum sum = { 0 };

	for (size_t i = 0; i < plan->n_subjects; i++) {
		enum mutate_fate fate = results->outcomes[i].fate;

		if (file && strcmp(plan->subjects[i].mutant->file, file) != 0)
			continue;
		sum.fates[fate]++;
		sum.live += fate != FATE_EQUIVALENT && fate != FATE_DEAD && fate != FATE_MISSING;
		sum.killed += mutate_fate_killed(fate);
	}
	return sum;
}

/* Write the texts of a list, what they are before the first of all. */
static void put_list(FILE *out, const json_t *list, const char *what, bool *first)
{
	const json_t *text;
	size_t i;

	json_array_foreach(list, i, text)
	{
		fprintf(out, "%s%s", i ? ", " : *first ? "" : "; ", i ? "" : what);
		fputs(json_string_value(text), out);
		*first = false;
	}
}

char *mutate_results_text(const struct mutate_results *results, size_t subject)
{
	const struct mutate_outcome *outcome = &results->outcomes[subject];
	const char *equivalent = results->plan->subjects[subject].mutant->equivalent;
	bool named = json_array_size(outcome->named);
	char *text = NULL;
	bool first = true;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (outcome->fate == FATE_EQUIVALENT) {
		fputs(equivalent, out);
		first = false;
	}
	put_list(out, outcome->named, "", &first);
	put_list(out, outcome->others, named ? "also " : "", &first);
	put_list(out, outcome->hung, "", &first);
	put_list(out, outcome->logs, "", &first);
	put_list(out, outcome->unclear, "", &first);
	put_list(out, outcome->changed, "", &first);
	if (*outcome->problem)
		fprintf(out, "%s%s", first ? "" : "; ", outcome->problem);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
