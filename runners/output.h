/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_OUTPUT_H
#define PMIPROOF_OUTPUT_H

#include <stddef.h>

/*
 * What is kept of a test's output: the first and the last lines (where a run starts and what it
 * said before it ended are what people look for), each cut to a length. The middle of a flood is
 * counted only.
 */
#define OUTPUT_HEAD 200
#define OUTPUT_TAIL 200
#define OUTPUT_LINE_MAX 4096

/* Takes one kept line. `omitted` lines before it were left out. Returns 0 or -errno. */
typedef int (*output_emit)(void *context, const char *text, size_t len, unsigned long omitted);

struct output {
	output_emit emit;
	void *context;
	unsigned long lines; /* seen so far */
	struct {
		char *text;
		size_t len, size;
	} tail[OUTPUT_TAIL];
};

void output_init(struct output *output, output_emit emit, void *context);

/* One line. The first OUTPUT_HEAD are emitted at once. Returns 0 or -errno. */
int output_add(struct output *output, const char *text, size_t len);

/* No more lines: emit the tail. Returns 0 or -errno. */
int output_finish(struct output *output);

void output_free(struct output *output);

#endif
