// SPDX-License-Identifier: GPL-2.0-or-later
#include "counters.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define PERIOD_LONG 1000003 /* a few thousand samples per second at the most */

struct perf_event_attr counters_user_attr(uint64_t config)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, config);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

struct perf_event_attr counters_attr(uint64_t config, bool whole, uint64_t period)
{
	struct perf_event_attr attr =
		whole ? event_attr(PERF_TYPE_HARDWARE, config) : counters_user_attr(config);

	attr.sample_period = period;
	return attr;
}

struct perf_event_attr counters_sampling_attr(uint64_t config)
{
	return counters_attr(config, false, PERIOD_LONG);
}

static int count_open(struct event *events, size_t n, void (*work)(void *context), void *context,
		      struct event_count *counts, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = event_enable(&events[i], err);
	if (!result)
		work(context);
	for (size_t i = 0; !result && i < n; i++)
		result = event_disable(&events[i], err);
	for (size_t i = 0; !result && i < n; i++)
		result = event_read(&events[i], &counts[i], err);
	return result;
}

int counters_count(const struct perf_event_attr *attrs, size_t n, void (*work)(void *context),
		   void *context, struct event_count *counts, struct err *err)
{
	struct event *events = calloc(n, sizeof(*events));
	size_t opened = 0;
	int result = 0;

	if (!events)
		return err_set(err, ENOMEM, "%zu events", n);
	while (!result && opened < n) {
		result = event_open_self(&events[opened], &attrs[opened], err);
		opened += !result;
	}
	if (!result)
		result = count_open(events, n, work, context, counts, err);
	while (opened)
		event_close(&events[--opened]);
	free(events);
	return result;
}

/* Were all of them counted all the time? */
static bool all_the_time(const struct event_count *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!counts[i].running || counts[i].running != counts[i].enabled)
			return false;
	return true;
}

int counters_fit(const struct perf_event_attr *attrs, size_t n, void (*work)(void *context),
		 void *context, size_t *fit, struct err *err)
{
	struct event_count *counts = calloc(n, sizeof(*counts));
	int result = 0;

	if (!counts)
		return err_set(err, ENOMEM, "%zu counts", n);
	*fit = 0;
	while (*fit < n) {
		result = counters_count(attrs, *fit + 1, work, context, counts, err);
		if (result || !all_the_time(counts, *fit + 1))
			break;
		(*fit)++;
	}
	free(counts);
	return result;
}

double counters_scaled(const struct event_count *count)
{
	if (!count->running)
		return NAN;
	return (double)count->value * (double)count->enabled / (double)count->running;
}

/* Two clocks, neither of which is perf's, may differ from it: NTP slews by 0.05 % at most. */
#define CLOCKS_DIFFER 0.01

const char *counters_times_wrong(const struct event_count *count, uint64_t ran_ns, uint64_t wall_ns)
{
	if (count->running > count->enabled)
		return "running for longer than enabled";
	if ((double)count->enabled > (1 + CLOCKS_DIFFER) * (double)wall_ns)
		return "enabled for longer than time passed";
	if ((double)count->enabled < (1 - CLOCKS_DIFFER) * (double)ran_ns)
		return "enabled for less than its task ran meanwhile";
	return NULL;
}
