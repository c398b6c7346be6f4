/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RUN_PARTS_H
#define PMIPROOF_RUN_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "progress.h"

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

/* Print the report in `dir` (not with `ktap`), and where it is. */
int run_show_report(const char *subcommand, const char *dir, bool ktap, struct err *err);

#endif
