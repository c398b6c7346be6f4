// SPDX-License-Identifier: GPL-2.0-or-later
/* In place of history_sql.c, history_add.c and history_query.c where there is no SQLite: a history
 * cannot be opened, so that the functions that take one are never called. */
#include <errno.h>

#include "history.h"

static int none(struct err *err)
{
	return err_plain(err, ENOTSUP, "this command was built without SQLite: it has no history");
}

int history_open(struct history **history, const char *path, bool create, struct err *err)
{
	(void)history;
	(void)path;
	(void)create;
	return none(err);
}

void history_close(struct history *history)
{
	(void)history;
}

int history_add(struct history *history, const char *path, const struct known_issues *known,
		enum history_added *added, int64_t *id, struct err *err)
{
	(void)history;
	(void)path;
	(void)known;
	(void)added;
	(void)id;
	return none(err);
}

int history_export(struct history *history, int64_t id, const char *dir, struct err *err)
{
	(void)history;
	(void)id;
	(void)dir;
	return none(err);
}

int history_list(struct history *history, history_take_report take, void *context, struct err *err)
{
	(void)history;
	(void)take;
	(void)context;
	return none(err);
}

int history_trend(struct history *history, const char *hypothesis, const char *table,
		  const char *row, const char *column, history_take_point take, void *context,
		  struct err *err)
{
	(void)history;
	(void)hypothesis;
	(void)table;
	(void)row;
	(void)column;
	(void)take;
	(void)context;
	return none(err);
}

int history_flaky(struct history *history, history_take_flake take, void *context, struct err *err)
{
	(void)history;
	(void)take;
	(void)context;
	return none(err);
}

int history_compare(struct history *history, const struct compare_request *request,
		    struct comparison *all, struct err *err)
{
	(void)history;
	(void)request;
	(void)all;
	return none(err);
}
