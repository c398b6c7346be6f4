/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MARKDOWN_H
#define PMIPROOF_MARKDOWN_H

#include <stdio.h>

/* Write text as the last part of a cell of a Markdown table, and end the cell. */
void markdown_cell(FILE *out, const char *text);

#endif
