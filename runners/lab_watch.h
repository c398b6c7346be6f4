/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_WATCH_H
#define PMIPROOF_LAB_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a machine is alive, told from its signs of life. */
enum lab_death {
	LAB_ALIVE,
	LAB_NOT_UP,  /* it did not come up in time */
	LAB_SILENT,  /* it gives no sign of life any more */
	LAB_OVERDUE, /* it lives, but does not end a test that is long over its budget */
};

struct lab_watch {
	double scale; /* of all limits */
	/* By our clock, less the time in which the emulator was kept waiting for a CPU, in ms: */
	int64_t started, heard;
	/* By the guest's clock, in ms since its boot: */
	int64_t guest;	 /* at the last sign of life */
	int64_t overdue; /* the running test is overdue then; 0: none runs */
	bool up;	 /* there was a sign of life */
	bool ended;	 /* the guest has done its job, ... */
	int code;	 /* ... and this is its exit code */
};

void lab_watch_begin(struct lab_watch *watch, double scale, int64_t now);

/* A line_handler for signs of life (guest.h); another line is none. */
int lab_watch_line(void *context, const char *line, size_t len, bool cut);

/* Signs of life were read at `now`: judged by it from here on. */
void lab_watch_heard(struct lab_watch *watch, int64_t now);

/* A test with this budget (scaled already) starts, or the one that ran has ended. */
void lab_watch_test(struct lab_watch *watch, double budget_s);
void lab_watch_test_over(struct lab_watch *watch);

enum lab_death lab_watch_look(const struct lab_watch *watch, int64_t now);

/* How long it may be silent, for a message. */
double lab_watch_silence_s(const struct lab_watch *watch);

#endif
