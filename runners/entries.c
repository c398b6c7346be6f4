// SPDX-License-Identifier: GPL-2.0-or-later
#include "entries.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Cut a line into words, in place. */
static int split(char *line, char **words, size_t *n, struct err *err)
{
	*n = 0;
	for (;;) {
		bool quoted;

		while (is_space(*line))
			line++;
		if (!*line || *line == '#')
			return 0;
		if (*n == ENTRY_WORDS_MAX)
			return err_set(err, 0, "more than %d words", ENTRY_WORDS_MAX);
		quoted = *line == '"';
		words[(*n)++] = line += quoted;
		while (*line && (quoted ? *line != '"' : !is_space(*line)))
			line++;
		if (quoted && !*line)
			return err_set(err, 0, "a quotation mark is missing");
		if (quoted && line[1] && !is_space(line[1]))
			return err_set(err, 0, "no blank after a quotation mark");
		if (*line)
			*line++ = '\0';
	}
}

static int take_lines(char *text, entry_taker take, void *context, unsigned int *line,
		      struct err *err)
{
	int result = 0;

	for (*line = 1; !result && text; ++*line) {
		char *words[ENTRY_WORDS_MAX];
		char *end = strchr(text, '\n');
		size_t n;

		if (end)
			*end = '\0';
		result = split(text, words, &n, err);
		if (!result && n)
			result = take(context, *line, words, n, err);
		text = end ? end + 1 : NULL;
	}
	--*line;
	return result;
}

int entries_read(FILE *file, char **text, entry_taker take, void *context, unsigned int *line,
		 struct err *err)
{
	size_t size = 0;

	*text = NULL;
	*line = 1;
	errno = 0;
	/* A file without NUL is read whole. */
	if (getdelim(text, &size, '\0', file) < 0 && errno)
		return err_set(err, errno, "read");
	if (!feof(file))
		return err_set(err, 0, "a NUL in it: this is no text");
	return take_lines(*text, take, context, line, err);
}

char *entries_join(char *const *words, size_t n)
{
	char *end = words[0] + strlen(words[0]);

	for (size_t i = 1; i < n; i++) {
		size_t length = strlen(words[i]);

		*end++ = ' ';
		memmove(end, words[i], length + 1);
		end += length;
	}
	return words[0];
}
