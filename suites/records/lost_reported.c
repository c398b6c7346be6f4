// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: what has no room in a ring is counted and told, once, and what is in it is whole.
 *
 * Mechanism: a record is written where data_head is, when the space up to data_tail takes it. If
 * not it is counted, and when there is room again a LOST record with the number and the event's id
 * goes before the next one. Records may be interrupted by those of a PMI, and lie across the end of
 * the ring.
 *
 * On a broken kernel a profile has holes that nobody tells of, or LOST records for what is there,
 * or a record that is part of another one, which a reader takes for a corrupt file.
 *
 * Page faults are overflows whose number and content are known, on any machine; a hardware event,
 * where there is one, adds what comes by interrupt, also into the middle of a record.
 */
#include <errno.h>
#include <stdio.h>

#include "counters.h"
#include "fresh_pages.h"
#include "hypothesis.h"
#include "known_faults.h"
#include "overflow_sampler.h"
#include "placement.h"
#include "prime.h"
#include "rate_limit.h"
#include "workload.h"

#define PAGES 64
#define SIZE_TRIES 3
#define ROUNDS 20	  /* in which the ring overruns */
#define WRAP_PAGES 2	  /* a record may lie across pages, and across the end */
#define WRAPS 50	  /* of a ring that does not */
#define LARGE_PAGES 64	  /* of a ring that is read in time */
#define PERIOD 20011	  /* of instructions, for a ring that overruns */
#define NEST_PERIOD 50021 /* of instructions that meet records on their way */
#define NEST_FAULTS 8000
#define MASKED \
	0.01 /* of overflows of the kernel's code: a period passed with the interrupt masked */

struct experiment {
	struct run *run;
	struct fresh_pages pages;
	struct event event;
	struct drained drained;
	struct overflows overflows;
	struct known_faults faults;
	struct countdown countdown;
	size_t record; /* bytes of a sample */
};

/* Faults of user code, each of them a sample. */
static struct perf_event_attr fault_attr(void)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	attr.sample_period = 1;
	attr.sample_type = KNOWN_FAULTS_SAMPLE;
	return attr;
}

static void take_fault(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	overflows_add(&all->overflows, sample->read_value, all->drained.lost);
	known_faults_take(&all->faults, sample);
}

static int drain(struct experiment *all, struct err *err)
{
	return event_drain(&all->event, &all->drained, take_fault, all, err);
}

/* Open, with nothing seen so far, and enable. */
static int begin(struct experiment *all, const struct perf_event_attr *attr, unsigned int pages,
		 bool overwrite, struct err *err)
{
	int result = event_open_self(&all->event, attr, err);

	if (!result)
		result = event_map(&all->event, pages, overwrite, err);
	if (!result)
		result = event_enable(&all->event, err);
	all->drained = (struct drained){ 0 };
	all->overflows = (struct overflows){ .period = 1 };
	all->faults = (struct known_faults){
		.id = all->event.id,
		.begin = (uint64_t)(uintptr_t)all->pages.base,
		.page_size = all->pages.page_size,
		.pages = all->pages.n,
		.offset = (uint64_t)((const char *)fresh_pages_address(&all->pages, 0) -
				     all->pages.base),
	};
	return result;
}

/* Disable and read the rest. */
static int end(struct experiment *all, struct event_count *count, struct err *err)
{
	int result = event_disable(&all->event, err);

	if (!result)
		result = drain(all, err);
	if (!result)
		result = event_read(&all->event, count, err);
	if (!result)
		overflows_end(&all->overflows, count->value, all->drained.lost);
	return result;
}

/* No end was reached: a record that is none is what must not be, all else is broken. */
static void give_up(struct experiment *all, const char *check, const char *line, int result,
		    const struct err *err)
{
	if (result != -EBADMSG) {
		run_broken(all->run, "%s: %s", line, err->text);
		return;
	}
	run_note(all->run, "%s: %s", line, err->text);
	run_check_eq(all->run, check, line, 1, 0, "corrupt rings");
}

