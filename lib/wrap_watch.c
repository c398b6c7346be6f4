// SPDX-License-Identifier: GPL-2.0-or-later
#include "wrap_watch.h"

#include <sched.h>

#include "placement.h"

#define NEAR_NS 30e6 /* three looks of a storm: one of them will see it coming */
/*
 * Two rounds: disabling and enabling takes some 50 us on an emulated Alpha, its samples, seven of
 * 25 us in a tick, four times as long. So a handler is running two thirds of the time.
 */
#define TOUCH_NS 500e3
#define AFTER_NS 100000000 /* hundreds of samples, for the kernel to draw conclusions */
#define PRIORITY 2	   /* SCHED_FIFO, above the reader of the rings */

int wrap_watch_open(struct wrap_watch *watch, struct err *err)
{
	*watch = (struct wrap_watch){ .counter = cycle_counter_here() };
	return watch->counter ? cycle_counter_frequency(watch->counter, &watch->hz, err) : 0;
}

static double left_ns(const struct wrap_watch *watch, uint64_t count)
{
	return cycle_counter_left_ns(watch->counter, watch->hz, count);
}

uint64_t wrap_watch_ns(const struct wrap_watch *watch, unsigned int wraps)
{
	const double first = left_ns(watch, watch->counter->read());

	return (uint64_t)(first + (wraps - 1) * left_ns(watch, 0)) + AFTER_NS;
}

void wrap_watch_look(struct storm *storm, void *context)
{
	const struct wrap_watch *watch = context;
	struct event *event = &storm->sampler.cpu[0].event;
	uint64_t last = watch->counter->read();

	if (left_ns(watch, last) > NEAR_NS)
		return;
	placement_policy(SCHED_FIFO, PRIORITY, NULL);
	for (uint64_t count = last; count >= last; count = watch->counter->read()) {
		last = count;
		if (left_ns(watch, count) > TOUCH_NS)
			continue;
		event_disable(event, NULL);
		event_enable(event, NULL);
	}
	placement_policy(SCHED_OTHER, 0, NULL);
}
