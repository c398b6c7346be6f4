// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal_state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

void journal_state_init(struct journal_state *state)
{
	*state = (struct journal_state){
		.results = json_object(),
		.extra = json_array(),
		.boots = json_array(),
		.saved = json_array(),
	};
}

void journal_state_free(struct journal_state *state)
{
	json_t *const all[] = { state->run,	state->results, state->extra, state->start,
				state->last,	state->failed,	state->boots, state->saved,
				state->machine, state->watchdog };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_decref(all[i]);
	memset(state, 0, sizeof(*state));
}

static void keep(json_t **slot, json_t *record)
{
	json_incref(record);
	json_decref(*slot);
	*slot = record;
}

/* Nothing is in flight. */
static void land(struct journal_state *state)
{
	keep(&state->start, NULL);
	keep(&state->last, NULL);
	keep(&state->failed, NULL);
}

/* Key of a test and iteration in `results`: newly allocated. The name comes last, and may be any.
 */
static char *result_key(const char *test, unsigned int iter)
{
	char *key;

	return asprintf(&key, "%u/%s", iter, test) < 0 ? NULL : key;
}

enum verdict journal_state_verdict(const struct journal_state *state, const char *test,
				   unsigned int iter)
{
	char *key = result_key(test, iter);
	const json_t *result = key ? json_object_get(state->results, key) : NULL;

	free(key);
	return result ? (enum verdict)json_integer_value(result) : VERDICT_NONE;
}

static int set_verdict(struct journal_state *state, const char *test, unsigned int iter,
		       enum verdict verdict)
{
	char *key = result_key(test, iter);
	int result = key ? json_object_set_new(state->results, key, json_integer(verdict)) : -1;

	free(key);
	return result ? -ENOMEM : 0;
}

static void forget_verdict(struct journal_state *state, const char *test, unsigned int iter)
{
	char *key = result_key(test, iter);

	if (key)
		json_object_del(state->results, key);
	free(key);
}

static unsigned int iter_of(const json_t *record)
{
	json_int_t iter = json_integer_value(json_object_get(record, "iter"));

	return iter < 1 || iter > UINT_MAX ? 0 : (unsigned int)iter;
}

bool journal_state_runs(const struct journal_state *state, const char *test, unsigned int iter)
{
	return state->start && !strcmp(record_text(state->start, "test"), test) &&
	       iter_of(state->start) == iter;
}

static const char *last_boot(const struct journal_state *state)
{
	return json_string_value(json_array_get(state->boots, json_array_size(state->boots) - 1));
}

/* Another boot id: the machine was reset, unless it was restarted after the run had ended. */
static int take_boot(struct journal_state *state, const char *boot)
{
	const char *last = last_boot(state);

	if (last && !strcmp(last, boot))
		return 0;
	if (last && !state->done) {
		state->resets++;
		state->fruitless++;
	}
	json_array_clear(state->saved);
	keep(&state->watchdog, NULL);
	state->kseq = 0;
	return json_array_append_new(state->boots, json_string(boot)) ? -ENOMEM : 0;
}

static bool is_planned(const struct journal_state *state, const char *test)
{
	const json_t *planned;
	size_t i;

	json_array_foreach(json_object_get(state->run, "planned"), i, planned)
	{
		if (!strcmp(record_text(planned, "test"), test))
			return true;
	}
	return false;
}

/* How often the whole list was to be run. */
static json_int_t repeat_of(const struct journal_state *state)
{
	json_int_t repeat = json_integer_value(json_object_get(state->run, "repeat"));

	return repeat ? repeat : 1;
}

static int take_start(struct journal_state *state, json_t *record, const char *test,
		      unsigned int iter, struct err *err)
{
	enum verdict verdict = journal_state_verdict(state, test, iter);

	if (state->start)
		return err_plain(err, EBADMSG, "%s is started while %s runs", test,
				 record_text(state->start, "test"));
	if (verdict != VERDICT_NONE && verdict != VERDICT_NOTRUN)
		return err_plain(err, EBADMSG, "%s is started again, and has a result", test);
	land(state);
	keep(&state->start, record);
	forget_verdict(state, test, iter);
	if (iter > repeat_of(state) && json_array_append(state->extra, record))
		return -ENOMEM;
	return 0;
}

static int take_end(struct journal_state *state, json_t *record, const char *test,
		    unsigned int iter, struct err *err)
{
	enum verdict before = journal_state_verdict(state, test, iter);
	enum verdict verdict = verdict_parse(record_text(record, "verdict"));

	if (verdict == VERDICT_NONE)
		return err_plain(err, EBADMSG, "%s ends without a verdict that is known", test);
	if (state->start && !journal_state_runs(state, test, iter))
		return err_plain(err, EBADMSG, "%s ends while %s runs", test,
				 record_text(state->start, "test"));
	if (before != VERDICT_NONE && before != VERDICT_NOTRUN)
		return err_plain(err, EBADMSG, "%s ends again, and has a result", test);
	land(state);
	state->kept += verdict != VERDICT_NOTRUN;
	if (verdict != VERDICT_NOTRUN)
		state->fruitless = 0;
	return set_verdict(state, test, iter, verdict);
}

/* Any other record of a test. The first failed check of the one that runs is as good as the last.
 */
