// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: a storm of PMIs, or an overflow bit that cannot be cleared, never stops sampling.
 *
 * Mechanism: the handler reads the overflow status, acknowledges it, handles each bit and looks
 * again. A bit that comes back keeps it there; after 100 rounds Linux on Intel gives up and clears
 * all counters behind the backs of their events ("irq loop stuck"). An event with a fixed period is
 * then silent until it is opened again, one in frequency mode until the next tick, and a counter
 * that only counts makes a leap. A kernel that acknowledges after it has unmasked the PMI takes one
 * NMI for each return of the bit instead, and, if it returns for ever, never comes back.
 *
 * On a broken machine far fewer samples come than the event's own count holds periods, none at the
 * end of the run, a counter beside it reads about 2^47, or there are many more NMIs than samples;
 * or it hangs. The kernel's message comes once per boot; the checks here do not need it.
 *
 * A run of the same work that counts and does not sample tells what the counter beside it must
 * read, and how many NMIs come from elsewhere (NMI watchdog, somebody else's perf).
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "gaps.h"
#include "hypothesis.h"
#include "interrupts.h"
#include "loop_signs.h"
#include "placement.h"
#include "rate_limit.h"
#include "sysctl.h"
#include "workload.h"

#define PARTS 12 /* of a row; the ring is read after each */
/* CPU time; a quarter is two ticks of HZ=100: throttled events are back by then. */
#define PART_NS 7000000
#define CHUNK 2000     /* rounds of the loop between looks at the clock: below 100 us */
#define RING_PAGES 128 /* 10,000 samples of 48 bytes: 1.5 million per second */
#define QUARTERS 4
#define SILENT_MAX 5.0 /* periods */
#define SUM_MIN 0.9
#define SUM_MAX 1.1
#define SIBLING_MIN 0.5
#define SIBLING_MAX 10.0

static const struct setting {
	const char *row;
	uint64_t period;    /* 0: frequency mode */
	uint64_t frequency; /* Hz */
} settings[] = {
	{ .row = "period 20011", .period = 20011 },
	{ .row = "period 1009", .period = 1009 },
	{ .row = "frequency 20000 Hz", .frequency = 20000 },
};

struct experiment {
	struct run *run;
	int cpu;
	const char *nmi_row; /* of /proc/interrupts; NULL: not counted here */
	const struct workload *work;
	struct perf_event_attr sibling; /* counts beside the sampled event */
	double sibling_per_chunk;	/* without sampling */
	double quiet_nmis;		/* too */
	uint64_t samples;		/* of all rows */
};

/* What happens while one row is measured. */
struct stint {
	const struct experiment *experiment;
	struct self_sampling *sampling; /* NULL: none */
	unsigned int part;		/* the one that is going on, from 1 */
	uint64_t chunks;
	uint64_t periods; /* sum over all samples */
	uint64_t quarter[QUARTERS];
	struct gaps gaps;
	uint32_t nmis;
	int result;
	struct err err;
};

static void do_part(void *context)
{
	struct stint *stint = context;
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + PART_NS;

	stint->part++;
	do {
		stint->experiment->work->run(CHUNK);
		stint->chunks++;
	} while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
}

static void mark(struct stint *stint, uint64_t count)
{
	gaps_add(&stint->gaps,
		 &(struct gap_mark){ .count = count,
				     .lost = stint->sampling->drained.lost,
				     .pauses = stint->sampling->drained.unthrottled });
}

static void take_sample(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct stint *stint = context;

	(void)misc;
	stint->periods += sample->period;
	stint->quarter[(stint->part - 1) * QUARTERS / PARTS]++;
	mark(stint, sample->read_value);
}

/* NMIs of the CPU so far; 0 where they are not counted. */
static int read_nmis(const struct experiment *experiment, uint32_t *nmis, struct err *err)
{
	*nmis = 0;
	return experiment->nmi_row
		       ? interrupts_read(experiment->nmi_row, experiment->cpu, nmis, err)
		       : 0;
}

static void do_stint(void *context)
{
	struct stint *stint = context;
	uint32_t before = 0, after = 0;

	stint->result = read_nmis(stint->experiment, &before, &stint->err);
	if (!stint->result && stint->sampling)
		stint->result = self_sample(stint->sampling, &stint->err);
	while (!stint->sampling && stint->part < PARTS)
		do_part(stint);
	if (!stint->result)
		stint->result = read_nmis(stint->experiment, &after, &stint->err);
	stint->nmis = interrupts_since(before, after);
}

/* Count the sibling around a stint; false, and a broken run, when that is not possible. */
static bool observe(const struct experiment *experiment, struct stint *stint, const char *row,
		    double *sibling)
{
	struct event_count count = { 0 };

	if (!counters_count(&experiment->sibling, 1, do_stint, stint, &count, &stint->err) &&
	    !stint->result) {
		/* Of the time it was on the PMU, if others compete for it. */
		*sibling = counters_scaled(&count);
		return true;
	}
	run_broken(experiment->run, "%s: %s", row, stint->err.text);
	return false;
}

/* The first of these that counts is what counts beside the sampled event. */
static const uint64_t siblings[] = { PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES };

static bool measure_quiet(struct experiment *experiment)
{
	struct run *run = experiment->run;
	struct stint stint = { .experiment = experiment };
	double sibling = 0;
	struct err err;
	size_t i = 0;

	do
		experiment->sibling = counters_user_attr(siblings[i]);
	while (event_probe(&experiment->sibling, &err) && ++i < 2);
	if (!observe(experiment, &stint, "without sampling", &sibling))
		return false;
	experiment->sibling_per_chunk = sibling / (double)stint.chunks;
	experiment->quiet_nmis = stint.nmis;
	run_figure(run, "sampling", "none", "sibling per chunk", experiment->sibling_per_chunk,
		   "1");
	run_figure(run, "sampling", "none", "NMIs", stint.nmis, "1");
	return run_control(run, "count beside the sampled event", sibling, 0, "1");
}

static void judge(const struct experiment *experiment, const struct setting *setting,
		  const struct stint *stint, const struct loop_seen *seen)
{
	const struct loop_signs signs = loop_signs(seen);
	const char *row = setting->row;
	struct run *run = experiment->run;
	double last = (double)stint->quarter[QUARTERS - 1];

	run_figure(run, "sampling", row, "samples", (double)(seen->samples + seen->lost), "1");
	run_figure(run, "sampling", row, "throttle", (double)stint->sampling->drained.throttled,
		   "1");
	run_figure(run, "sampling", row, "periods / count", signs.periods, "1");
	run_figure(run, "sampling", row, "last quarter", last, "1");
	run_figure(run, "sampling", row, "sibling / expected", signs.sibling, "1");
	run_check_ge(run, "periods_add_up", row, signs.periods, SUM_MIN, "1");
	run_check_le(run, "periods_add_up", row, signs.periods, SUM_MAX, "1");
	if (setting->period)
		run_check_le(run, "never_silent", row,
			     (double)stint->gaps.running.longest / (double)setting->period,
			     SILENT_MAX, "periods");
	run_check_ge(run, "alive_at_the_end", row, last, 1, "1");
	run_check_ge(run, "sibling_sane", row, signs.sibling, SIBLING_MIN, "1");
	run_check_le(run, "sibling_sane", row, signs.sibling, SIBLING_MAX, "1");
	if (!experiment->nmi_row)
		return;
	run_figure(run, "sampling", row, "NMIs", seen->interrupts, "1");
	run_check_le(run, "no_storm", row, signs.extra, signs.extra_max, "1");
}

/* A frequency above the limit is refused. */
static uint64_t allowed_frequency(uint64_t frequency)
{
	struct err err;
	long limit;

	if (sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &err) || limit < 2)
		return frequency;
	return frequency < (uint64_t)limit / 2 ? frequency : (uint64_t)limit / 2;
}

