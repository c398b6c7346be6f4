// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as the journal of a report: it is an error that names the file, or each format and a
 * comparison of it with itself come out whole, and nothing of a machine acts on what shows them.
 */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../fixtures/mutate_journal.h"
#include "compare.h"
#include "format.h"
#include "io.h"
#include "known.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max); /* libFuzzer's */

/* It names what is in fixtures/journals, so that some of what fails is known. */
static const char table[] = "* | * | short_period_soft | worker | a made up one\n"
			    "GenuineIntel-* | 6.1.. | nmi_cost | share | another\n";

/* No plots: gnuplot is another program. Its scripts are written all the same. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return setenv("PATH", "/nonexistent", 1);
}

/* One in four stays to libFuzzer, which knows nothing of lines. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return seed % 4 ? mutate_journal(data, size, max, seed / 4)
			: LLVMFuzzerMutate(data, size, max);
}

/* Nothing acts on a terminal, and a line stays a line. */
static void check_plain(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert((unsigned char)text[i] >= ' ' || text[i] == '\n');
	for (const char *c1 = text; (c1 = memchr(c1, 0xc2, size - (size_t)(c1 - text))); c1++)
		assert((unsigned char)c1[1] >= 0xa0);
}

static void check_json(const char *text, size_t size)
{
	json_t *document = json_loadb(text, size, JSON_ALLOW_NUL, NULL);

	assert(document != NULL);
	json_decref(document);
}

/* Of a document with markup: no control characters, and none of what the values try. */
static void check_markup(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
	assert(!memmem(text, size, "<script", 7));
}

/* A line of a spreadsheet never begins a formula, but for a number with a sign. */
static void check_csv(const char *text, size_t size)
{
	for (size_t i = 1; i < size; i++)
		assert(!strchr(",\n", text[i - 1]) || !text[i] || !strchr("=@", text[i]));
}

static const struct {
	const char *format;
	void (*check)(const char *text, size_t size);
} checks[] = {
	{ "term", check_plain },   { "mail", check_plain }, { "ktap", check_plain },
	{ "json", check_json },	   { "kcidb", check_json }, { "html", check_markup },
	{ "junit", check_markup }, { "csv", check_csv },
};

static void look(const char *format, const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (!strcmp(checks[i].format, format))
			checks[i].check(text, size);
}

static void write_all(const struct report *report, const char *path)
{
	for (const struct format *f = formats; f->name; f++) {
		const struct format_request request = {
			.format = f,
			.path = path,
			.shown = { .width = 80, .verbose = true },
		};
		struct err err = { .text = "" };
		size_t size;
		char *text;

		assert(!format_report(&request, report, f->write_against ? report : NULL, &text,
				      &size, &err));
		look(f->name, text, size);
		free(text);
	}
}

/* With itself: nothing has changed. */
static void compare(const struct report *report, const char *path)
{
	const struct report both[] = { *report, *report };
	char *const names[] = { (char *)(uintptr_t)path, (char *)(uintptr_t)path };
	const struct compare_request request = { .n = 2, .shown = { .width = 80 } };
	struct comparison all;
	struct err err;
	FILE *out = fopen("/dev/null", "we");

	assert(out != NULL);
	if (!comparison_make(&all, both, names, 2)) {
		for (size_t i = 0; i < all.n_series; i++)
			assert(!compare_significant(&all.series[i].change[1]));
		assert(!compare_term(out, &all, &request, &err));
		assert(!compare_json(out, &all, &request, &err));
		assert(!compare_mail(out, &all, &request, &err));
		assert(!compare_html(out, &all, &request, &err));
		comparison_free(&all);
	}
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *text = fmemopen((char *)(uintptr_t)table, strlen(table), "r");
	int fd = memfd_create("journal", MFD_CLOEXEC);
	struct err err = { .text = "" };
	struct known_issues known;
	struct report report;
	char path[64];

	assert(fd >= 0 && text && !io_write_all(fd, data, size));
	assert(!known_read(&known, text, "table", NULL));
	fclose(text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (known_report(&report, path, &known, &err)) {
		assert(!strncmp(err.text, path, strlen(path)));
	} else {
		write_all(&report, path);
		compare(&report, path);
		report_free(&report);
	}
	known_free(&known);
	close(fd);
	return 0;
}
