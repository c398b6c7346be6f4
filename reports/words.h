/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_WORDS_H
#define PMIPROOF_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cost.h"
#include "model.h"

/*
 * What all reports for people say in the same words. Texts hold what a machine said as it is: the
 * caller escapes them. Those that are returned as char * are new, "" where there is nothing to
 * say, NULL when memory ran out.
 */

/* A text that is being put together. */
struct words {
	FILE *out;
	char *text;
	size_t size;
};

/* Returns words, or NULL when memory ran out. */
struct words *words_begin(struct words *words);

/* The text, without `trail` characters that separate it from a next part. */
char *words_finish(struct words *words, size_t trail);

/* How many hypotheses have which verdict. */
char *words_counts(const struct report *report);

/* What to take away from it all. */
char *words_conclusion(const struct report *report);

/* "key=value, ..." of an object of strings. */
char *words_labels(const json_t *labels);

/* Write a word of a command as a shell takes it. */
void words_put_shell(FILE *out, const char *word);

/* The command of the run, as a shell takes it. */
char *words_command(const struct report *report);

/* When and after what a run was resumed. */
char *words_resumed(const json_t *resume);

/* A watchdog of the machine, and what it says of the last reset. */
char *words_watchdog(const json_t *watchdog);

/* What was held while a test ran, and what the kernel was told to panic at. */
char *words_guards(const struct report_execution *execution);

/* How the process ended, as far as the verdict does not say it. */
char *words_end(const struct report_execution *execution);

/* An entry of the table of known issues: that it was met, or that it is to be taken out. */
char *words_issue(const json_t *issue);

/* A number of the record with its unit, "-" when it could not be computed. Returns text. */
const char *words_quantity(const json_t *record, const char *key, char *text, size_t size);

/* A statistic by the name that people use. */
const char *words_statistic(const char *name);

/* What stands for the name of a stream, in three columns. */
const char *words_stream(const char *stream);

/*
 * Caption of a cost table: its name, that of the series where it has a sibling, the unit if there
 * is one for all, and the resolution of the clock.
 */
char *words_cost(const struct cost_table *cost);

#endif
