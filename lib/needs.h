/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_NEEDS_H
#define PMIPROOF_NEEDS_H

#include "err.h"
#include "hypothesis.h"

/*
 * Is everything in the table (NULL: nothing) there? Tried, not looked up: a counter must count, a
 * file must open. Returns 0, or -errno with the first unmet need and what was tried in err.
 */
int needs_met(const struct need *needs, const struct cpus *cpus, struct err *err);

/* Name of a kind of need as in `--describe` ("branch-stack"). */
const char *need_name(enum need_kind kind);

#endif
