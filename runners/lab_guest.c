// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_guest.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "known_table.h"
#include "machine.h"
#include "output.h"
#include "record.h"

static void append(struct lab_guest *guest, json_t *record, bool sync)
{
	struct err err;
	int result;

	if (guest->journal_result) {
		json_decref(record);
		return;
	}
	result = journal_append(guest->journal, record, sync, &err);
	if (result) {
		guest->journal_result = result;
		guest->journal_err = err;
	}
}

/* A text of a machine as JSON: never lost for what is in it. */
static json_t *text_json(const char *text)
{
	json_t *holder = json_object();
	json_t *string;

	record_set_text(holder, "text", text, (size_t)-1);
	string = json_incref(json_object_get(holder, "text"));
	json_decref(holder);
	return string;
}

static void show_start(struct lab_guest *guest)
{
	const struct planned *planned = lab_stream_planned(&guest->stream);

	progress_start(guest->progress, planned->number, planned->label, planned->test->budget_s);
	tap_open(&guest->tap, planned->label,
		 known_live_concerns(guest->known, planned->test->name));
}

/* Its end is in the journal. */
static void show_end(struct lab_guest *guest, enum verdict verdict, const json_t *end)
{
	struct planned *planned = lab_stream_planned(&guest->stream);
	const char *reason = json_string_value(json_array_get(json_object_get(end, "reasons"), 0));

	planned->verdict = verdict;
	verdict = known_live_verdict(guest->known, planned->test->name, planned->iter, verdict);
	progress_end(guest->progress, planned->label, verdict, reason ? reason : "",
		     json_number_value(json_object_get(end, "duration_s")));
	tap_result(&guest->tap, planned->number, planned->label, verdict, reason ? reason : "");
}

/* Records that came damaged are evidence lost: no conclusion, unless it was refuted all the same.
 */
static enum verdict doubt(struct lab_guest *guest, json_t *end)
{
	enum verdict verdict = verdict_parse(record_text(end, "verdict"));
	json_t *reasons = json_object_get(end, "reasons");
	char reason[400];

	if (!guest->stream.bad)
		return verdict;
	snprintf(reason, sizeof(reason), "%u lines of its journal came damaged, the first: %s",
		 guest->stream.bad, guest->stream.first_bad);
	json_object_set_new(end, "log_lost", json_true());
	verdict = verdict_worse(verdict, VERDICT_BROKEN);
	if (verdict == VERDICT_BROKEN)
		json_array_insert_new(reasons, 0, text_json(reason));
	else
		json_array_append_new(reasons, text_json(reason));
	json_object_set_new(end, "verdict", json_string(verdict_name(verdict)));
	return verdict;
}

static void take_end(struct lab_guest *guest, json_t *record)
{
	enum verdict verdict = doubt(guest, record);

	append(guest, json_incref(record), true);
	show_end(guest, verdict, record);
	json_decref(record);
	lab_stream_advance(&guest->stream);
	lab_watch_test_over(&guest->watch);
}

static void take_start(struct lab_guest *guest, json_t *record)
{
	guest->test_started = clock_ms();
	console_mark(&guest->console);
	lab_watch_test(&guest->watch, json_number_value(json_object_get(record, "budget_s")));
	show_start(guest);
	append(guest, record, true);
}

static void take_output(struct lab_guest *guest, const json_t *record)
{
	const char *text = record_text(record, "text");

	tap_line(&guest->tap, text, strlen(text), !strcmp(record_text(record, "stream"), "stderr"),
		 (unsigned long)json_integer_value(json_object_get(record, "omitted")));
}

static int take_record(void *context, const char *line, size_t len, bool cut)
{
	struct lab_guest *guest = context;
	json_t *record;
	enum lab_line what = lab_stream_line(&guest->stream, line, len, cut, &record);

	if (guest->stream.booted)
		memcpy(guest->journal->boot, guest->stream.boot, sizeof(guest->journal->boot));
	if (what == LAB_LINE_BAD || what == LAB_LINE_DONE)
		return 0;
	if (what == LAB_LINE_MACHINE)
		json_object_update(record, (json_t *)guest->machine);
	if (what == LAB_LINE_START) {
		take_start(guest, record);
	} else if (what == LAB_LINE_END) {
		take_end(guest, record);
	} else {
		if (!strcmp(record_text(record, "type"), "output"))
			take_output(guest, record);
		append(guest, record, false);
	}
	return 0;
}