static void take_own(struct journal_state *state, json_t *record, const char *test,
		     unsigned int iter)
{
	if (!journal_state_runs(state, test, iter))
		return;
	keep(&state->last, record);
	if (!state->failed && !strcmp(record_text(record, "type"), "check") &&
	    json_is_false(json_object_get(record, "ok")))
		keep(&state->failed, record);
}

static int take_test(struct journal_state *state, json_t *record, const char *type,
		     const char *test, struct err *err)
{
	unsigned int iter = iter_of(record);

	if (!is_planned(state, test))
		return err_plain(err, EBADMSG, "%s was not planned", test);
	if (!iter)
		return err_plain(err, EBADMSG, "%s: \"iter\" is not a number from 1", test);
	if (!strcmp(type, "start"))
		return take_start(state, record, test, iter, err);
	if (!strcmp(type, "end"))
		return take_end(state, record, test, iter, err);
	take_own(state, record, test, iter);
	return 0;
}

/* Of what was planned. What was to be repeated once more is not asked for twice. */
static bool any_not_run(const struct journal_state *state)
{
	const char *key;
	json_t *value;

	json_object_foreach(state->results, key, value)
	{
		if (json_integer_value(value) == VERDICT_NOTRUN &&
		    (json_int_t)strtoul(key, NULL, 10) <= repeat_of(state))
			return true;
	}
	return false;
}

static int take_done(struct journal_state *state, const json_t *record, struct err *err)
{
	if (state->start)
		return err_plain(err, EBADMSG, "the run ends while %s runs",
				 record_text(state->start, "test"));
	state->done = true;
	state->interrupted = json_is_true(json_object_get(record, "interrupted"));
	state->exit = (int)json_integer_value(json_object_get(record, "exit"));
	state->notrun = any_not_run(state);
	json_array_clear(state->saved);
	keep(&state->watchdog, NULL);
	return 0;
}

static void take_machine(struct journal_state *state, json_t *record)
{
	keep(&state->machine, record);
	state->release =
		json_string_value(json_object_get(json_object_get(record, "kernel"), "release"));
	state->lab |= json_object_get(record, "lab") != NULL;
}

/* A record of no test. Types that are not known say nothing of how far the run has come. */
static int take_global(struct journal_state *state, json_t *record, const char *type,
		       struct err *err)
{
	if (!strcmp(type, "run") && state->run)
		return err_plain(err, EBADMSG, "a second run begins");
	if (!strcmp(type, "run"))
		keep(&state->run, record);
	else if (!strcmp(type, "machine"))
		take_machine(state, record);
	else if (!strcmp(type, "saved") && json_array_append(state->saved, record))
		return -ENOMEM;
	else if (!strcmp(type, "resume")) {
		state->done = state->interrupted = state->notrun = false;
		state->stopped = json_object_get(record, "stopped") != NULL;
	} else if (!strcmp(type, "done"))
		return take_done(state, record, err);
	return 0;
}

int journal_state_take(struct journal_state *state, json_t *record, struct err *err)
{
	const char *type = record_text(record, "type");
	const char *test = json_string_value(json_object_get(record, "test"));
	json_t *kseq = json_object_get(record, "kseq");
	int result;

	if (!state->run && strcmp(type, "run"))
		return err_plain(err, EBADMSG, "the first record is \"%s\", not \"run\"", type);
	if (state->done && strcmp(type, "resume"))
		return err_plain(err, EBADMSG, "a record of type \"%s\" after the end of the run",
				 type);
	result = take_boot(state, record_text(record, "boot"));
	if (!result && !strcmp(type, "watchdog") && !strcmp(record_text(record, "state"), "held"))
		keep(&state->watchdog, record);
	if (!result && !strcmp(type, "log") && json_integer_value(kseq) > 0)
		state->kseq = (uint64_t)json_integer_value(kseq);
	if (!result)
		result = test ? take_test(state, record, type, test, err)
			      : take_global(state, record, type, err);
	return result == -ENOMEM ? err_set(err, ENOMEM, "journal") : result;
}

int journal_state_read(struct journal_state *state, struct journal_reader *reader, struct err *err)
{
	json_t *record;
	int result;

	while ((result = journal_next(reader, &record, err)) > 0) {
		result = journal_state_take(state, record, err);
		json_decref(record);
		if (result) {
			err_prefix(err, "%s:%lu", reader->name, reader->line);
			return result;
		}
	}
	return result;
}

int journal_state_now(struct journal_state *state, const char *boot, struct err *err)
{
	const char *last = last_boot(state);

	state->rebooted = last && strcmp(last, boot) != 0;
	return take_boot(state, boot) ? err_set(err, ENOMEM, "journal") : 0;
}

bool journal_state_complete(const struct journal_state *state, unsigned int resets_max)
{
	if (!state->done || state->interrupted)
		return false;
	if (!state->notrun)
		return true;
	/* What is left was in the way of a process that nothing but a restart could end. */
	return state->stopped ? state->resets >= resets_max : !state->rebooted;
}

bool journal_state_loops(const struct journal_state *state, unsigned int resets_max, char *why,
			 size_t size)
{
	if (state->resets >= (resets_max ? resets_max : JOURNAL_RESETS_MAX)) {
		snprintf(why, size, "the machine was reset %u times", state->resets);
		return true;
	}
	if (!resets_max && state->fruitless >= JOURNAL_FRUITLESS_MAX) {
		snprintf(why, size,
			 "the machine was reset %u times in a row, and no test got its verdict",
			 state->fruitless);
		return true;
	}
	return false;
}
