/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LINES_H
#define PMIPROOF_LINES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Lines from a non-blocking descriptor, in bounded memory: of a line longer than `max` bytes the
 * rest is dropped.
 */
struct lines {
	int fd;
	size_t max;
	char *data; /* the line so far */
	size_t len, size;
	bool cut; /* the line so far was longer than max */
};

/* One line, without its newline. Returns 0, or -errno, which ends the reading. */
typedef int (*line_handler)(void *context, const char *line, size_t len, bool cut);

/* Take over `fd`. */
void lines_init(struct lines *lines, int fd, size_t max);

/*
 * Read once (a bounded amount, so that a flood on one descriptor cannot keep the caller from the
 * others) and hand over the lines completed by it. Returns 1 when something was read, 0 at the end
 * of file (after an unterminated last line was handed over too), -EAGAIN when there is nothing now,
 * or -errno, also of the handler.
 */
int lines_read(struct lines *lines, line_handler handle, void *context);

/* Close the descriptor and free the memory. */
void lines_close(struct lines *lines);

#endif
