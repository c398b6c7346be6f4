/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTATE_OPTIONS_H
#define PMIPROOF_MUTATE_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "mutate_plan.h"

#define MUTATE_HYPOTHESES_MAX 32

/* The command line of `pmiproof lab mutate`. Texts belong to argv. */
struct mutate_options {
	char table[PATH_MAX];
	const char *output;   /* NULL: a new directory, named after the time */
	const char *markdown; /* file to put the table into; NULL: none */
	const char *witness;  /* file that says which mutants are live; NULL: none */
	const char *suites;   /* NULL: the default */
	const char *peers;    /* tests of other projects, as ci/peers lays them out; NULL: ours */
	char peers_suites[PATH_MAX], peers_tree[PATH_MAX];
	struct mutate_choice choice;
	char *hypotheses[MUTATE_HYPOTHESES_MAX]; /* those of the choice */
	size_t jobs;				 /* CPUs for guests */
	size_t runs;				 /* of each machine without mutants */
	bool resume;				 /* `output` is there; go on with it */
	bool unmutated;				 /* no mutants, only machines without */
	bool json;
	bool list;
};

/*
 * Parse "mutate [OPTION]... [PATTERN...]". Returns -1 to go on, or an exit code when help was asked
 * for or something is wrong (then the error line was printed).
 */
int mutate_options_parse(struct mutate_options *options, int argc, char **argv);

#endif
