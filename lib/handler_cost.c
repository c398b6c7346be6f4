// SPDX-License-Identifier: GPL-2.0-or-later
#include "handler_cost.h"

#include <stdlib.h>
#include <time.h>

int handler_cost_observe(struct handler_cost *cost, const struct perf_event_attr *attr,
			 const struct cpus *cpus, uint64_t ns, unsigned int pages, size_t max,
			 struct err *err)
{
	const struct timespec length = { .tv_sec = (time_t)(ns / 1000000000),
					 .tv_nsec = (long)(ns % 1000000000) };
	int result = handler_time_start(&cost->time, err);
	int stopped;

	if (result)
		return result;
	result = sampler_start(
		&cost->sampler, attr, cpus,
		&(struct sampler_plan){
			.pages = pages, .times_max = max, .limit = (int)max, .planned_ns = ns },
		err);
	if (!result) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
		result = sampler_stop(&cost->sampler, err);
	}
	stopped = handler_time_stop(&cost->time, result ? NULL : err);
	if (!result && !stopped)
		return handler_time_complete(&cost->time, err);
	return result ? result : stopped;
}

void handler_cost_end(struct handler_cost *cost)
{
	sampler_close(&cost->sampler);
}

struct handler_cost_samples handler_cost_match(struct handler_cost *cost)
{
	struct handler_cost_samples samples = { 0 };

	for (size_t i = 0; i < cost->sampler.n; i++) {
		const struct sampler_cpu *cpu = &cost->sampler.cpu[i];

		samples.taken += (double)cpu->samples;
		samples.lost += (double)cpu->lost;
		if (cost->time.kind == HANDLER_TIMER)
			samples.matched += (double)handler_spans_with(&cost->time.cpu[i],
								      cpu->times, cpu->times_n);
	}
	return samples;
}

double handler_cost_share(const struct handler_cost *cost, size_t i)
{
	const struct handler_cpu *cpu = &cost->time.cpu[i];
	double samples = (double)cost->sampler.cpu[i].samples;
	double lost = cost->time.kind == HANDLER_TIMER ? (double)cost->sampler.cpu[i].lost : 0;
	double scale = samples > 0 ? (samples + lost) / samples : 1;
	double ns = 0;

	for (size_t j = 0; j < cpu->n; j++)
		ns += (double)cpu->span[j].length_ns;
	return 100 * ns * scale / (sampler_seconds(&cost->sampler) * 1e9);
}

double *handler_cost_lengths(const struct handler_cost *cost, size_t *n)
{
	size_t total = 0;
	double *all;

	for (size_t i = 0; i < cost->time.n; i++)
		total += cost->time.cpu[i].n;
	all = calloc(total + 1, sizeof(*all));
	*n = 0;
	for (size_t i = 0; all && i < cost->time.n; i++)
		for (size_t j = 0; j < cost->time.cpu[i].n; j++)
			all[(*n)++] = (double)cost->time.cpu[i].span[j].length_ns;
	return all;
}

struct handler_cost_added handler_cost_added(const struct stats *stats, const struct stats *base)
{
	return (struct handler_cost_added){
		.p50 = stats->p50 - base->p50,
		.low = stats->p50_low - base->p50_high,
		.high = stats->p50_high - base->p50_low,
	};
}