static int take_error(void *context, const char *line, size_t len, bool cut)
{
	struct lab_guest *guest = context;

	(void)cut;
	if (len)
		snprintf(guest->errors, sizeof(guest->errors), "%.*s", (int)len, line);
	return 0;
}

void lab_guest_boot(struct lab_guest *guest, const int *streams, double scale, int64_t now)
{
	static const size_t longest[] = {
		[EMULATOR_CONSOLE] = CONSOLE_LINE_MAX,
		[EMULATOR_RECORDS] = RECORD_LINE_MAX,
		[EMULATOR_PULSE] = 64,
		[EMULATOR_ERRORS] = sizeof(guest->errors) - 1,
	};

	lab_stream_boot(&guest->stream);
	lab_watch_begin(&guest->watch, scale, now);
	console_init(&guest->console);
	guest->errors[0] = '\0';
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		lines_init(&guest->lines[i], streams[i], longest[i]);
}

bool lab_guest_read(struct lab_guest *guest, int64_t now)
{
	static const line_handler handlers[] = {
		[EMULATOR_CONSOLE] = console_line,
		[EMULATOR_RECORDS] = take_record,
		[EMULATOR_PULSE] = lab_watch_line,
		[EMULATOR_ERRORS] = take_error,
	};
	void *const contexts[] = {
		[EMULATOR_CONSOLE] = &guest->console,
		[EMULATOR_RECORDS] = guest,
		[EMULATOR_PULSE] = &guest->watch,
		[EMULATOR_ERRORS] = guest,
	};
	bool any = false;

	for (int i = 0; i < EMULATOR_STREAMS; i++) {
		int result;

		if (guest->lines[i].fd < 0)
			continue;
		result = lines_read(&guest->lines[i], handlers[i], contexts[i]);
		if (result != -EAGAIN && result <= 0)
			lines_close(&guest->lines[i]);
		if (result > 0 && i == EMULATOR_PULSE)
			lab_watch_heard(&guest->watch, now);
		any |= result > 0;
	}
	return any;
}

void lab_guest_close(struct lab_guest *guest)
{
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		lines_close(&guest->lines[i]);
}

void lab_guest_note(struct lab_guest *guest, const char *text)
{
	json_t *note = json_pack("{s:s}", "type", "note");

	record_set_text(note, "text", text, (size_t)-1);
	append(guest, note, false);
}

static void set_test(const struct planned *planned, json_t *record)
{
	json_object_set_new(record, "test", json_string(planned->test->name));
	json_object_set_new(record, "iter", json_integer(planned->iter));
}

/* Journal what the console says; `worst` as of console_evidence(). */
static void append_evidence(struct lab_guest *guest, char *worst, size_t size)
{
	json_t *records = console_evidence(&guest->console, worst, size);
	json_t *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		set_test(lab_stream_planned(&guest->stream), record);
		if (!strcmp(record_text(record, "type"), "output"))
			take_output(guest, record);
		append(guest, json_incref(record), false);
	}
	json_decref(records);
}

void lab_guest_settle(struct lab_guest *guest, enum verdict verdict, const char *reason,
		      bool evidence)
{
	const struct planned *planned = lab_stream_planned(&guest->stream);
	double duration_s =
		guest->stream.running ? (double)(clock_ms() - guest->test_started) / 1000 : 0;
	json_t *reasons = json_array();
	char worst[600] = "";
	json_t *end;

	if (evidence)
		append_evidence(guest, worst, sizeof(worst));
	end = json_pack("{s:s, s:s, s:o, s:i, s:b, s:[]}", "type", "end", "verdict",
			verdict_name(verdict), "reasons", reasons, "survivors", 0, "log_lost",
			(int)guest->stream.running, "restored");
	if (*worst) {
		char text[sizeof(worst) + 512];

		snprintf(text, sizeof(text), "%s; %s", reason, worst);
		json_array_append_new(reasons, text_json(text));
	} else {
		json_array_append_new(reasons, text_json(reason));
	}
	set_test(planned, end);
	record_set_number(end, "duration_s", duration_s);
	take_end(guest, end);
}
