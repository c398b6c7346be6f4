// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "../reports/text.h"
#include "../reports/verdict_map.h"

/* Nested results are indented by two spaces (ktap.rst). */
#define INDENT "  "
#define NOT "not "
#define DIRECTIVE " # "

/* Results come at a test's end: one that says as much behind a failure goes on unchanged. */
#define HELD_MAX ((size_t)1 << 20)

void tap_begin(struct tap *tap, size_t planned)
{
	if (!tap->out)
		return;
	fprintf(tap->out, "KTAP version 1\n1..%zu\n", planned);
	fflush(tap->out);
}

void tap_open(struct tap *tap, const char *name, bool may_hold)
{
	if (!tap->out)
		return;
	tap->may_hold = may_hold;
	fputs(INDENT "# Subtest: ", tap->out);
	text_put(tap->out, name, (size_t)-1);
	putc('\n', tap->out);
	fflush(tap->out);
}

static size_t indent(const char *line, size_t len)
{
	size_t spaces = 0;

	while (spaces < len && line[spaces] == ' ')
		spaces++;
	return spaces;
}

static bool starts_with(const char *line, size_t len, const char *start)
{
	return len >= strlen(start) && !strncmp(line, start, strlen(start));
}

static bool is_ktap(const char *line, size_t len)
{
	static const char *const starts[] = {
		"KTAP version ", "TAP version ", "1..", "ok ", "not ok ", "# ", "Bail out!",
	};
	size_t spaces = indent(line, len);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (starts_with(line + spaces, len - spaces, starts[i]))
			return true;
	return false;
}

/* A result that failed, and says nothing else of itself. */
static bool is_failure(const char *line, size_t len)
{
	size_t spaces = indent(line, len);

	return starts_with(line + spaces, len - spaces, NOT "ok ") &&
	       !memmem(line, len, DIRECTIVE, strlen(DIRECTIVE));
}

static void put_held(FILE *out, const char *line, size_t len, bool known)
{
	size_t spaces = indent(line, len);

	if (known && is_failure(line, len))
		fprintf(out, "%.*s%.*s # XFAIL\n", (int)spaces, line,
			(int)(len - spaces - strlen(NOT)), line + spaces + strlen(NOT));
	else
		fprintf(out, "%.*s\n", (int)len, line);
}

static void release(struct tap *tap, bool known)
{
	const char *end;

	tap->may_hold = false;
	if (!tap->held)
		return;
	if (!fclose(tap->held))
		for (const char *line = tap->text; (end = strchr(line, '\n')); line = end + 1)
			put_held(tap->out, line, (size_t)(end - line), known);
	free(tap->text);
	tap->held = NULL;
	tap->text = NULL;
}

/* Where a line goes: on, or to those that wait. */
static FILE *place(struct tap *tap, const char *line, size_t len, bool is_stderr)
{
	if (tap->held && !fflush(tap->held) && tap->size > HELD_MAX)
		release(tap, false);
	if (!tap->held && tap->may_hold && !is_stderr && is_failure(line, len))
		tap->held = open_memstream(&tap->text, &tap->size);
	return tap->held ? tap->held : tap->out;
}

void tap_line(struct tap *tap, const char *line, size_t len, bool is_stderr, unsigned long omitted)
{
	FILE *out;

	if (!tap->out)
		return;
	out = place(tap, line, len, is_stderr);
	if (omitted)
		fprintf(out, INDENT "# %lu lines left out\n", omitted);
	fputs(!is_stderr && is_ktap(line, len) ? INDENT : INDENT "# ", out);
	text_put(out, line, len);
	putc('\n', out);
	fflush(out);
}

void tap_result(struct tap *tap, size_t number, const char *name, enum verdict verdict,
		const char *reason)
{
	const char *directive = verdict_map(verdict)->ktap;
	FILE *out = tap->out;

	if (!out)
		return;
	release(tap, verdict == VERDICT_KNOWN);
	if (!directive && *reason) {
		fputs("# ", out);
		text_put(out, reason, (size_t)-1);
		putc('\n', out);
	}
	fprintf(out, "%s %zu ", verdict_map(verdict)->ktap_ok ? "ok" : "not ok", number);
	text_put(out, name, (size_t)-1);
	if (directive) {
		fprintf(out, DIRECTIVE "%s ", directive);
		text_put(out, reason, (size_t)-1);
	}
	putc('\n', out);
	fflush(out);
}
