// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: what a sample carries of its context is what was there: the call chain, the user's
 * registers, those of the interrupt, and the user's stack.
 *
 * Mechanism: the handler walks the frames of the kernel and of the user from the registers it was
 * interrupted with, marks where one ends and the other begins, and copies registers and stack. In a
 * system call the user's registers are those saved on entry, not those of the interrupt.
 *
 * On a broken kernel a profile has callers that never called, lacks the first or the last, puts the
 * kernel's functions under the wrong system call, or gives an unwinder registers and stack that do
 * not belong together.
 *
 * A place in code where all of that is known (fixtures/workloads/known) makes system calls; samples
 * fall into it and into the kernel.
 */
#include <errno.h>

#include "counters.h"
#include "drain.h"
#include "hypothesis.h"
#include "known.h"
#include "placement.h"
#include "rate_limit.h"

#define PERIOD 50021 /* instructions */
#define PARTS 2
#define CALLS 15000 /* some hundred instructions each */
#define SPINS 60    /* of two instructions, as long as a short system call */
#define RING_PAGES 64
#define STACK_BYTES 256
#define STACK_LIMIT 3	/* addresses */
#define SHARE_MIN 0.95	/* of samples in the kernel */
#define CALLERS_MIN 0.2 /* of them, that are called by something in the kernel */
#define SAMPLES_MIN 20

/* How many were right, and how many not. */
struct tally {
	uint64_t right, wrong;
};

struct experiment {
	struct run *run;
	struct known known;
	struct known_turns turns;
	struct tally user, kernel; /* samples in the place, and all in the kernel */
	struct tally intr;	   /* those in the place */
	struct tally callers;	   /* in the kernel: with callers there, and without */
};

static void add(struct tally *tally, bool right)
{
	tally->right += right;
	tally->wrong += !right;
}

static void work(void *context)
{
	struct experiment *all = context;

	known_run(&all->known, &all->turns);
}

static bool in_place(const struct experiment *all, const struct ring_sample *sample)
{
	return sample->ip >= all->known.place.begin && sample->ip < all->known.place.end;
}

static void take_chain(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	if (!known_is_user(sample->ip)) {
		add(&all->kernel, known_chain_right(&all->known.place, sample));
		add(&all->callers, sample->callchain_nr > 2 &&
					   !known_is_user(sample->callchain[2]) &&
					   sample->callchain[2] != (uint64_t)PERF_CONTEXT_USER);
	} else if (in_place(all, sample)) {
		add(&all->user, known_chain_right(&all->known.place, sample));
	}
}

static void take_limited(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	if (in_place(all, sample))
		add(&all->user, known_chain_limited(&all->known.place, sample, STACK_LIMIT));
}

/* A chain without the user's part, or without the kernel's. */
static void take_kernel_only(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	if (!known_is_user(sample->ip))
		add(&all->kernel, known_chain_only(sample, false));
}

static void take_user_only(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	if (!known_is_user(sample->ip))
		add(&all->kernel, known_chain_only(sample, true));
}

/* Where the user's registers are just being saved there are none. */
static bool is_saved(const struct ring_sample *sample)
{
	return sample->user_regs_abi != PERF_SAMPLE_REGS_ABI_NONE;
}

static void take_registers(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	if (in_place(all, sample)) {
		add(&all->user, known_regs_right(&all->known.place, sample));
		add(&all->intr, known_intr_regs_right(&all->known.place, sample));
	} else if (!known_is_user(sample->ip) && is_saved(sample)) {
		add(&all->kernel, known_regs_right(&all->known.place, sample));
	}
}

static void take_stack(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	if (in_place(all, sample))
		add(&all->user, known_stack_right(&all->known.place, sample));
	else if (!known_is_user(sample->ip) && is_saved(sample))
		add(&all->kernel, known_stack_right(&all->known.place, sample));
}

/* Sample with this attr; false, and broken, when there is nothing to judge. */
static bool sample(struct experiment *all, const struct perf_event_attr *attr, sample_handler take,
		   const char *line)
{
	struct self_sampling sampling = { .attr = *attr,
					  .pages = RING_PAGES,
					  .parts = PARTS,
					  .work = work,
					  .handle = take,
					  .context = all };
	struct run *run = all->run;
	struct err err;
	int result;

	run_progress(run, "%s", line);
	all->user = all->kernel = all->intr = all->callers = (struct tally){ 0 };
	sampling.attr.sample_period = PERIOD;
	sampling.attr.sample_type |= PERF_SAMPLE_IP;
	result = self_sample(&sampling, &err);
	/* A sample that is not as long as its parts is no reason to know nothing. */
	if (result && result != -EBADMSG) {
		run_broken(run, "%s: %s", line, err.text);
		return false;
	}
	if (result)
		run_note(run, "%s: %s", line, err.text);
	if (!run_check_eq(run, "parts_fit", line, result == -EBADMSG, 0, "corrupt samples"))
		return false;
	run_figure(run, "samples", line, "user: right", (double)all->user.right, "1");
	run_figure(run, "samples", line, "user: wrong", (double)all->user.wrong, "1");
	run_figure(run, "samples", line, "kernel: right", (double)all->kernel.right, "1");
	run_figure(run, "samples", line, "kernel: wrong", (double)all->kernel.wrong, "1");
	return true;
}

static void check_user(struct experiment *all, const char *check, const struct tally *tally,
		       const char *line)
{
	if (run_control(all->run, line, (double)(tally->right + tally->wrong), SAMPLES_MIN,
			"samples"))
		run_check_eq(all->run, check, line, (double)tally->wrong, 0, "1");
}

