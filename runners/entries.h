/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ENTRIES_H
#define PMIPROOF_ENTRIES_H

#include <stddef.h>
#include <stdio.h>

#include "err.h"

/*
 * Tables of ours that people write: text, one entry each line, cut into words. A word with blanks
 * is in double quotes; a '#' that begins a word begins a comment.
 */

/* A line is short; what has more words is a mistake. */
#define ENTRY_WORDS_MAX 64

/* A line with words in it (n >= 1), numbered from 1. An error ends the reading. */
typedef int (*entry_taker)(void *context, unsigned int line, char **words, size_t n,
			   struct err *err);

/*
 * Read all of a stream. The words lie in *text, which is newly allocated and the caller's in any
 * case. -EINVAL, or what `take` returned, with err; *line is then the line that it is about, and
 * otherwise the last one.
 */
int entries_read(FILE *file, char **text, entry_taker take, void *context, unsigned int *line,
		 struct err *err);

/* Join words of a line in place, with one blank between them. Returns words[0]. */
char *entries_join(char *const *words, size_t n);

#endif
