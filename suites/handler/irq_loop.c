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
#include "drain.h"
#include "hypothesis.h"
#include "interrupts.h"
#include "placement.h"
#include "rate_limit.h"
#include "workload.h"

#define PARTS 12	/* of a row; the ring is read after each */
#define PART_NS 7000000 /* a quarter is two ticks of HZ=100: throttled events are back by then */
#define CHUNK 2000	/* rounds of the loop between looks at the clock: below 100 us */
#define RING_PAGES 128	/* 13,000 samples of 40 bytes: 1.9 million per second in a part */
#define QUARTERS 4
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

/* What happens while one row is measured. */
struct stint {
	const struct workload *work;
	unsigned int part; /* the one that is going on, from 1 */
	uint64_t chunks;
	uint64_t periods; /* sum over all samples */
	uint64_t quarter[QUARTERS];
};

/* What is found without sampling. */
struct quiet {
	double sibling_per_chunk;
	double nmis;
};

struct experiment {
	struct run *run;
	int cpu;
	const char *nmi_row; /* of /proc/interrupts; NULL: not counted here */
	const struct workload *work;
	struct quiet quiet;
	uint64_t samples; /* of all rows */
};

static struct perf_event_attr user_attr(uint64_t config)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, config);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static void do_part(void *context)
{
	struct stint *stint = context;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + PART_NS;

	stint->part++;
	do {
		stint->work->run(CHUNK);
		stint->chunks++;
	} while (clock_ns(CLOCK_MONOTONIC) < end);
}

static void take_sample(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct stint *stint = context;

	(void)misc;
	stint->periods += sample->period;
	stint->quarter[(stint->part - 1) * QUARTERS / PARTS]++;
}

/* NMIs of the CPU so far; 0 where they are not counted. */
static int read_nmis(const struct experiment *experiment, uint32_t *nmis, struct err *err)
{
	*nmis = 0;
	return experiment->nmi_row
		       ? interrupts_read(experiment->nmi_row, experiment->cpu, nmis, err)
		       : 0;
}

/* Count the sibling and NMIs around a stint, which samples if `sampling` is given. */
static int observe(const struct experiment *experiment, struct stint *stint,
		   struct self_sampling *sampling, double *sibling, uint32_t *nmis, struct err *err)
{
	struct perf_event_attr attr = user_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct event event = EVENT_CLOSED;
	struct event_count count = { 0 };
	uint32_t before = 0, after = 0;
	int result = event_open_self(&event, &attr, err);

	if (!result)
		result = event_enable(&event, err);
	if (!result)
		result = read_nmis(experiment, &before, err);
	if (!result && sampling)
		result = self_sample(sampling, err);
	for (int i = 0; !result && !sampling && i < PARTS; i++)
		do_part(stint);
	if (!result)
		result = read_nmis(experiment, &after, err);
	if (!result)
		result = event_disable(&event, err);
	if (!result)
		result = event_read(&event, &count, err);
	if (!result)
		result = event_counted(&event, &count, err);
	event_close(&event);
	if (result)
		return result;
	/* Of the time it was on the PMU, if others compete for it. */
	*sibling = (double)count.value * (double)count.enabled / (double)count.running;
	*nmis = interrupts_since(before, after);
	return 0;
}

static bool measure_quiet(struct experiment *experiment)
{
	struct stint stint = { .work = experiment->work };
	double sibling = 0;
	uint32_t nmis = 0;
	struct err err;

	if (observe(experiment, &stint, NULL, &sibling, &nmis, &err)) {
		run_broken(experiment->run, "without sampling: %s", err.text);
		return false;
	}
	experiment->quiet.sibling_per_chunk = sibling / (double)stint.chunks;
	experiment->quiet.nmis = nmis;
	run_figure(experiment->run, "sampling", "none", "sibling per chunk",
		   experiment->quiet.sibling_per_chunk, "1");
	run_figure(experiment->run, "sampling", "none", "NMIs", nmis, "1");
	return run_control(experiment->run, "branches of the loop", sibling, 0, "1");
}

