/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CAPTURE_H
#define PMIPROOF_CAPTURE_H

#include <stddef.h>

#include "err.h"

/*
 * Run a program that only prints something, and take what it prints on standard output (at most
 * `max` bytes) in at most `timeout_ms`. *text is newly allocated and NUL-terminated, *len without
 * the NUL. The program and its process group are gone on return.
 * -ETIMEDOUT: not ready in time; -EFBIG: printed more; -ECHILD: ended by a signal or with a
 * non-zero status; else -errno.
 */
int capture(char *const argv[], int timeout_ms, size_t max, char **text, size_t *len,
	    struct err *err);

#endif
