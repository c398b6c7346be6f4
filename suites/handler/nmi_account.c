// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: NMIs, PMIs, overflows that the handler says it handled, and samples agree; none is left to
 * nobody; and the NMI watchdog, whose event is one more on the same PMU, goes on.
 *
 * Mechanism: an overflow raises an NMI, in which each handler is asked in turn and says how much it
 * has handled. perf's makes a pass for the overflows it finds (row PMI of /proc/interrupts) and
 * returns their number. A handler that returns nothing though it worked leaves an unknown NMI
 * ("Uhhuh"); one that returns too much makes the kernel swallow the next one, whosoever it is.
 *
 * On a broken kernel the figures differ, unknown NMIs are in the log, or the NMI watchdog falls
 * silent after others had used the counters: a hard lockup would then not be noticed. One that
 * judges by a single slow handler has its limit lowered by the watchdog's NMIs alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "counters.h"
#include "drain.h"
#include "event.h"
#include "handler_time.h"
#include "hypothesis.h"
#include "interrupts.h"
#include "klog.h"
#include "machine.h"
#include "nmi_account.h"
#include "placement.h"
#include "rate_limit.h"
#include "sysctl.h"
#include "trace.h"
#include "workload.h"

#define PARTS 300
#define SAMPLES_MIN 10
#define PART_ROUNDS 2700 /* about 51,000 instructions: one period, more or less */
#define PARTS_PER_DRAIN 50
#define PERIOD 50021
#define PERIOD_OTHER 61027
#define RING_PAGES 16
#define TRACE_KB 512
#define LIMIT 100000 /* the kernel's default */
#define WATCHDOG_SYSCTL "kernel.watchdog_thresh"
#define WATCHDOG_TIMES 2
#define WATCHDOG_CPU_NS 4000000000 /* of two periods, at half of the nominal clock */
#define IDLE_LIMIT 20000
#define IDLE_PERIOD 50021 /* cycles */
#define IDLE_SAMPLES 5
#define SLOW_PERIOD 200003
#define SLOW_STACK 32768 /* bytes that such a PMI copies: more than 12 us in the lab */
#define SLOW_PAGES 64
#define IDLE_SLEEPS 1000 /* of a millisecond */
#define WATCHDOG_ROUNDS 20000

/* Events that sample at once, by period; 0: none. */
static const struct setting {
	const char *row;
	struct {
		uint64_t config, period;
	} event[2];
} settings[] = {
	{ "one event", { { PERF_COUNT_HW_INSTRUCTIONS, PERIOD } } },
	{ "two events",
	  { { PERF_COUNT_HW_INSTRUCTIONS, PERIOD }, { PERF_COUNT_HW_CPU_CYCLES, PERIOD_OTHER } } },
	{ "two that overflow together",
	  { { PERF_COUNT_HW_INSTRUCTIONS, PERIOD }, { PERF_COUNT_HW_INSTRUCTIONS, PERIOD } } },
};

struct experiment {
	struct run *run;
	int cpu;
	struct trace *trace;
	struct trace_field field;
	struct klog klog;
	struct workload_job part;
	struct event events[2];
	struct drained drained[2];
	size_t n; /* events */
	/* Of the CPU's trace reader, while it runs: */
	uint64_t calls, handled, idle;
	struct err err;
};

static void take_call(const struct trace_event *event, void *context)
{
	struct experiment *all = context;
	int64_t handled;

	if (!trace_value(event, &all->field, &handled))
		return;
	all->calls++;
	all->handled += (uint64_t)handled;
	all->idle += !handled;
}

static int open_events(struct experiment *all, const struct setting *setting)
{
	int result = 0;

	for (all->n = 0; !result && all->n < 2 && setting->event[all->n].period; all->n++) {
		struct perf_event_attr attr = counters_user_attr(setting->event[all->n].config);
		struct event *event = &all->events[all->n];

		attr.sample_period = setting->event[all->n].period;
		attr.sample_type = PERF_SAMPLE_IP;
		all->drained[all->n] = (struct drained){ 0 };
		/* As a group, so that both start with the same instruction. */
		result = all->n ? event_open_member(event, &attr, &all->events[0], &all->err)
				: event_open_self(event, &attr, &all->err);
		if (!result)
			result = event_map(event, RING_PAGES, false, &all->err);
	}
	return result;
}

