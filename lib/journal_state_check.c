// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "journal_state.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A run of three tests, twice: reset, interrupted, and its supervisor killed. */
#define SAMPLE "fixtures/journals/resumed.jsonl"
#define BOOT_B "22222222-2222-4222-8222-222222222222"
#define BOOT_C "33333333-3333-4333-8333-333333333333"

static const struct {
	const char *test;
	unsigned int iter;
} entries[] = { { "first", 1 }, { "second", 1 }, { "third", 1 },
		{ "first", 2 }, { "second", 2 }, { "third", 2 } };

/*
 * What is known after so many lines of it: results of the entries above (pass, hung, skip, notrun,
 * broken; '.': none), the entry in flight, resets, and whether the run is done.
 */
static const struct {
	size_t lines;
	const char *results;
	int running;
	unsigned int resets;
	bool done;
} known[] = {
	{ 0, "......", -1, 0, false },	{ 4, "......", 0, 0, false },
	{ 6, "p.....", -1, 0, false },	{ 7, "p.....", 1, 0, false },
	{ 10, "p.....", 1, 1, false },	{ 13, "ph....", -1, 1, false },
	{ 15, "ph....", 2, 1, false },	{ 16, "phs...", -1, 1, false },
	{ 17, "phs...", 3, 1, false },	{ 20, "phsn..", -1, 1, false },
	{ 21, "phsnn.", -1, 1, false }, { 22, "phsnnn", -1, 1, false },
	{ 23, "phsnnn", -1, 1, true },	{ 24, "phsnnn", -1, 1, false },
	{ 27, "phs.nn", 3, 1, false },	{ 29, "phspnn", -1, 1, false },
	{ 30, "phsp.n", 4, 1, false },	{ 33, "phspbn", -1, 1, false },
	{ 35, "phspb.", 5, 1, false },	{ 36, "phspbs", -1, 1, false },
	{ 37, "phspbs", -1, 1, true },
};

static char *sample(size_t *size)
{
	FILE *file = fopen(SAMPLE, "re");
	char *text = calloc(1, 65536);

	ck_assert_ptr_nonnull(file);
	*size = fread(text, 1, 65535, file);
	ck_assert(feof(file) && *size > 0);
	fclose(file);
	return text;
}

/* Number of whole lines, and where the last of them ends. */
static size_t whole_lines(const char *text, size_t size, size_t *end)
{
	size_t n = 0;

	*end = 0;
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\n') {
			n++;
			*end = i + 1;
		}
	return n;
}

static void read_state(struct journal_state *state, const char *text, size_t size)
{
	struct err err = { .text = "" };
	struct journal_reader reader;
	size_t end, lines = whole_lines(text, size, &end);

	journal_state_init(state);
	if (!size)
		return; /* fmemopen(3) takes no empty text */
	journal_attach(&reader, fmemopen((void *)(uintptr_t)text, size, "r"), "sample");
	ck_assert_msg(!journal_state_read(state, &reader, &err), "%zu: %s", size, err.text);
	ck_assert_uint_eq(reader.whole, end);
	ck_assert_uint_eq(reader.seq, lines);
	journal_finish(&reader);
}

static char result_letter(const struct journal_state *state, size_t i)
{
	enum verdict verdict = journal_state_verdict(state, entries[i].test, entries[i].iter);

	return verdict == VERDICT_NONE ? '.' : verdict_name(verdict)[0];
}

static void compare(const struct journal_state *state, size_t lines)
{
	size_t row = COUNT(known) - 1;
	size_t kept = 0;

	while (known[row].lines > lines)
		row--;
	for (size_t i = 0; i < COUNT(entries); i++) {
		char letter = result_letter(state, i);

		ck_assert_msg(letter == known[row].results[i], "%zu lines: entry %zu is %c", lines,
			      i, letter);
		ck_assert_msg(journal_state_runs(state, entries[i].test, entries[i].iter) ==
				      ((int)i == known[row].running),
			      "%zu lines: entry %zu runs, or does not", lines, i);
		kept += letter != '.' && letter != 'n';
	}
	ck_assert_uint_eq(state->kept, kept);
	ck_assert_uint_eq(state->resets, known[row].resets);
	ck_assert_msg(state->done == known[row].done, "%zu lines: done", lines);
}

