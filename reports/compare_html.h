/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_HTML_H
#define PMIPROOF_COMPARE_HTML_H

#include "compare.h"
#include "html.h"

/* What the parts of a comparison as HTML share. */

/* A cell of new text, which is freed; NULL: memory ran out. The class, which may be NULL, is ours.
 */
void compare_html_cell(struct html *html, const char *class, char *text);

/* Have reports samples of this hypothesis? */
bool compare_html_measured(const struct comparison *all, const char *hypothesis);

/* Per hypothesis all that was measured, as tables and plots. */
void compare_html_series(struct html *html, const struct comparison *all);

#endif
