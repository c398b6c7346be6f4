// SPDX-License-Identifier: GPL-2.0-or-later
/* What is asked of the history. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history_sql.h"

/* Give each row of a statement to a function. */
typedef int (*take_row)(struct history *history, sqlite3_stmt *row, void *context, struct err *err);

static int each_row(struct history *history, sqlite3_stmt *statement, take_row take, void *context,
		    struct err *err)
{
	int result;

	while ((result = history_step(history, statement, err)) > 0) {
		result = take(history, statement, context, err);
		if (result)
			break;
	}
	return result;
}

/* --- list --- */

struct list {
	history_take_report take;
	void *context;
	sqlite3_stmt *verdicts;
};

static int list_one(struct history *history, sqlite3_stmt *row, void *context, struct err *err)
{
	const struct list *list = context;
	struct history_report report = {
		.id = sqlite3_column_int64(row, 0),
		.time = history_text(row, 1),
		.name = history_text(row, 2),
		.cpu = history_text(row, 3),
		.kernel = history_text(row, 4),
		.labels = history_text(row, 5),
	};
	int result;

	sqlite3_reset(list->verdicts);
	if (sqlite3_bind_int64(list->verdicts, 1, report.id) != SQLITE_OK)
		return history_error(history, err);
	while ((result = history_step(history, list->verdicts, err)) > 0)
		report.count[verdict_parse(history_text(list->verdicts, 0))] =
			(size_t)sqlite3_column_int64(list->verdicts, 1);
	return result ? result : list->take(&report, list->context);
}

int history_list(struct history *history, history_take_report take, void *context, struct err *err)
{
	struct list list = { take, context, NULL };
	sqlite3_stmt *reports;
	int result = history_prepare(history, &reports, err,
				     "SELECT id,time,name,cpu,kernel,labels FROM report"
				     " ORDER BY time,id",
				     "");

	if (!result)
		result = history_prepare(history, &list.verdicts, err,
					 "SELECT verdict,count(*) FROM execution WHERE report=?"
					 " AND iter=0 GROUP BY verdict",
					 "");
	if (!result)
		result = each_row(history, reports, list_one, &list, err);
	sqlite3_finalize(reports);
	sqlite3_finalize(list.verdicts);
	return result;
}

/* --- trend --- */

struct trend {
	history_take_point take;
	void *context;
};

static int trend_one(struct history *history, sqlite3_stmt *row, void *context, struct err *err)
{
	const struct trend *trend = context;
	const struct history_point point = {
		.id = sqlite3_column_int64(row, 0),
		.time = history_text(row, 1),
		.cpu = history_text(row, 2),
		.kernel = history_text(row, 3),
		.unit = history_text(row, 4),
		.least = sqlite3_column_double(row, 5),
		.greatest = sqlite3_column_double(row, 6),
	};

	(void)history;
	(void)err;
	return trend->take(&point, trend->context);
}

int history_trend(struct history *history, const char *hypothesis, const char *table,
		  const char *row, const char *column, history_take_point take, void *context,
		  struct err *err)
{
	struct trend trend = { take, context };
	sqlite3_stmt *statement;
	int result = history_prepare(
		history, &statement, err,
		"SELECT r.id,r.time,r.cpu,r.kernel,c.unit,f.least,f.greatest FROM hypothesis h"
		" JOIN cell c ON c.hypothesis=h.id JOIN figure f ON f.cell=c.id"
		" JOIN report r ON r.id=f.report"
		" WHERE h.name=? AND c.tab=? AND c.row=? AND c.name=? ORDER BY r.time,r.id,c.unit",
		"tttt", hypothesis, table, row, column);

	if (!result)
		result = each_row(history, statement, trend_one, &trend, err);
	sqlite3_finalize(statement);
	return result;
}

/* --- flaky --- */

/* What executions are held against each other, and what was seen of them so far. */
struct flaky {
	history_take_flake take;
	void *context;
	char *key, *hypothesis, *cpu, *kernel, *labels, *changed;
	struct history_flake flake;
	int64_t report; /* the last one */
	enum verdict last;
};

static void forget(struct flaky *flaky)
{
	free(flaky->key);
	free(flaky->hypothesis);
	free(flaky->cpu);
	free(flaky->kernel);
	free(flaky->labels);
	free(flaky->changed);
	*flaky = (struct flaky){ .take = flaky->take, .context = flaky->context };
}

static int give_flake(struct flaky *flaky)
{
	flaky->flake.hypothesis = flaky->hypothesis;
	flaky->flake.cpu = flaky->cpu;
	flaky->flake.kernel = flaky->kernel;
	flaky->flake.labels = flaky->labels;
	flaky->flake.changed = flaky->changed;
	return flaky->flake.changes ? flaky->take(&flaky->flake, flaky->context) : 0;
}

