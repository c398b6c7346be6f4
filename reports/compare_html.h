/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_HTML_H
#define PMIPROOF_COMPARE_HTML_H

#include "compare.h"
#include "html.h"

/* What the parts of a comparison as HTML share. */

/* A cell of new text, which is freed; NULL: memory ran out. The class, which may be NULL, is ours.
 */
void compare_html_cell(struct html *html, const char *class, char *text);

/* Headings: one before, a letter for each column, and one behind, or NULL. */
struct compare_headings {
	const char *all[COMPARE_MAX + 3];
	char letters[COMPARE_MAX][3];
};

/* kind: what html_table() goes by, for the letters. */
void compare_html_headings(struct compare_headings *headings, const struct comparison *all,
			   const char *before, const char *kind, const char *behind);

/* Is there anything to show of what was measured for it? */
bool compare_html_measured(const struct comparison *all, const struct compare_hypothesis *of);

/* Per hypothesis all that was measured, as tables and plots. */
void compare_html_series(struct html *html, const struct comparison *all);

#endif
