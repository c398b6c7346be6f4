// SPDX-License-Identifier: GPL-2.0-or-later
#include "msr_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "handler_time.h"

/* Per CPU: a hundred thousand accesses of 40 bytes with their headers. */
#define BUFFER_KB 8192

/* More than all ranges take; the kernel's limit is a page. */
#define FILTER_SIZE 4096

static const char *const tracepoints[] = {
	[MSR_READ] = "read_msr",
	[MSR_WRITE] = "write_msr",
	[MSR_RDPMC] = "rdpmc",
};

static int enable_access(struct msr_trace *trace, enum msr_op op, const char *filter,
			 struct err *err)
{
	int event = trace_enable(trace->trace, "msr", tracepoints[op], filter, err);
	int result;

	if (event < 0)
		return event;
	trace->event[op] = event;
	result = trace_field(trace->trace, event, "msr", &trace->msr[op], err);
	if (!result)
		result = trace_field(trace->trace, event, "val", &trace->value[op], err);
	return result;
}

static int enable_pmi(struct msr_trace *trace, struct err *err)
{
	int event = handler_nmi_enable(trace->trace, err);
	int result;

	if (event < 0)
		return event;
	trace->event[MSR_PMI] = event;
	result = trace_field(trace->trace, event, "delta_ns", &trace->delta, err);
	if (!result)
		result = trace_field(trace->trace, event, "handled", &trace->handled, err);
	return result;
}

static int enable_all(struct msr_trace *trace, unsigned int kinds, bool pmis, struct err *err)
{
	char filter[FILTER_SIZE];
	int result = msr_filter(kinds, filter, sizeof(filter));

	if (result < 0)
		return err_set(err, -result, "filter of registers");
	result = enable_access(trace, MSR_READ, filter, err);
	if (!result)
		result = enable_access(trace, MSR_WRITE, filter, err);
	if (!result && (kinds & MSR_BIT(MSR_COUNTER)))
		result = enable_access(trace, MSR_RDPMC, NULL, err);
	if (!result && pmis)
		result = enable_pmi(trace, err);
	return result;
}

static int open_logs(struct msr_trace *trace, const struct cpus *cpus, size_t max, struct err *err)
{
	trace->log = calloc(cpus->n, sizeof(*trace->log));
	if (!trace->log)
		return err_set(err, ENOMEM, "logs of accesses");
	trace->n = cpus->n;
	for (size_t i = 0; i < cpus->n; i++) {
		struct msr_log *log = &trace->log[i];

		log->cpu = cpus->cpu[i];
		log->max = max;
		log->access = calloc(max, sizeof(*log->access));
		if (!log->access)
			return err_set(err, ENOMEM, "log of %zu accesses", max);
	}
	return 0;
}

int msr_trace_open(struct msr_trace *trace, const struct cpus *cpus, unsigned int kinds, bool pmis,
		   size_t max, struct err *err)
{
	int result;

	memset(trace, 0, sizeof(*trace));
	for (int op = MSR_READ; op <= MSR_PMI; op++)
		trace->event[op] = -1;
	result = trace_open(&trace->trace, cpus, BUFFER_KB, err);
	if (!result)
		result = open_logs(trace, cpus, max, err);
	if (!result)
		result = enable_all(trace, kinds, pmis, err);
	if (result)
		msr_trace_close(trace);
	return result;
}

/* Fill in what an event says; false for one that does not hold its fields. */
static bool decode(const struct msr_trace *trace, const struct trace_event *event,
		   struct msr_access *access)
{
	int64_t msr, value;
	int op = MSR_READ;

	while (op < MSR_PMI && trace->event[op] != event->event)
		op++;
	if (!trace_value(event, op == MSR_PMI ? &trace->handled : &trace->msr[op], &msr) ||
	    !trace_value(event, op == MSR_PMI ? &trace->delta : &trace->value[op], &value))
		return false;
	*access = (struct msr_access){
		.time = event->time,
		.value = (uint64_t)value,
		.msr = (uint32_t)msr,
		.op = (enum msr_op)op,
	};
	return true;
}

static void on_event(const struct trace_event *event, void *context)
{
	struct msr_trace *trace = context;
	struct msr_log *log = trace->log;

	while (log < trace->log + trace->n && log->cpu != event->cpu)
		log++;
	if (log == trace->log + trace->n)
		return;
	if (log->n < log->max && decode(trace, event, &log->access[log->n]))
		log->n++;
	else
		log->dropped++;
}

int msr_trace_start(struct msr_trace *trace, struct err *err)
{
	for (size_t i = 0; i < trace->n; i++) {
		trace->log[i].n = 0;
		trace->log[i].dropped = 0;
	}
	return trace_start(trace->trace, on_event, trace, err);
}