static void give_figures(struct experiment *all, const char *line)
{
	struct run *run = all->run;

	run_figure(run, "records", line, "written", (double)all->drained.samples, "1");
	run_figure(run, "records", line, "lost", (double)all->drained.lost, "1");
	run_figure(run, "records", line, "LOST records", (double)all->drained.lost_records, "1");
	run_figure(run, "records", line, "wrong", (double)all->faults.wrong, "1");
}

/* How many samples an empty ring takes: the kernel leaves one byte free (CIRC_SPACE()). */
static uint64_t capacity(const struct experiment *all)
{
	return (all->event.ring.size - 1) / all->record;
}

/* One record, to know how long they are. */
static int find_size(struct experiment *all, struct err *err)
{
	int result = 0;

	all->record = SIZE_MAX;
	/* Code or data that is touched for the first time makes a fault of its own. */
	for (unsigned int i = 0; !result && i < SIZE_TRIES; i++) {
		uint64_t before = ring_written(&all->event.ring);
		size_t written;

		result = fresh_pages_go_on(&all->pages, 1, err);
		written = (size_t)(ring_written(&all->event.ring) - before);
		if (!result && !written)
			result = err_plain(err, ENODATA, "a page fault left no record");
		all->record = written < all->record ? written : all->record;
		if (!result)
			result = drain(all, err);
	}
	return result;
}

/*
 * Fill an empty ring beyond what it takes, read it, and let one more record in: with that comes
 * LOST.
 */
static int overrun(struct experiment *all, unsigned int round, uint64_t *least, uint64_t *most,
		   struct err *err)
{
	uint64_t before = all->drained.samples, written;
	int result = fresh_pages_go_on(&all->pages, 2 * capacity(all) + round, err);

	if (!result)
		result = drain(all, err);
	written = all->drained.samples - before;
	*least = written < *least ? written : *least;
	*most = written > *most ? written : *most;
	if (!result)
		result = fresh_pages_go_on(&all->pages, 1, err);
	return result ? result : drain(all, err);
}

static void judge_overrun(struct experiment *all, uint64_t least, uint64_t most)
{
	struct run *run = all->run;

	give_figures(all, "overrun");
	run_figure(run, "records", "overrun", "fit", (double)capacity(all), "1");
	run_check_eq(run, "all_told", "overrun", (double)all->overflows.missing, 0, "1");
	run_check_eq(run, "none_told_twice", "overrun", (double)all->overflows.excess, 0, "1");
	run_check_eq(run, "none_told_twice", "overrun: written twice", (double)all->overflows.twice,
		     0, "1");
	run_check_eq(run, "one_record", NULL, (double)all->drained.lost_records, ROUNDS, "1");
	run_check_eq(run, "own_id", NULL, (double)all->drained.lost_foreign, 0, "1");
	run_check_ge(run, "not_before_full", "least", (double)least, (double)capacity(all), "1");
	run_check_le(run, "not_before_full", "most", (double)most, (double)capacity(all), "1");
	run_check_eq(run, "whole", "overrun", (double)all->faults.wrong, 0, "1");
}

static bool run_overrun(struct experiment *all)
{
	const struct perf_event_attr attr = fault_attr();
	uint64_t least = UINT64_MAX, most = 0;
	struct event_count count;
	struct err err;
	int result = begin(all, &attr, 1, false, &err);

	if (!result)
		result = find_size(all, &err);
	for (unsigned int i = 0; !result && i < ROUNDS; i++)
		result = overrun(all, i, &least, &most, &err);
	if (!result)
		result = end(all, &count, &err);
	if (result)
		give_up(all, "whole", "overrun", result, &err);
	else if (run_control(all->run, "records that had no room",
			     (double)count.value - (double)all->drained.samples, ROUNDS, "1"))
		judge_overrun(all, least, most);
	event_close(&all->event);
	return !result;
}

