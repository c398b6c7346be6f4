// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Livelocks a machine whose kernel does not limit how long PMI handlers take, in the lab: counts
 * cycles of a whole CPU with a period so short that each PMI ends with the next one pending. A
 * process that opens and closes files gives RCU something to wait for.
 */
#include <fcntl.h>
#include <signal.h>

#include "clock.h"
#include "event.h"
#include "planted.h"

#define PERIOD 17

/* What is enough for RCU to have begun. */
#define WARM_UP_MS 500

/* Survived means: this much later, by the machine's clock. */
#define WHILE_MS 60000

static pid_t start_worker(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;)
		close(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

static int run_it(struct run *run)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct event event = EVENT_CLOSED;
	struct err err;
	pid_t worker;

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	if (event_open_cpu(&event, &attr, 0, &err) || event_map(&event, 1, false, &err))
		return run_broken(run, "%s", err.text);
	worker = start_worker();
	clock_sleep_ms(WARM_UP_MS);
	event_enable(&event, NULL);
	clock_sleep_ms(WHILE_MS);
	event_close(&event);
	kill(worker, SIGKILL);
	return run_broken(run, "survived period %d", PERIOD);
}

PLANTED("livelocks", run_it, 120, .danger = DANGER_MAY_HANG);
