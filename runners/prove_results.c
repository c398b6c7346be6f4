// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../reports/model.h"
#include "command.h"

int prove_results_init(struct prove_results *results, const struct proofs *proofs, size_t rounds,
		       const char *dir, struct err *err)
{
	*results = (struct prove_results){
		.outcomes = calloc(prove_matrix_rows(proofs) * rounds, sizeof(*results->outcomes)),
		.kernels = json_object(),
		.dir = dir,
	};
	results->matrix = (struct prove_matrix){ proofs, results->outcomes, rounds };
	return results->outcomes && results->kernels ? 0 : err_set(err, ENOMEM, "results");
}

void prove_results_free(struct prove_results *results)
{
	json_decref(results->kernels);
	free(results->outcomes);
}

static struct proof_outcome *outcome_of(const struct prove_results *results, size_t round,
					size_t row)
{
	return &results->outcomes[round * prove_matrix_rows(results->matrix.proofs) + row];
}

int prove_results_dir(const struct prove_results *results, const struct proof_machine *machine,
		      size_t round, char *dir, size_t size, struct err *err)
{
	int length =
		results->matrix.rounds == 1
			? snprintf(dir, size, "%s/%s", results->dir, machine->name)
			: snprintf(dir, size, "%s/%zu/%s", results->dir, round + 1, machine->name);

	return (size_t)length < size ? 0 : err_set(err, ENAMETOOLONG, "%s", results->dir);
}

/* Read the report of a guest and see that it is of the machine asked for. */
static int read_report(struct report *report, const struct proof_machine *machine, const char *dir,
		       struct err *err)
{
	int result = report_read(report, dir, err);

	if (result)
		return result;
	result = proof_judge_machine(machine, report, err);
	if (result)
		report_free(report);
	return result;
}

static void note_kernel(struct prove_results *results, const struct report *report)
{
	const json_t *kernel = json_object_get(report->machine, "kernel");
	const char *release = json_string_value(json_object_get(kernel, "release"));

	if (release)
		json_object_set_new(results->kernels, release, json_true());
}

static void judge_rows(struct prove_results *results, const struct prove_guest *guest)
{
	const struct proof_machine *machine = guest->machine;
	struct report report;
	struct err err;
	bool is_there = !read_report(&report, machine, guest->dir, &err);

	for (size_t i = 0; i < machine->n_rows; i++) {
		const struct proof_row *row = &machine->rows[i];
		struct proof_outcome *outcome = outcome_of(results, guest->round, row->index);

		if (row->selected && is_there)
			proof_judge_row(machine, row, &report, outcome);
		else if (row->selected)
			proof_judge_impossible(outcome, "%s", err.text);
	}
	if (!is_there)
		return;
	note_kernel(results, &report);
	report_free(&report);
}

/* The rows of a guest for which `lab run` did not do its job. */
static void give_up(struct prove_results *results, const struct prove_guest *guest)
{
	const struct proof_machine *machine = guest->machine;
	char why[128], last[256];

	if (WIFEXITED(guest->status))
		snprintf(why, sizeof(why), "lab run ended with code %d",
			 WEXITSTATUS(guest->status));
	else
		snprintf(why, sizeof(why), "lab run was ended by signal %d",
			 WTERMSIG(guest->status));
	prove_guest_last_line(guest, last, sizeof(last));
	for (size_t i = 0; i < machine->n_rows; i++)
		if (machine->rows[i].selected)
			proof_judge_impossible(
				outcome_of(results, guest->round, machine->rows[i].index), "%s: %s",
				why, last);
}

void prove_results_take(struct prove_results *results, const struct prove_guest *guest)
{
	int code = WIFEXITED(guest->status) ? WEXITSTATUS(guest->status) : COMMAND_ERROR;

	if (code == COMMAND_OK || code == COMMAND_REFUTED || code == COMMAND_BROKEN)
		judge_rows(results, guest);
	else
		give_up(results, guest);
}

static void judge_relation(struct prove_results *results, const struct proof_relation *relation,
			   size_t round, struct proof_outcome *outcome)
{
	const struct proof_machine *const machines[] = { relation->left.machine,
							 relation->right.machine };
	struct report reports[2];
	struct err err;
	int n = 0;

	for (; n < 2; n++) {
		char dir[PATH_MAX];

		if (prove_results_dir(results, machines[n], round, dir, sizeof(dir), &err) ||
		    read_report(&reports[n], machines[n], dir, &err))
			break;
	}
	if (n == 2)
		proof_judge_relation(relation, &reports[0], &reports[1], outcome);
	else
		proof_judge_impossible(outcome, "%s", err.text);
	while (n--)
		report_free(&reports[n]);
}

void prove_results_relate(struct prove_results *results)
{
	const struct proofs *proofs = results->matrix.proofs;

	for (size_t round = 0; round < results->matrix.rounds; round++) {
		for (size_t i = 0; i < proofs->n_relations; i++) {
			const struct proof_relation *relation = &proofs->relations[i];
			size_t left = relation->left.row->index;
			size_t right = relation->right.row->index;

			if (proofs_relation_selected(relation) &&
			    outcome_of(results, round, left)->judged &&
			    outcome_of(results, round, right)->judged)
				judge_relation(results, relation, round,
					       outcome_of(results, round, proofs->n_rows + i));
		}
	}
}

bool prove_results_line(const struct prove_results *results, const struct prove_guest *guest,
			char *text, size_t size)
{
	const struct proof_machine *machine = guest->machine;
	const char *problem = "", *hypothesis = "";
	size_t right = 0, n = 0;

	for (size_t i = 0; i < machine->n_rows; i++) {
		const struct proof_outcome *outcome =
			outcome_of(results, guest->round, machine->rows[i].index);

		n += machine->rows[i].selected;
		right += outcome->right;
		if (!outcome->judged || outcome->right || *problem)
			continue;
		problem = outcome->problem;
		hypothesis = machine->rows[i].hypothesis;
	}
	snprintf(text, size, "%zu of %zu as expected%s%s%s%s", right, n, *problem ? "; " : "",
		 hypothesis, *problem ? ": " : "", problem);
	return right == n;
}