static int begin_flake(struct flaky *flaky, sqlite3_stmt *row)
{
	flaky->key = strdup(history_text(row, 0));
	flaky->hypothesis = strdup(history_text(row, 1));
	flaky->cpu = strdup(history_text(row, 2));
	flaky->kernel = strdup(history_text(row, 3));
	flaky->labels = strdup(history_text(row, 4));
	flaky->last = VERDICT_NONE;
	return flaky->key && flaky->hypothesis && flaky->cpu && flaky->kernel && flaky->labels
		       ? 0
		       : -ENOMEM;
}

static int count_execution(struct flaky *flaky, sqlite3_stmt *row)
{
	enum verdict verdict = verdict_parse(history_text(row, 7));
	int64_t report = sqlite3_column_int64(row, 6);

	if (verdict == VERDICT_KNOWN)
		verdict = VERDICT_FAIL;
	if (flaky->flake.executions && verdict != flaky->last) {
		free(flaky->changed);
		flaky->changed = strdup(history_text(row, 5));
		if (!flaky->changed)
			return -ENOMEM;
		flaky->flake.changes++;
	}
	flaky->flake.reports += report != flaky->report;
	flaky->flake.executions++;
	flaky->flake.count[verdict]++;
	flaky->report = report;
	flaky->last = verdict;
	return 0;
}

static int flaky_one(struct history *history, sqlite3_stmt *row, void *context, struct err *err)
{
	struct flaky *flaky = context;
	int result = 0;

	if (flaky->key && strcmp(flaky->key, history_text(row, 0)) != 0) {
		result = give_flake(flaky);
		forget(flaky);
	}
	if (!result && !flaky->key)
		result = begin_flake(flaky, row);
	if (!result)
		result = count_execution(flaky, row);
	return result ? err_set(err, -result, "%s", history->path) : 0;
}

int history_flaky(struct history *history, history_take_flake take, void *context, struct err *err)
{
	struct flaky flaky = { .take = take, .context = context };
	sqlite3_stmt *statement;
	int result = history_prepare(
		history, &statement, err,
		"SELECT h.id||' '||r.machine||' '||r.setup AS key,h.name,r.cpu,r.kernel,r.labels,"
		"r.time,r.id,e.verdict FROM execution e JOIN report r ON r.id=e.report"
		" JOIN hypothesis h ON h.id=e.hypothesis"
		" WHERE e.iter>0 AND e.verdict NOT IN ('skip','notrun','none')"
		" ORDER BY h.name,key,r.time,r.id,e.iter",
		"");

	if (!result)
		result = each_row(history, statement, flaky_one, &flaky, err);
	if (!result)
		result = give_flake(&flaky);
	forget(&flaky);
	sqlite3_finalize(statement);
	return result;
}

/* --- compare --- */

struct gather {
	const struct compare_request *request;
	struct comparison *all;
	int *columns; /* of each report, by its id; -1: not there */
	size_t n_columns;
	long *ids; /* index in `all` of each hypothesis or series, by its id; -1: not met */
	size_t n_ids;
};

/* The element at `id`, for which room is made; new ones are -1. NULL: no memory, or no id. */
static void *room_at(void **array, size_t size, size_t *n, int64_t id)
{
	size_t want = (size_t)id + 1;
	char *larger;

	if (id < 0)
		return NULL;
	if (want > *n) {
		want = want > 2 * *n ? want : 2 * *n;
		larger = reallocarray(*array, want, size);
		if (!larger)
			return NULL;
		memset(larger + *n * size, 0xff, (want - *n) * size);
		*array = larger;
		*n = want;
	}
	return (char *)*array + (size_t)id * size;
}

static int gather_report(struct history *history, sqlite3_stmt *row, void *context, struct err *err)
{
	struct gather *gather = context;
	int64_t id = sqlite3_column_int64(row, 0);
	json_t *machine = json_loads(history_text(row, 1), 0, NULL);
	json_t *labels = json_loads(history_text(row, 2), 0, NULL);
	char *key = compare_key(gather->request->by, gather->request->key, machine, labels);
	int column = key ? comparison_find_column(gather->all, key) : -ENOMEM;
	int *at = room_at((void **)&gather->columns, sizeof(int), &gather->n_columns, id);
	int result = column < 0 ? column : at ? 0 : -ENOMEM;

	if (!result) {
		*at = column;
		comparison_add_machine(gather->all, (size_t)column, machine, NULL);
	}
	free(key);
	json_decref(machine);
	json_decref(labels);
	if (result == -E2BIG)
		return err_plain(err, E2BIG, "more than %d columns", COMPARE_MAX);
	return result ? err_set(err, -result, "%s", history->path) : 0;
}

