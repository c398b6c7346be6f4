// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: cycles:pp has no sampling shadow: in a loop of ten square roots and a jump, all ten get a
 * fair share of the samples.
 *
 * Mechanism: cycles itself cannot be sampled precisely on Intel CPUs, so that for cycles:pp the
 * kernel takes another event that counts each cycle: instructions or micro-ops retired, with an
 * inverted threshold that is out of reach. Plain ones have a sampling shadow: what retires together
 * with a taken branch is charged to the branch. INST_RETIRED.PREC_DIST has hardware against it, and
 * the same trick works on it.
 *
 * With the shadow the first square root, to which the jump goes, gets next to nothing. The events
 * that a kernel may choose from are measured raw beside it: they tell what this CPU does, and which
 * of them cycles:pp behaves like. The check is of cycles:pp alone, as that is what people use.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "cycles_alias.h"
#include "drain.h"
#include "event.h"
#include "hypothesis.h"
#include "io.h"
#include "precise.h"
#include "rate_limit.h"
#include "stats.h"
#include "sysctl.h"
#include "workload.h"

#define SAMPLES 2500
#define SAMPLES_MIN 2000  /* 154 on each: a fifth of that is ten standard deviations away */
#define SAMPLES_A_PART 50 /* the ring is read that often */
#define PARTS 200	  /* four times as many as should be needed */
#define RING_PAGES 64
#define PLAN_ROUNDS 20000
#define PROBE_PERIOD 100003
#define EVENNESS_MIN 0.2
#define EXACT_MIN 90 /* % */
/*
 * Two samplings of one event, 2500 each over 13 instructions, are 0.039 apart by chance, with a
 * standard deviation of 0.008.
 */
#define DISTANCE_TOLD 0.05

#define PMU_NAME "/sys/bus/event_source/devices/cpu/caps/pmu_name"

#define SQRTPS 10
#define INSNS 13

/* A round of the loop "sqrt"; jz is not taken. */
static const char *const insns[INSNS] = {
	"sqrtps 1", "sqrtps 2", "sqrtps 3",  "sqrtps 4", "sqrtps 5", "sqrtps 6", "sqrtps 7",
	"sqrtps 8", "sqrtps 9", "sqrtps 10", "sub",	 "jz",	     "jmp",
};

/* An event to sample. */
struct choice {
	const char *row;
	uint32_t type;
	uint64_t config;
	unsigned int precise;
};

static const struct choice cycles_pp = { "cycles:pp", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
					 2 };
static const struct choice cycles_ppp = { "cycles:ppp", PERF_TYPE_HARDWARE,
					  PERF_COUNT_HW_CPU_CYCLES, 3 };
static const struct choice branches_pp = { "branches:pp", PERF_TYPE_HARDWARE,
					   PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 2 };

/* An event's samples over the loop. */
struct series {
	const struct workload *work;
	struct code_layout loop;
	uint64_t rounds; /* of a part */
	uint64_t samples, exact, inside;
	uint64_t count[INSNS];
};

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct series *series = context;
	long found = code_find(&series->loop, sample->ip);

	series->samples++;
	series->exact += (misc & PERF_RECORD_MISC_EXACT_IP) != 0;
	series->inside += found != CODE_OUTSIDE;
	if (found >= 0)
		series->count[found]++;
}

static void work(void *context)
{
	const struct series *series = context;

	if (series->inside < SAMPLES)
		series->work->run(series->rounds);
}

