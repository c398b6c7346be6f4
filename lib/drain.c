// SPDX-License-Identifier: GPL-2.0-or-later
#include "drain.h"

static int take_lost(const struct event *event, const struct ring_record *record,
		     struct drained *drained, struct err *err)
{
	uint64_t lost, id;
	int result = ring_parse_lost(record, &lost, err);

	if (!result)
		result = ring_parse_lost_id(record, &id, err);
	if (result)
		return result;
	drained->lost += lost;
	drained->lost_records++;
	drained->lost_foreign += id != event->id;
	return 0;
}

static int take(struct event *event, const struct ring_record *record, struct drained *drained,
		sample_handler handle, void *context, struct err *err)
{
	struct ring_sample sample;
	int result = 0;

	switch (record->header->type) {
	case PERF_RECORD_SAMPLE:
		drained->samples++;
		if (handle)
			result = ring_parse_sample(record, &event->attr, &sample, err);
		if (handle && !result)
			handle(&sample, record->header->misc, context);
		return result;
	case PERF_RECORD_LOST:
		return take_lost(event, record, drained, err);
	case PERF_RECORD_THROTTLE:
		drained->throttled++;
		return 0;
	case PERF_RECORD_UNTHROTTLE:
		drained->unthrottled++;
		return 0;
	case PERF_RECORD_SWITCH:
		drained->switches++;
		return 0;
	default:
		return 0;
	}
}

int event_drain(struct event *event, struct drained *drained, sample_handler handle, void *context,
		struct err *err)
{
	const uint64_t written = ring_written(&event->ring);
	struct ring_record record;
	int result;

	while ((result = ring_next_until(&event->ring, written, &record, err)) > 0) {
		result = take(event, &record, drained, handle, context, err);
		if (result)
			return result;
	}
	return result;
}

static int sample_open(struct self_sampling *sampling, struct event *event, struct err *err)
{
	int result = event_map(event, sampling->pages, false, err);

	if (!result)
		result = event_enable(event, err);
	for (unsigned int i = 0; !result && i < sampling->parts; i++) {
		sampling->work(sampling->context);
		result = event_drain(event, &sampling->drained, sampling->handle, sampling->context,
				     err);
	}
	if (!result)
		result = event_disable(event, err);
	if (!result)
		result = event_read(event, &sampling->count, err);
	if (!result)
		result = event_drain(event, &sampling->drained, sampling->handle, sampling->context,
				     err);
	return result;
}

int self_sample(struct self_sampling *sampling, struct err *err)
{
	struct event event = EVENT_CLOSED;
	int result;

	sampling->drained = (struct drained){ 0 };
	sampling->count = (struct event_count){ 0 };
	result = event_open_self(&event, &sampling->attr, err);
	if (result)
		return result;
	result = sample_open(sampling, &event, err);
	event_close(&event);
	return result;
}
