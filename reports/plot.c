// SPDX-License-Identifier: GPL-2.0-or-later
#include "plot.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define BOX_NOTE \
	"Box: the middle half of the samples, with the median; line: 1 % to 99 %; dot: maximum."

const struct plot_spec plot_specs[] = {
	{ .kind = PLOT_BOXES,
	  .table = "perf NMI handler time",
	  .title = "Time of the PMI handler by option of perf",
	  .axis = "time of a PMI",
	  .note = BOX_NOTE },
	{ .kind = PLOT_BOXES,
	  .table = "timer interrupt time",
	  .title = "Time of a timer interrupt by option of perf",
	  .axis = "time of an interrupt",
	  .note = BOX_NOTE },
	{ .kind = PLOT_BOXES,
	  .table = "perf NMI handler time by block",
	  .title = "Time of the PMI handler by place in the code",
	  .axis = "time of a PMI",
	  .note = BOX_NOTE },
	{ .kind = PLOT_BOXES,
	  .table = "RCU grace period",
	  .title = "RCU grace periods while sampling",
	  .axis = "grace period",
	  .note = BOX_NOTE },
	{ .kind = PLOT_ECDF,
	  .table = "wake-up latency",
	  .title = "Wake-up latency",
	  .axis = "latency" },
	{ .kind = PLOT_BARS,
	  .table = "samples of the loop, ",
	  .title = "Samples by instruction",
	  .axis = "share of the samples",
	  .columns = { "share" },
	  .count = "samples",
	  .note = "An instruction in the shadow of another gets too few." },
	{ .kind = PLOT_POINTS,
	  .table = "limit",
	  .title = "Limit of the sampling rate while sampling",
	  .axis = "kernel.perf_event_max_sample_rate",
	  .columns = { "before", "at 1/4", "at 2/4", "at 3/4", "after" },
	  .low = "at least",
	  .high = "at most",
	  .note = "Each mark is one reading (n 1); band: where the limit is to end." },
	{ .kind = PLOT_POINTS,
	  .table = "samples",
	  .title = "Throttling",
	  .axis = "events",
	  .columns = { "throttle", "unthrottle" },
	  .count = "samples",
	  .per = "time",
	  .rate = true,
	  .note = "n: samples." },
	{ .kind = PLOT_POINTS,
	  .table = "throttling",
	  .title = "Throttling while sampling",
	  .axis = "how often events are throttled",
	  .columns = { "1st quarter", "2nd quarter", "3rd quarter", "4th quarter" },
	  .note = "Each mark is one quarter of the time (n 1)." },
	{ .kind = PLOT_POINTS,
	  .table = "branch stacks",
	  .title = "Stale branch stacks",
	  .axis = "share of the stacks judged",
	  .columns = { "stale", "empty", "repeated" },
	  .count = "judged",
	  .per = "judged",
	  .note = "n: stacks judged." },
	{ .table = NULL },
};

const struct cost_column *plot_column(const struct cost_table *cost, const char *name)
{
	for (size_t c = 0; name && c < cost->n_columns; c++)
		if (!strcmp(cost->columns[c].name, name))
			return &cost->columns[c];
	return NULL;
}

static bool has_columns(const struct plot_spec *spec, const struct cost_table *cost)
{
	const char *const others[] = { spec->count, spec->per, spec->low, spec->high };

	for (size_t c = 0; spec->columns[c]; c++)
		if (!plot_column(cost, spec->columns[c]))
			return false;
	for (size_t i = 0; i < COUNT(others); i++)
		if (others[i] && !plot_column(cost, others[i]))
			return false;
	return true;
}

/* Without regard to the other tables. */
static bool fits(const struct plot_spec *spec, const struct cost_table *cost)
{
	bool of_series = spec->kind == PLOT_BOXES || spec->kind == PLOT_ECDF;

	if (spec->kind == PLOT_BARS)
		return !cost->name && !strncmp(cost->table, spec->table, strlen(spec->table)) &&
		       has_columns(spec, cost);
	return !strcmp(cost->table, spec->table) && of_series == !!cost->name &&
	       (of_series || has_columns(spec, cost));
}

bool plot_fits(const struct plot_spec *spec, const struct cost_table *tables, size_t n,
	       size_t index)
{
	if (index >= n || !fits(spec, &tables[index]))
		return false;
	for (size_t t = 0; t < index && spec->kind == PLOT_BARS; t++)
		if (fits(spec, &tables[t]))
			return false;
	return true;
}
