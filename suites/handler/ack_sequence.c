// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: each PMI is acknowledged in one and the same known sequence of register accesses, which
 * clears the overflows that it read and leaves the counters as it found them.
 *
 * Mechanism: the handler stops the counters, reads which have overflowed, acknowledges that,
 * unmasks the interrupt at the local APIC and lets the counters go on. The order decides what
 * becomes of an overflow that comes meanwhile: cleared unread it is lost, let through too early it
 * is another NMI, not let through at all it is the end of sampling. Each scheme that kernels have
 * used is sound as a whole; steps of two of them mixed are not.
 *
 * On a broken kernel or PMU, PMIs differ in their sequence, the status is read again and again, a
 * bit stays unacknowledged, or counters stay off.
 *
 * Seen through the msr tracepoints: rdmsr, wrmsr and rdpmc with their values. The local APIC is
 * seen in x2APIC mode only; elsewhere schemes that differ in nothing but that have one name.
 */
#include <stdio.h>

#include "ack_scheme.h"
#include "drain.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "workload.h"

#define PERIOD 200003 /* cycles: 20,000 PMIs/s at 4 GHz, below the kernel's limits */
#define ROUNDS 50000  /* of the loop, in a part; five instructions or so each */
#define PARTS 100
#define RING_PAGES 64
#define ACCESSES_MAX 1000000 /* 50,000 PMIs of 20 accesses */

#define PMIS_MIN 20   /* fewer are no pattern; a PMU that is stuck raises not many more */
#define SHARE_ONE 95  /* % */
#define SHARE_EACH 99 /* % */

/* What is sampled: each in its own row. */
static const struct {
	const char *row;
	unsigned int precise;
	bool branches;
} kinds[] = {
	{ "counter", 0, false },
	{ "PEBS", 2, false },
	{ "branch stack", 0, true },
};

/*
 * Fixed period and a call chain: with less in a record, PEBS would keep many of them in its buffer
 * and raise one PMI for all.
 */
static struct perf_event_attr kind_attr(size_t i)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.sample_period = PERIOD;
	attr.precise_ip = kinds[i].precise;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	if (kinds[i].branches) {
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	}
	return attr;
}

static void work(void *context)
{
	const struct workload *multiply = context;

	multiply->run(ROUNDS);
}

/* Sample this thread with the registers traced. Returns 0 or -errno. */
static int observe(struct msr_trace *trace, size_t kind, struct err *err)
{
	struct self_sampling sampling = {
		.attr = kind_attr(kind),
		.pages = RING_PAGES,
		.parts = PARTS,
		.work = work,
		.context = (void *)workload_find("multiply"),
	};
	int result = msr_trace_start(trace, err);
	int stopped;

	if (result)
		return result;
	result = self_sample(&sampling, err);
	stopped = msr_trace_stop(trace, result ? NULL : err);
	return result ? result : stopped;
}

static double share(size_t n, const struct ack_summary *summary)
{
	return 100 * (double)n / (double)summary->pmis;
}

/* The tables: accesses per PMI, and each sequence with its share. */
static void report(struct run *run, const char *row, const struct ack_summary *summary)
{
	double pmis = (double)summary->pmis;
	char line[128];

	run_figure(run, "accesses per PMI", row, "PMIs", pmis, "1");
	run_figure(run, "accesses per PMI", row, "writes", (double)summary->writes / pmis, "1");
	run_figure(run, "accesses per PMI", row, "reads", (double)summary->reads / pmis, "1");
	run_figure(run, "accesses per PMI", row, "rdpmc", (double)summary->rdpmcs / pmis, "1");
	run_figure(run, "accesses per PMI", row, "LBR", (double)summary->branches / pmis, "1");
	run_figure(run, "accesses per PMI", row, "without overflow", (double)summary->idle, "1");
	for (size_t i = 0; i < summary->groups; i++) {
		const struct ack_group *group = &summary->group[i];
		const struct ack_scheme *scheme = ack_scheme(group->sequence);

		snprintf(line, sizeof(line), "%s: %s (%s)", row, group->sequence,
			 scheme ? scheme->name : "no known scheme");
		run_figure(run, "sequences", line, "PMIs", (double)group->n, "1");
		run_figure(run, "sequences", line, "share", share(group->n, summary), "%");
	}
}

