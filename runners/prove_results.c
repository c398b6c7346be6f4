// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int prove_results_init(struct prove_results *results, const struct proofs *proofs, size_t rounds,
		       const char *dir, struct err *err)
{
	*results = (struct prove_results){
		.outcomes = calloc(prove_matrix_rows(proofs) * rounds, sizeof(*results->outcomes)),
		.origin.kernels = json_object(),
		.dir = dir,
	};
	results->matrix = (struct prove_matrix){ proofs, results->outcomes, rounds };
	return results->outcomes && results->origin.kernels ? 0 : err_set(err, ENOMEM, "results");
}

void prove_results_free(struct prove_results *results)
{
	json_decref(results->origin.kernels);
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

void prove_results_take(struct prove_results *results, const struct prove_guest *guest)
{
	const struct proof_machine *machine = guest->machine;
	struct report report;
	struct err err;
	bool is_there = !prove_report_take(&report, guest, &err);

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
	prove_origin_note(&results->origin, &report);
	report_free(&report);
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
		    prove_report_read(&reports[n], machines[n], dir, &err))
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
