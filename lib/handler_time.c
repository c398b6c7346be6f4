// SPDX-License-Identifier: GPL-2.0-or-later
#include "handler_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Per CPU. 10,000 interrupts/s make 640 KB/s of entry and exit events: seconds fit. */
#define BUFFER_KB 4096

#define NMI_HANDLER_SYMBOL "perf_event_nmi_handler"

/* Order of trace_enable() calls for HANDLER_TIMER. */
enum { TIMER_ENTRY, TIMER_EXIT };

const char *handler_event(enum handler_kind kind)
{
	return kind == HANDLER_NMI ? "nmi/nmi_handler" : "irq_vectors/local_timer_entry";
}

static struct handler_cpu *find_cpu(struct handler_time *time, int number)
{
	for (size_t i = 0; i < time->n; i++)
		if (time->cpu[i].cpu == number)
			return &time->cpu[i];
	return NULL;
}

static void add_span(struct handler_cpu *cpu, uint64_t start, uint64_t length)
{
	if (cpu->n == cpu->max) {
		cpu->dropped++;
		return;
	}
	cpu->span[cpu->n++] = (struct handler_span){ .start_ns = start, .length_ns = length };
}

static void on_timer(const struct trace_event *event, void *context)
{
	struct handler_cpu *cpu = find_cpu(context, event->cpu);

	if (!cpu)
		return;
	if (event->event == TIMER_ENTRY) {
		cpu->entry_ns = event->time;
	} else if (cpu->entry_ns) {
		add_span(cpu, cpu->entry_ns, event->time - cpu->entry_ns);
		cpu->entry_ns = 0;
	}
}

static void on_nmi(const struct trace_event *event, void *context)
{
	struct handler_time *time = context;
	struct handler_cpu *cpu = find_cpu(time, event->cpu);
	int64_t delta, handled;

	if (!cpu || !trace_value(event, &time->delta, &delta) ||
	    !trace_value(event, &time->handled, &handled))
		return;
	if (handled > 0)
		add_span(cpu, event->time - (uint64_t)delta, (uint64_t)delta);
}

/* Address of a kernel symbol, 0 when it is not there or hidden from us. */
static uint64_t symbol_address(const char *symbol)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t found = 0, address;
	char name[128];

	if (!file)
		return 0;
	while (!found && fscanf(file, "%" SCNx64 " %*c %127s%*[^\n]", &address, name) >= 2)
		if (!strcmp(name, symbol))
			found = address;
	fclose(file);
	return found;
}

int handler_nmi_enable(struct trace *trace, struct err *err)
{
	uint64_t address = symbol_address(NMI_HANDLER_SYMBOL);
	char filter[64];

	if (!address)
		return err_set(err, ENOENT, "address of " NMI_HANDLER_SYMBOL " in /proc/kallsyms");
	snprintf(filter, sizeof(filter), "handler == 0x%" PRIx64, address);
	return trace_enable(trace, "nmi", "nmi_handler", filter, err);
}

static int enable_nmi(struct handler_time *time, struct err *err)
{
	int event = handler_nmi_enable(time->trace, err);

	if (event < 0)
		return event;
	if (trace_field(time->trace, event, "delta_ns", &time->delta, err))
		return -ENOENT;
	return trace_field(time->trace, event, "handled", &time->handled, err);
}

static int enable_timer(struct handler_time *time, struct err *err)
{
	int event = trace_enable(time->trace, "irq_vectors", "local_timer_entry", NULL, err);

	if (event >= 0)
		event = trace_enable(time->trace, "irq_vectors", "local_timer_exit", NULL, err);
	return event < 0 ? event : 0;
}

int handler_time_open(struct handler_time *time, enum handler_kind kind, const struct cpus *cpus,
		      size_t max, struct err *err)
{
	int result;

	memset(time, 0, sizeof(*time));
	time->kind = kind;
	time->cpu = calloc(cpus->n, sizeof(*time->cpu));
	if (!time->cpu)
		return err_set(err, ENOMEM, "handler times");
	time->n = cpus->n;
	result = trace_open(&time->trace, cpus, BUFFER_KB, err);
	for (size_t i = 0; !result && i < cpus->n; i++) {
		time->cpu[i].cpu = cpus->cpu[i];
		time->cpu[i].max = max;
		time->cpu[i].span = calloc(max, sizeof(*time->cpu[i].span));
		if (!time->cpu[i].span)
			result = err_set(err, ENOMEM, "handler times");
	}
	if (!result)
		result = kind == HANDLER_NMI ? enable_nmi(time, err) : enable_timer(time, err);
	if (result)
		handler_time_close(time);
	return result;
}

int handler_time_start(struct handler_time *time, struct err *err)
{
	for (size_t i = 0; i < time->n; i++) {
		time->cpu[i].n = 0;
		time->cpu[i].dropped = 0;
		time->cpu[i].entry_ns = 0;
	}
	return trace_start(time->trace, time->kind == HANDLER_NMI ? on_nmi : on_timer, time, err);
}

int handler_time_stop(struct handler_time *time, struct err *err)
{
	int result = trace_stop(time->trace, err);

	time->lost = trace_lost(time->trace);
	return result;
}

int handler_time_complete(const struct handler_time *time, struct err *err)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < time->n; i++)
		dropped += time->cpu[i].dropped;
	if (time->lost)
		return err_plain(err, ENOBUFS, "%" PRIu64 " trace events lost", time->lost);
	if (dropped)
		return err_plain(err, ENOBUFS, "%" PRIu64 " handlers more than expected", dropped);
	return 0;
}

void handler_time_close(struct handler_time *time)
{
	trace_close(time->trace);
	time->trace = NULL;
	for (size_t i = 0; i < time->n; i++)
		free(time->cpu[i].span);
	free(time->cpu);
	time->cpu = NULL;
	time->n = 0;
}

size_t handler_spans_with(struct handler_cpu *cpu, const uint64_t *times, size_t n)
{
	size_t kept = 0, matched = 0, t = 0;

	for (size_t i = 0; i < cpu->n; i++) {
		const struct handler_span span = cpu->span[i];
		size_t first;

		while (t < n && times[t] < span.start_ns)
			t++;
		first = t;
		while (t < n && times[t] - span.start_ns <= span.length_ns)
			t++;
		matched += t - first;
		if (t > first)
			cpu->span[kept++] = span;
	}
	cpu->n = kept;
	return matched;
}
