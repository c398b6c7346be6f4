/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SPLICE_H
#define PMIPROOF_SPLICE_H

#include "err.h"

/* The part of a document that a program makes lies between these two lines, with its name in them.
 */
#define SPLICE_BEGIN "<!-- %s: begin -->"
#define SPLICE_END "<!-- %s: end -->"

/*
 * Replace what lies between the two lines of a file that have this name by `text`, all or nothing;
 * with NULL only see whether it could be done. -EINVAL with err when the file does not have each
 * line once, in this order; -errno.
 */
int splice_file(const char *path, const char *name, const char *text, struct err *err);

#endif