static bool run_setting(struct experiment *experiment, const struct setting *setting)
{
	struct stint stint = { .experiment = experiment };
	struct self_sampling sampling = {
		.attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS),
		.pages = RING_PAGES,
		.parts = PARTS,
		.work = do_part,
		.handle = take_sample,
		.context = &stint,
	};
	struct loop_seen seen = { .interrupts_before = experiment->quiet_nmis };

	run_progress(experiment->run, "%s", setting->row);
	sampling.attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_PERIOD;
	sampling.attr.freq = !setting->period;
	if (setting->period)
		sampling.attr.sample_period = setting->period;
	else
		sampling.attr.sample_freq = allowed_frequency(setting->frequency);
	stint.sampling = &sampling;
	if (!observe(experiment, &stint, setting->row, &seen.sibling))
		return false;
	mark(&stint, sampling.count.value);
	seen.samples = sampling.drained.samples;
	seen.lost = sampling.drained.lost;
	seen.periods = stint.periods;
	seen.count = sampling.count.value;
	seen.sibling_expected = experiment->sibling_per_chunk * (double)stint.chunks;
	seen.interrupts = stint.nmis;
	judge(experiment, setting, &stint, &seen);
	experiment->samples += seen.samples;
	return true;
}

/* All that is to be told of a CPU whose counters sample. */
static void run_settings(struct experiment *experiment)
{
	if (!measure_quiet(experiment))
		return;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!run_setting(experiment, &settings[i]))
			break;
	run_control(experiment->run, "samples", (double)experiment->samples, 0, "1");
}

