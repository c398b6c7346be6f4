// SPDX-License-Identifier: GPL-2.0-or-later
#include "markdown.h"

#include <stdlib.h>
#include <string.h>

#include "../reports/text.h"

void markdown_cell(FILE *out, const char *text)
{
	char *safe = text_escape(text, (size_t)-1);

	/* What has a meaning there is escaped. */
	for (const char *c = safe ? safe : ""; *c; c++) {
		if (strchr("|\\`*_<>[]", *c))
			putc('\\', out);
		putc(*c, out);
	}
	fputs(" |", out);
	free(safe);
}