/* A record by its keys; its boot is added. Error text in err. */
static int take(struct journal_state *state, const char *boot, struct err *err, const char *format,
		...)
{
	json_t *record;
	char text[512];
	va_list args;
	int result;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	record = json_loads(text, 0, NULL);
	ck_assert_msg(record != NULL, "%s", text);
	json_object_set_new(record, "boot", json_string(boot));
	err->text[0] = '\0';
	result = journal_state_take(state, record, err);
	json_decref(record);
	return result;
}

static void take_well(struct journal_state *state, const char *type, const char *test,
		      unsigned int iter, const char *verdict)
{
	struct err err;

	ck_assert_msg(!take(state, BOOT_C, &err,
			    "{\"type\":\"%s\",\"test\":\"%s\",\"iter\":%u,\"verdict\":\"%s\"}",
			    type, test, iter, verdict),
		      "%s", err.text);
}

/* Do what a resumed run does from here on. */
static void go_on(struct journal_state *state)
{
	struct err err;

	ck_assert_int_eq(journal_state_now(state, BOOT_C, &err), 0);
	ck_assert_int_eq(take(state, BOOT_C, &err, "{\"type\":\"resume\"}"), 0);
	for (size_t i = 0; i < COUNT(entries); i++)
		if (journal_state_runs(state, entries[i].test, entries[i].iter))
			take_well(state, "end", entries[i].test, entries[i].iter, "hung");
	for (size_t i = 0; i < COUNT(entries); i++) {
		if (!strchr(".n", result_letter(state, i)))
			continue;
		take_well(state, "start", entries[i].test, entries[i].iter, "");
		take_well(state, "end", entries[i].test, entries[i].iter, "known");
	}
	ck_assert_int_eq(
		take(state, BOOT_C, &err, "{\"type\":\"done\",\"exit\":0,\"interrupted\":false}"),
		0);
}

/* Cut at every byte: what is known is what the whole lines say, ... */
START_TEST(cut_anywhere)
{
	size_t size, end;
	char *text = sample(&size);

	for (size_t cut = 0; cut <= size; cut++) {
		struct journal_state state;

		read_state(&state, text, cut);
		compare(&state, whole_lines(text, cut, &end));
		journal_state_free(&state);
	}
	free(text);
}
END_TEST

/* ... and a run that goes on from there loses no result, and has none twice. */
START_TEST(resumed_anywhere)
{
	size_t size, end;
	char *text = sample(&size);
	size_t first = (size_t)(strchr(text, '\n') - text) + 1;

	for (size_t cut = first; cut <= size; cut++) {
		char before[COUNT(entries)];
		struct journal_state state;
		struct err err;

		read_state(&state, text, cut);
		for (size_t i = 0; i < COUNT(entries); i++)
			before[i] = result_letter(&state, i);
		if (whole_lines(text, cut, &end) == 37) {
			/* Nothing is left to be done, also after a restart. */
			ck_assert_int_eq(journal_state_now(&state, BOOT_C, &err), 0);
			ck_assert(journal_state_complete(&state, 0));
		} else {
			ck_assert(!journal_state_complete(&state, 0));
			go_on(&state);
			ck_assert(journal_state_complete(&state, 0));
		}
		ck_assert_uint_eq(state.kept, COUNT(entries));
		for (size_t i = 0; i < COUNT(entries); i++)
			ck_assert_msg(strchr(".n", before[i]) ||
					      before[i] == result_letter(&state, i),
				      "cut at %zu: entry %zu was %c", cut, i, before[i]);
		journal_state_free(&state);
	}
	free(text);
}
END_TEST

