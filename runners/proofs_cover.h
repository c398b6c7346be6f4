/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROOFS_COVER_H
#define PMIPROOF_PROOFS_COVER_H

#include <stdio.h>

#include "proofs.h"
#include "suite.h"

/*
 * Is what the table names there: hypotheses, their checks, those that bounds are for, and variants
 * in the table of a kernel at this path (lab_variants.h)? And is no check said to be unproven that
 * a row refutes? -EINVAL with err naming file and line.
 */
int proofs_known(const struct proofs *proofs, const struct suite *suite, const char *variants,
		 struct err *err);

/*
 * What the table leaves out: a hypothesis that no row must refute (fail or hung), or that is to
 * pass in none; a fault, or a variant of a kernel with this table, that is in no machine.
 * `hypotheses` ends with NULL. Writes the gaps, "; " between them, and returns how many there are.
 */
size_t proofs_gaps(const struct proofs *proofs, const char *const *hypotheses, FILE *variants,
		   FILE *out);

/*
 * Checks that no row must refute (`by`) and that are not said to be unproven. As proofs_gaps(); a
 * check that passes because it cannot fail is found here.
 */
size_t proofs_unrefuted(const struct proofs *proofs, const struct suite *suite, FILE *out);

#endif
