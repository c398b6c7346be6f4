/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RUN_H
#define PMIPROOF_RUN_H

#include "hypothesis.h"

/*
 * Inside of the framework, for hypothesis.c, run.c and their tests: one execution of a hypothesis.
 */

struct check_state {
	unsigned int evaluated;
	unsigned int failed;
	unsigned int undefined; /* value or bound was not a number */
	char text[256];		/* the worst evaluation, else the last */
};

struct run_bound_given {
	const char *check;
	double value; /* in the check's bound_unit */
	bool used;    /* the run asked for it; a bound that is silently ignored proves nothing */
};

struct run {
	const struct hypothesis *hypothesis;
	struct cpus cpus;
	int record_fd;	      /* -1: no supervisor */
	const char **options; /* value per row of hypothesis->options, NULL: not given */
	struct run_bound_given *bounds;
	size_t n_bounds;
	struct check_state *checks; /* per row of hypothesis->checks */
	unsigned int controls;
	enum verdict said; /* by run_skip(), run_broken() or a failed control; else VERDICT_NONE */
	char reason[512];
};

/* Allocate the state that the tables of the hypothesis ask for. -ENOMEM. */
int run_init(struct run *run, const struct hypothesis *hypothesis);
void run_free(struct run *run);

/* Number of rows of the check table. */
size_t run_check_count(const struct hypothesis *hypothesis);

/*
 * What the run amounts to, worst thing first: a failed check, what the run itself said, a check
 * that was never reached, no positive control, else pass. The reason is put into run->reason.
 */
enum verdict run_judge(struct run *run, int returned);

#endif