/* The same loss, as read(2) and samples tell it. */
static void run_counted(struct experiment *all)
{
	struct perf_event_attr attr = fault_attr();
	struct event_count count;
	struct err err;
	int result;

	attr.read_format |= PERF_FORMAT_LOST;
	result = begin(all, &attr, 1, false, &err);
	if (result) {
		run_note(all->run, "PERF_FORMAT_LOST: %s", err.text);
		event_close(&all->event);
		return;
	}
	result = fresh_pages_go_on(&all->pages, 2 * capacity(all), &err);
	if (!result)
		result = drain(all, &err);
	if (!result)
		result = fresh_pages_go_on(&all->pages, 1, &err);
	if (!result)
		result = end(all, &count, &err);
	if (result)
		give_up(all, "whole", "PERF_FORMAT_LOST", result, &err);
	else
		run_check_eq(all->run, "counted", NULL, (double)count.lost,
			     (double)count.value - (double)all->drained.samples, "1");
	event_close(&all->event);
}

/* A small ring that is read in time, round and round. */
static void run_wraps(struct experiment *all)
{
	const struct perf_event_attr attr = fault_attr();
	struct event_count count = { 0 };
	struct err err;
	int result = begin(all, &attr, WRAP_PAGES, false, &err);
	uint64_t part = capacity(all) / 2; /* faults of our own come on top */

	while (!result && ring_written(&all->event.ring) < WRAPS * all->event.ring.size) {
		result = fresh_pages_go_on(&all->pages, part, &err);
		if (!result)
			result = drain(all, &err);
	}
	if (!result)
		result = end(all, &count, &err);
	if (result) {
		give_up(all, "whole", "wraps", result, &err);
	} else if (run_control(all->run, "records that were judged", (double)all->faults.right, 0,
			       "1")) {
		give_figures(all, "in time");
		run_check_eq(all->run, "whole", "wraps", (double)all->faults.wrong, 0, "1");
		run_check_eq(all->run, "whole", "wraps: missing", (double)all->overflows.missing, 0,
			     "1");
		run_check_eq(all->run, "none_without_loss", NULL, (double)all->drained.lost_records,
			     0, "1");
	}
	event_close(&all->event);
}

static void take_newest(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct experiment *all = context;

	(void)misc;
	countdown_take(&all->countdown, sample->read_value);
}

/* A ring that is overwritten has the newest records, up to the last one, and no LOST. */
static void run_overwrite(struct experiment *all)
{
	struct perf_event_attr attr = fault_attr();
	struct event_count count;
	struct err err;
	int result;

	attr.write_backward = 1;
	result = begin(all, &attr, 1, true, &err);
	if (!result)
		result = fresh_pages_go_on(&all->pages, 5 * capacity(all), &err);
	if (!result)
		result = event_disable(&all->event, &err);
	if (!result)
		result = event_read(&all->event, &count, &err);
	if (!result) {
		all->countdown = (struct countdown){ .next = count.value };
		result = event_drain(&all->event, &all->drained, take_newest, all, &err);
	}
	if (result) {
		give_up(all, "newest_kept", "overwritten", result, &err);
	} else {
		give_figures(all, "overwritten");
		run_check_eq(all->run, "newest_kept", "not the one before the next",
			     (double)all->countdown.breaks, 0, "1");
		run_check_ge(all->run, "newest_kept", "records", (double)all->countdown.n,
			     (double)capacity(all), "1");
		run_check_eq(all->run, "none_without_loss", "overwritten",
			     (double)all->drained.lost_records, 0, "1");
	}
	event_close(&all->event);
}

/* --- What comes by interrupt --- */

/* A long part that overruns a ring of one page, or a short one that lets LOST in. */
static int run_part(void *context, struct err *err)
{
	unsigned int *part = context;
	const struct workload *work = workload_find("multiply");

	(void)err;
	work->run(++*part % 2 ? 200000 : 5000);
	return 0;
}

