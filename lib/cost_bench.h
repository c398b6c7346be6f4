/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COST_BENCH_H
#define PMIPROOF_COST_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "callgraph.h"
#include "handler_cost.h"
#include "hypothesis.h"
#include "stats.h"

/*
 * What sampling costs with each of perf record's options, row by row, while a workload runs: the
 * common part of hypotheses about the cost of a sample. The hypothesis may have the options
 * "workload" (COST_BENCH_WORKLOAD) and "row-ms" (COST_BENCH_ROW_MS).
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

#define COST_BENCH_WORKLOAD                                                                \
	{                                                                                  \
		"workload", "CMD",                                                         \
			"shell command to sample instead of the built-in compile-like one" \
	}
#define COST_BENCH_ROW_MS                                                                          \
	{                                                                                          \
		"row-ms", "MS", "how long each line of the table is measured, 20 to 600000 (2000)" \
	}

struct cost_bench {
	struct run *run;
	struct handler_cost cost;
	const char *table; /* of the times */
	uint64_t row_ns;
	double percent_max;   /* what handlers may take of a CPU */
	double least_samples; /* positive control: of the row that has fewest */
};

/*
 * Begin: read the limit, set up tracing (before the process has threads). `table` is the name of
 * the table that the times go to. -EINVAL for a value of "row-ms" that is none.
 */
int cost_bench_open(struct cost_bench *bench, struct run *run, enum handler_kind kind,
		    const char *table, struct err *err);
void cost_bench_close(struct cost_bench *bench);

/* Ask for what that line asks for; the rest of attr is the caller's. */
void cost_options_apply(struct perf_event_attr *attr, const struct cost_options *options);

/*
 * Sample attr on all CPUs of the run, with the handler traced, while the workload runs. On an error
 * the run is broken, and -errno returned (-ECHILD: the workload is none, and will not be one in the
 * next row). Each call is followed by cost_bench_end() once its figures were taken.
 */
int cost_bench_observe(struct cost_bench *bench, const char *row,
		       const struct perf_event_attr *attr);
void cost_bench_end(struct cost_bench *bench);

/* Record the spans of all CPUs as one series, of which *stats tells. */
void cost_bench_report(struct cost_bench *bench, const char *row, bool fixed, struct stats *stats);

/* Check the share of each CPU that the spans took. */
void cost_bench_check_share(struct cost_bench *bench, const char *check, const char *row);

/* Count samples as of handler_cost_match(), and record how many there were and were lost. */
struct handler_cost_samples cost_bench_samples(struct cost_bench *bench, const char *row);

#endif
