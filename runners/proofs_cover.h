/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROOFS_COVER_H
#define PMIPROOF_PROOFS_COVER_H

#include <stdio.h>

#include "proofs.h"
#include "suite.h"

/*
 * Is what the table names there: hypotheses, their checks, and bounds that they take? -EINVAL with
 * err naming file and line.
 */
int proofs_known(const struct proofs *proofs, const struct suite *suite, struct err *err);

/*
 * What the table leaves out: a hypothesis that no row must refute (fail or hung), or that is to
 * pass in none; a fault or a variant of a kernel that is in no machine. Both lists end with NULL.
 * Writes the gaps, "; " between them, and returns how many there are.
 */
size_t proofs_gaps(const struct proofs *proofs, const char *const *hypotheses,
		   const char *const *variants, FILE *out);

#endif
