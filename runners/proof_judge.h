/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROOF_JUDGE_H
#define PMIPROOF_PROOF_JUDGE_H

#include <stdbool.h>

#include "../reports/model.h"
#include "err.h"
#include "proofs.h"

/* What came of a row or a relation. */
struct proof_outcome {
	bool judged; /* false: it was not reached */
	bool right;  /* as expected, for the reason expected */
	char verdict[16];
	char figure[512];  /* what decided, or is closest to its bound */
	char problem[512]; /* why it is not right; "" when it is */
};

/* Was this report made on that machine? -EINVAL with err when not. */
int proof_judge_machine(const struct proof_machine *machine, const struct report *report,
			struct err *err);

/*
 * Judge a row by the records of a report, not by what they say of themselves: a check holds when
 * its value is within its bound. Each of the machine's iterations must be as expected.
 */
void proof_judge_row(const struct proof_machine *machine, const struct proof_row *row,
		     const struct report *report, struct proof_outcome *outcome);

/*
 * Judge a relation: it holds when the greatest figure of all iterations on the left is at most
 * `factor` times the least one on the right.
 */
void proof_judge_relation(const struct proof_relation *relation, const struct report *left,
			  const struct report *right, struct proof_outcome *outcome);

/* Nothing could be judged, for this reason. */
void proof_judge_impossible(struct proof_outcome *outcome, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
