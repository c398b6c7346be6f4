/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_RESULTS_H
#define PMIPROOF_PROVE_RESULTS_H

#include <limits.h>

#include "prove_matrix.h"
#include "prove_report.h"

/* What came of the machines so far. */
struct prove_results {
	struct prove_matrix matrix;
	struct proof_outcome *outcomes; /* those of the matrix */
	struct prove_origin origin;
	const char *dir; /* of all reports */
};

/* None yet; proofs and `dir` must outlive it. -ENOMEM. prove_results_free() in any case. */
int prove_results_init(struct prove_results *results, const struct proofs *proofs, size_t rounds,
		       const char *dir, struct err *err);

void prove_results_free(struct prove_results *results);

/* Where the report of a machine goes. -ENAMETOOLONG */
int prove_results_dir(const struct prove_results *results, const struct proof_machine *machine,
		      size_t round, char *dir, size_t size, struct err *err);

/* Judge the rows of a guest that has ended. */
void prove_results_take(struct prove_results *results, const struct prove_guest *guest);

/* Judge the relations between rows that were judged. */
void prove_results_relate(struct prove_results *results);

/*
 * In one line how the guest's rows came out, the first that is not right in full. Returns true when
 * all are as expected.
 */
bool prove_results_line(const struct prove_results *results, const struct prove_guest *guest,
			char *text, size_t size);

#endif
