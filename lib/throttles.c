// SPDX-License-Identifier: GPL-2.0-or-later
#include "throttles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define HZ_MIN 100
#define HZ_MAX 1024
#define SILENT_TICKS 10 /* far more than a late tick, or two */

uint64_t throttles_per_tick(uint64_t limit, unsigned int hz)
{
	return (limit + hz - 1) / hz;
}

struct throttle_rule throttle_rule(uint64_t id, uint64_t limit, unsigned int hz)
{
	return (struct throttle_rule){
		.id = id,
		.tick_ns = 1000000000 / (hz ? hz : HZ_MIN),
		.least = throttles_per_tick(limit, hz ? hz : HZ_MAX),
		.most = throttles_per_tick(limit, hz ? hz : HZ_MIN),
		.before = UINT64_MAX,
	};
}

unsigned int throttles_hz(void)
{
	/* What kernel/Kconfig.hz and the architectures offer. */
	static const unsigned int rates[] = { 100, 128, 200, 250, 256, 300, 500, 1000, 1024 };
	char name[16];

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		snprintf(name, sizeof(name), "HZ_%u", rates[i]);
		if (machine_kconfig("", name) == 1)
			return rates[i];
	}
	return 0;
}

/* Records come in the order of their times; one that is too late shows with the next one. */
static void take_time(struct throttles *throttles, uint64_t time, bool of_throttle)
{
	const struct throttle_rule *rule = &throttles->rule;
	bool outside = of_throttle && (time < rule->after || time > rule->before);
	bool back = time < throttles->time && (of_throttle || throttles->time_of_throttle);

	throttles->wrong_time += outside || back;
	throttles->time = time;
	throttles->time_of_throttle = of_throttle;
}

void throttles_lost(struct throttles *throttles, uint64_t lost)
{
	throttles->lost += lost;
}

/* It was stopped with this many samples. */
static void judge_stretch(struct throttles *throttles)
{
	const struct throttle_rule *rule = &throttles->rule;
	/* A stretch that goes on from one tick to the next may have as many again. */
	uint64_t ran = throttles->stopped > throttles->started
			       ? throttles->stopped - throttles->started
			       : 0;
	uint64_t ticks = 1 + (ran + rule->tick_ns / 10) / rule->tick_ns;

	if (throttles->lost != throttles->lost_seen)
		return;
	if (!throttles->judged++)
		throttles->fewest = throttles->stretch;
	throttles->few += throttles->stretch < rule->least;
	throttles->many += throttles->stretch > rule->most * ticks;
	if (throttles->stretch < throttles->fewest)
		throttles->fewest = throttles->stretch;
	if (throttles->stretch > throttles->most)
		throttles->most = throttles->stretch;
}

/* From the record that stopped it to the first sample after its own. */
static void end_pause(struct throttles *throttles, uint64_t time)
{
	throttles->is_silent = false;
	if (throttles->pauses < THROTTLES_PAUSES_MAX)
		throttles->pause_ns[throttles->pauses++] =
			time > throttles->stopped ? time - throttles->stopped : 0;
}

void throttles_sample(struct throttles *throttles, uint64_t time)
{
	take_time(throttles, time, false);
	throttles->samples++;
	throttles->stretch++;
	if (throttles->is_throttled && throttles->last_comes)
		judge_stretch(throttles);
	else if (throttles->is_silent)
		end_pause(throttles, time);
	if (throttles->is_throttled && !throttles->last_comes)
		throttles->while_throttled++;
	throttles->last_comes = false;
}

static void take_record(struct throttles *throttles, const struct ring_throttle *record, bool stop)
{
	take_time(throttles, record->time, true);
	throttles->wrong_id +=
		record->id != throttles->rule.id || record->stream_id != throttles->rule.id;
	throttles->unpaired += throttles->is_throttled == stop;
	throttles->is_throttled = stop;
	throttles->last_comes = stop;
}

void throttles_stop(struct throttles *throttles, const struct ring_throttle *record)
{
	take_record(throttles, record, true);
	throttles->throttled++;
	throttles->stopped = record->time;
	throttles->is_silent = true;
}

void throttles_start(struct throttles *throttles, const struct ring_throttle *record)
{
	take_record(throttles, record, false);
	throttles->unthrottled++;
	throttles->started = record->time;
	throttles->stretch = 0;
	throttles->lost_seen = throttles->lost;
}

static int by_length(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

double throttles_pause(const struct throttles *throttles, uint64_t end)
{
	const double tick = (double)throttles->rule.tick_ns;
	uint64_t sorted[THROTTLES_PAUSES_MAX];
	const size_t quarter = throttles->pauses / 4;
	double pause = NAN, last = NAN;

	memcpy(sorted, throttles->pause_ns, throttles->pauses * sizeof(*sorted));
	qsort(sorted, throttles->pauses, sizeof(*sorted), by_length);
	if (throttles->pauses)
		pause = (double)sorted[quarter] / tick;
	if (throttles->is_silent && end > throttles->stopped)
		last = (double)(end - throttles->stopped) / tick;
	/* The end may fall into a pause; one that is much longer than a tick will not end. */
	return last > SILENT_TICKS || isnan(pause) ? fmax(pause, last) : pause;
}

static int take(struct throttles *throttles, const struct event *event,
		const struct ring_record *record, struct err *err)
{
	struct ring_throttle throttle;
	struct ring_sample sample;
	uint64_t lost = 0;
	int result = 0;

	switch (record->header->type) {
	case PERF_RECORD_SAMPLE:
		result = ring_parse_sample(record, &event->attr, &sample, err);
		if (!result)
			throttles_sample(throttles, sample.time);
		return result;
	case PERF_RECORD_LOST:
		result = ring_parse_lost(record, &lost, err);
		throttles_lost(throttles, lost);
		return result;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		result = ring_parse_throttle(record, &throttle, err);
		if (!result && record->header->type == PERF_RECORD_THROTTLE)
			throttles_stop(throttles, &throttle);
		else if (!result)
			throttles_start(throttles, &throttle);
		return result;
	default:
		return 0;
	}
}

int throttles_drain(struct throttles *throttles, struct event *event, struct err *err)
{
	const uint64_t written = ring_written(&event->ring);
	struct ring_record record;
	int result;

	while ((result = ring_next_until(&event->ring, written, &record, err)) > 0) {
		result = take(throttles, event, &record, err);
		if (result)
			return result;
	}
	return result;
}
