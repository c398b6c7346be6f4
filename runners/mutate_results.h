/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTATE_RESULTS_H
#define PMIPROOF_MUTATE_RESULTS_H

#include <limits.h>

#include "../reports/known.h"
#include "mutate_judge.h"
#include "mutate_plan.h"
#include "prove_report.h"

/* Directories of reports. */
#define MUTATE_UNMUTATED "unmutated"
#define MUTATE_MUTANTS "mutants"

/* What came of the machines of a plan so far. */
struct mutate_results {
	const struct mutate_plan *plan;
	const char *dir;		  /* of all reports; the caller's */
	const struct known_issues *known; /* the caller's; what unmutated kernels may fail */
	size_t runs;			  /* of each machine without mutants */
	struct mutate_outcome *outcomes;  /* of each subject of the plan */
	enum mutate_witness *witnesses;	  /* the same */
	char (*unmutated)[PATH_MAX];	  /* reports: `runs` of each machine; "": not there */
	size_t verdicts, good;		  /* of sound machines: pass, skip or known is good */
	json_t *problems;		  /* array of texts: what did not come out good */
	struct prove_origin origin;
};

/* Counts of a table, or of a part of it. */
struct mutate_sum {
	size_t fates[FATES];
	size_t live;   /* that were run and are neither equivalent nor dead */
	size_t killed; /* of these: by a check, or hung */
};

/* None yet. -ENOMEM. mutate_results_free() in any case. */
int mutate_results_init(struct mutate_results *results, const struct mutate_plan *plan,
			const char *dir, size_t runs, const struct known_issues *known,
			struct err *err);

void mutate_results_free(struct mutate_results *results);

/*
 * Read what witnesses say, as fixtures/kernels/witness prints it: lines "NAME live", "dead" or
 * "unseen", and what it saw; what is no mutant of the plan is passed over. -EINVAL with err naming
 * file and line.
 */
int mutate_results_witness(struct mutate_results *results, const char *path, struct err *err);

/* The same from a stream. */
int mutate_results_witness_parse(struct mutate_results *results, const char *path, FILE *file,
				 struct err *err);

/* The subject that a guest's machine is of, or NULL: it has no mutant. */
const struct mutate_subject *mutate_results_subject(const struct mutate_results *results,
						    const struct prove_guest *guest);

/*
 * Where the report of a guest goes: guest->dir. With `resume` one that is there and complete is
 * taken (*there), and one that is not is left beside it. -ENAMETOOLONG
 */
int mutate_results_place(const struct mutate_results *results, struct prove_guest *guest,
			 bool resume, bool *there, struct err *err);

/*
 * Take the report of a guest that has ended: its verdicts when it has no mutant, or else judge it,
 * for which all unmutated runs of its machine must have been taken. In one line what came of it;
 * false when that is bad.
 */
bool mutate_results_take(struct mutate_results *results, const struct prove_guest *guest,
			 char *text, size_t size);

/* Count those that break this file of the kernel; NULL: all. */
struct mutate_sum mutate_results_sum(const struct mutate_results *results, const char *file);

/* What was noticed of a subject, as a text: newly allocated, or NULL without memory. */
char *mutate_results_text(const struct mutate_results *results, size_t subject);

#endif
