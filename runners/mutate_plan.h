/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTATE_PLAN_H
#define PMIPROOF_MUTATE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "mutants.h"
#include "suite.h"

/* What is to be run on a table of mutants: machines, and which hypotheses on each. */

/* A mutant that was asked for, and its machine. */
struct mutate_subject {
	const struct mutant *mutant;
	struct proof_machine machine; /* the mutant's, with rows: the hypotheses to be run */
	size_t unmutated;	      /* index of the machine that it is compared with */
};

struct mutate_plan {
	struct mutate_subject *subjects;
	size_t n_subjects;
	/* Machines without mutants, each once. Their names are ours. */
	struct proof_machine *unmutated;
	bool *sound; /* of each of these: its base is no mutant of the table either */
	size_t n_unmutated;
};

/* What of it all is asked for; no pattern: all. */
struct mutate_choice {
	char *const *patterns; /* shell patterns for names of mutants */
	size_t n_patterns;
	char *const *hypotheses; /* the same for hypotheses, NAME or THEME/NAME */
	size_t n_hypotheses;
	bool named; /* on each mutant only the hypotheses that it names */
};

/*
 * Make the plan; mutants and suite must outlive it. -ENOENT for a pattern that fits nothing, or
 * when nothing is left to run. mutate_plan_free() in any case.
 */
int mutate_plan_make(struct mutate_plan *plan, const struct mutants *mutants,
		     const struct suite *suite, const struct mutate_choice *choice,
		     struct err *err);

void mutate_plan_free(struct mutate_plan *plan);

/* Hypotheses that are run on a machine. */
size_t mutate_plan_rows(const struct proof_machine *machine);

#endif