/* Count the loop's cycles and their rate, for the period and for the rounds of a part. */
static int plan(struct series *series, uint64_t *period, struct err *err)
{
	struct self_sampling counting = { .attr = event_attr(PERF_TYPE_HARDWARE,
							     PERF_COUNT_HW_CPU_CYCLES),
					  .pages = 1,
					  .parts = 1,
					  .work = work,
					  .context = series };
	uint64_t start = clock_ns(CLOCK_MONOTONIC), cycles, took;
	long allowed;
	int result = sysctl_read_long(RATE_LIMIT_SYSCTL, &allowed, err);

	series->rounds = PLAN_ROUNDS;
	counting.attr.exclude_kernel = 1;
	if (!result)
		result = self_sample(&counting, err);
	if (result)
		return result;
	took = clock_ns(CLOCK_MONOTONIC) - start;
	cycles = counting.count.value;
	if (cycles < PLAN_ROUNDS)
		return err_set(err, ENODATA, "%llu cycles in %d rounds", (unsigned long long)cycles,
			       PLAN_ROUNDS);
	*period = rate_limit_period((double)cycles * 1e9 / (double)took, allowed);
	series->rounds = *period * SAMPLES_A_PART * PLAN_ROUNDS / cycles;
	return 0;
}

static struct perf_event_attr choice_attr(const struct choice *choice, uint64_t period)
{
	struct perf_event_attr attr = event_attr(choice->type, choice->config);

	attr.precise_ip = choice->precise & 3;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.wakeup_events = 1; /* an interrupt for each record */
	return attr;
}

static int sample(struct series *series, const struct choice *choice, uint64_t period,
		  struct err *err)
{
	struct self_sampling sampling = { .attr = choice_attr(choice, period),
					  .pages = RING_PAGES,
					  .parts = PARTS,
					  .work = work,
					  .handle = take,
					  .context = series };

	series->samples = series->exact = series->inside = 0;
	memset(series->count, 0, sizeof(series->count));
	return self_sample(&sampling, err);
}

static void report(struct run *run, const struct choice *choice, const struct series *series)
{
	double evenness = histogram_least_to_mean(series->count, SQRTPS);
	char table[64];

	snprintf(table, sizeof(table), "samples of the loop, %s", choice->row);
	for (size_t i = 0; i < INSNS; i++) {
		run_figure(run, table, insns[i], "samples", (double)series->count[i], "1");
		run_figure(run, table, insns[i], "share",
			   stats_percent(series->count[i], series->inside), "%");
	}
	run_figure(run, "ten sqrtps", choice->row, "samples in the loop", (double)series->inside,
		   "1");
	run_figure(run, "ten sqrtps", choice->row, "exact",
		   stats_percent(series->exact, series->samples), "%");
	if (!isnan(evenness))
		run_figure(run, "ten sqrtps", choice->row, "least / mean", evenness, "1");
}

/*
 * Branches fall on jmp and on jz, which with sub may be one to the CPU, and none on a square root:
 * were they found everywhere, an even histogram would mean that addresses are not told apart.
 */
static bool control_branches(struct run *run, struct series *series, uint64_t period)
{
	uint64_t on_sqrtps = 0;
	struct err err;

	/* Odd, as a round has two branches. In cycles it is about the same. */
	if (sample(series, &branches_pp, period / 8 | 1, &err)) {
		run_broken(run, "%s: %s", branches_pp.row, err.text);
		return false;
	}
	report(run, &branches_pp, series);
	for (size_t i = 0; i < SQRTPS; i++)
		on_sqrtps += series->count[i];
	return run_control(run, "branches:pp not on a sqrtps",
			   stats_percent(series->inside - on_sqrtps, series->inside), EXACT_MIN,
			   "%");
}

/* Another event beside cycles:pp: how far apart they are, NAN when it is refused. */
static double compare(struct run *run, const struct series *pp, const struct choice *choice,
		      uint64_t period)
{
	struct series series = *pp;
	double distance;
	struct err err;

	if (sample(&series, choice, period, &err)) {
		run_note(run, "%s: %s", choice->row, err.text);
		return NAN;
	}
	report(run, choice, &series);
	distance = histogram_distance(pp->count, series.count, INSNS);
	if (!isnan(distance))
		run_figure(run, "ten sqrtps", choice->row, "distance to cycles:pp", distance, "1");
	return distance;
}