static void check_kernel(struct experiment *all, const char *check, const char *line)
{
	double judged = (double)(all->kernel.right + all->kernel.wrong);

	if (run_control(all->run, line, judged, SAMPLES_MIN, "samples"))
		run_check_ge(all->run, check, line, (double)all->kernel.right / judged, SHARE_MIN,
			     "1");
}

static void run_chains(struct experiment *all)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	if (sample(all, &attr, take_chain, "call chains")) {
		check_user(all, "chain_of_user", &all->user, "call chains, user");
		check_kernel(all, "chain_of_kernel", "call chains, kernel");
		run_figure(all->run, "samples", "call chains", "kernel: with callers",
			   (double)all->callers.right, "1");
		run_check_ge(all->run, "callers_in_kernel", NULL,
			     (double)all->callers.right /
				     (double)(all->callers.right + all->callers.wrong),
			     CALLERS_MIN, "1");
	}
	attr.sample_max_stack = STACK_LIMIT;
	if (sample(all, &attr, take_limited, "call chains of 3"))
		check_user(all, "chain_limited", &all->user, "call chains of 3");
	attr.sample_max_stack = 0;
	attr.exclude_callchain_user = 1;
	if (sample(all, &attr, take_kernel_only, "call chains without the user's"))
		check_kernel(all, "chain_parts", "call chains without the user's");
	attr.exclude_callchain_user = 0;
	attr.exclude_callchain_kernel = 1;
	if (sample(all, &attr, take_user_only, "call chains without the kernel's"))
		check_kernel(all, "chain_parts", "call chains without the kernel's");
}

static void run_registers(struct experiment *all)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct known_turns once = { .calls = 1, .spins = 1 };

	/* To know which registers. */
	known_run(&all->known, &once);
	attr.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_user = all->known.place.regs_mask;
	attr.sample_regs_intr = all->known.place.regs_mask;
	if (sample(all, &attr, take_registers, "registers")) {
		check_user(all, "user_registers", &all->user, "registers");
		check_user(all, "interrupt_registers", &all->intr, "registers of the interrupt");
		check_kernel(all, "registers_in_kernel", "registers, in system calls");
	}
	attr.sample_type |= PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = STACK_BYTES;
	if (sample(all, &attr, take_stack, "stack")) {
		check_user(all, "user_stack", &all->user, "stack");
		check_kernel(all, "stack_in_kernel", "stack, in system calls");
	}
}

static int run_sample_context(struct run *run)
{
	struct experiment all = { .run = run, .turns = { .calls = CALLS, .spins = SPINS } };
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int cpu = run_cpus(run)->cpu[0];
	struct placement placement;
	struct err err;

	if (!known_exists)
		return run_skip(run, "no place where all is known for this architecture");
	if (placement_pin(&placement, cpu, &err))
		return run_broken(run, "%s", err.text);
	attr.sample_period = PERIOD;
	if (event_probe(&attr, &err)) {
		run_skip(run, "CPU %d: %s", cpu, err.text);
	} else {
		run_chains(&all);
		run_registers(&all);
	}
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_ROOT },
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

#define PLACE_ORIGIN "the assembly, confirmed by single-stepping it (fixtures/workloads/known)"
#define KERNEL_ORIGIN                                                                              \
	"; 5 % for samples where the kernel is entered or left, and of interrupts that came from " \
	"elsewhere"

static const struct check checks[] = {
	{ .name = "chain_of_user",
	  .claim = "the call chain of a sample in user code: a marker, the address, its callers",
	  .origin = PLACE_ORIGIN },
	{ .name = "chain_of_kernel",
	  .claim = "of one in a system call: a marker, the kernel's, a marker, the user's from the "
		   "call on",
	  .origin = PLACE_ORIGIN KERNEL_ORIGIN },
	{ .name = "callers_in_kernel",
	  .claim = "samples in a system call have callers in the kernel, too",
	  .origin = "all but what enters and leaves the kernel is called from there: 20 % for an "
		    "entry that is long" },
	{ .name = "chain_limited",
	  .claim = "no more addresses than asked for, and the innermost ones",
	  .origin = "perf_event_open(2), sample_max_stack; markers do not count" },
	{ .name = "chain_parts",
	  .claim = "without the user's part or the kernel's, if asked for, and with the other",
	  .origin = "perf_event_open(2), exclude_callchain_user, exclude_callchain_kernel; 5 % as "
		    "above" },
	{ .name = "user_registers",
	  .claim = "the user's registers in a sample in user code",
	  .origin = PLACE_ORIGIN },
	{ .name = "interrupt_registers",
	  .claim = "those of the interrupt are the same there",
	  .origin = PLACE_ORIGIN },
	{ .name = "user_stack",
	  .claim = "what is on the user's stack, from the stack pointer on",
	  .origin = PLACE_ORIGIN },
	{ .name = "registers_in_kernel",
	  .claim = "in a system call the user's registers are those of the caller",
	  .origin = PLACE_ORIGIN KERNEL_ORIGIN
	  ". Registers that the kernel may not have saved there may be all ones" },
	{ .name = "stack_in_kernel",
	  .claim = "and so is the user's stack",
	  .origin = PLACE_ORIGIN KERNEL_ORIGIN },
	{ .name = "parts_fit",
	  .claim = "a sample is as long as its parts are together",
	  .origin = "perf_event_open(2), the layout of PERF_RECORD_SAMPLE" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "sample_context",
	.claim = "What a sample carries of its context is what was there: the call chain, the "
		 "user's registers, those of the interrupt, and the user's stack.",
	.source = "perf_event_open(2); kernel/events/callchain.c; arch/x86/kernel/perf_regs.c",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_sample_context,
};
