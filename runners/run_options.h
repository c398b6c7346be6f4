/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RUN_OPTIONS_H
#define PMIPROOF_RUN_OPTIONS_H

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpus.h"
#include "err.h"
#include "hazard.h"
#include "hypothesis.h"

/* --bound HYPOTHESIS.CHECK=VALUE and --option HYPOTHESIS.NAME=VALUE */
struct run_options_setting {
	char *hypothesis;
	const char *setting; /* "CHECK=VALUE" or "NAME=VALUE" */
};

struct run_options_settings {
	struct run_options_setting *of;
	size_t n;
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
	struct hazard_options hazard;
	struct run_options_settings bounds;
	struct run_options_settings own; /* --option */
	const char *workload;		 /* NULL: none */
	char **mirrors;			 /* --mirror */
	size_t n_mirrors;
	bool identify;
	bool ktap;
	const char *known;  /* table of known issues, NULL: the default */
	const char *resume; /* report directory to go on with, NULL: none */
	bool retry_hung;
	unsigned int resets_max; /* 0: the default */
	bool settings;		 /* options other than these and `ktap` were given */
	char **patterns;
	size_t n_patterns;
};

/* Options of a further subcommand, which takes those of `run` too. */
struct run_options_more {
	const char *subcommand; /* for error lines */
	const char *help;
	const struct option
		*options; /* values from RUN_OPTIONS_MORE on; ends with a row of zeros */
	int (*take)(void *context, int option, const char *value, struct err *err);
	void *context;
	unsigned int cpus; /* that the machine to be tested can have */
	enum danger allow; /* unless --allow says otherwise */
};

#define RUN_OPTIONS_MORE 512

/*
 * Parse; `more` is NULL for `run` itself. Returns -1 to go on, or an exit code when help was asked
 * for or something is wrong (then the error line was printed). run_options_free() in any case.
 */
int run_options_parse(struct run_options *options, const struct run_options_more *more, int argc,
		      char **argv);

void run_options_free(struct run_options *options);

#endif
