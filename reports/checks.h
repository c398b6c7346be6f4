/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CHECKS_H
#define PMIPROOF_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

/* What became of one check of a hypothesis over all its evaluations and iterations. */
struct check_summary {
	const char *name;
	const json_t *worst; /* the evaluation that counts */
	unsigned int iter;   /* where it was made */
	double excess;	     /* of it, see check_excess() */
	size_t evaluations;
	size_t failed;
};

/*
 * How far an evaluation is beyond its bound, as a share of the bound: 0.5 is half as much again as
 * allowed, -0.1 within the bound by a tenth of it. For a bound of 0 the distance itself. INFINITY
 * when there was no value to compare.
 */
double check_excess(const json_t *check);

/*
 * Does it hold by its own figures? "ok" is what was said of it and must agree. False without value
 * or bound, or with an operator that is not known.
 */
bool check_holds(const json_t *check);

/*
 * One summary per check, in the order they were first evaluated. The worst evaluation is one that
 * did not hold, and among those (or if all held) the one with the largest excess; the first of
 * equals. Free *summaries with free(). Returns 0 or -ENOMEM.
 */
int check_summaries(const struct report_test *test, struct check_summary **summaries, size_t *n);

/*
 * Of checks that held the one closest to its bound, which a pass hangs on; NULL when all are
 * equalities, which have no margin, or there is none.
 */
const struct check_summary *check_closest(const struct check_summary *summaries, size_t n);

#endif
