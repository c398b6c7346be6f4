/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROOFS_LINE_H
#define PMIPROOF_PROOFS_LINE_H

#include "proofs.h"

/*
 * Lines of the table, already cut into words (n >= 1), which stay where they are. -EINVAL with err
 * saying what is wrong, without file and line.
 */

/* What is the name of a machine (`what`: as the table calls it; `name` NULL: there is none)? */
int proofs_line_name(struct proof_machine *machine, const char *what, const char *name,
		     struct err *err);

/* The machine that there is without a setting. */
void proofs_line_defaults(struct proof_machine *machine);

/* A setting; a value that is NULL is missing. */
int proofs_line_setting(struct proof_machine *machine, const char *name, const char *value,
			struct err *err);

/* machine NAME [SETTING VALUE]... */
int proofs_line_machine(struct proof_machine *machine, char *const *words, size_t n,
			struct err *err);

/* HYPOTHESIS VERDICT [CLAUSE]... */
int proofs_line_row(struct proof_row *row, char *const *words, size_t n, struct err *err);

/* less MACHINE HYPOTHESIS TABLE ROW COLUMN than FACTOR MACHINE [HYPOTHESIS TABLE ROW COLUMN] */
int proofs_line_less(struct proof_relation *relation, char *const *words, size_t n,
		     struct err *err);

/* unproven HYPOTHESIS CHECK REASON */
int proofs_line_unproven(struct proof_unproven *unproven, char *const *words, size_t n,
			 struct err *err);

/* Would the guests be the same? */
bool proofs_same_machine(const struct proof_machine *a, const struct proof_machine *b);

#endif
