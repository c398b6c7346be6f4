// SPDX-License-Identifier: GPL-2.0-or-later
#include "history_sql.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "pmip": tells a history from another program's database (PRAGMA application_id). */
#define APPLICATION_ID 0x706d6970
#define VERSION 1

#define STRING(value) #value
#define NUMBER(macro) STRING(macro)

/*
 * `setup` is what verdicts depend on beside the machine: labels, and options such as --bound. A
 * `series` has samples, of which `median` has the median for each report; a `cell` is one of a cost
 * table. `execution` has each iteration, and as iteration 0 the verdict of all.
 */
static const char schema[] = "PRAGMA application_id=" NUMBER(
	APPLICATION_ID) ";"
			"PRAGMA user_version=" NUMBER(
				VERSION) ";"
					 "CREATE TABLE machine(id INTEGER PRIMARY KEY, text TEXT "
					 "NOT NULL UNIQUE);"
					 "CREATE TABLE report(id INTEGER PRIMARY KEY "
					 "AUTOINCREMENT, run TEXT NOT NULL UNIQUE,"
					 " time TEXT NOT NULL, name TEXT NOT NULL, machine INTEGER "
					 "NOT NULL REFERENCES machine,"
					 " cpu TEXT NOT NULL, kernel TEXT NOT NULL, labels TEXT "
					 "NOT NULL, setup TEXT NOT NULL,"
					 " size INTEGER NOT NULL, journal BLOB NOT NULL);"
					 "CREATE INDEX report_time ON report(time);"
					 "CREATE TABLE hypothesis(id INTEGER PRIMARY KEY, name "
					 "TEXT NOT NULL UNIQUE);"
					 "CREATE TABLE execution(report INTEGER NOT NULL "
					 "REFERENCES report ON DELETE CASCADE,"
					 " hypothesis INTEGER NOT NULL REFERENCES hypothesis, iter "
					 "INTEGER NOT NULL,"
					 " verdict TEXT NOT NULL, PRIMARY KEY(report, hypothesis, "
					 "iter)) WITHOUT ROWID;"
					 "CREATE TABLE series(id INTEGER PRIMARY KEY,"
					 " hypothesis INTEGER NOT NULL REFERENCES hypothesis, tab "
					 "TEXT NOT NULL, row TEXT NOT NULL,"
					 " name TEXT NOT NULL, unit TEXT NOT NULL, "
					 "UNIQUE(hypothesis, tab, row, name, unit));"
					 "CREATE TABLE median(report INTEGER NOT NULL REFERENCES "
					 "report ON DELETE CASCADE,"
					 " series INTEGER NOT NULL REFERENCES series, value REAL "
					 "NOT NULL,"
					 " resolution REAL NOT NULL, PRIMARY KEY(report, series)) "
					 "WITHOUT ROWID;"
					 "CREATE TABLE cell(id INTEGER PRIMARY KEY,"
					 " hypothesis INTEGER NOT NULL REFERENCES hypothesis, tab "
					 "TEXT NOT NULL, row TEXT NOT NULL,"
					 " name TEXT NOT NULL, unit TEXT NOT NULL, "
					 "UNIQUE(hypothesis, tab, row, name, unit));"
					 "CREATE TABLE figure(cell INTEGER NOT NULL REFERENCES "
					 "cell,"
					 " report INTEGER NOT NULL REFERENCES report ON DELETE "
					 "CASCADE, least REAL NOT NULL,"
					 " greatest REAL NOT NULL, PRIMARY KEY(cell, report)) "
					 "WITHOUT ROWID;"
					 "CREATE INDEX figure_report ON figure(report);";

int history_error(struct history *history, struct err *err)
{
	static const struct {
		int code, errnum;
	} errors[] = {
		{ SQLITE_BUSY, EBUSY },	    { SQLITE_LOCKED, EBUSY },	{ SQLITE_NOMEM, ENOMEM },
		{ SQLITE_FULL, ENOSPC },    { SQLITE_READONLY, EROFS }, { SQLITE_PERM, EACCES },
		{ SQLITE_IOERR, EIO },	    { SQLITE_CANTOPEN, EIO },	{ SQLITE_CORRUPT, EBADMSG },
		{ SQLITE_NOTADB, EBADMSG },
	};
	int code = sqlite3_errcode(history->db) & 0xff;
	int errnum = EIO;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code)
			errnum = errors[i].errnum;
	return err_plain(err, errnum, "%s: %s", history->path, sqlite3_errmsg(history->db));
}

