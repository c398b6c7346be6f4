/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CONSOLE_H
#define PMIPROOF_CONSOLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What is kept of a machine's console: its end, which is what says why it died. */
#define CONSOLE_LINES 100
#define CONSOLE_LINE_MAX 512

struct console {
	char lines[CONSOLE_LINES][CONSOLE_LINE_MAX];
	unsigned long n;    /* lines seen */
	unsigned long said; /* lines before the test in flight began: no evidence about it */
};

void console_init(struct console *console);

/* A line_handler; `context` is the console. Only printable ASCII and tabs are kept. */
int console_line(void *context, const char *line, size_t len, bool cut);

/* A test begins: what was printed before belongs to others. */
void console_mark(struct console *console);

/*
 * The last line since the mark, "" when there is none. What the kernel says when it is told to end
 * is none: what was said before that may be why.
 */
const char *console_last(const struct console *console);

/*
 * What was kept since the mark as "output" records of the stream "console", and what the kernel log
 * says in it as "log" records: an array (NULL without memory). `worst` gets the text of the first
 * panic, oops or lockup, or "".
 */
json_t *console_evidence(const struct console *console, char *worst, size_t size);

#endif