static int drain(struct experiment *all)
{
	int result = 0;

	for (size_t i = 0; !result && i < all->n; i++)
		result = event_drain(&all->events[i], &all->drained[i], NULL, NULL, &all->err);
	return result;
}

static int work(struct experiment *all)
{
	int result = event_enable(&all->events[0], &all->err);

	for (int i = 1; !result && i <= PARTS; i++) {
		workload_do(&all->part);
		if (i % PARTS_PER_DRAIN == 0)
			result = drain(all);
	}
	if (!result)
		result = event_disable(&all->events[0], &all->err);
	return result ? result : drain(all);
}

static int read_rows(const struct experiment *all, uint32_t *nmis, uint32_t *pmis, struct err *err)
{
	int result = interrupts_read("NMI", all->cpu, nmis, err);

	return result ? result : interrupts_read("PMI", all->cpu, pmis, err);
}

static int observe(struct experiment *all, struct nmi_account *account)
{
	uint32_t nmis[2], pmis[2];
	int result, stopped;

	all->calls = all->handled = all->idle = 0;
	result = trace_start(all->trace, take_call, all, &all->err);
	if (result)
		return result;
	result = read_rows(all, &nmis[0], &pmis[0], &all->err);
	if (!result)
		result = work(all);
	if (!result)
		result = read_rows(all, &nmis[1], &pmis[1], &all->err);
	stopped = trace_stop(all->trace, result ? NULL : &all->err);
	if (result || stopped)
		return result ? result : stopped;
	*account = (struct nmi_account){ .nmis = interrupts_since(nmis[0], nmis[1]),
					 .pmis = interrupts_since(pmis[0], pmis[1]),
					 .calls = all->calls,
					 .handled = all->handled,
					 .idle = all->idle };
	for (size_t i = 0; i < all->n; i++) {
		uint64_t samples = all->drained[i].samples + all->drained[i].lost;

		account->samples += samples;
		account->most = samples > account->most ? samples : account->most;
	}
	return 0;
}

static void judge(struct run *run, const char *row, const struct nmi_account *account)
{
	const struct nmi_signs signs = nmi_account_signs(account);
	double allowed = (double)signs.allowed;

	run_figure(run, "NMIs", row, "samples", (double)account->samples, "1");
	run_figure(run, "NMIs", row, "NMI", (double)account->nmis, "1");
	run_figure(run, "NMIs", row, "PMI", (double)account->pmis, "1");
	run_figure(run, "NMIs", row, "handler called", (double)account->calls, "1");
	run_figure(run, "NMIs", row, "handled", (double)account->handled, "1");
	run_figure(run, "NMIs", row, "handled nothing", (double)account->idle, "1");
	run_check_le(run, "handled_agrees", row, (double)signs.handled, allowed, "1");
	run_check_le(run, "pmis_agree", row, (double)signs.pmis, allowed, "1");
	run_check_le(run, "nmis_agree", row, (double)signs.nmis, allowed, "1");
	run_check_le(run, "handler_called", row, (double)signs.calls, allowed, "1");
	run_check_le(run, "none_for_nothing", row, (double)signs.idle, allowed, "1");
}

/* False when there is no use in going on. */
static bool run_setting(struct experiment *all, const struct setting *setting)
{
	struct nmi_account account;
	int result;

	run_progress(all->run, "%s", setting->row);
	result = open_events(all, setting);
	if (!result)
		result = observe(all, &account);
	while (all->n)
		event_close(&all->events[--all->n]);
	if (result) {
		run_broken(all->run, "%s: %s", setting->row, all->err.text);
		return false;
	}
	if (!run_control(all->run, "samples", (double)account.samples, SAMPLES_MIN, "1"))
		return false;
	judge(all->run, setting->row, &account);
	return true;
}

