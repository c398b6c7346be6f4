/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROOFS_COVER_H
#define PMIPROOF_PROOFS_COVER_H

#include <stdio.h>

#include "mutants.h"
#include "proofs.h"
#include "suite.h"

/*
 * Is what the table names there: hypotheses, their checks, those that bounds are for, and variants
 * in the table of the kernel of their machine (lab_variants.h)? And is no check said to be unproven
 * that a row refutes? `variants` has the path of each architecture's table (LAB_ARCHS of them);
 * NULL: there is none, and nothing is said of its variants. -EINVAL with err naming file and line.
 */
int proofs_known(const struct proofs *proofs, const struct suite *suite,
		 const char *const *variants, struct err *err);

/*
 * What the table leaves out: a hypothesis that no row must refute (fail or hung), or that is to
 * pass in none; a fault that is in no machine of an architecture that has it; a variant of these
 * kernels (LAB_ARCHS tables; NULL: none) that is in no machine of its architecture or, where its
 * code is that of all architectures ("any"), in none at all, and that is none of these mutants
 * (NULL: there are none). `hypotheses` ends with NULL. Writes the gaps, "; " between them, and
 * returns how many there are.
 */
size_t proofs_gaps(const struct proofs *proofs, const char *const *hypotheses,
		   FILE *const *variants, const struct mutants *mutants, FILE *out);

/*
 * Checks that no row must refute (`by`) and that are not said to be unproven. As proofs_gaps(); a
 * check that passes because it cannot fail is found here.
 */
size_t proofs_unrefuted(const struct proofs *proofs, const struct suite *suite, FILE *out);

#endif
