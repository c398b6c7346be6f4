// SPDX-License-Identifier: GPL-2.0-or-later
#include "xml.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* What stands for itself nowhere: markup, and the two non-characters that XML 1.0 excludes. */
static const struct {
	const char *text, *entity;
} entities[] = {
	{ "&", "&amp;" },
	{ "<", "&lt;" },
	{ ">", "&gt;" },
	{ "\"", "&quot;" },
	{ "'", "&apos;" },
	{ "\xef\xbf\xbe", "\xef\xbf\xbd" }, /* U+FFFE */
	{ "\xef\xbf\xbf", "\xef\xbf\xbd" }, /* U+FFFF */
};

void xml_put(FILE *out, const char *text)
{
	char *escaped = text_escape(text, (size_t)-1);

	for (const char *c = escaped; c && *c;) {
		size_t i = 0;

		while (i < sizeof(entities) / sizeof(entities[0]) &&
		       strncmp(c, entities[i].text, strlen(entities[i].text)) != 0)
			i++;
		if (i < sizeof(entities) / sizeof(entities[0])) {
			fputs(entities[i].entity, out);
			c += strlen(entities[i].text);
		} else {
			putc(*c++, out);
		}
	}
	free(escaped);
}

void xml_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	xml_put(out, value);
	putc('"', out);
}