/* Messages about an NMI that nobody claimed, since the run began. */
static int unknown_nmis(struct experiment *all, uint64_t *n)
{
	struct klog_record record;
	int result;

	while ((result = klog_next(&all->klog, &record, &all->err)) > 0)
		*n += record.class == KLOG_UNKNOWN_NMI && !record.continues;
	return result;
}

static void check_unknown(struct experiment *all)
{
	uint64_t n = 0;

	if (unknown_nmis(all, &n))
		run_broken(all->run, "kernel log: %s", all->err.text);
	else
		run_check_eq(all->run, "none_unknown", NULL, (double)n, 0, "1");
}

/* Is there a watchdog that uses a counter? */
static bool has_watchdog(struct run *run)
{
	struct err err;
	long on = 0;

	if (!sysctl_read_long("kernel.nmi_watchdog", &on, &err) && on &&
	    machine_kconfig("", "HARDLOCKUP_DETECTOR_PERF") == 1)
		return true;
	run_note(run, "there is no NMI watchdog, or one that uses no counter");
	return false;
}

/* The limit, with the kernel's own percentage of time that handlers may take. */
static int set_limit(long limit, struct err *err)
{
	int result = sysctl_write(RATE_PERCENT_SYSCTL, RATE_PERCENT_DEFAULT, err);

	return result ? result : rate_limit_set(limit, err);
}

/* Work until the watchdog came so often, or should long have done. */
static int await_watchdog(struct experiment *all, uint64_t *times)
{
	const uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct workload_job job = { all->part.work, WATCHDOG_ROUNDS };
	uint32_t before, now;
	int result = interrupts_read("NMI", all->cpu, &before, &all->err);

	for (*times = 0; !result && *times < WATCHDOG_TIMES &&
			 clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < WATCHDOG_CPU_NS;) {
		for (int i = 0; i < 100; i++)
			workload_do(&job);
		result = interrupts_read("NMI", all->cpu, &now, &all->err);
		*times = result ? 0 : interrupts_since(before, now);
	}
	return result;
}

/*
 * With a threshold of a second, so that it comes soon, with no event but the watchdog's, and with
 * the kernel's own limits on what handlers take.
 */
static void run_watchdog(struct experiment *all)
{
	static const char *const names[] = { WATCHDOG_SYSCTL, NULL };
	struct sysctl_saved saved[1];
	uint64_t times = 0;
	struct err err;
	long limit = 0;
	int result;

	run_progress(all->run, "the NMI watchdog");
	result = sysctl_save(saved, names, &all->err);
	if (!result)
		result = set_limit(LIMIT, &all->err);
	if (!result)
		result = sysctl_write(WATCHDOG_SYSCTL, "1", &all->err);
	if (!result)
		result = await_watchdog(all, &times);
	if (!result)
		result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &all->err);
	if (sysctl_restore(saved, 1, NULL, &err))
		run_broken(all->run, "%s", err.text);
	if (result) {
		run_broken(all->run, "NMI watchdog: %s", all->err.text);
		return;
	}
	run_figure(all->run, "NMI watchdog", "threshold 1 s", "NMIs", (double)times, "1");
	run_check_ge(all->run, "watchdog_goes_on", NULL, (double)times, WATCHDOG_TIMES, "1");
	run_check_ge(all->run, "watchdog_keeps_rate", NULL, (double)limit, LIMIT, "1/s");
}

/* Of the idle task. */
static void take_idle(const struct ring_sample *sample, uint16_t misc, void *n)
{
	(void)misc;
	*(uint64_t *)n += !sample->pid;
}

