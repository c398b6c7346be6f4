/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RUN_PARTS_H
#define PMIPROOF_RUN_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "progress.h"

struct known_issues;

/* What runs on this machine and runs in the lab have in common. */

/*
 * Make the report directory `output`, which must not exist, or with NULL a new one named after the
 * time. `dir` gets its name.
 */
int run_make_dir(const char *output, char *dir, size_t size, struct err *err);

/*
 * From here on a Ctrl-C is something that is read, and does not end us. Returns a signalfd, or
 * -errno.
 */
int run_take_signals(struct err *err);

/* Print the report in `dir` (not with `ktap`), judged by the table, and where it is. */
int run_show_report(const char *subcommand, const char *dir, bool ktap,
		    const struct known_issues *known, struct err *err);

/*
 * Exit code of a run whose report is in `dir`, which ended with `code`: what is known to fail is
 * nothing refuted. The journal keeps the code that it has.
 */
int run_exit(const char *dir, int code, const struct known_issues *known);

#endif
