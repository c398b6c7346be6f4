/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_FILES_H
#define PMIPROOF_PROVE_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "proofs.h"

/* Tables of variants of the lab's kernels. */
struct prove_files {
	char paths[LAB_ARCHS][PATH_MAX];
	const char *variants[LAB_ARCHS]; /* the path, or NULL: that kernel is not built */
};

/*
 * Look which tables are there. Those of architectures that selected machines have must be, for a
 * machine with a variant and, unless the table of proofs is `partial`, for all that are to be in
 * it: -errno, with what to do about it.
 */
int prove_files_find(struct prove_files *files, const struct proofs *proofs, bool partial,
		     struct err *err);

/* Is all there that each of the selected machines boots? As lab_machine_find(). */
int prove_files_check(const struct proofs *proofs, const char *kernel, struct err *err);

#endif
