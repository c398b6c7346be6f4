/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SPLICE_H
#define PMIPROOF_SPLICE_H

#include "err.h"

/* The part of a document that is made by a program lies between these two lines. */
#define SPLICE_BEGIN "<!-- prove: begin -->"
#define SPLICE_END "<!-- prove: end -->"

/*
 * Replace what lies between the two lines of a file by `text`, all or nothing; with NULL only see
 * whether it could be done. -EINVAL with err when the file does not have each line once, in this
 * order; -errno.
 */
int splice_file(const char *path, const char *text, struct err *err);

#endif
