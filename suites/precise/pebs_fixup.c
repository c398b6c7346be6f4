// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: the addresses of cycles:pp are exact wherever the code lies, and each is that of its own
 * overflow.
 *
 * Mechanism: up to Ivy Bridge the hardware's record holds the address behind the instruction. The
 * kernel goes back by one: it decodes the code from the target of the last branch up to that
 * address, in the NMI. It used to copy the code for each instruction anew, 15 bytes, as long as one
 * may be: which fails where less than 15 bytes are left before a page that is not there, and takes
 * long in long blocks. Now the whole block is copied once. Later CPUs record the address itself, so
 * that there the same holds without all that.
 *
 * On a broken kernel, addresses in the last bytes of a page are not exact. Where they are wrong but
 * called exact, the code's own count says so: the loop of this experiment keeps a count in a
 * register, which is in the record, too, and tells which instruction had just ended. A record that
 * repeats an earlier one shows by a count that has not moved on.
 *
 * The time of the NMI handler is measured for each length of a block.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"
#include "drain.h"
#include "handler_time.h"
#include "hypothesis.h"
#include "rate_limit.h"

#define PERIOD 20011	/* cycles; longer than any round */
#define SAMPLES 200	/* of each row */
#define SAMPLES_MIN 100 /* at 95 % exact, less than one in a thousand rows would show 85 % */
#define PARTS 200
#define PERIODS_A_PART 10 /* in instructions: at least 2 samples where 4 retire in a cycle */
#define PHASES 101
#define RING_PAGES 64
#define SPANS_MAX 10000
#define EXACT_MIN 95.0
#define FITS_MIN 99.0

/* The kernel does not look at longer blocks (PEBS_FIXUP_SIZE in arch/x86/events/intel/ds.c). */
#define LIMIT 4096
#define ANYWHERE 64  /* bytes before the end of the page: no instruction's 15 bytes reach it */
#define LAST_BYTES 9 /* with the jump behind it, the block is in the last 14 bytes */

static const struct place {
	const char *row;
	size_t length, gap;
	const char *check; /* of the share of exact addresses; NULL: none */
} places[] = {
	{ "1 byte", 1, ANYWHERE, "blocks_exact" },
	{ "2 bytes", 2, ANYWHERE, "blocks_exact" },
	{ "4 bytes", 4, ANYWHERE, "blocks_exact" },
	{ "8 bytes", 8, ANYWHERE, "blocks_exact" },
	{ "16 bytes", 16, ANYWHERE, "blocks_exact" },
	{ "32 bytes", 32, ANYWHERE, "blocks_exact" },
	{ "64 bytes", 64, ANYWHERE, "blocks_exact" },
	{ "128 bytes", 128, ANYWHERE, "blocks_exact" },
	{ "256 bytes", 256, ANYWHERE, "blocks_exact" },
	{ "512 bytes", 512, ANYWHERE, "blocks_exact" },
	{ "1024 bytes", 1024, ANYWHERE, "blocks_exact" },
	{ "2048 bytes", 2048, ANYWHERE, "blocks_exact" },
	{ "4096 bytes", LIMIT, ANYWHERE, "blocks_exact" },
	{ "8192 bytes, above the limit", 2 * LIMIT, ANYWHERE, NULL },
	{ "9 bytes, 64 before the page end", LAST_BYTES, ANYWHERE, "blocks_exact" },
	{ "9 bytes, at the page end", LAST_BYTES, 0, "page_end_exact" },
};

/* What the whole run shares. */
struct bench {
	struct run *run;
	struct handler_time time; /* .trace is NULL where the handler cannot be traced */
	double longest_ns;
	bool incomplete;     /* the longest may be one that is missing */
	double least_inside; /* positive control, of the row where it was least */
};

/* A row: its code, and what came of its samples. */
struct row {
	struct block block;
	uint64_t rounds; /* of a part */
	unsigned int part;
	uint64_t counter;
	struct exactness exactness;
};

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct row *row = context;

	if (sample->intr_regs_abi)
		exactness_add(&row->exactness, &row->block.code, sample->ip,
			      (misc & PERF_RECORD_MISC_EXACT_IP) != 0, sample->intr_regs[0]);
}

/* Each part begins at another point of a period, which else may beat with the round. */
static void work(void *context)
{
	struct row *row = context;

	if (row->exactness.inside >= SAMPLES)
		return;
	row->part++;
	for (volatile unsigned int i = row->part % PHASES; i; i--)
		;
	row->counter = row->block.run(row->rounds, row->counter);
}

static int sample(struct row *row, struct err *err)
{
	struct self_sampling sampling = { .attr = event_attr(PERF_TYPE_HARDWARE,
							     PERF_COUNT_HW_CPU_CYCLES),
					  .pages = RING_PAGES,
					  .parts = PARTS,
					  .work = work,
					  .handle = take,
					  .context = row };

	sampling.attr.precise_ip = 2;
	sampling.attr.sample_period = PERIOD;
	sampling.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR;
	sampling.attr.sample_regs_intr = row->block.regs;
	sampling.attr.exclude_kernel = 1;
	sampling.attr.exclude_hv = 1;
	sampling.attr.wakeup_events = 1; /* an interrupt for each record */
	row->rounds = PERIODS_A_PART * PERIOD / row->block.instructions_per_round + 1;
	return self_sample(&sampling, err);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : NAN;
}

