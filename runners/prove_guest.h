/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_GUEST_H
#define PMIPROOF_PROVE_GUEST_H

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"
#include "proofs.h"

/* One machine of the table while its `pmiproof lab run` is going on, and how that ended. */
struct prove_guest {
	const struct proof_machine *machine;
	size_t round;	    /* from 0 */
	double hangs_s;	    /* budgets of what is to hang, which takes them whole */
	double budget_s;    /* budgets of all that runs on it */
	char dir[PATH_MAX]; /* of the report; what lab run prints is in DIR.log */
	pid_t pid;	    /* 0: not started; -1: it has ended, with `status` */
	int pidfd;
	int status;
	int64_t started; /* clock_ms() */
};

/*
 * Options of `lab run` that make the machine: a new array, or NULL without memory. `kernel` is for
 * one that it is to be tested on; NULL: there is none.
 */
json_t *prove_guest_options(const struct proof_machine *machine, const char *kernel);

/* The same as a text. Newly allocated; NULL without memory. */
char *prove_guest_text(const struct proof_machine *machine);

/* What `lab run` is to take in place of what it would; NULL: that. */
struct prove_guest_files {
	const char *kernel; /* of machines that are to test one */
	const char *suites, *with;
};

/* Start it with the hypotheses that are selected. */
int prove_guest_start(struct prove_guest *guest, const struct prove_guest_files *files,
		      struct err *err);

/* It has ended (its pidfd says so): take its status. */
void prove_guest_reap(struct prove_guest *guest);

/* The last line that lab run printed, "" when there is none. */
void prove_guest_last_line(const struct prove_guest *guest, char *text, size_t size);

#endif
