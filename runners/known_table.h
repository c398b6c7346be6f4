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

/* The table by which a run shows what it finds while it goes on. */
struct known_live {
	const struct known_issues *table;
	const char *dir; /* of its report */
};

/* Is there an entry of that hypothesis? `live` may be NULL: no. */
bool known_live_concerns(const struct known_live *live, const char *hypothesis);

/*
 * The verdict to be shown of an execution whose end is in the journal: VERDICT_KNOWN for a `fail`
 * that the table explains, as a report has it.
 */
enum verdict known_live_verdict(const struct known_live *live, const char *hypothesis,
				unsigned int iter, enum verdict verdict);

#endif
