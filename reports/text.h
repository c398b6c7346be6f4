/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_TEXT_H
#define PMIPROOF_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Text that came from a machine, made fit for a terminal. Escape sequences in a kernel log or in a
 * test's output must never act on the reader's terminal: C0 and C1 control characters and DEL are
 * written as \xNN, characters that reorder what is shown (bidirectional controls, line and
 * paragraph separators) as \uNNNN, and bytes that are not valid UTF-8 as U+FFFD. Newline, tab and
 * carriage return become \n, \t and \r. Escaping twice changes nothing.
 */

/* Write text escaped. len may be (size_t)-1 for NUL-terminated text. */
void text_put(FILE *out, const char *text, size_t len);

/* The same as a new string, or NULL when memory ran out. */
char *text_escape(const char *text, size_t len);

/* Text put together, not escaped yet, as a new string; NULL when memory ran out. */
char *text_format(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

/* Columns that escaped text takes on a terminal: its characters, each taken as one wide. */
size_t text_columns(const char *text);

/*
 * Write text escaped as a paragraph and end the line. The caller has already written `used` columns
 * of the first line; later lines start with `indent` spaces. Breaks at spaces so that lines fit in
 * `width` columns (0: one line); a word longer than a line is not broken.
 */
void text_wrap(FILE *out, const char *text, size_t used, size_t indent, size_t width);

#endif
