// SPDX-License-Identifier: GPL-2.0-or-later
#include "overflow_sampler.h"

static void take_sample(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct overflow_subject *subject = context;

	(void)misc;
	overflows_add(&subject->overflows, sample->read_value, subject->drained.lost);
}

static int drain_all(struct overflow_subject *subjects, size_t n, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = event_drain(&subjects[i].event, &subjects[i].drained, take_sample,
				     &subjects[i], err);
	return result;
}

static int open_all(struct overflow_subject *subjects, size_t n, unsigned int pages,
		    struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		struct overflow_subject *subject = &subjects[i];

		subject->attr.sample_type = PERF_SAMPLE_READ;
		result = i ? event_open_member(&subject->event, &subject->attr, &subjects[0].event,
					       err)
			   : event_open_self(&subject->event, &subject->attr, err);
		if (!result)
			result = event_map(&subject->event, pages, false, err);
	}
	return result;
}

static int finish(struct overflow_subject *subjects, size_t n, struct err *err)
{
	int result = event_disable(&subjects[0].event, err);

	if (!result)
		result = drain_all(subjects, n, err);
	for (size_t i = 0; !result && i < n; i++) {
		result = event_read(&subjects[i].event, &subjects[i].count, err);
		if (!result)
			overflows_end(&subjects[i].overflows, subjects[i].count.value,
				      subjects[i].drained.lost);
	}
	return result;
}

int overflow_sample(struct overflow_subject *subjects, size_t n, const struct overflow_work *work,
		    struct err *err)
{
	int result;

	for (size_t i = 0; i < n; i++)
		subjects[i] = (struct overflow_subject){
			.attr = subjects[i].attr,
			.overflows = { .period = subjects[i].attr.sample_period },
			.event = EVENT_CLOSED,
		};
	result = open_all(subjects, n, work->pages, err);
	if (!result)
		result = event_enable(&subjects[0].event, err);
	for (unsigned int part = 0; !result && part < work->parts; part++) {
		result = work->part(work->context, err);
		if (!result)
			result = drain_all(subjects, n, err);
	}
	if (!result)
		result = finish(subjects, n, err);
	while (n)
		event_close(&subjects[--n].event);
	return result;
}