static void judge_nmis(const struct experiment *experiment, const char *row, double samples,
		       double nmis)
{
	struct run *run = experiment->run;
	double bound = 5 + 0.01 * samples + 2 * experiment->quiet.nmis;

	run_figure(run, "sampling", row, "NMIs", nmis, "1");
	run_check_le(run, "no_storm", row, nmis - samples, bound, "1");
}

static void judge(const struct experiment *experiment, const char *row, const struct stint *stint,
		  const struct self_sampling *sampling, double sibling, double nmis)
{
	struct run *run = experiment->run;
	double samples = (double)(sampling->drained.samples + sampling->drained.lost);
	double each = sampling->drained.samples
			      ? (double)stint->periods / (double)sampling->drained.samples
			      : 0;
	double sum = samples * each / (double)sampling->count.value;
	double expected = experiment->quiet.sibling_per_chunk * (double)stint->chunks;

	run_figure(run, "sampling", row, "samples", samples, "1");
	run_figure(run, "sampling", row, "throttle", (double)sampling->drained.throttled, "1");
	run_figure(run, "sampling", row, "periods / count", sum, "1");
	run_figure(run, "sampling", row, "last quarter", (double)stint->quarter[QUARTERS - 1], "1");
	run_figure(run, "sampling", row, "sibling / expected", sibling / expected, "1");
	run_check_ge(run, "periods_add_up", row, sum, SUM_MIN, "1");
	run_check_le(run, "periods_add_up", row, sum, SUM_MAX, "1");
	run_check_ge(run, "alive_at_the_end", row, (double)stint->quarter[QUARTERS - 1], 1, "1");
	run_check_ge(run, "sibling_sane", row, sibling / expected, SIBLING_MIN, "1");
	run_check_le(run, "sibling_sane", row, sibling / expected, SIBLING_MAX, "1");
	if (experiment->nmi_row)
		judge_nmis(experiment, row, samples, nmis);
}

static bool run_setting(struct experiment *experiment, const struct setting *setting)
{
	struct stint stint = { .work = experiment->work };
	struct self_sampling sampling = {
		.attr = user_attr(PERF_COUNT_HW_INSTRUCTIONS),
		.pages = RING_PAGES,
		.parts = PARTS,
		.work = do_part,
		.handle = take_sample,
		.context = &stint,
	};
	double sibling = 0;
	uint32_t nmis = 0;
	struct err err;

	run_progress(experiment->run, "%s", setting->row);
	sampling.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	sampling.attr.freq = !setting->period;
	if (setting->period)
		sampling.attr.sample_period = setting->period;
	else
		sampling.attr.sample_freq = setting->frequency;
	if (observe(experiment, &stint, &sampling, &sibling, &nmis, &err)) {
		run_broken(experiment->run, "%s: %s", setting->row, err.text);
		return false;
	}
	if (!sampling.count.value) {
		run_broken(experiment->run, "%s: the event counted nothing", setting->row);
		return false;
	}
	judge(experiment, setting->row, &stint, &sampling, sibling, nmis);
	experiment->samples += sampling.drained.samples;
	return true;
}

static int run_irq_loop(struct run *run)
{
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
	if (read_nmis(&experiment, &nmis, &err)) {
		run_note(run, "interrupts are not compared with samples: %s", err.text);
		experiment.nmi_row = NULL;
	}
	if (measure_quiet(&experiment)) {
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
			if (!run_setting(&experiment, &settings[i]))
				break;
		run_control(run, "samples", (double)experiment.samples, 0, "1");
	}
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
	  .origin = "one each; 5, 1 % and twice those of the run without sampling are allowed, for "
		    "NMI watchdog and other users of NMIs, which come at their own rate",
	  .optional = true },
	{ 0 },
};

static const struct klog_allow klog[] = {
	/* Where handlers are slow the kernel rightly lowers its limit, and says so. */
	{ KLOG_THROTTLE, 100 },
	{ KLOG_SLOW_NMI, 100 },
	{ KLOG_NONE, 0 },
};

static const char *const sysctls[] = { RATE_LIMIT_SYSCTL, NULL };

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
	.klog = klog,
	.sysctls = sysctls,
	.run = run_irq_loop,
};