static void run_interrupts(struct experiment *all)
{
	unsigned int part = 0;
	const struct overflow_work work = { 6, 1, run_part, &part };
	struct overflow_subject subject = { .attr = counters_user_attr(
						    PERF_COUNT_HW_INSTRUCTIONS) };
	struct err err;
	int result;

	subject.attr.sample_period = PERIOD;
	if (event_probe(&subject.attr, &err)) {
		run_note(all->run, "without a hardware event that can leave out the kernel: %s",
			 err.text);
		return;
	}
	result = overflow_sample(&subject, 1, &work, &err);
	if (result) {
		give_up(all, "interrupts_told", "instructions", result, &err);
		return;
	}
	run_figure(all->run, "records", "instructions", "written",
		   (double)subject.overflows.samples, "1");
	run_figure(all->run, "records", "instructions", "lost", (double)subject.drained.lost, "1");
	if (!run_control(all->run, "records of interrupts that had no room",
			 (double)subject.drained.lost, 0, "1"))
		return;
	run_check_le(all->run, "interrupts_told", "missing", (double)subject.overflows.missing, 1,
		     "1");
	run_check_eq(all->run, "interrupts_told", "told too often",
		     (double)subject.overflows.excess, 0, "1");
}

/* Two events in one ring, one of which interrupts the writing of the other's records. */
struct nested {
	struct experiment *all;
	struct event other; /* instructions of user and kernel */
	struct overflows other_overflows;
	uint64_t strange; /* samples of neither */
};

static void take_nested(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct nested *nested = context;

	if (sample->identifier == nested->all->event.id)
		take_fault(sample, misc, nested->all);
	else if (sample->identifier == nested->other.id && sample->id == nested->other.id)
		overflows_add(&nested->other_overflows, sample->read_value, 0);
	else
		nested->strange++;
}

static int sample_nested(struct nested *nested, struct event_count *other, struct err *err)
{
	struct experiment *all = nested->all;
	struct event_count count = { 0 };
	int result = event_enable(&nested->other, err);

	for (int faults = 0; !result && faults < NEST_FAULTS; faults += 100) {
		result = fresh_pages_go_on(&all->pages, 100, err);
		if (!result)
			result = event_drain(&all->event, &all->drained, take_nested, nested, err);
	}
	if (!result)
		result = event_disable(&nested->other, err);
	if (!result)
		result = event_disable(&all->event, err);
	if (!result)
		result = event_drain(&all->event, &all->drained, take_nested, nested, err);
	if (!result)
		result = event_read(&nested->other, other, err);
	if (!result)
		result = event_read(&all->event, &count, err);
	if (!result) {
		overflows_end(&nested->other_overflows, other->value, 0);
		overflows_end(&all->overflows, count.value, all->drained.lost);
	}
	return result;
}

static void judge_nested(struct nested *nested)
{
	struct experiment *all = nested->all;
	const struct overflows *other = &nested->other_overflows;
	struct run *run = all->run;

	give_figures(all, "two events in a ring");
	run_figure(run, "records", "two events in a ring", "of the other", (double)other->samples,
		   "1");
	if (!run_control(run, "records of the other event", (double)other->samples, 0, "1"))
		return;
	run_check_eq(run, "nested_whole", "wrong", (double)(all->faults.wrong + nested->strange), 0,
		     "1");
	run_check_eq(run, "nested_whole", "faults missing or twice",
		     (double)(all->overflows.missing + all->overflows.twice), 0, "1");
	/* One may be due at the end, and where the kernel masks the interrupt it may come late. */
	run_check_le(run, "nested_whole", "of the other, missing", (double)other->missing,
		     1 + MASKED * (double)other->samples, "1");
	run_check_eq(run, "nested_whole", "of the other, twice", (double)other->twice, 0, "1");
}

