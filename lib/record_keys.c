// SPDX-License-Identifier: GPL-2.0-or-later
/* What every record must have, for those who write records and those who read them. */
#include "record.h"

/*
 * A figure that is not a number is left out by the writer, so "value", "bound" and "floor" may be
 * missing; "row" is, where a check is about the whole run; "pattern", where no message matched.
 */
const struct record_key record_keys[] = {
	{ "run", "version", RECORD_STRING, false },
	{ "run", "args", RECORD_ARRAY, false },
	{ "run", "labels", RECORD_OBJECT, false },
	{ "run", "planned", RECORD_ARRAY, false },
	{ "run", "repeat", RECORD_INTEGER, true },
	{ "run", "cwd", RECORD_STRING, true },
	{ "resume", "version", RECORD_STRING, false },
	{ "resume", "after", RECORD_STRING, false },
	{ "resume", "resets", RECORD_INTEGER, false },
	{ "resume", "boots", RECORD_ARRAY, false },
	{ "resume", "kept", RECORD_INTEGER, false },
	{ "resume", "left", RECORD_INTEGER, false },
	{ "resume", "cut", RECORD_INTEGER, false },
	{ "resume", "in_flight", RECORD_OBJECT, true },
	{ "resume", "stopped", RECORD_STRING, true },
	{ "saved", "pid", RECORD_INTEGER, true },
	{ "saved", "sysctls", RECORD_OBJECT, false },
	{ "saved", "cpus_online", RECORD_STRING, true },
	{ "saved", "cgroups", RECORD_STRING, true },
	{ "machine", "emulated", RECORD_BOOLEAN, true },
	{ "start", "budget_s", RECORD_NUMBER, false },
	{ "start", "danger", RECORD_STRING, false },
	{ "watchdog", "state", RECORD_STRING, false },
	{ "watchdog", "device", RECORD_STRING, false },
	{ "watchdog", "identity", RECORD_STRING, false },
	{ "watchdog", "driver", RECORD_STRING, false },
	{ "watchdog", "kind", RECORD_STRING, false },
	{ "watchdog", "nowayout", RECORD_BOOLEAN, true },
	{ "watchdog", "bootstatus", RECORD_ARRAY, true },
	{ "watchdog", "timeout_s", RECORD_INTEGER, true },
	{ "watchdog", "timeout_before_s", RECORD_INTEGER, true },
	{ "watchdog", "pretimeout_s", RECORD_INTEGER, true },
	{ "watchdog", "pretimeout_before_s", RECORD_INTEGER, true },
	{ "watchdog", "governor", RECORD_STRING, true },
	{ "watchdog", "governor_before", RECORD_STRING, true },
	{ "watchdog", "vital_signs", RECORD_ARRAY, true },
	{ "escalation", "panic_on", RECORD_ARRAY, false },
	{ "escalation", "set", RECORD_OBJECT, false },
	{ "escalation", "before", RECORD_OBJECT, false },
	{ "control", "name", RECORD_STRING, false },
	{ "control", "value", RECORD_NUMBER, true },
	{ "control", "floor", RECORD_NUMBER, true },
	{ "control", "unit", RECORD_STRING, false },
	{ "control", "ok", RECORD_BOOLEAN, false },
	{ "measure", "table", RECORD_STRING, false },
	{ "measure", "row", RECORD_STRING, false },
	{ "measure", "name", RECORD_STRING, false },
	{ "measure", "unit", RECORD_STRING, false },
	{ "measure", "labels", RECORD_OBJECT, true },
	{ "measure", "value", RECORD_NUMBER, true },
	{ "measure", "n", RECORD_INTEGER, true },
	{ "measure", "resolution", RECORD_NUMBER, true },
	{ "measure", "warm_skip", RECORD_INTEGER, true },
	{ "measure", "columns", RECORD_STRING, true },
	{ "measure", "stats", RECORD_OBJECT, true },
	{ "measure", "samples", RECORD_ARRAY, true },
	{ "measure", "histogram", RECORD_ARRAY, true },
	{ "check", "name", RECORD_STRING, false },
	{ "check", "row", RECORD_STRING, true },
	{ "check", "op", RECORD_STRING, false },
	{ "check", "value", RECORD_NUMBER, true },
	{ "check", "bound", RECORD_NUMBER, true },
	{ "check", "unit", RECORD_STRING, false },
	{ "check", "origin", RECORD_STRING, false },
	{ "check", "ok", RECORD_BOOLEAN, false },
	{ "verdict", "verdict", RECORD_STRING, false },
	{ "verdict", "reason", RECORD_STRING, false },
	{ "note", "text", RECORD_STRING, false },
	{ "log", "class", RECORD_STRING, false },
	{ "log", "pattern", RECORD_STRING, true },
	{ "log", "level", RECORD_INTEGER, false },
	{ "log", "kseq", RECORD_INTEGER, false },
	{ "log", "ktime_us", RECORD_INTEGER, false },
	{ "log", "text", RECORD_STRING, false },
	{ "log", "suppressed", RECORD_INTEGER, false },
	{ "log", "expected", RECORD_BOOLEAN, false },
	{ "output", "stream", RECORD_STRING, false },
	{ "output", "text", RECORD_STRING, false },
	{ "output", "omitted", RECORD_INTEGER, true },
	{ "end", "verdict", RECORD_STRING, false },
	{ "end", "reasons", RECORD_ARRAY, false },
	{ "end", "exit", RECORD_INTEGER, true },
	{ "end", "signal", RECORD_INTEGER, true },
	{ "end", "duration_s", RECORD_NUMBER, false },
	{ "end", "survivors", RECORD_INTEGER, false },
	{ "end", "log_lost", RECORD_BOOLEAN, false },
	{ "end", "log_unread", RECORD_STRING, true },
	{ "end", "restored", RECORD_ARRAY, false },
	{ "done", "counts", RECORD_OBJECT, false },
	{ "done", "exit", RECORD_INTEGER, false },
	{ "done", "interrupted", RECORD_BOOLEAN, false },
	{ NULL, NULL, 0, false },
};

bool record_is_kind(const json_t *value, enum record_kind kind)
{
	switch (kind) {
	case RECORD_STRING:
		return json_is_string(value);
	case RECORD_INTEGER:
		return json_is_integer(value);
	case RECORD_NUMBER:
		return json_is_number(value);
	case RECORD_BOOLEAN:
		return json_is_boolean(value);
	case RECORD_ARRAY:
		return json_is_array(value);
	case RECORD_OBJECT:
		return json_is_object(value);
	}
	return false;
}
