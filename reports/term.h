/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TERM_H
#define PMIPROOF_TERM_H

#include <jansson.h>
#include <stdio.h>

#include "model.h"
#include "report.h"
#include "table.h"

/* What the parts of the terminal report share. */

struct term {
	FILE *out;
	char *const *text; /* of `out`, up to its last fflush() */
	const struct report *report;
	struct report_options options;
	bool skips_apart; /* hypotheses that were skipped are not in the table of verdicts */
	int result;	  /* the first error; what is printed after it is of no use */
};

/* Said of an execution that has a start and no end. */
#define TERM_STOPPED "no verdict: the run stopped here"

/* The whole report. All or nothing; returns 0 or -errno. */
int term_write(const struct report *report, const struct report_options *options, FILE *out,
	       struct err *err);

/* How a verdict is shown. */
enum table_style term_style(enum verdict verdict);

/* Heading of a table; says "emulated" when the figures are. */
void term_caption(struct term *term, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print and free a table below its caption. */
void term_table(struct term *term, struct table *table);

/* A line "  key      text", wrapped; nothing when text is empty. */
void term_line(struct term *term, const char *key, const char *text);

/* The same of new text (words.h), which is freed; `iter` follows the key if it is not 0. */
void term_words(struct term *term, const char *key, unsigned int iter, char *text);

/* What decided about a hypothesis, as new text; NULL when memory ran out. */
char *term_decision(const struct report *report, const struct report_test *test);

/* What the run was made on, in a few lines. */
void term_machine(struct term *term);

/* The run, and what it was made on. */
void term_run(struct term *term);

/* The table of verdicts, and what it comes to, in sentences. */
void term_verdicts(struct term *term);
void term_conclusion(struct term *term);

/* Tables of the single figures of a hypothesis; `which` goes into the captions, "" is nothing. */
void term_figures(struct term *term, const struct report_test *test, const char *which);

/* Everything about one hypothesis. */
void term_test(struct term *term, const struct report_test *test);

/* Kernel-log events, and remarks, of the iteration `iter` if it is not 0. */
void term_logs(struct term *term, const char *caption, const json_t *logs);
void term_notes(struct term *term, const json_t *notes, unsigned int iter);

#endif
