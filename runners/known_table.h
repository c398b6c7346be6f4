/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KNOWN_TABLE_H
#define PMIPROOF_KNOWN_TABLE_H

#include "../reports/known.h"

/*
 * Load the table of known issues: that of --known, or with NULL the one that came with the command.
 * Where there is none beside a command that was moved, nothing is known. 0 or -errno; known_free()
 * in any case.
 */
int known_table_load(struct known_issues *known, const char *path, struct err *err);

#endif
