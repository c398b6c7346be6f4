/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KCIDB_H
#define PMIPROOF_KCIDB_H

#include "model.h"

/*
 * Labels of the run (--label) that say who submits, and which build of the kernel was tested, in
 * the words of KCIDB. Without the second the report describes a build of its own.
 */
#define KCIDB_LABEL_ORIGIN "kcidb_origin"
#define KCIDB_LABEL_BUILD "kcidb_build_id"
#define KCIDB_DEFAULT_ORIGIN "pmiproof"

/*
 * The report as KCIDB I/O data, schema 5.3 (github.com/kernelci/kcidb-io): a test for each
 * iteration of a hypothesis, and one for each figure that was measured. See format.h for the
 * contract; -EINVAL for labels that KCIDB would not take.
 */
int kcidb_write(const struct report *report, FILE *out, struct err *err);

#endif
