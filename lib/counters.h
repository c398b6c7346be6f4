/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COUNTERS_H
#define PMIPROOF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "event.h"

/* event_attr() of a generic hardware event (PERF_COUNT_HW_*) in user mode only. */
struct perf_event_attr counters_user_attr(uint64_t config);

/*
 * The same sampled with this period, or 0 to count only; where the PMU cannot leave out the kernel
 * (`whole`), of the kernel's code, too.
 */
struct perf_event_attr counters_attr(uint64_t config, bool whole, uint64_t period);

/*
 * The same of user mode with a long period: event_probe() of it, on a CPU that this thread is
 * pinned to, says whether that can be sampled there. A PMU may be without interrupts, and on a
 * hybrid machine the generic events are of one PMU only, which not all CPUs have.
 */
struct perf_event_attr counters_sampling_attr(uint64_t config);

/*
 * Open and enable `n` events of the calling thread, call work(context), disable, read and close
 * them. counts[i] belongs to attrs[i]. -errno as of event_open_self() and event_read().
 */
int counters_count(const struct perf_event_attr *attrs, size_t n, void (*work)(void *context),
		   void *context, struct event_count *counts, struct err *err);

/*
 * How many of these events, from the first on, the PMU counts at once without taking turns: the
 * most for which work(context) sees all of them on the PMU all the time. *fit may be 0. Others who
 * use the PMU (NMI watchdog, perf of somebody else) make it less. -errno when an event does not
 * open.
 */
int counters_fit(const struct perf_event_attr *attrs, size_t n, void (*work)(void *context),
		 void *context, size_t *fit, struct err *err);

/* Value, projected to all the time the event was enabled; NAN when it never ran. */
double counters_scaled(const struct event_count *count);

/*
 * What is wrong with the times of a count, or NULL. `ran_ns` is the CPU time that its task
 * certainly had while the event was enabled, `wall_ns` the time that passed around that at most.
 */
const char *counters_times_wrong(const struct event_count *count, uint64_t ran_ns,
				 uint64_t wall_ns);

#endif
