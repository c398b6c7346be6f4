/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HISTORY_SQL_H
#define PMIPROOF_HISTORY_SQL_H

#include <sqlite3.h>

#include "history.h"

/* What the parts of the history share. */

/* Different statements of history_do() that are kept prepared. */
#define HISTORY_CACHED 16

struct history {
	sqlite3 *db;
	char *path;
	struct {
		const char *sql;
		sqlite3_stmt *statement;
	} cached[HISTORY_CACHED];
	size_t n_cached;
};

/* Say what SQLite says. Returns -errno: -EBUSY, -ENOSPC, -ENOMEM, -EBADMSG for a damaged file. */
int history_error(struct history *history, struct err *err);

/* Run statements without results. */
int history_exec(struct history *history, const char *sql, struct err *err);

/*
 * Prepare a statement and bind: 'i' int64_t, 'd' double, 't' text that lives until the statement is
 * done with. sqlite3_finalize() *statement.
 */
int history_prepare(struct history *history, sqlite3_stmt **statement, struct err *err,
		    const char *sql, const char *kinds, ...);

/* The next row: 1, 0 at the end, or -errno. */
int history_step(struct history *history, sqlite3_stmt *statement, struct err *err);

/* Run a statement without results; `sql` is a literal. */
int history_do(struct history *history, struct err *err, const char *sql, const char *kinds, ...);

/* Text of a column of the row, "" for NULL. */
const char *history_text(sqlite3_stmt *statement, int column);

#endif
