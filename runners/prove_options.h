/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_OPTIONS_H
#define PMIPROOF_PROVE_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The command line of `pmiproof lab prove`. Texts belong to argv. */
struct prove_options {
	char table[PATH_MAX];
	const char *output;   /* NULL: a new directory, named after the time */
	const char *kernel;   /* of machines without a variant; NULL: as lab run has it */
	const char *markdown; /* file to put the matrix into; NULL: none */
	const char *suites;   /* NULL: the default */
	size_t jobs;	      /* CPUs for guests */
	size_t repeat;
	bool partial; /* the table need not be complete */
	bool list;    /* say what would be run */
	char **patterns;
	size_t n_patterns;
};

/*
 * Parse "prove [OPTION]... [PATTERN...]". Returns -1 to go on, or an exit code when help was asked
 * for or something is wrong (then the error line was printed).
 */
int prove_options_parse(struct prove_options *options, int argc, char **argv);

#endif
