// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In place of trace.c and trace_fs.c where Linux has no event tracing on this architecture (Alpha):
 * there is no event, no instance of ours, and a session cannot be opened, so that the functions
 * that take one are never called.
 */
#include "trace.h"

#include <errno.h>

static const char none[] = "Linux has no event tracing on this architecture";

int trace_open(struct trace **trace, const struct cpus *cpus, size_t buffer_kb, struct err *err)
{
	(void)trace;
	(void)cpus;
	(void)buffer_kb;
	return err_set(err, ENOTSUP, "%s", none);
}

int trace_has(const char *system, const char *event, struct err *err)
{
	(void)system;
	(void)event;
	(void)err;
	return 0;
}

int trace_enable(struct trace *trace, const char *system, const char *event, const char *filter,
		 struct err *err)
{
	(void)trace;
	(void)filter;
	return err_set(err, ENOTSUP, "trace event %s/%s: %s", system, event, none);
}

int trace_field(struct trace *trace, int event, const char *name, struct trace_field *field,
		struct err *err)
{
	(void)trace;
	(void)event;
	(void)field;
	return err_set(err, ENOTSUP, "field %s: %s", name, none);
}

bool trace_value(const struct trace_event *event, const struct trace_field *field, int64_t *value)
{
	(void)event;
	(void)field;
	(void)value;
	return false;
}

int trace_start(struct trace *trace, trace_handler handle, void *context, struct err *err)
{
	(void)trace;
	(void)handle;
	(void)context;
	return err_set(err, ENOTSUP, "%s", none);
}

int trace_stop(struct trace *trace, struct err *err)
{
	(void)trace;
	return err_set(err, ENOTSUP, "%s", none);
}

uint64_t trace_lost(const struct trace *trace)
{
	(void)trace;
	return 0;
}

uint64_t trace_handled(const struct trace *trace)
{
	(void)trace;
	return 0;
}

void trace_close(struct trace *trace)
{
	(void)trace;
}

int trace_remove_leftovers(long pid, struct err *err)
{
	(void)pid;
	(void)err;
	return 0;
}

int trace_instances(struct err *err)
{
	(void)err;
	return 0;
}