static void judge(struct bench *bench, const struct place *place, const struct exactness *got)
{
	struct run *run = bench->run;
	const char *table = "addresses of cycles:pp";

	run_figure(run, table, place->row, "in the block", (double)got->inside, "1");
	run_figure(run, table, place->row, "exact", percent(got->exact, got->inside), "%");
	run_figure(run, table, place->row, "of them right", percent(got->fits, got->named), "%");
	run_figure(run, table, place->row, "repeated", (double)got->repeated, "1");
	bench->least_inside = fmin(bench->least_inside, (double)got->inside);
	if (got->inside < SAMPLES_MIN)
		return;
	if (place->check)
		run_check_ge(run, place->check, place->row, percent(got->exact, got->inside),
			     EXACT_MIN, "%");
	if (got->named)
		run_check_ge(run, "exact_is_right", place->row, percent(got->fits, got->named),
			     FITS_MIN, "%");
	run_check_le(run, "record_is_new", place->row, (double)got->repeated, 0, "1");
}

/* The time of the handler for one length of a block. */
static void report_time(struct bench *bench, const struct place *place)
{
	const struct handler_cpu *cpu = &bench->time.cpu[0];
	char length[32], gap[32];
	const char *const labels[] = { "block", length, "before_page_end", gap, NULL };
	double *ns = calloc(cpu->n + 1, sizeof(*ns));
	struct err err;

	if (handler_time_complete(&bench->time, &err)) {
		run_note(bench->run, "%s: times of some NMIs are missing: %s", place->row,
			 err.text);
		bench->incomplete = true;
	}
	if (!ns) {
		run_broken(bench->run, "%s: out of memory", place->row);
		return;
	}
	snprintf(length, sizeof(length), "%zu", place->length);
	snprintf(gap, sizeof(gap), "%zu", place->gap);
	for (size_t i = 0; i < cpu->n; i++) {
		ns[i] = (double)cpu->span[i].length_ns;
		bench->longest_ns = fmax(bench->longest_ns, ns[i]);
	}
	run_measure(bench->run, &(struct measure){ .table = "perf NMI handler time by block",
						   .row = place->row,
						   .name = "handler_time",
						   .unit = "ns",
						   .columns = "n avg p50 p99 max",
						   .labels = labels,
						   .resolution = 1,
						   .samples = ns,
						   .n = cpu->n });
	free(ns);
}

/* Sample the row with the handler traced, where it can be. */
static int observe(struct bench *bench, struct row *row, struct err *err)
{
	int result, stopped;

	if (!bench->time.trace)
		return sample(row, err);
	result = handler_time_start(&bench->time, err);
	if (result)
		return result;
	result = sample(row, err);
	stopped = handler_time_stop(&bench->time, result ? NULL : err);
	return result ? result : stopped;
}

/* Returns -errno when the rows to come would fare the same. */
static int run_place(struct bench *bench, const struct place *place, struct err *err)
{
	struct row row = { 0 };
	int result = block_make(&row.block, place->length, place->gap, err);

	if (!result)
		result = observe(bench, &row, err);
	if (!result) {
		judge(bench, place, &row.exactness);
		if (bench->time.trace)
			report_time(bench, place);
	}
	block_free(&row.block);
	return result;
}

static int run_fixup(struct run *run)
{
	const struct cpus one = { .n = 1, .cpu = { run_cpus(run)->cpu[0] } };
	struct bench bench = { .run = run, .least_inside = INFINITY };
	double longest;
	struct err err;
	int result = 0;

	if (cpus_pin(one.cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (handler_time_open(&bench.time, HANDLER_NMI, &one, SPANS_MAX, &err))
		run_note(run, "no times of the NMI handler: %s", err.text);
	for (size_t i = 0; !result && i < sizeof(places) / sizeof(places[0]); i++)
		result = run_place(&bench, &places[i], &err);
	if (result == -EOPNOTSUPP || result == -EINVAL)
		run_skip(run, "%s", err.text);
	else if (result)
		run_broken(run, "%s", err.text);
	else
		run_control(run, "samples in a block, least of all rows", bench.least_inside,
			    SAMPLES_MIN - 1, "1");
	if (bench.longest_ns > 0 && !bench.incomplete && run_bound(run, "longest_nmi", &longest))
		run_check_le(run, "longest_nmi", NULL, bench.longest_ns, longest, "ns");
	handler_time_close(&bench.time);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_ARCH, .what = "x86_64" },
	{ .kind = NEED_PMU },
	{ .kind = NEED_PRECISE, .value = 2 },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "page_end_exact",
	  .claim = "addresses are exact in the last bytes before a page that is not there",
	  .origin =
		  "as elsewhere; a kernel that copies 15 bytes for each instruction has them only "
		  "for the jump, one of five instructions" },
	{ .name = "blocks_exact",
	  .claim = "addresses are exact in basic blocks of 1 to 4096 bytes",
	  .origin = "intel_pmu_pebs_fixup_ip(): all blocks up to a page; 5 % are left for samples "
		    "after an "
		    "interrupt, where the last branch recorded is not that into the block" },
	{ .name = "exact_is_right",
	  .claim = "an address that is called exact is that of the instruction that the registers "
		   "tell",
	  .origin = "perf_event_open(2), PERF_RECORD_MISC_EXACT_IP; Intel SDM 3B: a record's "
		    "registers are "
		    "those after the instruction; 1 % is left for errata" },
	{ .name = "record_is_new",
	  .claim = "no record repeats an earlier one",
	  .origin = "a record belongs to an overflow; a round is shorter than a period" },
	{ .name = "longest_nmi",
	  .claim = "the longest NMI is within what the lab allows",
	  .origin = "--bound of the lab; the kernel itself speaks up above 1 ms",
	  .optional = true,
	  .bound_unit = "ns" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "pebs_fixup",
	.claim = "Addresses of cycles:pp are exact wherever the code lies, at a page end and in "
		 "basic "
		 "blocks up to a page, and each belongs to its own overflow.",
	.source = "perf, x86: Optimize intel_pmu_pebs_fixup_ip()",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 30,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_fixup,
};
