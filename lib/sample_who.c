// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample_who.h"

/*
 * What CLOCK_MONOTONIC may go back for a reader in an NMI that comes as it is adjusted: some
 * nanoseconds (kernel/time/timekeeping.c, ktime_get_mono_fast_ns()).
 */
#define CLOCK_SLACK_NS 1000

/*
 * An inherited event is one of its own, of whose stream id nothing is known. Which of them a task
 * has may change: at a switch from one to the other they are exchanged, as they count the same
 * (perf_event_context_sched_out()).
 */
static bool stream_right(struct sample_who *who, const struct ring_sample *sample)
{
	who->other_streams += sample->stream_id != who->id;
	return who->child_tid ? sample->stream_id : sample->stream_id == who->id;
}

static void take_time(struct sample_who *who, uint64_t ns)
{
	who->outside += ns + CLOCK_SLACK_NS < who->from_ns || ns > who->to_ns + CLOCK_SLACK_NS;
	if (who->coarse)
		who->not_later += ns + CLOCK_SLACK_NS < who->last_ns;
	else
		who->not_later += ns == who->last_ns || ns + CLOCK_SLACK_NS < who->last_ns;
	who->last_ns = ns;
}

void sample_who_take(struct sample_who *who, const struct ring_sample *sample)
{
	bool of_child =
		who->child_tid && sample->tid == who->child_tid && sample->pid == who->child_pid;

	who->samples++;
	who->of_child += of_child;
	who->wrong_id += sample->id != who->id || sample->identifier != who->id;
	who->wrong_stream += !stream_right(who, sample);
	who->wrong_task += !of_child && (sample->tid != who->tid || sample->pid != who->pid);
	who->wrong_cpu += sample->cpu != who->cpu;
	who->wrong_period += sample->period != who->period;
	take_time(who, sample->time);
}

void sample_who_read(struct sample_who *who, const struct ring_sample *sample)
{
	bool right = sample->read_id == who->id && sample->read_running <= sample->read_enabled &&
		     sample->read_value > who->last_value &&
		     sample->read_enabled >= who->last_enabled &&
		     sample->read_running >= who->last_running && sample->read_running;

	who->wrong_read += !right;
	who->last_value = sample->read_value;
	who->last_enabled = sample->read_enabled;
	who->last_running = sample->read_running;
}

void sample_who_child(struct sample_who *who, uint32_t pid, uint32_t tid)
{
	who->child_pid = pid;
	who->child_tid = tid;
}
