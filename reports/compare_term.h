/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_TERM_H
#define PMIPROOF_COMPARE_TERM_H

#include "compare.h"
#include "term.h"

/* Parts of a comparison as text, for what is no terminal. */

/* What is compared, and what may explain that it differs. */
void compare_term_columns(struct term *term, const struct comparison *all);

/* The table of verdicts. */
void compare_term_verdicts(struct term *term, const struct comparison *all);

/* What it comes to, as a paragraph. */
void compare_term_conclusion(struct term *term, const struct comparison *all);

#endif
