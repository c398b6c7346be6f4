// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "background.h"
#include "compile.h"
#include "rate_limit.h"
#include "sysctl.h"

#define ROW_MS 2000
#define ROW_MS_MIN 20
#define ROW_MS_MAX 600000
#define SPANS_S 200000	/* per CPU and second: twice what 100,000 samples/s could make */
#define RING_PAGES 1024 /* 4 MiB: 50 ms of 8 KiB stack dumps at 10,000 samples/s */

const struct cost_options cost_options[] = {
	{ "default", false, CALLGRAPH_NONE },
	{ "-c 100000", true, CALLGRAPH_NONE },
	{ "-g", false, CALLGRAPH_FP },
	{ "-g -c 100000", true, CALLGRAPH_FP },
	{ "--call-graph lbr", false, CALLGRAPH_LBR },
	{ "--call-graph lbr -c 100000", true, CALLGRAPH_LBR },
	{ "--call-graph dwarf", false, CALLGRAPH_DWARF },
	{ "--call-graph dwarf -c 100000", true, CALLGRAPH_DWARF },
	{ 0 },
};

void cost_options_apply(struct perf_event_attr *attr, const struct cost_options *options)
{
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr->freq = !options->fixed;
	attr->sample_period = options->fixed ? COST_FIXED_PERIOD : COST_FREQUENCY;
	callgraph_apply(attr, options->callgraph);
}

static uint64_t row_length(const struct run *run)
{
	size_t ms = ROW_MS;

	run_option_count(run, "row-ms", &ms);
	return ms * 1000000;
}

static size_t spans_max(const struct cost_rows *rows)
{
	return (size_t)(rows->row_ns / 1000000 * SPANS_S / 1000);
}

int cost_rows_open(struct cost_rows *rows, struct run *run, enum handler_kind kind,
		   const char *table, struct err *err)
{
	long percent;
	int result;

	*rows = (struct cost_rows){ .run = run, .table = table, .least_samples = INFINITY };
	rows->row_ns = row_length(run);
	result = sysctl_read_long("kernel.perf_cpu_time_max_percent", &percent, err);
	if (result)
		return result;
	/* 0 and 100 switch the kernel's own limit off: then a CPU is all that may be used. */
	rows->percent_max = percent > 0 ? (double)percent : 100;
	return handler_time_open(&rows->cost.time, kind, run_cpus(run), spans_max(rows), err);
}

void cost_rows_close(struct cost_rows *rows)
{
	handler_time_close(&rows->cost.time);
}

static int start_workload(struct run *run, struct background_command *workload, struct err *err)
{
	const char *command = run_option(run, "workload");

	if (command)
		return background_command_start(workload, command, err);
	*workload = (struct background_command){
		.pid = compile_start((unsigned int)run_cpus(run)->n, err),
	};
	return workload->pid < 0 ? (int)workload->pid : 0;
}

static int stop_workload(struct run *run, struct background_command *workload, const char *row,
			 struct err *err)
{
	unsigned int ended;
	int result = background_command_stop(workload, &ended, err);

	if (run_option(run, "workload"))
		run_figure(run, "workload", row, "runs that ended", ended, "1");
	return result;
}

static int observe(struct cost_rows *rows, const char *row, const struct perf_event_attr *attr,
		   struct err *err)
{
	struct background_command workload;
	int result = start_workload(rows->run, &workload, err);
	int stopped;

	if (result)
		return result;
	result = handler_cost_observe(&rows->cost, attr, run_cpus(rows->run), rows->row_ns,
				      RING_PAGES, spans_max(rows), err);
	stopped = stop_workload(rows->run, &workload, row, result ? NULL : err);
	return result ? result : stopped;
}

/*
 * Fewer samples than asked for are right when the limit was lowered, by the kernel, whose handlers
 * took too long, or by another program: the share holds or not either way. The reader must know.
 */
static void note_limit(struct run *run, const char *row, long before)
{
	struct err err;
	long after;

	if (sysctl_read_long(RATE_LIMIT_SYSCTL, &after, &err))
		run_broken(run, "%s", err.text);
	else if (after != before)
		run_note(run, "%s: %s went from %ld to %ld meanwhile", row, RATE_LIMIT_SYSCTL,
			 before, after);
}

int cost_rows_observe(struct cost_rows *rows, const char *row, const struct perf_event_attr *attr)
{
	struct err err;
	long limit;
	int result;

	run_progress(rows->run, "%s", row);
	result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &err);
	if (!result)
		result = observe(rows, row, attr, &err);
	if (result)
		run_broken(rows->run, "%s: %s", row, err.text);
	else
		note_limit(rows->run, row, limit);
	return result;
}

void cost_rows_end(struct cost_rows *rows)
{
	handler_cost_end(&rows->cost);
}

void cost_rows_report(struct cost_rows *rows, const char *row, bool fixed, struct stats *stats)
{
	const char *const labels[] = { "options", row, "period", fixed ? "fixed" : "frequency",
				       NULL };
	size_t n;
	double *all = handler_cost_lengths(&rows->cost, &n);

	if (!all) {
		run_broken(rows->run, "%s: out of memory", row);
		return;
	}
	run_measure(rows->run, &(struct measure){ .table = rows->table,
						  .row = row,
						  .name = "handler_time",
						  .unit = "ns",
						  .columns = "n avg p50 p99 max stddev",
						  .labels = labels,
						  .resolution = 1,
						  .samples = all,
						  .n = n });
	(void)stats_summarise(stats, all, n, 0);
	free(all);
}

void cost_rows_check_share(struct cost_rows *rows, const char *check, const char *row)
{
	for (size_t i = 0; i < rows->cost.time.n; i++) {
		char where[64];

		snprintf(where, sizeof(where), "%s, cpu %d", row, rows->cost.time.cpu[i].cpu);
		run_check_le(rows->run, check, where, handler_cost_share(&rows->cost, i),
			     rows->percent_max, "%");
	}
}

struct handler_cost_samples cost_rows_samples(struct cost_rows *rows, const char *row)
{
	const struct handler_cost_samples samples = handler_cost_match(&rows->cost);

	run_figure(rows->run, "samples", row, "samples", samples.taken, "1");
	run_figure(rows->run, "samples", row, "lost", samples.lost, "1");
	rows->least_samples = fmin(rows->least_samples, samples.taken);
	return samples;
}
