/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_REPORT_H
#define PMIPROOF_PROVE_REPORT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "../reports/model.h"
#include "prove_guest.h"

/* Read the report in `dir`, and see that it is of the machine asked for. -errno */
int prove_report_read(struct report *report, const struct proof_machine *machine, const char *dir,
		      struct err *err);

/* The report of a guest that has ended. -errno, with its last line when `lab run` made none. */
int prove_report_take(struct report *report, const struct prove_guest *guest, struct err *err);

/* Where figures of many guests come from. */
struct prove_origin {
	json_t *kernels; /* object: keys are the releases of kernels that were booted */
	size_t machines;
	int64_t seconds; /* -1: in several runs */
	size_t cpus;	 /* for guests */
};

/* The kernel of this report was booted, too. */
void prove_origin_note(struct prove_origin *origin, const struct report *report);

/* Write that as a sentence of a document: made by `command`, in so many `machines`. */
void prove_origin_put(const struct prove_origin *origin, const char *command, FILE *out);

#endif
