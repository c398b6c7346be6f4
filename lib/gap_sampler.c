// SPDX-License-Identifier: GPL-2.0-or-later
#include "gap_sampler.h"

static struct gap_mark mark_at(const struct gap_subject *subject, uint64_t count)
{
	return (struct gap_mark){ .count = count,
				  .lost = subject->drained.lost,
				  .pauses = subject->drained.unthrottled,
				  .switches = subject->drained.switches };
}

static void take_sample(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct gap_subject *subject = context;
	const struct gap_mark mark = mark_at(subject, sample->read_value);

	(void)misc;
	gaps_add(&subject->gaps, &mark);
}

/* Read the count, then all samples up to it. */
static int read_all(struct gap_subject *subject, struct err *err)
{
	int result = event_read(&subject->event, &subject->count, err);

	return result ? result
		      : event_drain(&subject->event, &subject->drained, take_sample, subject, err);
}

static int look(struct gap_subject *subject, struct err *err)
{
	int result = read_all(subject, err);
	const struct gap_mark mark = mark_at(subject, subject->count.value);

	if (!result)
		gaps_look(&subject->gaps, &mark);
	return result;
}

static int start(struct gap_subject *subjects, size_t n, const struct gap_work *work,
		 struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		subjects[i].attr.sample_type = PERF_SAMPLE_READ;
		subjects[i].attr.context_switch = 1;
		result = event_open_self(&subjects[i].event, &subjects[i].attr, err);
		if (!result)
			result = event_map(&subjects[i].event, work->pages, false, err);
	}
	for (size_t i = 0; !result && i < n; i++)
		result = event_enable(&subjects[i].event, err);
	return result;
}

/* Nothing comes after the last sample but the rest of a period. */
static int finish(struct gap_subject *subject, struct err *err)
{
	int result = event_disable(&subject->event, err);
	struct gap_mark mark;

	if (!result)
		result = read_all(subject, err);
	mark = mark_at(subject, subject->count.value);
	if (!result)
		gaps_add(&subject->gaps, &mark);
	return result;
}

int gap_sample(struct gap_subject *subjects, size_t n, const struct gap_work *work, struct err *err)
{
	int result;

	for (size_t i = 0; i < n; i++)
		subjects[i] =
			(struct gap_subject){ .attr = subjects[i].attr, .event = EVENT_CLOSED };
	result = start(subjects, n, work, err);
	for (unsigned int part = 0; !result && part < work->parts; part++) {
		result = work->part(work->context, err);
		for (size_t i = 0; !result && i < n; i++)
			result = look(&subjects[i], err);
	}
	for (size_t i = 0; !result && i < n; i++)
		result = finish(&subjects[i], err);
	for (size_t i = 0; i < n; i++)
		event_close(&subjects[i].event);
	return result;
}
