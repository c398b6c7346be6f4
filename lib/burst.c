// SPDX-License-Identifier: GPL-2.0-or-later
#include "burst.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "cpus.h"
#include "event.h"
#include "placement.h"
#include "rate_limit.h"
#include "workload.h"

#define RING_PAGES 64	   /* some thousand samples */
#define RECORD_NS 20000000 /* 2000 samples at one each 10 us */
#define FIFO_PRIORITY 1	   /* above everything that is not real-time */
#define ALONE_TRIES 5	   /* the best is taken: whatever else happens only slows it down */
/* Ticks of a clock as coarse as the timer's in a burst: each of ALONE_TRIES has 20 of them. */
#define TICKS 100

struct request {
	const struct perf_event_attr *attr;
	int cpu;
	uint64_t ns;
	struct burst *burst;
	struct err err;
	int result;
};

/* A moment at which the clock has just moved: what begins there is as exact as it gets. */
static uint64_t clock_edge(void)
{
	const uint64_t before = clock_ns(CLOCK_MONOTONIC);
	uint64_t now;

	do
		now = clock_ns(CLOCK_MONOTONIC);
	while (now == before);
	return now;
}

/* `ns`, or longer where the clock only moves with the ticks of a timer. */
static uint64_t burst_length(uint64_t ns)
{
	struct timespec step = { 0 };

	clock_getres(CLOCK_MONOTONIC, &step);
	return ns > TICKS * (uint64_t)step.tv_nsec ? ns : TICKS * (uint64_t)step.tv_nsec;
}

/* Multiply for `ns` and tell how long it really was and how many rounds came in each ns. */
static double multiply(uint64_t ns, uint64_t *took)
{
	const struct workload *work = workload_find("multiply");
	uint64_t start = clock_edge();
	double rounds = 0;

	do {
		work->run(1000);
		rounds++;
		*took = clock_ns(CLOCK_MONOTONIC) - start;
	} while (*took < ns);
	return rounds / (double)*took;
}

static int count_samples(struct event *event, uint64_t *samples, struct err *err)
{
	struct ring_record record;
	uint64_t lost;
	int result;

	*samples = 0;
	while ((result = ring_next(&event->ring, &record, err)) > 0) {
		*samples += record.header->type == PERF_RECORD_SAMPLE;
		if (record.header->type == PERF_RECORD_LOST &&
		    !ring_parse_lost(&record, &lost, NULL))
			*samples += lost;
	}
	return result;
}

/* Sample while this thread multiplies, which it did at a rate of `alone` before. */
static int sample(struct request *request, struct event *event, double alone)
{
	struct burst *burst = request->burst;
	const uint64_t limit = 2 * request->ns / RATE_CLOCK_PERIOD_MIN_NS;
	int result = event_refresh(event, (int)limit, &request->err);
	uint64_t took;

	if (result)
		return result;
	burst->left = fmin(1, multiply(request->ns, &took) / alone);
	result = event_disable(event, &request->err);
	if (!result)
		result = count_samples(event, &burst->samples, &request->err);
	burst->cost_ns =
		burst->samples ? (1 - burst->left) * (double)took / (double)burst->samples : NAN;
	return result;
}

static void *burst_thread(void *argument)
{
	struct request *request = argument;
	struct event event = EVENT_CLOSED;
	double alone = 0;
	uint64_t took;

	/* Without the right to it others may disturb, and the cost comes out too high. */
	(void)placement_policy(SCHED_FIFO, FIFO_PRIORITY, NULL);
	request->result = cpus_pin(request->cpu, &request->err);
	if (!request->result)
		request->result =
			event_open_cpu(&event, request->attr, request->cpu, &request->err);
	if (!request->result)
		request->result = event_map(&event, RING_PAGES, false, &request->err);
	if (!request->result) {
		for (int i = 0; i < ALONE_TRIES; i++)
			alone = fmax(alone, multiply(request->ns / ALONE_TRIES, &took));
		request->result = sample(request, &event, alone);
	}
	event_close(&event);
	return NULL;
}

int burst_measure(struct burst *burst, const struct perf_event_attr *attr, int cpu, uint64_t ns,
		  struct err *err)
{
	struct request request = {
		.attr = attr, .cpu = cpu, .ns = burst_length(ns), .burst = burst
	};
	pthread_t thread;
	int result;

	*burst = (struct burst){ .left = NAN, .cost_ns = NAN };
	result = pthread_create(&thread, NULL, burst_thread, &request);
	if (result)
		return err_set(err, result, "burst thread");
	pthread_join(thread, NULL);
	if (request.result && err)
		*err = request.err;
	return request.result;
}

int burst_record(struct run *run, const char *row, struct burst *burst,
		 const struct perf_event_attr *attr, int cpu, struct err *err)
{
	int result;

	run_progress(run, "burst, %s", row);
	result = burst_measure(burst, attr, cpu, RECORD_NS, err);
	if (result)
		return result;
	run_figure(run, "burst", row, "samples", (double)burst->samples, "1");
	run_figure(run, "burst", row, "CPU left", 100 * burst->left, "%");
	if (burst->samples)
		run_figure(run, "burst", row, "cost of a sample", burst->cost_ns, "ns");
	return 0;
}
