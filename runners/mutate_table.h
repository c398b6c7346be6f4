/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTATE_TABLE_H
#define PMIPROOF_MUTATE_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mutate_results.h"

/* Print for a terminal that is `width` columns wide (0: unlimited). Returns 0 or -ENOMEM. */
int mutate_table_print(const struct mutate_results *results, FILE *out, size_t width, bool colour);

/* Print the sums, and what of the unmutated runs did not pass. */
void mutate_table_sums(const struct mutate_results *results, FILE *out);

/* Write it all as Markdown. Returns 0 or -ENOMEM. */
int mutate_table_markdown(const struct mutate_results *results, FILE *out);

/*
 * Where hypotheses are tests of other projects, in themes named after them: what each project
 * noticed, as Markdown. Returns 0 or -ENOMEM.
 */
int mutate_table_peers(const struct mutate_results *results, const struct suite *suite, FILE *out);

/* The same as a document (docs/detection.md), newly made; NULL without memory. */
json_t *mutate_table_json(const struct mutate_results *results);

#endif
