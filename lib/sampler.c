// SPDX-License-Identifier: GPL-2.0-or-later
#include "sampler.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

/* The drainer looks this often; a ring must hold what comes in twice that time. */
#define DRAIN_NS 10000000

/* In which slice of the run; what is late belongs to the last one. */
static uint64_t slice_of(const struct sampler *sampler, uint64_t time)
{
	uint64_t into = time > sampler->start_ns ? time - sampler->start_ns : 0;
	uint64_t slice = into * SAMPLER_SLICES / sampler->planned_ns;

	return slice < SAMPLER_SLICES ? slice : SAMPLER_SLICES - 1;
}

static void take_sample(const struct sampler *sampler, struct sampler_cpu *cpu, uint64_t time)
{
	cpu->samples++;
	cpu->slice[slice_of(sampler, time)]++;
	if (cpu->times_n < cpu->times_max)
		cpu->times[cpu->times_n++] = time;
}

static void take_throttle(const struct sampler *sampler, struct sampler_cpu *cpu, uint64_t time,
			  bool throttled)
{
	cpu->disorder += cpu->is_throttled == throttled;
	cpu->is_throttled = throttled;
	cpu->throttled += throttled;
	cpu->throttled_slice[slice_of(sampler, time)] += throttled;
	cpu->unthrottled += !throttled;
}

static int take(struct sampler *sampler, struct sampler_cpu *cpu, const struct ring_record *record,
		struct err *err)
{
	struct ring_throttle throttle;
	struct ring_sample sample;
	uint64_t lost;
	int result;

	switch (record->header->type) {
	case PERF_RECORD_SAMPLE:
		result = ring_parse_sample(record, &cpu->event.attr, &sample, err);
		if (!result)
			take_sample(sampler, cpu, sample.time);
		return result;
	case PERF_RECORD_LOST:
		result = ring_parse_lost(record, &lost, err);
		if (!result)
			cpu->lost += lost;
		return result;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		result = ring_parse_throttle(record, &throttle, err);
		if (!result)
			take_throttle(sampler, cpu, throttle.time,
				      record->header->type == PERF_RECORD_THROTTLE);
		return result;
	default:
		return 0;
	}
}

static int drain(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->n; i++) {
		struct sampler_cpu *cpu = &sampler->cpu[i];
		struct ring *ring = &cpu->event.ring;
		const uint64_t written = ring_written(ring);
		struct ring_record record;
		int result;

		while ((result = ring_next_until(ring, written, &record, &sampler->err)) > 0) {
			result = take(sampler, cpu, &record, &sampler->err);
			if (result)
				break;
		}
		if (result < 0)
			return result;
	}
	return 0;
}

static void *drainer(void *argument)
{
	const struct timespec interval = { .tv_nsec = DRAIN_NS };
	const struct sched_param param = { .sched_priority = 1 };
	struct sampler *sampler = argument;

	/* Without the right to it, the reader is an ordinary thread and losses are counted. */
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	while (!sampler->stop && !sampler->result) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &interval, NULL);
		sampler->result = drain(sampler);
	}
	return NULL;
}

static int open_target(struct sampler_cpu *cpu, const struct sampler_target *target,
		       const struct sampler_plan *plan, struct err *err)
{
	struct perf_event_attr attr = target->attr;
	int result;

	attr.sample_type |= PERF_SAMPLE_TIME;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	result = target->tid < 0
			 ? event_open_cpu(&cpu->event, &attr, target->cpu, err)
			 : event_open_task_cpu(&cpu->event, &attr, target->tid, target->cpu, err);
	if (!result)
		result = event_map(&cpu->event, plan->pages, false, err);
	if (result || !plan->times_max)
		return result;
	cpu->times = malloc(plan->times_max * sizeof(*cpu->times));
	cpu->times_max = plan->times_max;
	return cpu->times ? 0 : err_set(err, ENOMEM, "sample times");
}

static int enable_all(struct sampler *sampler, int limit, struct err *err)
{
	int result = 0;

	sampler->start_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; !result && i < sampler->n; i++)
		result = limit ? event_refresh(&sampler->cpu[i].event, limit, err)
			       : event_enable(&sampler->cpu[i].event, err);
	return result;
}

static int start_drainer(struct sampler *sampler, struct err *err)
{
	int result = pthread_create(&sampler->drainer, NULL, drainer, sampler);

	if (result)
		return err_set(err, result, "drain thread");
	sampler->draining = true;
	return 0;
}

int sampler_start_targets(struct sampler *sampler, const struct sampler_target *targets, size_t n,
			  const struct sampler_plan *plan, struct err *err)
{
	int result = 0;

	memset(sampler, 0, sizeof(*sampler));
	sampler->planned_ns = plan->planned_ns;
	sampler->cpu = calloc(n, sizeof(*sampler->cpu));
	if (!sampler->cpu)
		return err_set(err, ENOMEM, "sampler");
	sampler->n = n;
	for (size_t i = 0; i < n; i++)
		sampler->cpu[i].event.fd = -1;
	for (size_t i = 0; !result && i < n; i++)
		result = open_target(&sampler->cpu[i], &targets[i], plan, err);
	if (!result)
		result = start_drainer(sampler, err);
	if (!result)
		result = enable_all(sampler, plan->limit, err);
	if (result)
		sampler_close(sampler);
	return result;
}

int sampler_start(struct sampler *sampler, const struct perf_event_attr *attr,
		  const struct cpus *cpus, const struct sampler_plan *plan, struct err *err)
{
	struct sampler_target *targets = calloc(cpus->n, sizeof(*targets));
	int result;

	memset(sampler, 0, sizeof(*sampler));
	if (!targets)
		return err_set(err, ENOMEM, "sampler");
	for (size_t i = 0; i < cpus->n; i++)
		targets[i] = (struct sampler_target){ *attr, cpus->cpu[i], -1 };
	result = sampler_start_targets(sampler, targets, cpus->n, plan, err);
	free(targets);
	return result;
}

int sampler_stop(struct sampler *sampler, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < sampler->n; i++) {
		int one = event_disable(&sampler->cpu[i].event, err);

		result = result ? result : one;
	}
	sampler->end_ns = clock_ns(CLOCK_MONOTONIC);
	sampler->stop = true;
	if (sampler->draining)
		pthread_join(sampler->drainer, NULL);
	sampler->draining = false;
	if (!sampler->result)
		sampler->result = drain(sampler);
	if (!sampler->result)
		return result;
	if (err)
		*err = sampler->err;
	return sampler->result;
}

void sampler_close(struct sampler *sampler)
{
	sampler->stop = true;
	if (sampler->draining)
		pthread_join(sampler->drainer, NULL);
	sampler->draining = false;
	for (size_t i = 0; i < sampler->n; i++) {
		event_close(&sampler->cpu[i].event);
		free(sampler->cpu[i].times);
	}
	free(sampler->cpu);
	sampler->cpu = NULL;
	sampler->n = 0;
}

double sampler_seconds(const struct sampler *sampler)
{
	return (double)(sampler->end_ns - sampler->start_ns) / 1e9;
}
