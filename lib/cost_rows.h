/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COST_ROWS_H
#define PMIPROOF_COST_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "callgraph.h"
#include "handler_cost.h"
#include "hypothesis.h"
#include "stats.h"

/*
 * What sampling costs with each of perf record's options, row by row, while a workload runs: the
 * common part of hypotheses about the cost of a sample. The hypothesis may have the options
 * "workload" (COST_ROWS_WORKLOAD) and "row-ms" (COST_ROWS_ROW_MS).
 */

/* A line of the table: one way to call perf record. */
struct cost_options {
	const char *row;
	bool fixed; /* -c 100000; else the default of 4000 Hz */
	enum callgraph callgraph;
};

#define COST_FIXED_PERIOD 100000
#define COST_FREQUENCY 4000 /* perf record's default, tools/perf/util/record.c */

/* The eight lines of the counter-freezing patch's table; ends with a row of zeros. */
extern const struct cost_options cost_options[];

#define COST_ROWS_WORKLOAD                                                                 \
	{                                                                                  \
		"workload", "CMD",                                                         \
			"shell command to sample instead of the built-in compile-like one" \
	}
#define COST_ROWS_ROW_MS                                                                   \
	{                                                                                  \
		.name = "row-ms", .value = "MS",                                           \
		.help = "how long each line of the table is measured (2000)", .least = 20, \
		.most = 600000                                                             \
	}

struct cost_rows {
	struct run *run;
	struct handler_cost cost;
	const char *table; /* of the times */
	uint64_t row_ns;
	double percent_max;   /* what handlers may take of a CPU */
	double least_samples; /* positive control: of the row that has fewest */
};

/*
 * Begin: read the limit, set up tracing (before the process has threads). `table` is the name of
 * the table that the times go to.
 */
int cost_rows_open(struct cost_rows *rows, struct run *run, enum handler_kind kind,
		   const char *table, struct err *err);
void cost_rows_close(struct cost_rows *rows);

/* Ask for what that line asks for; the rest of attr is the caller's. */
void cost_options_apply(struct perf_event_attr *attr, const struct cost_options *options);

/*
 * Sample attr on all CPUs of the run, with the handler traced, while the workload runs. On an error
 * the run is broken, and -errno returned (-ECHILD: the workload is none, and will not be one in the
 * next row). Each call is followed by cost_rows_end() once its figures were taken.
 */
int cost_rows_observe(struct cost_rows *rows, const char *row, const struct perf_event_attr *attr);
void cost_rows_end(struct cost_rows *rows);

/* Record the spans of all CPUs as one series, of which *stats tells. */
void cost_rows_report(struct cost_rows *rows, const char *row, bool fixed, struct stats *stats);

/* Check the share of each CPU that the spans took. */
void cost_rows_check_share(struct cost_rows *rows, const char *check, const char *row);

/* Count samples as of handler_cost_match(), and record how many there were and were lost. */
struct handler_cost_samples cost_rows_samples(struct cost_rows *rows, const char *row);

#endif
