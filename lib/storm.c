// SPDX-License-Identifier: GPL-2.0-or-later
#include "storm.h"

#include <math.h>
#include <time.h>

#include "clock.h"
#include "rate_limit.h"
#include "sysctl.h"

static uint64_t look_ns(uint64_t planned_ns)
{
	const uint64_t most = 1000000000 / STORM_LOOKS_PER_S;

	return planned_ns / STORM_LOOKS_MIN < most ? planned_ns / STORM_LOOKS_MIN : most;
}

uint64_t storm_looks(uint64_t planned_ns)
{
	return planned_ns / look_ns(planned_ns);
}

/* A look: the limit, as the last of its slice of the time. */
static int look(struct storm *storm, uint64_t into, uint64_t planned_ns, struct err *err)
{
	uint64_t slice = into * SAMPLER_SLICES / planned_ns;
	long limit;
	int result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, err);

	if (result)
		return result;
	storm->looks++;
	storm->least = limit < storm->least ? limit : storm->least;
	for (; slice < SAMPLER_SLICES; slice++)
		storm->at[slice] = limit;
	if (storm->look)
		storm->look(storm, storm->context);
	return 0;
}

static int watch(struct storm *storm, uint64_t planned_ns, struct err *err)
{
	const struct timespec pause = { .tv_nsec = (long)look_ns(planned_ns) };
	const uint64_t start = clock_ns(CLOCK_MONOTONIC);
	uint64_t last = start, now = start;
	int result = 0;

	while (!result && now - start < planned_ns) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		now = clock_ns(CLOCK_MONOTONIC);
		storm->longest_ns = fmax(storm->longest_ns, (double)(now - last));
		last = now;
		result = look(storm, now - start, planned_ns, err);
	}
	return result;
}

static int sample(struct storm *storm, const struct sampler_target *targets, size_t n,
		  const struct sampler_plan *plan, struct err *err)
{
	int result = n ? sampler_start_targets(&storm->sampler, targets, n, plan, err) : 0;
	int stopped;

	if (result)
		return result;
	result = watch(storm, plan->planned_ns, err);
	stopped = n ? sampler_stop(&storm->sampler, result ? NULL : err) : 0;
	return result ? result : stopped;
}

int storm_run(struct storm *storm, const struct sampler_target *targets, size_t n,
	      const struct sampler_plan *plan, const struct bystanders *all, struct err *err)
{
	int result;

	*storm = (struct storm){ .look = storm->look, .context = storm->context };
	result = sysctl_read_long(RATE_LIMIT_SYSCTL, &storm->before, err);
	storm->least = storm->before;
	for (int i = 0; i < SAMPLER_SLICES; i++)
		storm->at[i] = storm->before;
	if (!result)
		result = bystander_lap_start(&storm->lap, all, err);
	if (result)
		return result;
	result = sample(storm, targets, n, plan, err);
	bystander_lap_end(&storm->lap, all);
	storm->seconds = (double)(storm->lap.end_ns - storm->lap.start_ns) / 1e9;
	if (!result)
		result = sysctl_read_long(RATE_LIMIT_SYSCTL, &storm->after, err);
	return result;
}

void storm_free(struct storm *storm)
{
	sampler_close(&storm->sampler);
	bystander_lap_free(&storm->lap);
}
