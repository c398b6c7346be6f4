// SPDX-License-Identifier: GPL-2.0-or-later
#include "history_show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../reports/table.h"
#include "progress.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct shown {
	struct table *table;
	size_t rows;
};

/* Print the table that a query filled. */
static int finish(struct shown *shown, int result, const char *nothing, struct err *err)
{
	const struct report_options how = progress_report_options(stdout);

	if (result) {
		table_free(shown->table);
		return result;
	}
	if (!shown->rows) {
		table_free(shown->table);
		return err_plain(err, ENODATA, "%s", nothing);
	}
	result = table_print(shown->table, stdout, 0, how.width, how.colour);
	return result ? err_set(err, -result, "history") : 0;
}

/* "1 fail, 3 pass", the worst first. */
static void put_counts(struct table *table, size_t column, const size_t *count)
{
	char text[256] = "";
	size_t used = 0;

	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		if (count[v] && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu %s",
						 used ? ", " : "", count[v], verdict_name(v));
	table_cell(table, column,
		   count[VERDICT_HUNG] + count[VERDICT_FAIL] ? TABLE_BAD : TABLE_PLAIN, "%s", text);
}

static int add_report(const struct history_report *report, void *context)
{
	struct shown *shown = context;

	shown->rows++;
	table_row(shown->table);
	table_cell(shown->table, 0, TABLE_PLAIN, "%lld", (long long)report->id);
	table_cell(shown->table, 1, TABLE_PLAIN, "%.19s", report->time);
	table_cell(shown->table, 2, TABLE_PLAIN, "%s", report->cpu);
	table_cell(shown->table, 3, TABLE_PLAIN, "%s", report->kernel);
	put_counts(shown->table, 4, report->count);
	table_cell(shown->table, 5, TABLE_PLAIN, "%s",
		   strcmp(report->labels, "{}") != 0 ? report->labels : "");
	table_cell(shown->table, 6, TABLE_PLAIN, "%s", report->name);
	return 0;
}

int history_show_list(struct history *history, struct err *err)
{
	static const struct table_column columns[] = {
		{ "id", TABLE_RIGHT },	      { "run (UTC)", TABLE_LEFT }, { "CPU", TABLE_LEFT },
		{ "kernel", TABLE_LEFT },     { "verdicts", TABLE_LEFT },  { "labels", TABLE_LEFT },
		{ "added from", TABLE_WRAP },
	};
	struct shown shown = { table_new(columns, COUNT(columns), 1), 0 };

	return finish(&shown, history_list(history, add_report, &shown, err),
		      "there is no report in it", err);
}

static int add_point(const struct history_point *point, void *context)
{
	struct shown *shown = context;
	char text[48];

	shown->rows++;
	table_row(shown->table);
	table_cell(shown->table, 0, TABLE_PLAIN, "%lld", (long long)point->id);
	table_cell(shown->table, 1, TABLE_PLAIN, "%.19s", point->time);
	table_cell(shown->table, 2, TABLE_PLAIN, "%s",
		   unit_format(point->least, point->unit, text, sizeof(text)));
	if (point->greatest > point->least)
		table_cell(shown->table, 3, TABLE_PLAIN, "%s",
			   unit_format(point->greatest, point->unit, text, sizeof(text)));
	table_cell(shown->table, 4, TABLE_PLAIN, "%s", point->cpu);
	table_cell(shown->table, 5, TABLE_PLAIN, "%s", point->kernel);
	return 0;
}

int history_show_trend(struct history *history, char *const words[4], struct err *err)
{
	const struct table_column columns[] = {
		{ "id", TABLE_RIGHT },	  { "run (UTC)", TABLE_LEFT }, { words[3], TABLE_RIGHT },
		{ "up to", TABLE_RIGHT }, { "CPU", TABLE_LEFT },       { "kernel", TABLE_WRAP },
	};
	struct shown shown = { table_new(columns, COUNT(columns), 1), 0 };
	int result = history_trend(history, words[0], words[1], words[2], words[3], add_point,
				   &shown, err);

	return finish(&shown, result, "no report has a figure of these names", err);
}

static int add_flake(const struct history_flake *flake, void *context)
{
	struct shown *shown = context;

	shown->rows++;
	table_row(shown->table);
	table_cell(shown->table, 0, TABLE_BOLD, "%s", flake->hypothesis);
	put_counts(shown->table, 1, flake->count);
	table_cell(shown->table, 2, TABLE_PLAIN, "%zu", flake->reports);
	table_cell(shown->table, 3, TABLE_PLAIN, "%zu", flake->changes);
	table_cell(shown->table, 4, TABLE_PLAIN, "%.19s", flake->changed);
	table_cell(shown->table, 5, TABLE_PLAIN, "%s", flake->cpu);
	table_cell(shown->table, 6, TABLE_PLAIN, "%s%s%s", flake->kernel,
		   strcmp(flake->labels, "{}") != 0 ? ", " : "",
		   strcmp(flake->labels, "{}") != 0 ? flake->labels : "");
	return 0;
}

int history_show_flaky(struct history *history, struct err *err)
{
	static const struct table_column columns[] = {
		{ "hypothesis", TABLE_LEFT }, { "executions", TABLE_LEFT },
		{ "reports", TABLE_RIGHT },   { "changes", TABLE_RIGHT },
		{ "last (UTC)", TABLE_LEFT }, { "CPU", TABLE_LEFT },
		{ "kernel", TABLE_WRAP },
	};
	struct shown shown = { table_new(columns, COUNT(columns), 1), 0 };
	int result = history_flaky(history, add_flake, &shown, err);

	result = finish(&shown, result, "", err);
	if (result != -ENODATA)
		return result;
	puts("no verdict changed on the same machine, kernel and set-up");
	return 0;
}
