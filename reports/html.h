/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HTML_H
#define PMIPROOF_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "cost.h"
#include "err.h"
#include "model.h"

/*
 * The report as one HTML document, without scripts, that loads nothing: it can be mailed and
 * archived. Plots are in it where there is a gnuplot; where not, it says so. Returns 0 or -errno.
 */
int html_write(const struct report *report, FILE *out, struct err *err);

struct plot_shape;

/* What the parts of the document share. */
struct html {
	FILE *out;
	const struct report *report;
	unsigned int plots; /* that were drawn or tried */
	char *plot_error;   /* why one was not drawn; NULL: none was missing */
	bool no_gnuplot;
	int result; /* the first error; what is written after it is of no use */
};

/* Style sheet: reports/style.css. */
extern const char html_style[];

/* Everything about one hypothesis; `number` makes its id. */
void html_test(struct html *html, const struct report_test *test, size_t number);

/* Begin a document that is called this (text of a machine may be in it), and end it. */
void html_begin(struct html *html, const char *title);
void html_end(struct html *html);

/* A plot as a figure with legend and caption. */
struct html_plot {
	const char *title;
	const char *note; /* for the caption, or NULL */
	const char *script;
	const struct plot_shape *shape;
};

/*
 * Draw it. Where there is no gnuplot, or it fails, the page has to say so at its end with
 * html_missing_plots().
 */
void html_plot(struct html *html, const struct html_plot *plot);
void html_missing_plots(struct html *html);

/* Is there room for another plot? A journal may have any number of tables. */
bool html_plot_room(struct html *html);

/* The plots that belong to tables[index]. */
void html_plots(struct html *html, const struct cost_table *tables, size_t n, size_t index);

/* Kernel-log events; nothing when there are none. */
void html_logs(struct html *html, const char *caption, const json_t *logs);

/* Write text escaped, that of a machine too. */
void html_text(struct html *html, const char *text);

/* <TAG>text</TAG>; nothing for empty text. */
void html_element(struct html *html, const char *tag, const char *text);

/* The same of new text, which is freed; NULL: memory ran out. */
void html_words(struct html *html, const char *tag, char *text);

/* A mark with the name of a verdict. */
void html_verdict(struct html *html, enum verdict verdict);

/*
 * A table in a box of its own, which scrolls when the table is wider. The caption says "emulated"
 * when the figures are. A heading that begins with '>' is of numbers, to be set to the right; with
 * '~', of long text. The last heading is NULL.
 */
void html_table(struct html *html, const char *caption, const char *const *headings);
void html_row(struct html *html);
/* A cell; the class, which may be NULL, is ours. */
void html_cell(struct html *html, const char *class, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void html_table_end(struct html *html);

/* The same in a list of keys and texts. html_pair() writes nothing for empty text. */
void html_list(struct html *html);
void html_pair(struct html *html, const char *key, const char *text);
/* The same of new text, which is freed; NULL: memory ran out. */
void html_pair_words(struct html *html, const char *key, char *text);
void html_list_end(struct html *html);

#endif