/* State after so many lines of the sample. */
static void after_lines(struct journal_state *state, size_t lines)
{
	size_t size, end = 0;
	char *text = sample(&size);

	for (; lines; lines--)
		end = (size_t)(strchr(text + end, '\n') - text) + 1;
	read_state(state, text, end);
	free(text);
}

START_TEST(what_was_in_flight)
{
	struct journal_state state;

	after_lines(&state, 9);
	ck_assert_str_eq(json_string_value(json_object_get(state.last, "type")), "check");
	ck_assert_ptr_eq(state.failed, state.last);
	ck_assert_str_eq(state.release, "6.1.0-1-amd64");
	ck_assert(!state.lab);
	journal_state_free(&state);

	/* A check that failed belongs to the test that made it. */
	after_lines(&state, 15);
	ck_assert_ptr_null(state.failed);
	ck_assert_ptr_null(state.last);
	journal_state_free(&state);
}
END_TEST

/* Only what this boot changed can be put back, and only if the run has not. */
START_TEST(what_is_to_be_put_back)
{
	static const struct {
		size_t lines, saved;
	} rows[] = { { 2, 0 },	{ 3, 1 },  { 9, 1 },  { 10, 0 }, { 14, 1 },
		     { 22, 1 }, { 23, 0 }, { 26, 1 }, { 34, 2 }, { 37, 0 } };
	struct journal_state state;
	struct err err;

	after_lines(&state, rows[_i].lines);
	ck_assert_uint_eq(json_array_size(state.saved), rows[_i].saved);
	ck_assert_int_eq(journal_state_now(&state, BOOT_C, &err), 0);
	ck_assert_uint_eq(json_array_size(state.saved), 0);
	journal_state_free(&state);
}
END_TEST

/* One is held from line 5 on; the run has stopped it when it is done, and so has a restart. */
START_TEST(which_watchdog_may_run_on)
{
	FILE *file = fopen("fixtures/journals/guarded.jsonl", "re");
	struct journal_reader reader;
	struct journal_state state;
	json_t *record;
	struct err err;

	ck_assert_ptr_nonnull(file);
	journal_attach(&reader, file, "guarded");
	journal_state_init(&state);
	while (!state.done && journal_next(&reader, &record, &err) == 1) {
		ck_assert_int_eq(journal_state_take(&state, record, &err), 0);
		json_decref(record);
		if (reader.seq >= 5 && !state.done)
			ck_assert_str_eq(
				json_string_value(json_object_get(state.watchdog, "device")),
				"/dev/watchdog1");
		else
			ck_assert_ptr_null(state.watchdog);
		if (_i && reader.seq == 5)
			break;
	}
	ck_assert_uint_ge(reader.seq, 5);
	ck_assert_int_eq(journal_state_now(&state, BOOT_C, &err), 0);
	ck_assert_ptr_null(state.watchdog);
	journal_finish(&reader);
	journal_state_free(&state);
}
END_TEST

/* A restart after the end of a run, also of an interrupted one, is no reset. */
START_TEST(counts_resets)
{
	static const struct {
		size_t lines;
		const char *boot;
		unsigned int resets, fruitless;
		bool rebooted;
	} rows[] = {
		{ 9, BOOT_C, 1, 1, true },  { 12, BOOT_B, 1, 1, false }, { 12, BOOT_C, 2, 2, true },
		{ 14, BOOT_C, 2, 1, true }, { 23, BOOT_C, 1, 0, true },	 { 25, BOOT_C, 2, 1, true },
		{ 37, BOOT_C, 1, 0, true }, { 30, BOOT_B, 1, 0, false },
	};
	struct journal_state state;
	struct err err;

	after_lines(&state, rows[_i].lines);
	ck_assert_int_eq(journal_state_now(&state, rows[_i].boot, &err), 0);
	ck_assert_uint_eq(state.resets, rows[_i].resets);
	ck_assert_uint_eq(state.fruitless, rows[_i].fruitless);
	ck_assert(state.rebooted == rows[_i].rebooted);
	journal_state_free(&state);
}
END_TEST