static void judge(struct run *run, const char *row, const struct ack_summary *summary)
{
	const struct ack_scheme *scheme = ack_scheme(summary->group[0].sequence);

	if (scheme)
		run_note(run, "%s: %s: %s", row, scheme->name, scheme->what);
	run_check_ge(run, "one_sequence", row, share(summary->group[0].n, summary), SHARE_ONE, "%");
	run_check_ge(run, "known_scheme", row, scheme != NULL, 1, "1");
	run_check_ge(run, "acknowledged_as_read", row, share(summary->as_read, summary), SHARE_EACH,
		     "%");
	run_check_ge(run, "left_as_found", row, share(summary->restored, summary), SHARE_EACH, "%");
}

/* No register with the overflow of all counters: older AMD, and models before Core 2. */
static bool has_status(const struct msr_log *log)
{
	return msr_count(log, MSR_READ, MSR_BIT(MSR_GLOBAL_STATUS)) > 0;
}

static int test_kinds(struct run *run, struct msr_trace *trace)
{
	struct ack_summary summary;
	struct err err;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *row = kinds[i].row;
		struct perf_event_attr attr = kind_attr(i);

		if (event_probe(&attr, &err)) {
			run_note(run, "%s: not tested: %s", row, err.text);
			continue;
		}
		run_progress(run, "%s", row);
		if (observe(trace, i, &err))
			return run_broken(run, "%s: %s", row, err.text);
		ack_summarize(&trace->log[0], &summary);
		if (!run_control(run, row, (double)summary.pmis, PMIS_MIN, "1"))
			return 0;
		report(run, row, &summary);
		if (!has_status(&trace->log[0]))
			return run_skip(run,
					"this PMU has no global overflow status: %zu PMIs, "
					"and none read it",
					summary.pmis);
		judge(run, row, &summary);
	}
	return 0;
}

static int run_ack_sequence(struct run *run)
{
	const struct cpus cpu = { .n = 1, .cpu = { run_cpus(run)->cpu[0] } };
	struct msr_trace trace = { 0 };
	struct err err;
	int result;

	/* Before anything else: tracing may need a mount namespace, which is a thread's. */
	if (msr_trace_open(&trace, &cpu, MSR_PMU, true, ACCESSES_MAX, &err))
		return run_broken(run, "%s", err.text);
	if (cpus_pin(cpu.cpu[0], &err))
		result = run_broken(run, "%s", err.text);
	else
		result = test_kinds(run, &trace);
	msr_trace_close(&trace);
	return result;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_ROOT },
	{ .kind = NEED_TRACEPOINT, .what = "msr/write_msr" },
	{ .kind = NEED_TRACEPOINT, .what = "nmi/nmi_handler" },
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "one_sequence",
	  .claim = "95 % of PMIs are acknowledged in one and the same sequence",
	  .origin = "one handler, one kind of event, a loop in user mode; the rest for another "
		    "overflow meanwhile, and for what a hypervisor does to the trace" },
	{ .name = "known_scheme",
	  .claim = "and that sequence is one that kernels use",
	  .origin = "lib/ack_scheme.c: the schemes of arch/x86/events and of the patches to it" },
	{ .name = "acknowledged_as_read",
	  .claim = "99 % of PMIs acknowledge each overflow that they read, and no other while "
		   "counters run",
	  .origin = "Intel SDM 3B: a bit stays set until it is cleared through the reset "
		    "register, and one cleared unread is an overflow lost; 1 % as a "
		    "hypervisor may blur which accesses are the handler's" },
	{ .name = "left_as_found",
	  .claim = "99 % of PMIs leave GLOBAL_CTRL and PEBS_ENABLE as before",
	  .origin = "a handler returns to what it interrupted; 1 % as above" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "ack_sequence",
	.claim =
		"Each PMI is acknowledged in one and the same known sequence of register accesses, "
		"which clears the overflows that it read and leaves the counters as it found "
		"them.",
	.source = "[PATCH 1/4] x86, perf: Use a new PMU ack sequence on Skylake",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	/* Tracing each access makes the handler slow. */
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_ack_sequence,
};
