// SPDX-License-Identifier: GPL-2.0-or-later
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */

/* The forms of UTF-8 (RFC 3629): lead byte, length, and the least code point of that length. */
static const struct {
	unsigned char mask, lead, length;
	uint32_t least;
} forms[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

/* Characters that change how the rest of a line is shown. */
static const struct {
	uint32_t first, last;
} reordering[] = {
	{ 0x061c, 0x061c }, /* Arabic letter mark */
	{ 0x200e, 0x200f }, /* left-to-right and right-to-left mark */
	{ 0x2028, 0x202e }, /* separators, embeddings, overrides */
	{ 0x2066, 0x2069 }, /* isolates */
	{ 0xfeff, 0xfeff }, /* byte order mark */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Decode one character at text[0..len-1]. Return its length in bytes, 0 when it is not UTF-8. */
static size_t decode(const unsigned char *text, size_t len, uint32_t *code)
{
	for (size_t f = 0; f < COUNT(forms); f++) {
		if ((text[0] & forms[f].mask) != forms[f].lead)
			continue;
		if (forms[f].length > len)
			return 0;
		*code = text[0] & (unsigned char)~forms[f].mask;
		for (size_t i = 1; i < forms[f].length; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			*code = *code << 6 | (text[i] & 0x3f);
		}
		if (*code < forms[f].least || *code > 0x10ffff ||
		    (*code >= 0xd800 && *code <= 0xdfff))
			return 0;
		return forms[f].length;
	}
	return 0;
}

static bool reorders(uint32_t code)
{
	for (size_t i = 0; i < COUNT(reordering); i++)
		if (code >= reordering[i].first && code <= reordering[i].last)
			return true;
	return false;
}

static void put_control(FILE *out, uint32_t code)
{
	switch (code) {
	case '\n':
		fputs("\\n", out);
		break;
	case '\r':
		fputs("\\r", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	default:
		fprintf(out, "\\x%02x", (unsigned int)code);
	}
}

void text_put(FILE *out, const char *text, size_t len)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t left = len == (size_t)-1 ? strlen(text) : len;

	while (left) {
		uint32_t code = 0;
		size_t length = decode(byte, left, &code);

		if (!length)
			fputs(REPLACEMENT, out);
		else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
			put_control(out, code);
		else if (reorders(code))
			fprintf(out, "\\u%04x", (unsigned int)code);
		else
			fprintf(out, "%.*s", (int)length, (const char *)byte);
		byte += length ? length : 1;
		left -= length ? length : 1;
	}
}

char *text_format(const char *fmt, va_list args)
{
	char *text;

	return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

char *text_escape(const char *text, size_t len)
{
	char *escaped = NULL;
	size_t size;
	FILE *out = open_memstream(&escaped, &size);
	bool failed;

	if (!out)
		return NULL;
	text_put(out, text, len);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(escaped);
		return NULL;
	}
	return escaped;
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	/* Every byte but the continuation bytes of UTF-8 starts a character. */
	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

void text_wrap(FILE *out, const char *text, size_t used, size_t indent, size_t width)
{
	char *escaped = text_escape(text, (size_t)-1);
	size_t column = used;
	bool first = true;
	char *rest = NULL;

	if (escaped && (!width || used + text_columns(escaped) <= width)) {
		fprintf(out, "%s\n", escaped);
		free(escaped);
		return;
	}
	for (char *word = escaped ? strtok_r(escaped, " ", &rest) : NULL; word;
	     word = strtok_r(NULL, " ", &rest)) {
		size_t columns = text_columns(word);

		if (!first && width && column + 1 + columns > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fputs(word, out);
		column += columns;
		first = false;
	}
	fputc('\n', out);
	free(escaped);
}