int msr_trace_stop(struct msr_trace *trace, struct err *err)
{
	uint64_t dropped = 0;
	int result = trace_stop(trace->trace, err);

	if (result)
		return result;
	for (size_t i = 0; i < trace->n; i++)
		dropped += trace->log[i].dropped;
	if (dropped)
		return err_set(err, ENOBUFS, "%" PRIu64 " accesses more than expected", dropped);
	if (trace_lost(trace->trace))
		return err_set(err, ENOBUFS, "%" PRIu64 " trace events lost",
			       trace_lost(trace->trace));
	return 0;
}

void msr_trace_close(struct msr_trace *trace)
{
	trace_close(trace->trace);
	trace->trace = NULL;
	for (size_t i = 0; i < trace->n; i++)
		free(trace->log[i].access);
	free(trace->log);
	trace->log = NULL;
	trace->n = 0;
}

/* rdpmc gives a counter's number, which is none of a register. */
static bool is_access_to(const struct msr_access *access, unsigned int kinds)
{
	return (access->op == MSR_READ || access->op == MSR_WRITE) &&
	       (kinds & MSR_BIT(msr_kind(access->msr)));
}

uint64_t msr_count(const struct msr_log *log, enum msr_op op, unsigned int kinds)
{
	uint64_t count = 0;

	for (size_t i = 0; i < log->n; i++)
		count += log->access[i].op == op && is_access_to(&log->access[i], kinds);
	return count;
}

static bool was_accessed(const struct msr_log *log, uint32_t msr)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->access[i].msr == msr && is_access_to(&log->access[i], ~0U))
			return true;
	return false;
}

size_t msr_registers(const struct msr_log *log, unsigned int kinds)
{
	size_t count = 0;

	for (const struct msr_range *range = msr_ranges; range->name; range++)
		for (uint32_t i = 0; (kinds & MSR_BIT(range->kind)) && i < range->count; i++)
			count += was_accessed(log, range->first + i * range->stride);
	return count;
}

double msr_lbr_clearings(const struct msr_log *log)
{
	size_t entries = msr_registers(log, MSR_ENTRIES);
	double clearings = (double)msr_count(log, MSR_WRITE, MSR_BIT(MSR_LBR_DEPTH));

	if (entries)
		clearings += (double)msr_count(log, MSR_WRITE, MSR_ENTRIES) / (double)entries;
	return clearings;
}

/* Is that access a write to a register of that kind? */
static bool writes(const struct msr_access *access, enum msr_kind kind)
{
	return access->op == MSR_WRITE && msr_kind(access->msr) == kind;
}

/* Remember what was written to the registers that a handler must leave as it found them. */
static void note_state(struct msr_pmi *state, const struct msr_access *access)
{
	if (writes(access, MSR_GLOBAL_CTRL)) {
		state->ctrl = access->value;
		state->ctrl_known = true;
	} else if (writes(access, MSR_PEBS_ENABLE)) {
		state->pebs = access->value;
		state->pebs_known = true;
	}
}

/* The first access from `begin` on, before `end`, that is not before the handler's computed start.
 */
static size_t begin_by_time(const struct msr_log *log, size_t begin, size_t end)
{
	uint64_t start = log->access[end].time - log->access[end].value;

	while (begin < end && log->access[begin].time + MSR_PMI_SLACK_NS < start)
		begin++;
	return begin;
}

/*
 * Where a handler must have begun that read the status: there, or where it disabled the counters
 * for that, or unmasked LVTPC before. `end` when it did not read it.
 */
static size_t begin_by_status(const struct msr_log *log, size_t first, size_t end)
{
	const struct msr_access *access = log->access;
	size_t begin = first;

	while (begin < end &&
	       !(access[begin].op == MSR_READ && msr_kind(access[begin].msr) == MSR_GLOBAL_STATUS))
		begin++;
	if (begin == end)
		return end;
	for (size_t i = begin; i > first; i--) {
		if (!writes(&access[i - 1], MSR_GLOBAL_CTRL))
			continue;
		if (!access[i - 1].value)
			begin = i - 1;
		break;
	}
	if (begin > first && writes(&access[begin - 1], MSR_LVTPC))
		begin--;
	return begin;
}

bool msr_pmi_next(const struct msr_log *log, struct msr_pmi_cursor *cursor, struct msr_pmi *pmi)
{
	size_t end = cursor->next, begin, by_status;

	while (end < log->n && log->access[end].op != MSR_PMI)
		end++;
	if (end == log->n)
		return false;
	begin = begin_by_time(log, cursor->next, end);
	by_status = begin_by_status(log, cursor->next, end);
	if (by_status < begin)
		begin = by_status;
	for (size_t i = cursor->next; i < begin; i++)
		note_state(&cursor->state, &log->access[i]);
	*pmi = cursor->state;
	pmi->access = log->access + begin;
	pmi->n = end - begin;
	pmi->handled = log->access[end].msr;
	for (size_t i = begin; i < end; i++)
		note_state(&cursor->state, &log->access[i]);
	cursor->next = end + 1;
	return true;
}
