/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROOFS_H
#define PMIPROOF_PROOFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "err.h"
#include "klog.h"
#include "lab_machine.h"
#include "verdict.h"

/*
 * The table of what is expected of hypotheses on emulated machines (docs/proving.md has its
 * format). All texts belong to it.
 */

/* Names in a list; no row has needed more than a few. */
#define PROOF_LIST_MAX 8

struct proof_list {
	const char *name[PROOF_LIST_MAX];
	size_t n;
};

/* A cell of a table of the report. */
struct proof_figure {
	const char *table, *row, *column;
	const char *beside; /* what it was elsewhere, as text; NULL: nothing to compare with */
	double least, most; /* where it must be, in its unit as recorded; of what is shown only */
};

/* What is expected of a hypothesis on a machine. */
struct proof_row {
	unsigned int line;
	const char *hypothesis;
	enum verdict verdict;
	struct proof_list by;	/* reasons that must be there: CHECK, or klog:CLASS */
	struct proof_list also; /* reasons that may be there */
	const char *shows;	/* check to show of a pass; NULL: the one closest to its bound */
	const char *says;	/* part of a reason of the verdict; NULL: any */
	struct proof_figure figures[PROOF_LIST_MAX]; /* to be shown */
	size_t n_figures;
	size_t index;  /* among all rows of all machines */
	bool selected; /* proofs_select() */
};

/* A machine: one guest, in which its hypotheses run. */
struct proof_machine {
	unsigned int line;
	const char *name; /* fit for a file name */
	struct lab_machine lab;
	bool stock;		  /* the kernel of make lab, whatever other one is to be tested */
	bool tested;		  /* it boots the kernel that is to be tested */
	struct proof_list bounds; /* HYPOTHESIS.CHECK=VALUE */
	struct proof_list own;	  /* options, HYPOTHESIS.NAME=VALUE */
	size_t repeat;
	const char *scale; /* of all time limits; NULL: 1 */
	struct proof_row *rows;
	size_t n_rows;
};

struct proof_side {
	const char *machine_name, *hypothesis;
	struct proof_figure figure;
	const struct proof_machine *machine;
	const struct proof_row *row;
};

/* A figure is at most `factor` times another one. */
struct proof_relation {
	unsigned int line;
	struct proof_side left, right;
	double factor;
};

/* A check that no row refutes, and why: what the lab cannot show is said, not forgotten. */
struct proof_unproven {
	unsigned int line;
	const char *hypothesis, *check, *reason;
};

struct proofs {
	const char *path; /* the caller's */
	char *text;	  /* of the file, cut into words */
	struct proof_machine *machines;
	size_t n_machines;
	struct proof_relation *relations;
	size_t n_relations;
	struct proof_unproven *unproven;
	size_t n_unproven;
	size_t n_rows; /* of all machines */
};

/*
 * Read a table. -EINVAL with err naming file and line. proofs_free() only after success.
 */
int proofs_read(struct proofs *proofs, const char *path, struct err *err);

/* The same from a stream; `path` is for messages. */
int proofs_parse(struct proofs *proofs, const char *path, FILE *file, struct err *err);

void proofs_free(struct proofs *proofs);

/*
 * Select rows by shell patterns for a machine, a hypothesis, or MACHINE/HYPOTHESIS; without a
 * pattern all. -ENOENT for a pattern that fits nothing.
 */
int proofs_select(struct proofs *proofs, char *const *patterns, size_t n, struct err *err);

/* The row of the hypothesis that a setting HYPOTHESIS.X=VALUE is about, or NULL. */
const struct proof_row *proof_setting_row(const struct proof_machine *machine, const char *setting);

/*
 * A kernel of this architecture is to be tested: it takes the place of that architecture's own
 * where no variant is on (plain). With `only`, rows of machines that do not boot it are deselected.
 */
void proofs_test_kernel(struct proofs *proofs, const struct lab_arch *arch, bool only);

/* Is a row of it selected? */
bool proof_machine_selected(const struct proof_machine *machine);

/* Are both rows selected? */
bool proofs_relation_selected(const struct proof_relation *relation);

/* Is a name in the list? */
bool proof_list_has(const struct proof_list *list, const char *name);

/* Class of a reason "klog:CLASS", KLOG_NONE when it is a check. */
enum klog_class proof_reason_class(const char *reason);

#endif
