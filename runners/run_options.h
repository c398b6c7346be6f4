/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RUN_OPTIONS_H
#define PMIPROOF_RUN_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpus.h"
#include "err.h"
#include "hypothesis.h"

/* --bound HYPOTHESIS.CHECK=VALUE */
struct run_options_bound {
	char *hypothesis;
	const char *setting; /* "CHECK=VALUE" */
};

/* The command line of `pmiproof run`. Texts belong to argv. */
struct run_options {
	const char *suites; /* NULL: the default */
	const char *output; /* NULL: a new one, named after the time */
	unsigned int repeat;
	const char *cpu_list; /* NULL: all */
	struct cpus allowed;  /* this process may run on */
	struct cpus cpus;     /* parsed cpu_list; empty: none given */
	double scale;
	json_t *labels; /* object */
	enum danger allow;
	struct run_options_bound *bounds;
	size_t n_bounds;
	const char *workload; /* NULL: none */
	bool identify;
	bool ktap;
	char **patterns;
	size_t n_patterns;
};

/*
 * Parse. Returns -1 to go on, or an exit code when help was asked for or something is wrong (then
 * the error line was printed). run_options_free() in any case.
 */
int run_options_parse(struct run_options *options, int argc, char **argv);

void run_options_free(struct run_options *options);

#endif
