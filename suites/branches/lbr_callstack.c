// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: in call-stack mode a branch stack shows all calls of its own task and none of another's,
 * also after the task was switched out and in.
 *
 * Mechanism: the records are registers of the CPU. In call-stack mode a return takes off what its
 * call put on, so that what is lost at a switch is not made good by running on, as it is in the
 * other modes: the kernel must read the records of a task that goes and write them back when it
 * comes again. It may leave that out when nobody has touched them in between, which it must know
 * for certain.
 *
 * On a broken kernel the callers of a function that slept in between are missing, in part or all,
 * or those of the task that ran meanwhile stand in their place.
 *
 * Two tasks on one CPU take turns, each in the deepest function of a chain of calls of its own.
 * Every sample in that function must show the whole chain.
 */
#include <signal.h>
#include <stdio.h>

#include "chain_pair.h"
#include "event.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "stats.h"

#define PERIOD 10007
#define PARTS 16 /* the chain is built anew in each */
#define TURNS 25
#define COMPLETE_MIN 90.0
#define SAMPLES_MIN 299

/* Who takes turns with whom. */
static const struct row {
	const char *name;
	enum chain_company company;
	bool other_sampled;
} rows[] = {
	{ "two threads", CHAIN_THREAD, true },
	{ "two threads, inherited", CHAIN_INHERITED, true },
	{ "two processes", CHAIN_PROCESS, true },
	{ "beside a thread not sampled", CHAIN_THREAD, false },
	{ "beside a process not sampled", CHAIN_PROCESS, false },
};

static struct perf_event_attr callstack_attr(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* Run a row; false when that was no run to judge. */
static bool run_row(struct run *run, const char *name, enum chain_company company,
		    bool other_sampled, struct chain_result result[CHAINS_N])
{
	const struct chain_plan plan = {
		.company = company,
		.other_sampled = other_sampled,
		.attr = callstack_attr(),
		.pages = 64,
		.cpu = run_cpus(run)->cpu[0],
		.parts = PARTS,
		.turns = TURNS,
		.spins = 10000, /* a sample or more in each turn */
	};
	struct err err;

	run_progress(run, "%s", name);
	if (!chain_pair_run(&plan, result, &err))
		return true;
	run_broken(run, "%s: %s", name, err.text);
	return false;
}

static double complete_percent(const struct chain_result *result)
{
	return stats_percent(result->complete, result->judged);
}

static bool report(struct run *run, const char *row, const struct chain_result *result)
{
	char name[96];

	run_figure(run, "call stacks", row, "judged", (double)result->judged, "1");
	run_figure(run, "call stacks", row, "complete", (double)result->complete, "1");
	run_figure(run, "call stacks", row, "foreign", (double)result->foreign, "1");
	run_figure(run, "call stacks", row, "switches", (double)result->switches, "1");
	snprintf(name, sizeof(name), "samples, %s", row);
	return run_control(run, name, (double)result->judged, SAMPLES_MIN, "1");
}

static void check_task(struct run *run, const struct row *row, int task,
		       const struct chain_result *result)
{
	char label[64], name[96];

	snprintf(label, sizeof(label), "%s, task %d", row->name, task);
	if (!report(run, label, result))
		return;
	/* A turn begins with waiting for the other task's end. */
	snprintf(name, sizeof(name), "switches, %s", label);
	if (!run_control(run, name, (double)result->switches, 0.9 * PARTS * TURNS, "1"))
		return;
	run_check_ge(run, "complete", label, complete_percent(result), COMPLETE_MIN, "%");
	run_check_le(run, "own", label, (double)result->foreign, 0, "1");
}

/* Positive control: without a switch the chain is seen. */
static bool control_alone(struct run *run)
{
	struct chain_result result[CHAINS_N];

	return run_row(run, "alone", CHAIN_ALONE, false, result) &&
	       report(run, "alone", &result[0]) &&
	       run_control(run, "complete, alone", complete_percent(&result[0]), COMPLETE_MIN, "%");
}

static int run_lbr_callstack(struct run *run)
{
	struct perf_event_attr attr = callstack_attr();
	int cpu = run_cpus(run)->cpu[0];
	struct chain_result result[CHAINS_N];
	struct err err;

	if (!chains[0].run)
		return run_skip(run, "no chains of calls for this architecture");
	if (cpus_pin(cpu, &err))
		return run_broken(run, "%s", err.text);
	if (event_probe(&attr, &err))
		return run_skip(run, "no call-stack mode on CPU %d: %s", cpu, err.text);
	/* Writing to a process that died is an error, not our end. */
	signal(SIGPIPE, SIG_IGN);
	if (!control_alone(run))
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!run_row(run, rows[i].name, rows[i].company, rows[i].other_sampled, result))
			return 0;
		for (int task = 0; task < 1 + rows[i].other_sampled; task++)
			check_task(run, &rows[i], task, &result[task]);
	}
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_BRANCH_STACK },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "complete",
	  .claim = "every sample in the deepest function shows its whole chain of callers",
	  .origin =
		  "the calls are in the assembly, fewer than the records of any CPU with this "
		  "mode. Records that are lost once (in a deep sleep, or by the host of a virtual "
		  "machine) are missing for the rest of a part, 1/16 of all: one such loss is "
		  "granted. A kernel that restores none has 0 %" },
	{ .name = "own",
	  .claim = "and no branch of the task that ran meanwhile",
	  .origin = "the other task's code is never run by this one" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lbr_callstack",
	.claim = "In call-stack mode a branch stack shows all calls of its own task and none of "
		 "another's, also after the task was switched out and in.",
	.source = "\"perf/x86/intel/lbr: Optimize context switches for LBR\", the discussion; "
		  "Linux commits 8b077e4a69be, 0592e57b24e7",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lbr_callstack,
};
