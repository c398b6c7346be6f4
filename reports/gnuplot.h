/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GNUPLOT_H
#define PMIPROOF_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

#include "err.h"

/*
 * Plots are drawn by gnuplot, a program that is run for each. Nothing of its user's settings is
 * read.
 */

/*
 * Give it a script, which sets no terminal, and return what it draws as an SVG element for an HTML
 * document: without a size, so that it takes the width it is given; black is the colour of the text
 * around it; every id begins with `name`, letters and digits that no other plot in the document
 * has. width and height are in units of which text is 13 high.
 * Returns 0 with *svg new, or -errno: -ENOENT when there is no gnuplot; -EIO when it failed, with
 * what it said in err.
 */
int gnuplot_svg(const char *script, const char *name, unsigned int width, unsigned int height,
		char **svg, struct err *err);

/*
 * Write text as a double-quoted string of gnuplot's: of what a machine says nothing stands in a
 * script but letters, digits and punctuation that has no meaning in one, the rest becomes '_'.
 * Longer text is cut.
 */
void gnuplot_label(FILE *script, const char *text);

/* What gnuplot writes, as described above; NULL when it is no SVG, or memory ran out. */
char *gnuplot_inline(const char *svg, const char *name);

#endif