static int run_irq_loop(struct run *run)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment experiment = {
		.run = run,
		.cpu = run_cpus(run)->cpu[0],
		.nmi_row = interrupts_overflow_row(),
		.work = workload_find("multiply"),
	};
	struct placement placement;
	struct err err;
	uint32_t nmis;

	if (placement_pin(&placement, experiment.cpu, &err))
		return run_broken(run, "%s", err.text);
	/* A switch brings a silent event back: the fewer, the plainer its silence. */
	if (placement_policy(SCHED_FIFO, 1, &err))
		run_note(run, "silence may be cut short by other tasks: %s", err.text);
	if (read_nmis(&experiment, &nmis, &err)) {
		run_note(run, "interrupts are not compared with samples: %s", err.text);
		experiment.nmi_row = NULL;
	}
	if (event_probe(&attr, &err))
		run_skip(run, "CPU %d: %s", experiment.cpu, err.text);
	else
		run_settings(&experiment);
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "periods_add_up",
	  .claim = "the periods of all samples add up to what the event counted",
	  .origin = "a sample per period: off by at most one of hundreds at each end. 0.9 and 1.1, "
		    "because Linux 6.1 with a stuck bit reaches 0.2 to 0.6 (lab)" },
	{ .name = "never_silent",
	  .claim = "with a fixed period, nowhere are five periods counted without a sample",
	  .origin = "a sample per period, two if a switch takes one along; loose, as an event that "
		    "is not reloaded is silent until its task is switched out: thousands (lab)" },
	{ .name = "alive_at_the_end",
	  .claim = "samples still come in the last quarter of the run",
	  .origin = "a quarter is 21 ms: a thousand periods, or two ticks if the rate limit "
		    "throttles" },
	{ .name = "sibling_sane",
	  .claim = "a counter beside it counts what it counts without sampling",
	  .origin = "the same loop; loose, 0.5 to 10, as a counter that was cleared behind its "
		    "event's back is off by 2^47 or stands still" },
	{ .name = "no_storm",
	  .claim = "there are no more interrupts than samples",
	  .origin =
		  "one each; 5, 0.5 % and twice those of the run without sampling are allowed, for "
		  "NMI watchdog and other users of NMIs, which come at their own rate",
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "irq_loop",
	.claim =
		"A storm of PMIs, or an overflow bit that cannot be cleared, never stops sampling.",
	.source = "[PATCH 1/4] x86, perf: Use a new PMU ack sequence on Skylake, A. Kleen; "
		  "\"irq loop stuck\" of intel_pmu_handle_irq()",
	.danger = DANGER_MAY_HANG,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_irq_loop,
};
