/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HISTORY_H
#define PMIPROOF_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "compare.h"
#include "known.h"

/*
 * Many reports in one file, an SQLite database: their journals as they were, and what is asked of
 * all of them (verdicts, medians, cells of cost tables) in tables of its own. Several processes may
 * read and write at a time; a report is in it as a whole or not at all.
 *
 * Functions return 0 or -errno with err set; -ENOTSUP where the command was built without SQLite.
 */
struct history;

/* How long a writer waits for another one. */
#define HISTORY_BUSY_MS 30000

/*
 * Open a history; with `create` make it where there is none, else that is -ENOENT. -EPROTONOSUPPORT
 * for one that a newer version made, -EBADMSG for a file that is something else.
 */
int history_open(struct history **history, const char *path, bool create, struct err *err);
void history_close(struct history *history);

enum history_added {
	HISTORY_ADDED,
	HISTORY_THERE,	  /* it was there already, or more of the same run is */
	HISTORY_REPLACED, /* less of the same run was there: it has been resumed */
};

/*
 * Add a report (directory or journal file), with failures judged by the table, which may be NULL.
 * -EBUSY when its run is still going on; *id: how it is called from now on.
 */
int history_add(struct history *history, const char *path, const struct known_issues *known,
		enum history_added *added, int64_t *id, struct err *err);

/* Write the journal of a report to DIR, which must not exist. -ENOENT when there is no such id. */
int history_export(struct history *history, int64_t id, const char *dir, struct err *err);

/* A report of the list. Texts belong to whoever calls back, and are as a machine said them. */
struct history_report {
	int64_t id;
	const char *time;	  /* of the run */
	const char *name;	  /* where it was added from */
	const char *cpu, *kernel; /* as compare_key() */
	const char *labels;	  /* JSON object */
	size_t count[VERDICT_NONE + 1];
};

/* What takes rows; a result other than 0 ends the query and is returned. */
typedef int (*history_take_report)(const struct history_report *report, void *context);

/* All reports, in the order of their runs. */
int history_list(struct history *history, history_take_report take, void *context, struct err *err);

/* A cell of a cost table in one report: the least and greatest of its iterations. */
struct history_point {
	int64_t id;
	const char *time, *cpu, *kernel, *unit;
	double least, greatest;
};

typedef int (*history_take_point)(const struct history_point *point, void *context);

/* A cell in all reports that have it, in the order of their runs. */
int history_trend(struct history *history, const char *hypothesis, const char *table,
		  const char *row, const char *column, history_take_point take, void *context,
		  struct err *err);

/*
 * A hypothesis with different verdicts on the same machine, kernel and set-up. Executions that came
 * to no verdict of their own (skip, notrun, none) say nothing here, and `known` is `fail`.
 */
struct history_flake {
	const char *hypothesis, *cpu, *kernel, *labels;
	size_t executions, reports;
	size_t changes; /* from one execution to the next */
	size_t count[VERDICT_NONE + 1];
	const char *changed; /* time of the run in which the verdict last changed */
};

typedef int (*history_take_flake)(const struct history_flake *flake, void *context);

int history_flaky(struct history *history, history_take_flake take, void *context, struct err *err);

/*
 * Compare all reports in groups (request->by, not COMPARE_REPORT), as compare_read() does. The
 * verdicts are those judged when they were added.
 */
int history_compare(struct history *history, const struct compare_request *request,
		    struct comparison *all, struct err *err);

#endif
