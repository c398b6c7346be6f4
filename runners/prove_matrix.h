/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_MATRIX_H
#define PMIPROOF_PROVE_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "proof_judge.h"
#include "proofs.h"

/* A row or relation over all rounds. */
struct proof_tally {
	const struct proof_outcome *shown; /* the first that is not right, or else the first */
	size_t judged, right;		   /* rounds */
};

/* The matrix as it came out. Its rows are those of the table, then the relations. */
struct prove_matrix {
	const struct proofs *proofs;
	const struct proof_outcome *outcomes; /* of the first round, then of the second, ... */
	size_t rounds;
};

/* How the whole came out. */
struct prove_sum {
	size_t passed;	/* right in each round */
	size_t failed;	/* wrong in one at least, ... */
	size_t flaky;	/* ... but not in all */
	size_t missing; /* not judged in all rounds, and not wrong */
};

/* How many rows a round has: those of the table and the relations. */
size_t prove_matrix_rows(const struct proofs *proofs);

struct proof_tally prove_matrix_tally(const struct prove_matrix *matrix, size_t row);

struct prove_sum prove_matrix_sum(const struct prove_matrix *matrix);

/* Which rows to print: all, or those that were wrong in a round at least. */
enum prove_shown { PROVE_ALL, PROVE_WRONG };

/* Print for a terminal that is `width` columns wide (0: unlimited). Returns 0 or -ENOMEM. */
int prove_matrix_print(const struct prove_matrix *matrix, enum prove_shown shown, FILE *out,
		       size_t width, bool colour);

/* Write as a Markdown table. */
int prove_matrix_markdown(const struct prove_matrix *matrix, FILE *out);

#endif
