/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROGRESS_H
#define PMIPROOF_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../reports/report.h"
#include "verdict.h"

/*
 * What a watching person sees of a run. On a terminal the last line shows what runs and is redrawn
 * in place; elsewhere there are only whole lines, when a test starts and when it has ended.
 */
struct progress {
	FILE *out;
	bool terminal; /* redraw in place */
	bool colour;
	bool drawn; /* the line that is redrawn is on the screen */
	size_t number, planned;
	char name[128];
	double budget_s;
	int64_t started; /* clock_ms() */
	int64_t redraw;	 /* not before */
};

/* Does this stream take colour: a terminal that is not dumb, and no NO_COLOR (no-color.org)? */
bool progress_colour(FILE *out);

/* Columns of a terminal, 80 when it does not say. */
unsigned int progress_columns(FILE *out);

/* How a report goes to this stream. */
struct report_options progress_report_options(FILE *out);

void progress_init(struct progress *progress, FILE *out, size_t planned);

/* Test `number` (from 1) starts. */
void progress_start(struct progress *progress, size_t number, const char *name, double budget_s);

/* Time has passed, or there is a new text ("": none); redraws a few times a second at most. */
void progress_tick(struct progress *progress, const char *text);

/*
 * Another text for the line that is redrawn, at most a few times a second; nothing elsewhere than
 * on a terminal.
 */
void progress_status(struct progress *progress, const char *text);

/* It has ended, or was not started at all. */
void progress_end(struct progress *progress, const char *name, enum verdict verdict,
		  const char *reason, double duration_s);

/* A line of its own, such as what a Ctrl-C does now. */
void progress_say(struct progress *progress, const char *text);

#endif