START_TEST(knows_a_loop)
{
	static const struct {
		unsigned int resets, fruitless, max;
		const char *why;
	} rows[] = {
		{ 0, 0, 0, NULL },
		{ 2, 1, 0, NULL },
		{ 3, 0, 0, "reset 3 times" },
		{ 2, 2, 0, "2 times in a row" },
		{ 4, 4, 5, NULL },
		{ 5, 1, 5, "reset 5 times" },
		{ 1, 1, 1, "reset 1 times" },
	};
	struct journal_state state = { .resets = rows[_i].resets, .fruitless = rows[_i].fruitless };
	char why[160] = "";

	ck_assert(journal_state_loops(&state, rows[_i].max, why, sizeof(why)) ==
		  (rows[_i].why != NULL));
	ck_assert_msg(!rows[_i].why || strstr(why, rows[_i].why), "%s", why);
}
END_TEST

START_TEST(knows_what_is_complete)
{
	static const struct {
		struct journal_state state;
		unsigned int max;
		bool complete;
	} rows[] = {
		{ { .done = false }, 0, false },
		{ { .done = true }, 0, true },
		{ { .done = true, .interrupted = true, .notrun = true }, 0, false },
		/* The rest was in the way of a process that could not be killed. */
		{ { .done = true, .notrun = true }, 0, true },
		{ { .done = true, .notrun = true, .rebooted = true }, 0, false },
		/* It was stopped after 3 resets. */
		{ { .done = true, .notrun = true, .stopped = true, .resets = 3 }, 0, true },
		{ { .done = true, .notrun = true, .stopped = true, .resets = 3, .rebooted = true },
		  0,
		  true },
		{ { .done = true, .notrun = true, .stopped = true, .resets = 3 }, 3, true },
		{ { .done = true, .notrun = true, .stopped = true, .resets = 3 }, 4, false },
	};

	ck_assert(journal_state_complete(&rows[_i].state, rows[_i].max) == rows[_i].complete);
}
END_TEST

#define RUN                                                                 \
	"{\"type\":\"run\",\"repeat\":1,\"planned\":[{\"test\":\"first\"}," \
	"{\"test\":\"second\"}]}"
#define OF(type, test, rest) "{\"type\":\"" type "\",\"test\":\"" test "\",\"iter\":1" rest "}"
#define START_FIRST OF("start", "first", "")
#define END_FIRST OF("end", "first", ",\"verdict\":\"pass\"")
#define DONE "{\"type\":\"done\",\"exit\":0,\"interrupted\":false}"

/* Journals that no run writes: the last record is refused, and all before it are taken. */
static const struct {
	const char *records[6];
	const char *says;
} mutated[] = {
	{ { START_FIRST }, "the first record is \"start\"" },
	{ { RUN, RUN }, "a second run" },
	{ { RUN, START_FIRST, START_FIRST }, "first is started while first runs" },
	{ { RUN, START_FIRST, OF("start", "second", "") }, "second is started while first runs" },
	{ { RUN, START_FIRST, OF("end", "second", ",\"verdict\":\"pass\"") },
	  "second ends while first runs" },
	{ { RUN, START_FIRST, END_FIRST, END_FIRST }, "first ends again" },
	{ { RUN, START_FIRST, END_FIRST, START_FIRST }, "first is started again" },
	{ { RUN, END_FIRST, START_FIRST }, "first is started again" },
	{ { RUN, START_FIRST, DONE }, "the run ends while first runs" },
	{ { RUN, DONE, START_FIRST }, "\"start\" after the end" },
	{ { RUN, DONE, DONE }, "\"done\" after the end" },
	{ { RUN, OF("start", "third", "") }, "third was not planned" },
	{ { RUN, OF("note", "third", "") }, "third was not planned" },
	{ { RUN, "{\"type\":\"start\",\"test\":\"first\"}" }, "\"iter\"" },
	{ { RUN, "{\"type\":\"start\",\"test\":\"first\",\"iter\":0}" }, "\"iter\"" },
	{ { RUN, START_FIRST, OF("end", "first", ",\"verdict\":\"well\"") }, "a verdict" },
};