/* Sleep until a few PMIs have hit the idle task. */
static int await_idle(struct experiment *all, struct event *event, uint64_t *hits)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct drained drained = { 0 };
	int result;

	attr.sample_period = IDLE_PERIOD;
	attr.sample_type = PERF_SAMPLE_TID;
	result = event_open_cpu(event, &attr, all->cpu, &all->err);
	if (!result)
		result = event_map(event, RING_PAGES, false, &all->err);
	if (!result)
		result = event_enable(event, &all->err);
	for (int i = 0; !result && *hits < IDLE_SAMPLES && i < IDLE_SLEEPS; i++) {
		clock_sleep_ms(1);
		result = event_drain(event, &drained, take_idle, hits, &all->err);
	}
	return result;
}

/* PMIs that find the CPU idle must not count for more than others. */
static void run_idle(struct experiment *all)
{
	struct event event = EVENT_CLOSED;
	uint64_t hits = 0;
	long limit = 0;
	int result = set_limit(IDLE_LIMIT, &all->err);

	run_progress(all->run, "PMIs in the idle task");
	if (!result)
		result = await_idle(all, &event, &hits);
	event_close(&event);
	if (!result)
		result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &all->err);
	if (result)
		run_broken(all->run, "PMIs in the idle task: %s", all->err.text);
	else if (!hits)
		run_note(all->run, "no PMI has hit the idle task");
	else
		run_check_ge(all->run, "idle_keeps_rate", NULL, (double)limit, IDLE_LIMIT, "1/s");
}

/* Work with much on the stack. */
static void work_deep(void *context)
{
	const struct workload_job *job = context;
	volatile char deep[SLOW_STACK];

	for (size_t i = 0; i < sizeof(deep); i += 64)
		deep[i] = 1;
	job->work->run(job->rounds);
	deep[0] = 0;
}

/* A few PMIs that copy the stack: one that takes long by itself says nothing of the rest. */
static void run_slow(struct experiment *all)
{
	struct workload_job job = { all->part.work, SLOW_PERIOD / 19 };
	struct self_sampling sampling = { .attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS),
					  .pages = SLOW_PAGES,
					  .parts = IDLE_SAMPLES,
					  .work = work_deep,
					  .context = &job };
	long limit = 0;
	int result = set_limit(IDLE_LIMIT, &all->err);

	run_progress(all->run, "slow PMIs");
	sampling.attr.sample_period = SLOW_PERIOD;
	sampling.attr.sample_type = PERF_SAMPLE_STACK_USER;
	sampling.attr.sample_stack_user = SLOW_STACK;
	if (!result)
		result = self_sample(&sampling, &all->err);
	if (!result)
		result = sysctl_read_long(RATE_LIMIT_SYSCTL, &limit, &all->err);
	if (result)
		run_broken(all->run, "slow PMIs: %s", all->err.text);
	else if (run_control(all->run, "slow PMIs", (double)sampling.drained.samples, 0, "1"))
		run_check_ge(all->run, "slow_keeps_rate", NULL, (double)limit, IDLE_LIMIT, "1/s");
}

static void run_all(struct experiment *all)
{
	bool go_on = true;

	for (size_t i = 0; go_on && i < sizeof(settings) / sizeof(settings[0]); i++)
		go_on = run_setting(all, &settings[i]);
	if (go_on && has_watchdog(all->run))
		run_watchdog(all);
	if (go_on) {
		run_idle(all);
		run_slow(all);
	}
	check_unknown(all);
}

static int open_trace(struct experiment *all)
{
	const struct cpus cpu = { .n = 1, .cpu = { all->cpu } };
	int event, result = trace_open(&all->trace, &cpu, TRACE_KB, &all->err);

	if (result)
		return result;
	event = handler_nmi_enable(all->trace, &all->err);
	return event < 0 ? event
			 : trace_field(all->trace, event, "handled", &all->field, &all->err);
}