/* The column of a report; -EBADMSG when the tables contradict each other. */
static int column_of(struct history *history, const struct gather *gather, int64_t id,
		     struct err *err)
{
	if (id >= 0 && (size_t)id < gather->n_columns && gather->columns[id] >= 0)
		return gather->columns[id];
	return err_plain(err, EBADMSG, "%s: figures of a report that is not there", history->path);
}

static int gather_verdict(struct history *history, sqlite3_stmt *row, void *context,
			  struct err *err)
{
	struct gather *gather = context;
	int64_t id = sqlite3_column_int64(row, 1);
	enum verdict verdict = verdict_parse(history_text(row, 3));
	int column = column_of(history, gather, sqlite3_column_int64(row, 0), err);
	int result;
	long *at;

	if (column < 0)
		return column;
	at = room_at((void **)&gather->ids, sizeof(long), &gather->n_ids, id);
	if (!at)
		return err_set(err, ENOMEM, "%s", history->path);
	if (*at < 0)
		*at = comparison_find_hypothesis(gather->all, history_text(row, 2));
	if (*at < 0)
		return err_set(err, ENOMEM, "%s", history->path);
	result = comparison_add_verdict(gather->all, (size_t)*at, (size_t)column, verdict, NULL);
	return result ? err_set(err, -result, "%s", history->path) : 0;
}

static int gather_series(struct history *history, sqlite3_stmt *row, void *context, struct err *err)
{
	struct gather *gather = context;
	int64_t id = sqlite3_column_int64(row, 0);
	long *at = room_at((void **)&gather->ids, sizeof(long), &gather->n_ids, id);

	if (!at)
		return err_set(err, ENOMEM, "%s", history->path);
	*at = comparison_find_series(gather->all, history_text(row, 1), history_text(row, 2),
				     history_text(row, 3), history_text(row, 4),
				     history_text(row, 5));
	return *at < 0 ? err_set(err, ENOMEM, "%s", history->path) : 0;
}

static int gather_median(struct history *history, sqlite3_stmt *row, void *context, struct err *err)
{
	struct gather *gather = context;
	int column = column_of(history, gather, sqlite3_column_int64(row, 0), err);
	int64_t series = sqlite3_column_int64(row, 1);
	double median = sqlite3_column_double(row, 2);
	int result;

	if (column < 0)
		return column;
	if (series < 0 || (size_t)series >= gather->n_ids || gather->ids[series] < 0)
		return err_plain(err, EBADMSG, "%s: figures of a series that is not there",
				 history->path);
	result = comparison_add_value(gather->all, (size_t)gather->ids[series], (size_t)column,
				      median, sqlite3_column_double(row, 3));
	return result ? err_set(err, -result, "%s", history->path) : 0;
}

static int gather_all(struct history *history, struct gather *gather, struct err *err)
{
	static const struct {
		const char *sql;
		take_row take;
	} queries[] = {
		{ "SELECT r.id,m.text,r.labels FROM report r JOIN machine m ON m.id=r.machine"
		  " ORDER BY r.time,r.id",
		  gather_report },
		{ "SELECT e.report,h.id,h.name,e.verdict FROM execution e"
		  " JOIN hypothesis h ON h.id=e.hypothesis WHERE e.iter=0 ORDER BY e.report,h.id",
		  gather_verdict },
		{ "SELECT s.id,h.name,s.tab,s.row,s.name,s.unit FROM series s"
		  " JOIN hypothesis h ON h.id=s.hypothesis ORDER BY s.id",
		  gather_series },
		{ "SELECT report,series,value,resolution FROM median", gather_median },
	};
	int result = 0;

	for (size_t i = 0; !result && i < sizeof(queries) / sizeof(queries[0]); i++) {
		sqlite3_stmt *statement;

		result = history_prepare(history, &statement, err, queries[i].sql, "");
		if (!result)
			result = each_row(history, statement, queries[i].take, gather, err);
		sqlite3_finalize(statement);
		if (queries[i].take == gather_verdict && gather->ids)
			memset(gather->ids, 0xff, gather->n_ids * sizeof(*gather->ids));
	}
	return result;
}

int history_compare(struct history *history, const struct compare_request *request,
		    struct comparison *all, struct err *err)
{
	struct gather gather = { .request = request, .all = all };
	int result = history_exec(history, "BEGIN", err); /* all of one state */

	comparison_begin(all, true);
	all->threshold = request->threshold;
	if (result)
		return result;
	result = gather_all(history, &gather, err);
	(void)history_exec(history, "COMMIT", NULL);
	free(gather.columns);
	free(gather.ids);
	if (!result && !all->n_columns)
		result = err_plain(err, ENODATA, "%s: there is no report in it", history->path);
	if (!result && comparison_finish(all))
		result = err_set(err, ENOMEM, "%s", history->path);
	if (result)
		comparison_free(all);
	return result;
}
