/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ERR_H
#define PMIPROOF_ERR_H

#include <stddef.h>

/*
 * One line that says what went wrong, naming the object and, where there is one, the errno.
 * Functions that can fail take a caller-owned struct err and return a negative errno; text is
 * valid only after such a return.
 */
struct err {
	char text[512];
};

/*
 * Write "<fmt...>: <errno name>: <strerror>" (errnum > 0; the name is given as text, "ENOENT",
 * because that is what a reader greps for) or just "<fmt...>" (errnum 0) into err, which may be
 * NULL. Return -errnum, or -EINVAL when errnum is 0, so that callers can write
 * `return err_set(err, errno, "open %s", path);`.
 */
int err_set(struct err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Only "<fmt...>", where that says it all, with an errno that a caller goes by. Returns -errnum. */
int err_plain(struct err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "<fmt...>: " before what err already says, cutting the end if it does not fit. */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
