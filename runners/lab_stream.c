// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../reports/model.h"
#include "record.h"

/* Types of record, and what they are for us. Another type is none that a guest may send. */
static const struct {
	const char *type;
	enum lab_line line;
	bool of_test; /* only while a test runs */
} types[] = {
	{ "run", LAB_LINE_DONE, false },	{ "done", LAB_LINE_DONE, false },
	{ "machine", LAB_LINE_MACHINE, false }, { "start", LAB_LINE_START, false },
	{ "end", LAB_LINE_END, false },		{ "control", LAB_LINE_OTHER, true },
	{ "measure", LAB_LINE_OTHER, true },	{ "check", LAB_LINE_OTHER, true },
	{ "verdict", LAB_LINE_OTHER, true },	{ "output", LAB_LINE_OTHER, true },
	{ "note", LAB_LINE_OTHER, false },	{ "log", LAB_LINE_OTHER, false },
};

void lab_stream_init(struct lab_stream *stream, const struct plan *plan)
{
	*stream = (struct lab_stream){ .plan = plan };
}

void lab_stream_boot(struct lab_stream *stream)
{
	stream->running = stream->done = stream->booted = false;
	stream->seq = 0;
	stream->boot[0] = '\0';
}

struct planned *lab_stream_planned(const struct lab_stream *stream)
{
	return stream->next < stream->plan->n ? &stream->plan->entries[stream->next] : NULL;
}

void lab_stream_advance(struct lab_stream *stream)
{
	stream->next++;
	stream->running = false;
	stream->bad = 0;
}

__attribute__((format(printf, 2, 3))) static enum lab_line bad(struct lab_stream *stream,
							       const char *fmt, ...)
{
	va_list args;

	if (stream->bad++)
		return LAB_LINE_BAD;
	va_start(args, fmt);
	vsnprintf(stream->first_bad, sizeof(stream->first_bad), fmt, args);
	va_end(args);
	return LAB_LINE_BAD;
}

/* Version, sequence and boot id, as of a journal. */
static bool check_stamp(struct lab_stream *stream, const json_t *record)
{
	const char *boot = json_string_value(json_object_get(record, "boot"));
	json_int_t seq = json_integer_value(json_object_get(record, "seq"));
	bool whole = seq == (json_int_t)(stream->seq + 1);

	if (json_integer_value(json_object_get(record, "v")) != RECORD_VERSION || seq < 1 ||
	    !boot || strlen(boot) >= sizeof(stream->boot) ||
	    (stream->booted && strcmp(boot, stream->boot))) {
		bad(stream, "a record of another format or another machine");
		return false;
	}
	if (!whole)
		bad(stream, "record %" JSON_INTEGER_FORMAT " follows record %" PRIu64, seq,
		    stream->seq);
	snprintf(stream->boot, sizeof(stream->boot), "%s", boot);
	stream->booted = true;
	stream->seq = (uint64_t)seq;
	return true; /* a gap is counted; what comes after it is as good as before */
}

/* Does the record belong to the test that runs or, for "start" and "end", is the next? */
static bool is_of_planned(const struct lab_stream *stream, const json_t *record)
{
	const struct planned *planned = lab_stream_planned(stream);
	const char *test = json_string_value(json_object_get(record, "test"));

	return planned && test && !strcmp(test, planned->test->name) &&
	       json_integer_value(json_object_get(record, "iter")) == planned->iter;
}

static enum lab_line sort(struct lab_stream *stream, const json_t *record, const char *type)
{
	size_t i = 0;

	while (i < sizeof(types) / sizeof(types[0]) && strcmp(types[i].type, type) != 0)
		i++;
	if (i == sizeof(types) / sizeof(types[0]))
		return bad(stream, "a record of type \"%.32s\"", type);
	if (types[i].of_test && !stream->running)
		return bad(stream, "a record of type \"%s\" while no test runs", type);
	if (json_object_get(record, "test") && !is_of_planned(stream, record))
		return bad(stream, "a record of type \"%s\" of another test", type);
	if (types[i].line == LAB_LINE_START && stream->running)
		return bad(stream, "a second start of a test");
	return types[i].line;
}

enum lab_line lab_stream_line(struct lab_stream *stream, const char *line, size_t len, bool cut,
			      json_t **record)
{
	enum lab_line sorted;
	const char *type;
	json_error_t error;
	struct err err;

	*record = NULL;
	if (cut)
		return bad(stream, "a line that is too long");
	*record = json_loadb(line ? line : "", len, JSON_REJECT_DUPLICATES, &error);
	type = json_string_value(json_object_get(*record, "type"));
	if (!*record)
		sorted = bad(stream, "no record: %.160s", error.text);
	else if (!type)
		sorted = bad(stream, "a record without a type");
	else if (!check_stamp(stream, *record))
		sorted = LAB_LINE_BAD;
	else if (report_check(*record, "line", stream->seq, &err))
		sorted = bad(stream, "%s", err.text);
	else
		sorted = sort(stream, *record, type);
	if (sorted == LAB_LINE_DONE)
		stream->done |= type && !strcmp(type, "done");
	if (sorted == LAB_LINE_START)
		stream->running = true;
	if (sorted == LAB_LINE_BAD || sorted == LAB_LINE_DONE) {
		json_decref(*record);
		*record = NULL;
	}
	return sorted;
}
