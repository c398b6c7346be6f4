/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_OUTFILE_H
#define PMIPROOF_OUTFILE_H

#include <stddef.h>

#include "err.h"

/*
 * Write a file, all or nothing: it is made under another name beside its place and then takes it,
 * so that neither a reader nor a crash ever finds half of it. What is no regular file (a pipe, a
 * terminal) is written as it is; a link stays one. An existing file keeps its permissions.
 * Returns 0 or -errno.
 */
int outfile_write(const char *path, const char *text, size_t size, struct err *err);

#endif