static int run_nmi_account(struct run *run)
{
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment *all;
	struct err err;

	if (!nmi_account_applies())
		return run_skip(run, "not an Intel CPU: other handlers keep other accounts");
	all = calloc(1, sizeof(*all));
	if (!all)
		return run_broken(run, "out of memory");
	all->run = run;
	all->cpu = run_cpus(run)->cpu[0];
	all->part = (struct workload_job){ workload_find("multiply"), PART_ROUNDS };
	/* Before anything else: tracing may need a mount namespace, which is a thread's. */
	if (open_trace(all))
		run_broken(run, "%s", all->err.text);
	else if (klog_open_live(&all->klog, &err))
		run_broken(run, "%s", err.text);
	else if (cpus_pin(all->cpu, &err))
		run_broken(run, "%s", err.text);
	else if (event_probe(&attr, &err))
		run_skip(run, "CPU %d: %s", all->cpu, err.text);
	else
		run_all(all);
	if (all->klog.line || all->klog.fd > 0)
		klog_close(&all->klog);
	trace_close(all->trace);
	free(all);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_ROOT },
	{ .kind = NEED_TRACEPOINT, .what = "nmi/nmi_handler" },
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

#define ALLOWED_ORIGIN                                                                           \
	"1 % and 5 for the NMI watchdog, other users of NMIs, and overflows that meet; periods " \
	"are ten times as long as a handler"

static const struct check checks[] = {
	{ .name = "handled_agrees",
	  .claim = "the handler returns as many overflows as there are samples",
	  .origin = "intel_pmu_handle_irq() counts each that it handles, and without BTS one more "
		    "each time (intel_bts_interrupt()); " ALLOWED_ORIGIN },
	{ .name = "pmis_agree",
	  .claim = "row PMI counts a pass for each overflow, or for several at once",
	  .origin = "handle_pmi_common(); " ALLOWED_ORIGIN },
	{ .name = "nmis_agree",
	  .claim = "row NMI does, too: from as many as the samples of one event to all samples",
	  .origin = "an overflow raises a PMI, which is an NMI; " ALLOWED_ORIGIN },
	{ .name = "handler_called",
	  .claim = "perf's handler is called once for each NMI",
	  .origin = "nmi_handle() asks all handlers; " ALLOWED_ORIGIN },
	{ .name = "none_for_nothing",
	  .claim = "and finds something to handle",
	  .origin = "with periods this long no overflow comes while another is "
		    "handled; " ALLOWED_ORIGIN },
	{ .name = "none_unknown",
	  .claim = "the kernel log knows of no NMI that nobody handled",
	  .origin = "\"Uhhuh. NMI received for unknown reason\": each NMI has a cause" },
	{ .name = "watchdog_goes_on",
	  .claim = "after all that the NMI watchdog's event still overflows, again and again",
	  .origin =
		  "kernel/watchdog_hld.c: every kernel.watchdog_thresh seconds of nominal cycles; "
		  "two in 4 s of CPU time, at half of the clock",
	  .optional = true },
	{ .name = "watchdog_keeps_rate",
	  .claim = "a machine with no event but the watchdog's keeps its max_sample_rate",
	  .origin = "perf_sample_event_took() averages over 128 handlers: two cannot move it",
	  .optional = true },
	{ .name = "idle_keeps_rate",
	  .claim = "nor do a few PMIs that hit the idle task lower it",
	  .origin = "the same; 5 of 128, at a limit that allows handlers 12 us",
	  .optional = true },
	{ .name = "slow_keeps_rate",
	  .claim = "nor do a few slow ones of a task, which copy 32 KiB of its stack",
	  .origin = "the same" },
	{ 0 },
};

static const char *const sysctls[] = { RATE_PERCENT_SYSCTL, RATE_LIMIT_SYSCTL, WATCHDOG_SYSCTL,
				       NULL };

const struct hypothesis hypothesis = {
	.name = "nmi_account",
	.claim = "NMIs, PMIs, overflows that the handler says it handled, and samples agree; none "
		 "is left to nobody; and the NMI watchdog goes on.",
	.source = "[PATCH 1/4] x86, perf: Use a new PMU ack sequence on Skylake, A. Kleen: "
		  "spurious and swallowed NMIs",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 40,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = sysctls,
	.run = run_nmi_account,
};