START_TEST(mutated_journal)
{
	const char *const *records = mutated[_i].records;
	struct journal_state state;
	struct err err;
	size_t i;

	journal_state_init(&state);
	for (i = 0; i + 1 < COUNT(mutated[0].records) && records[i + 1]; i++)
		ck_assert_msg(!take(&state, BOOT_B, &err, "%s", records[i]), "%s", err.text);
	ck_assert_int_eq(take(&state, BOOT_B, &err, "%s", records[i]), -EBADMSG);
	ck_assert_msg(strstr(err.text, mutated[_i].says), "%s", err.text);
	journal_state_free(&state);
}
END_TEST

/* What may look odd, and is written: an end without a start, another type, an extra iteration. */
START_TEST(unusual_journal)
{
	static const char *const records[] = {
		RUN,
		END_FIRST,
		"{\"type\":\"x-unknown\"}",
		OF("note", "first", ""),
		OF("end", "second", ",\"verdict\":\"notrun\""),
		OF("end", "second", ",\"verdict\":\"skip\""),
		"{\"type\":\"start\",\"test\":\"second\",\"iter\":2}",
		"{\"type\":\"end\",\"test\":\"second\",\"iter\":2,\"verdict\":\"notrun\"}",
		DONE,
		"{\"type\":\"resume\"}",
	};
	struct journal_state state;
	struct err err;

	journal_state_init(&state);
	for (size_t i = 0; i < COUNT(records); i++)
		ck_assert_msg(!take(&state, BOOT_B, &err, "%s", records[i]), "%zu: %s", i,
			      err.text);
	ck_assert_int_eq(journal_state_verdict(&state, "second", 1), VERDICT_SKIP);
	ck_assert_int_eq(journal_state_verdict(&state, "second", 2), VERDICT_NOTRUN);
	ck_assert_uint_eq(json_array_size(state.extra), 1);
	ck_assert_uint_eq(state.kept, 2);
	journal_state_free(&state);
}
END_TEST

/* The error of a file names the line. */
START_TEST(names_the_line)
{
	static const char text[] =
		"{\"v\":1,\"seq\":1,\"boot\":\"b\",\"time\":\"t\",\"type\":\"run\"}\n"
		"{\"v\":1,\"seq\":2,\"boot\":\"b\",\"time\":\"t\",\"type\":\"run\"}\n";
	struct journal_reader reader;
	struct journal_state state;
	struct err err;

	journal_state_init(&state);
	journal_attach(&reader, fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r"), "sample");
	ck_assert_int_eq(journal_state_read(&state, &reader, &err), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(err.text, "sample:2: "));
	journal_finish(&reader);
	journal_state_free(&state);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("journal_state");
	TCase *cuts = tcase_create("cuts");
	TCase *states = tcase_create("states");

	tcase_set_timeout(cuts, 60);
	tcase_add_test(cuts, cut_anywhere);
	tcase_add_test(cuts, resumed_anywhere);
	tcase_add_test(states, what_was_in_flight);
	tcase_add_loop_test(states, what_is_to_be_put_back, 0, 10);
	tcase_add_loop_test(states, which_watchdog_may_run_on, 0, 2);
	tcase_add_loop_test(states, counts_resets, 0, 8);
	tcase_add_loop_test(states, knows_a_loop, 0, 7);
	tcase_add_loop_test(states, knows_what_is_complete, 0, 9);
	tcase_add_loop_test(states, mutated_journal, 0, COUNT(mutated));
	tcase_add_test(states, unusual_journal);
	tcase_add_test(states, names_the_line);
	suite_add_tcase(s, cuts);
	suite_add_tcase(s, states);
	return s;
}
