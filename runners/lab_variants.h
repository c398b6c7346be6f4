/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_VARIANTS_H
#define PMIPROOF_LAB_VARIANTS_H

#include <stdbool.h>
#include <stdio.h>

#include "err.h"

/* What stands for a kernel with variants of which none is on. */
#define LAB_PLAIN "plain"

/* What stands for the architecture of a variant in code that all of them share. */
#define LAB_ANY "any"

/* A way in which a kernel with variants can behave. */
struct lab_variant {
	char name[48];
	char kind[16]; /* patch, old or mutant */
	char arch[16]; /* that has it, or LAB_ANY */
	char what[256];
};

/*
 * Read the next line of a kernel's table (fixtures/kernels/variants has its form); what is no
 * variant is passed over. False at its end.
 */
bool lab_variants_next(FILE *table, struct lab_variant *variant);

/*
 * Add the names in `text`, separated by commas, to those in `list` (of `size`), which has the same
 * form. -EINVAL for what cannot be a name, one that is there already, or LAB_PLAIN together with
 * others; -E2BIG when they do not fit. `list` is changed only when all is well.
 */
int lab_variants_add(char *list, size_t size, const char *text, struct err *err);

/* Is a name among those of a list? */
bool lab_variants_has(const char *list, const char *name);

/* Is a variant of that name in the table? Reads it from its beginning. */
bool lab_variants_know(FILE *table, const char *name);

/* Are all names of a list in the table at `path`? -EINVAL naming the first that is not. */
int lab_variants_check(const char *list, const char *path, struct err *err);

#endif
