/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_OPTIONS_H
#define PMIPROOF_LAB_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "lab_machine.h"
#include "run_options.h"
#include "suite.h"

#define LAB_WITH_MAX 8

/* The command line of `pmiproof lab run` and `pmiproof lab shell`. */
struct lab_options {
	struct run_options run; /* its labels are of interest to us only, the rest to the guest */
	struct lab_machine machine;
	const char *kernel;	      /* NULL: the default */
	char *with[LAB_WITH_MAX + 1]; /* programs and folders for the guest; ends with NULL */
	size_t n_with;
	bool unmet; /* only what needs a PMU that this machine does not have */
};

/*
 * Parse "run [OPTION]... [PATTERN...]" or (`shell`) "shell [OPTION]..." and find the machine.
 * Returns -1 to go on, or an exit code as run_options_parse(). lab_options_free() in any case.
 */
int lab_options_parse(struct lab_options *options, bool shell, int argc, char **argv);

void lab_options_free(struct lab_options *options);

/* Arguments of the run inside the guest, of these tests: a new array, or NULL without memory. */
json_t *lab_options_guest(const struct lab_options *options, const struct suite *suite);

#endif
