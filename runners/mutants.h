/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTANTS_H
#define PMIPROOF_MUTANTS_H

#include <stddef.h>
#include <stdio.h>

#include "err.h"
#include "proofs.h"
#include "suite.h"

/*
 * The table of mutants of the kernel's PMI path (fixtures/kernels/mutants, which says its format).
 * All texts belong to it.
 */

/* Stands in for the name of a check: the hypothesis did not end. */
#define MUTANT_HUNG "hung"

/* What the witness sees of a mutant that is live. */
struct mutant_witness {
	const char *look;     /* NULL: there is none */
	const char *relation; /* ==, !=, <, <=, > or >=; NULL: another value than without it */
	double value;
};

struct mutant {
	unsigned int line;
	struct proof_machine machine; /* its name is the variant's; no rows */
	const char *base; /* variants of the machine that it is compared with, or LAB_PLAIN */
	const char *file; /* of the kernel, that it breaks */
	const char *function;
	const char *effect;	/* what a user of perf sees */
	const char *equivalent; /* why nobody can see it; NULL: it can be seen */
	struct mutant_witness witness;
	struct proof_list without; /* hypotheses that tell nothing on this machine */
	const char **names;	   /* HYPOTHESIS.CHECK that says what is wrong */
	size_t n_names;
};

struct mutants {
	const char *path;    /* the caller's */
	char *text;	     /* of the file, cut into words */
	struct mutant every; /* what each begins with */
	struct mutant *mutants;
	size_t n;
};

/* The table that came with this program. -ENOENT */
int mutants_default(char *path, size_t size, struct err *err);

/* Read a table. -EINVAL with err naming file and line. mutants_free() only after success. */
int mutants_read(struct mutants *mutants, const char *path, struct err *err);

/* The same from a stream; `path` is for messages. */
int mutants_parse(struct mutants *mutants, const char *path, FILE *file, struct err *err);

void mutants_free(struct mutants *mutants);

/* The mutant of that name, or NULL. */
const struct mutant *mutants_find(const struct mutants *mutants, const char *name);

/* Does it say of this check (or MUTANT_HUNG) that it names the right thing? */
bool mutant_names(const struct mutant *mutant, const char *hypothesis, const char *check);

/*
 * Is each a variant of kind mutant, of its architecture or of all, in the table of the kernel of
 * its machine? `variants` has the path of each architecture's table (LAB_ARCHS of them); NULL:
 * there is none, and nothing is said of its mutants. -EINVAL with err naming file and line.
 */
int mutants_known(const struct mutants *mutants, const char *const *variants, struct err *err);

/* The same of one of them. */
int mutant_known(const struct mutants *mutants, const struct mutant *mutant,
		 const char *const *variants, struct err *err);

/* Is each check that a mutant names one of the suite? -EINVAL with err naming file and line. */
int mutants_checks_known(const struct mutants *mutants, const struct suite *suite, struct err *err);

#endif