int history_exec(struct history *history, const char *sql, struct err *err)
{
	return sqlite3_exec(history->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : history_error(history, err);
}

static int bind(sqlite3_stmt *statement, const char *kinds, va_list args)
{
	int code = SQLITE_OK;

	for (int i = 1; code == SQLITE_OK && *kinds; kinds++, i++) {
		if (*kinds == 'i')
			code = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
		else if (*kinds == 'd')
			code = sqlite3_bind_double(statement, i, va_arg(args, double));
		else
			code = sqlite3_bind_text(statement, i, va_arg(args, const char *), -1,
						 SQLITE_STATIC);
	}
	return code;
}

static int prepare(struct history *history, sqlite3_stmt **statement, struct err *err,
		   const char *sql, const char *kinds, va_list args)
{
	*statement = NULL;
	if (sqlite3_prepare_v2(history->db, sql, -1, statement, NULL) == SQLITE_OK &&
	    bind(*statement, kinds, args) == SQLITE_OK)
		return 0;
	return history_error(history, err);
}

int history_prepare(struct history *history, sqlite3_stmt **statement, struct err *err,
		    const char *sql, const char *kinds, ...)
{
	va_list args;
	int result;

	va_start(args, kinds);
	result = prepare(history, statement, err, sql, kinds, args);
	va_end(args);
	return result;
}

int history_step(struct history *history, sqlite3_stmt *statement, struct err *err)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return code == SQLITE_ROW;
	return history_error(history, err);
}

/* Statements without results are few and run often: each is prepared once. */
static sqlite3_stmt **cached(struct history *history, const char *sql)
{
	for (size_t i = 0; i < history->n_cached; i++)
		if (!strcmp(history->cached[i].sql, sql))
			return &history->cached[i].statement;
	if (history->n_cached == HISTORY_CACHED)
		return NULL;
	history->cached[history->n_cached].sql = sql;
	return &history->cached[history->n_cached++].statement;
}

int history_do(struct history *history, struct err *err, const char *sql, const char *kinds, ...)
{
	sqlite3_stmt *own = NULL;
	sqlite3_stmt **statement = cached(history, sql);
	va_list args;
	int result = 0;

	if (!statement)
		statement = &own;
	va_start(args, kinds);
	if (!*statement)
		result = prepare(history, statement, err, sql, kinds, args);
	else if (bind(*statement, kinds, args) != SQLITE_OK)
		result = history_error(history, err);
	va_end(args);
	while (!result && (result = history_step(history, *statement, err)) > 0)
		result = 0;
	sqlite3_reset(*statement);
	sqlite3_finalize(own);
	return result;
}

const char *history_text(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? (const char *)text : "";
}

static int read_number(struct history *history, const char *sql, int64_t *number, struct err *err)
{
	sqlite3_stmt *statement;
	int result = history_prepare(history, &statement, err, sql, "");

	if (!result)
		result = history_step(history, statement, err);
	*number = result > 0 ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return result < 0 ? result : 0;
}

/* Is it ours, of this version? *empty: nobody's yet. */
static int check_owner(struct history *history, bool *empty, struct err *err)
{
	int64_t application, version, tables;
	int result = read_number(history, "PRAGMA application_id", &application, err);

	if (!result)
		result = read_number(history, "PRAGMA user_version", &version, err);
	if (!result)
		result = read_number(history, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (result)
		return result;
	*empty = !application && !tables;
	if (!*empty && application != APPLICATION_ID)
		return err_plain(err, EBADMSG, "%s: not a history of pmiproof", history->path);
	if (!*empty && version != VERSION)
		return err_plain(err, EPROTONOSUPPORT, "%s: a history of version %lld, not %d",
				 history->path, (long long)version, VERSION);
	return 0;
}

/* Within a transaction, as another process may do the same. */
static int make_schema(struct history *history, struct err *err)
{
	bool empty;
	int result = check_owner(history, &empty, err);

	return result || !empty ? result : history_exec(history, schema, err);
}

/* What is not ours is left as it is. In WAL mode readers and a writer do not wait for each other.
 */
static int set_up(struct history *history, struct err *err)
{
	bool empty;
	int result;

	sqlite3_busy_timeout(history->db, HISTORY_BUSY_MS);
	result = check_owner(history, &empty, err);
	if (!result)
		result = history_exec(history, "PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;",
				      err);
	if (result || !empty)
		return result;
	result = history_exec(history, "BEGIN IMMEDIATE", err);
	if (result)
		return result;
	result = make_schema(history, err);
	if (!result)
		return history_exec(history, "COMMIT", err);
	(void)history_exec(history, "ROLLBACK", NULL);
	return result;
}

int history_open(struct history **history, const char *path, bool create, struct err *err)
{
	struct history *made;
	struct stat st;
	int result = 0;

	if (!create && stat(path, &st))
		return err_set(err, errno, "open %s", path);
	made = calloc(1, sizeof(*made));
	if (made)
		made->path = strdup(path);
	if (!made || !made->path) {
		free(made);
		return err_set(err, ENOMEM, "%s", path);
	}
	if (sqlite3_open_v2(path, &made->db,
			    SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0),
			    NULL) != SQLITE_OK)
		result = history_error(made, err);
	if (!result)
		result = set_up(made, err);
	if (result)
		history_close(made);
	else
		*history = made;
	return result;
}

void history_close(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->n_cached; i++)
		sqlite3_finalize(history->cached[i].statement);
	sqlite3_close(history->db);
	free(history->path);
	free(history);
}