/* Which event the kernel took shows in nothing but where its samples fall. */
static void compare_all(struct run *run, const struct series *pp, uint64_t period)
{
	double least = INFINITY, most = 0;
	const char *like = NULL;
	char pmu[64] = "?";

	if (io_read_text(PMU_NAME, pmu, sizeof(pmu)) < 0)
		run_note(run, "no name of the PMU in %s", PMU_NAME);
	compare(run, pp, &cycles_ppp, period);
	for (const struct cycles_alias *alias = cycles_aliases; alias->name; alias++) {
		const struct choice choice = { alias->name, PERF_TYPE_RAW, alias->config, 2 };
		double distance;

		if (!cycles_alias_applies(alias, pmu))
			continue;
		distance = compare(run, pp, &choice, period);
		if (distance < least)
			like = alias->name;
		least = fmin(least, distance);
		most = fmax(most, distance);
	}
	if (most - least > DISTANCE_TOLD)
		run_note(run, "cycles:pp behaves like %s", like);
	else
		run_note(run, "PMU %s: where samples fall does not tell which event cycles:pp is",
			 pmu);
}

/*
 * Pin this thread, and see that the CPU has what is compared: IBS of AMD takes cycles:pp, but
 * neither branches:pp nor, in older kernels, user code only. False: a skip, or a broken run.
 */
static bool prepare(struct run *run)
{
	const struct choice *const wanted[] = { &cycles_pp, &branches_pp };
	int cpu = run_cpus(run)->cpu[0];
	struct err err;

	if (cpus_pin(cpu, &err)) {
		run_broken(run, "%s", err.text);
		return false;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct perf_event_attr attr = choice_attr(wanted[i], PROBE_PERIOD);

		if (!event_probe(&attr, &err))
			continue;
		run_skip(run, "%s of user code on CPU %d: %s", wanted[i]->row, cpu, err.text);
		return false;
	}
	return true;
}

static int run_prec_dist(struct run *run)
{
	const struct workload *loop = workload_find("sqrt");
	struct series series = { .work = loop };
	uint64_t period = 0;
	struct err err;

	if (loop->nr_starts != INSNS)
		return run_skip(run, "no loop of ten sqrtps for this architecture");
	if (!prepare(run))
		return 0;
	series.loop = (struct code_layout){ (uintptr_t)loop->branches[0].to, loop->starts, INSNS };
	if (plan(&series, &period, &err))
		return run_broken(run, "%s", err.text);
	if (!control_branches(run, &series, period))
		return 0;
	if (sample(&series, &cycles_pp, period, &err))
		return run_broken(run, "%s: %s", cycles_pp.row, err.text);
	report(run, &cycles_pp, &series);
	if (!run_control(run, "samples in the loop", (double)series.inside, SAMPLES_MIN - 1, "1") ||
	    !run_control(run, "samples with an exact address",
			 stats_percent(series.exact, series.samples), EXACT_MIN, "%"))
		return 0;
	run_check_ge(run, "no_shadow", cycles_pp.row, histogram_least_to_mean(series.count, SQRTPS),
		     EVENNESS_MIN, "1");
	compare_all(run, &series, period);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_PMU },
	{ .kind = NEED_PRECISE, .value = 2 },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "no_shadow",
	  .claim = "of ten equal square roots, the one with the fewest samples has a fifth of the "
		   "mean",
	  .origin = "listings of the patch for PREC_DIST, on Skylake: 0.016 with a shadow, 0.53 "
		    "without; the bound lies between, far from both" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "prec_dist",
	.claim = "cycles:pp has no sampling shadow: in a loop of ten square roots and a jump, all "
		 "ten get a fair share of the samples.",
	.source = "x86, perf: Use INST_RETIRED.PREC_DIST for cycles:pp on Skylake (Skylake perf "
		  "patches, 4/4)",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_prec_dist,
};