static void run_nested(struct experiment *all)
{
	const struct perf_event_attr attr = fault_attr();
	struct perf_event_attr other_attr =
		event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct nested nested = { .all = all, .other_overflows = { .period = NEST_PERIOD } };
	struct event_count other;
	struct err err;
	int result;

	other_attr.sample_type = KNOWN_FAULTS_SAMPLE;
	other_attr.sample_period = NEST_PERIOD;
	if (event_open_self(&nested.other, &other_attr, &err)) {
		run_note(all->run, "without an event that interrupts the kernel: %s", err.text);
		return;
	}
	result = begin(all, &attr, LARGE_PAGES, false, &err);
	if (!result)
		result = event_redirect(&nested.other, &all->event, &err);
	if (!result)
		result = sample_nested(&nested, &other, &err);
	if (result)
		give_up(all, "nested_whole", "two events in a ring", result, &err);
	else
		judge_nested(&nested);
	event_close(&nested.other);
	event_close(&all->event);
}

static int run_lost_reported(struct run *run)
{
	struct experiment all = { .run = run, .event = EVENT_CLOSED };
	struct placement placement;
	struct err err;

	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (fresh_pages_map(&all.pages, PAGES, &err)) {
		run_broken(run, "%s", err.text);
	} else if (run_overrun(&all)) {
		run_counted(&all);
		run_wraps(&all);
		run_overwrite(&all);
		run_interrupts(&all);
		run_nested(&all);
	}
	fresh_pages_unmap(&all.pages);
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

#define RING_ORIGIN "linux/perf_event.h, PERF_RECORD_LOST: "
#define CONTENT_ORIGIN                                                                           \
	"which page was touched, and how often: the address, the event's ids and its count are " \
	"known"

static const struct need needs[] = {
	{ .kind = NEED_CPU_CLOCK }, /* software events, as all rows but those of a PMU */
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "all_told",
	  .claim = "each record that had no room is told by a LOST record in its place",
	  .origin = RING_ORIGIN "each fault is a record, whose number is the event's count" },
	{ .name = "none_told_twice",
	  .claim = "and only those",
	  .origin = RING_ORIGIN "as all_told" },
	{ .name = "one_record",
	  .claim = "a stretch of losses is one LOST record, when there is room again",
	  .origin = RING_ORIGIN "twenty times a full ring is read, and one record let in" },
	{ .name = "own_id",
	  .claim = "it has the id of the event",
	  .origin = RING_ORIGIN "id, as PERF_EVENT_IOC_ID says" },
	{ .name = "not_before_full",
	  .claim = "the ring is used up to where no record fits",
	  .origin = "size of the ring and of a record; one byte stays free (CIRC_SPACE())" },
	{ .name = "counted",
	  .claim = "PERF_FORMAT_LOST is how many had no room",
	  .origin = "perf_event_open(2); count less records",
	  .optional = true },
	{ .name = "none_without_loss",
	  .claim = "no LOST record where nothing is missing",
	  .origin = RING_ORIGIN "a ring that is read in time, and one that is overwritten" },
	{ .name = "whole",
	  .claim = "no record is torn or shifted over fifty wraps, and while the ring is full",
	  .origin = CONTENT_ORIGIN },
	{ .name = "newest_kept",
	  .claim = "an overwritten ring has the newest records, without a gap",
	  .origin = "perf_event_open(2), write_backward; as many as fit" },
	{ .name = "interrupts_told",
	  .claim = "all_told and none_told_twice for records written by PMIs",
	  .origin = "the event's own count at each sample, divided by its period; 1 may be due at "
		    "the end",
	  .optional = true },
	{ .name = "nested_whole",
	  .claim = "records of PMIs that come while another one is written leave both whole",
	  .origin = CONTENT_ORIGIN,
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "lost_reported",
	.claim = "A record that has no room in the ring is counted and told, once, and those that "
		 "have are whole.",
	.source = "perf_event_open(2); linux/perf_event.h, PERF_RECORD_LOST",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 60,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_lost_reported,
};
