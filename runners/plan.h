/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLAN_H
#define PMIPROOF_PLAN_H

#include <jansson.h>
#include <stddef.h>

#include "err.h"
#include "run_options.h"
#include "suite.h"
#include "supervisor.h"

/* Everything a run is to do, in order: the whole list, again and again for --repeat. */
struct plan {
	struct planned *entries;
	size_t n;
	char ***argvs; /* per test of the suite; entries point here */
	char **labels; /* per entry */
	size_t n_tests;
	unsigned int repeat;
};

/*
 * Make the plan. -EINVAL when an option is about a hypothesis, check or workload that is not in it.
 * Suite and options must outlive it. plan_free() in any case.
 */
int plan_make(struct plan *plan, const struct suite *suite, const struct run_options *options,
	      struct err *err);

/* One more iteration of a test that is in it. -EINVAL when none is of that name. */
int plan_add(struct plan *plan, const char *test, unsigned int iter, struct err *err);

void plan_free(struct plan *plan);

/* What the "run" record says of each test: a new array. */
json_t *plan_planned(const struct suite *suite);

/* The "run" record. */
json_t *plan_record(const struct suite *suite, const struct run_options *options, int argc,
		    char **argv);

/* The "done" record: how many of each verdict. */
json_t *plan_done(const struct plan *plan, int exit_code, bool interrupted);

/* Exit code of the command for what came out (without an interruption). */
int plan_exit(const struct plan *plan);

#endif
