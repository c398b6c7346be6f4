// SPDX-License-Identifier: GPL-2.0-or-later
#include "storm_report.h"

#include <math.h>

static void report_samples(struct run *run, const struct storm *storm, const char *row)
{
	const struct sampler *sampler = &storm->sampler;
	uint64_t samples = 0, lost = 0, throttled = 0, unthrottled = 0;

	for (size_t i = 0; i < sampler->n; i++) {
		samples += sampler->cpu[i].samples;
		lost += sampler->cpu[i].lost;
		throttled += sampler->cpu[i].throttled;
		unthrottled += sampler->cpu[i].unthrottled;
	}
	run_figure(run, "samples", row, "samples", (double)samples, "1");
	run_figure(run, "samples", row, "lost", (double)lost, "1");
	run_figure(run, "samples", row, "throttle", (double)throttled, "1");
	run_figure(run, "samples", row, "unthrottle", (double)unthrottled, "1");
	run_figure(run, "samples", row, "time", sampler_seconds(sampler), "s");
}

/* How often events were throttled, in each quarter of the time. */
static void report_throttling(struct run *run, const struct storm *storm,
			      const struct storm_line *line)
{
	static const char *const quarters[SAMPLER_SLICES] = { "1st quarter", "2nd quarter",
							      "3rd quarter", "4th quarter" };
	const double planned_s = (double)line->planned_ns / 1e9;
	/* What came after the planned time is counted in the last one. */
	const double late_s = fmax(sampler_seconds(&storm->sampler) - planned_s, 0);

	for (size_t slice = 0; slice < SAMPLER_SLICES; slice++) {
		const double late = slice == SAMPLER_SLICES - 1 ? late_s : 0;
		uint64_t throttled = 0;

		for (size_t i = 0; i < storm->sampler.n; i++)
			throttled += storm->sampler.cpu[i].throttled_slice[slice];
		run_figure(run, "throttling", line->row, quarters[slice],
			   (double)throttled / (planned_s / SAMPLER_SLICES + late), "1/s");
	}
}

static void report_left(struct run *run, const struct storm *storm, const struct storm_line *line)
{
	const struct bystander_lap *lap = &storm->lap;

	for (size_t kind = 0; kind < line->all->kinds; kind++)
		run_figure(
			run, "left", line->row, bystander_kind_name(kind),
			bystander_lap_left(lap, line->alone, line->all, kind, line->from, line->to),
			"%");
	if (line->all->rcu)
		run_figure(run, "left", line->row, "grace periods",
			   100 * lap->grace_rate / line->alone->grace_rate, "%");
	run_figure(run, "left", line->row, "main loop",
		   100 * (double)storm->looks / (double)storm_looks(line->planned_ns), "%");
}

static void report_grace(struct run *run, const struct bystander_lap *lap,
			 const struct storm_line *line)
{
	const char *const labels[] = { "row", line->row, NULL };

	if (!line->all->rcu || lap->grace_to > BYSTANDER_GRACE_MAX)
		return;
	run_measure(run, &(struct measure){ .table = "RCU grace period",
					    .row = line->row,
					    .name = "grace_period",
					    .unit = "ns",
					    .labels = labels,
					    .samples = line->all->grace_ns + lap->grace_from,
					    .n = lap->grace_to - lap->grace_from });
}

static void report_limit(struct run *run, const struct storm *storm, const struct storm_line *line)
{
	static const char *const quarters[] = { "at 1/4", "at 2/4", "at 3/4" };

	run_figure(run, "limit", line->row, "before", (double)storm->before, "1/s");
	for (int i = 0; i < 3; i++)
		run_figure(run, "limit", line->row, quarters[i], (double)storm->at[i], "1/s");
	run_figure(run, "limit", line->row, "after", (double)storm->after, "1/s");
	run_figure(run, "limit", line->row, "at least", line->band.low, "1/s");
	run_figure(run, "limit", line->row, "at most", line->band.high, "1/s");
	run_figure(run, "limit", line->row, "budget of a sample",
		   line->percent / 100 * 1e9 / (double)storm->after, "ns");
}

void storm_report(struct run *run, const struct storm *storm, const struct storm_line *line)
{
	report_samples(run, storm, line->row);
	report_left(run, storm, line);
	report_grace(run, &storm->lap, line);
	report_limit(run, storm, line);
	report_throttling(run, storm, line);
}
