// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Livelocks a machine whose kernel does not limit how long PMI handlers take, in the lab: counts
 * cycles of a whole CPU with a period so short that each PMI ends with the next one pending.
 */
#include "clock.h"
#include "event.h"
#include "planted.h"

#define PERIOD 17

/* Survived means: this much later, by the machine's clock. */
#define WHILE_MS 60000

static int run_it(struct run *run)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct event event = EVENT_CLOSED;
	struct err err;

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	if (event_open_cpu(&event, &attr, 0, &err) || event_map(&event, 1, false, &err) ||
	    event_enable(&event, &err))
		return run_broken(run, "%s", err.text);
	clock_sleep_ms(WHILE_MS);
	event_close(&event);
	return run_broken(run, "survived period %d", PERIOD);
}

PLANTED("livelocks", run_it, 120, .danger = DANGER_MAY_HANG);
