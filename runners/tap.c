// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <string.h>

#include "../reports/text.h"
#include "../reports/verdict_map.h"

/* Nested results are indented by two spaces (ktap.rst). */
#define INDENT "  "

void tap_begin(FILE *out, size_t planned)
{
	if (!out)
		return;
	fprintf(out, "KTAP version 1\n1..%zu\n", planned);
	fflush(out);
}

void tap_open(FILE *out, const char *name)
{
	if (!out)
		return;
	fputs(INDENT "# Subtest: ", out);
	text_put(out, name, (size_t)-1);
	putc('\n', out);
	fflush(out);
}

static bool is_ktap(const char *line, size_t len)
{
	static const char *const starts[] = {
		"KTAP version ", "TAP version ", "1..", "ok ", "not ok ", "# ", "Bail out!",
	};

	while (len && *line == ' ') {
		line++;
		len--;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (len >= strlen(starts[i]) && !strncmp(line, starts[i], strlen(starts[i])))
			return true;
	return false;
}

void tap_line(FILE *out, const char *line, size_t len, bool is_stderr, unsigned long omitted)
{
	if (!out)
		return;
	if (omitted)
		fprintf(out, INDENT "# %lu lines left out\n", omitted);
	fputs(!is_stderr && is_ktap(line, len) ? INDENT : INDENT "# ", out);
	text_put(out, line, len);
	putc('\n', out);
	fflush(out);
}

void tap_result(FILE *out, size_t number, const char *name, enum verdict verdict,
		const char *reason)
{
	const char *directive = verdict_map(verdict)->ktap;

	if (!out)
		return;
	if (!directive && *reason) {
		fputs("# ", out);
		text_put(out, reason, (size_t)-1);
		putc('\n', out);
	}
	fprintf(out, "%s %zu ", verdict_map(verdict)->ktap_ok ? "ok" : "not ok", number);
	text_put(out, name, (size_t)-1);
	if (directive) {
		fprintf(out, " # %s ", directive);
		text_put(out, reason, (size_t)-1);
	}
	putc('\n', out);
	fflush(out);
}
