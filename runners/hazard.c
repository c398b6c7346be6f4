// SPDX-License-Identifier: GPL-2.0-or-later
#include "hazard.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "record.h"

/* How often to look for what keeps the feeding thread from its end. */
#define END_WAIT_MS 200

/* Append a record, of a test or (NULL) of the run, and have it on disk. */
static int append(struct hazard *hazard, const struct planned *planned, json_t *record,
		  struct err *err)
{
	if (planned) {
		json_object_set_new(record, "test", json_string(planned->test->name));
		json_object_set_new(record, "iter", json_integer(planned->iter));
	}
	return journal_append(hazard->journal, record, true, err);
}

static int note(struct hazard *hazard, const struct planned *planned, const char *text,
		struct err *err)
{
	json_t *record = json_pack("{s:s}", "type", "note");

	record_set_text(record, "text", text, (size_t)-1);
	return append(hazard, planned, record, err);
}

static bool is_off(const struct hazard *hazard)
{
	return hazard->options->watchdog && !strcmp(hazard->options->watchdog, "none");
}

int hazard_begin(struct hazard *hazard, struct err *err)
{
	int result = 0;

	hazard->held.fd = -1;
	vitals_remove_leftover(hazard->dir);
	hazard->n_found = watchdog_find("", hazard->found, WATCHDOG_MAX);
	for (size_t i = 0; !result && i < hazard->n_found; i++)
		result = append(hazard, NULL, watchdog_record(&hazard->found[i], NULL, "found"),
				err);
	return result;
}

static int feed(void *context, struct err *err)
{
	return watchdog_feed(context, err);
}

/* The watchdog runs: have it fed. */
static int start_feeding(struct hazard *hazard, struct err *err)
{
	struct watchdog_held *held = &hazard->held;
	const struct feeder_eater eater = { .feed = feed,
					    .context = held,
					    .timeout_s = held->timeout_s,
					    .name = held->device.path };
	int result =
		feeder_start(&hazard->feeder, &eater, hazard->vitals.signs, hazard->vitals.n, err);

	hazard->feeding = !result;
	return result;
}

/* What is held, and by what it is fed. */
static json_t *held_record(const struct hazard *hazard)
{
	json_t *record = watchdog_record(&hazard->held.device, &hazard->held, "held");
	json_t *signs = json_array();

	for (size_t i = 0; i < hazard->vitals.n; i++)
		json_array_append_new(signs, json_sprintf("%s: %s", hazard->vitals.signs[i].name,
							  hazard->vitals.signs[i].how));
	json_object_set_new(record, "vital_signs", signs);
	return record;
}

/* What a reader should know about what is held. */
static int note_held(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	const struct watchdog_held *held = &hazard->held;
	const struct watchdog *device = &held->device;
	struct err text;
	int result = 0;

	if (held->timeout_s != WATCHDOG_TIMEOUT_S) {
		err_set(&text, 0, "watchdog: %s (%s) has a timeout of %d s instead of %d s",
			device->path, device->identity, held->timeout_s, WATCHDOG_TIMEOUT_S);
		result = note(hazard, planned, text.text, err);
	}
	if (!result && device->kind != WATCHDOG_HARDWARE) {
		err_set(&text, 0,
			"watchdog: %s (%s, driver %s) is not known to be hardware (%s): whether it "
			"resets a machine that hangs is to be tried",
			device->path, device->identity, *device->driver ? device->driver : "?",
			watchdog_kind_name(device->kind));
		result = note(hazard, planned, text.text, err);
	}
	if (!result && device->nowayout == 1) {
		err_set(&text, 0,
			"watchdog: %s (%s) cannot be stopped (nowayout): a process %s goes on "
			"feeding it after the run; end that only once something else does",
			device->path, device->identity, WATCHDOG_KEEPER);
		result = note(hazard, planned, text.text, err);
	}
	if (!result && *hazard->vitals.missing.text)
		result = note(hazard, planned, hazard->vitals.missing.text, err);
	return result;
}

/* A pretimeout is for leaving a trace, where the kernel may panic. */
static int use_pretimeout(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	const struct watchdog *device = &hazard->held.device;
	struct err text;

	if (hazard->options->no_escalate || watchdog_panic_at_pretimeout(&hazard->held))
		return 0;
	err_set(&text, 0,
		"watchdog: what the kernel does at the pretimeout of %s is '%s' and cannot be "
		"'panic', which would leave a trace (modprobe pretimeout_panic)",
		device->path, *device->governor ? device->governor : "nothing");
	return note(hazard, planned, text.text, err);
}

/* Wait for the end of the thread that feeds, and note down meanwhile what keeps it. */
static int stop_feeding(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	int result = 0;
	struct err text;

	if (hazard->feeding)
		feeder_ask_to_end(&hazard->feeder);
	while (hazard->feeding && !feeder_ended(&hazard->feeder, END_WAIT_MS))
		if (!result && feeder_look(&hazard->feeder, clock_ms(), &text))
			result = note(hazard, planned, text.text, err);
	hazard->feeding = false;
	return result;
}

/* Stop feeding, then the watchdog: in this order, or what is left is fed by nobody. */
static int stop_watchdog(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	int result = stop_feeding(hazard, planned, err);
	struct err text;

	vitals_close(&hazard->vitals);
	if (watchdog_stop(&hazard->held, &text) && !result)
		result = note(hazard, planned, text.text, err);
	janitor_watchdog(hazard->janitor, NULL);
	return result;
}

static void tell_janitor(void *context, const struct watchdog_held *held)
{
	const struct hazard *hazard = context;

	janitor_watchdog(hazard->janitor, held);
}

static int hold_watchdog(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	/* Killed between opening it and saying so, we would leave one that resets the machine. */
	const struct watchdog_witness witness = { .about_to_open = tell_janitor,
						  .context = hazard };
	struct err why;
	int result;

	/* Before it runs: what may fail is to leave none that cannot be stopped. */
	if (vitals_open(&hazard->vitals, hazard->cpus, hazard->dir, err))
		return HAZARD_REFUSED;
	if (watchdog_acquire(&hazard->held, hazard->found, hazard->n_found,
			     hazard->options->watchdog, "", hazard->ops, &witness, err)) {
		janitor_watchdog(hazard->janitor, NULL);
		vitals_close(&hazard->vitals);
		return HAZARD_REFUSED;
	}
	result = use_pretimeout(hazard, planned, err);
	janitor_watchdog(hazard->janitor, &hazard->held);
	if (start_feeding(hazard, result ? &why : err)) {
		stop_watchdog(hazard, planned, &why);
		return result ? result : HAZARD_REFUSED;
	}
	if (!result)
		result = append(hazard, planned, held_record(hazard), err);
	return result ? result : note_held(hazard, planned, err);
}

static int escalate(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	unsigned int bits = hazard->options->no_escalate ? 0 : planned->test->escalate;
	struct err why;
	int result;

	hazard->escalation.n = 0;
	if (!bits)
		return 0;
	if (escalation_plan(&hazard->escalation, bits, &why)) {
		hazard->escalation.n = 0;
		return note(hazard, planned, why.text, err);
	}
	/* Before anything is set: what was there must be known after a crash. */
	result = append(hazard, planned, escalation_record(&hazard->escalation, bits), err);
	if (!result && escalation_apply(&hazard->escalation, &why))
		result = note(hazard, planned, why.text, err);
	return result;
}

int hazard_enter(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	int result = 0;

	if (hazard->held.fd >= 0) /* one that cannot be stopped */
		result = append(hazard, planned, held_record(hazard), err);
	else if (!is_off(hazard))
		result = hold_watchdog(hazard, planned, err);
	if (result == HAZARD_REFUSED)
		return result;
	if (!result)
		result = escalate(hazard, planned, err);
	if (result < 0) {
		struct err why;

		hazard_leave(hazard, planned, &why);
	}
	return result;
}

bool hazard_look(struct hazard *hazard, int64_t now, struct err *text)
{
	return hazard->feeding && feeder_look(&hazard->feeder, now, text);
}

bool hazard_may_reset(const struct hazard *hazard)
{
	return hazard->feeding && !hazard->options->no_escalate;
}

/* Wait as long as there is a reason to, and twice the timeout at most. Returns if it was all. */
static bool await_reset(const struct hazard *hazard, const struct hazard_reason *reason)
{
	int64_t until = clock_ms() + (int64_t)hazard->held.timeout_s * 2000;

	while (clock_ms() < until) {
		if (!reason->holds(reason->context))
			return false;
		clock_sleep_ms(END_WAIT_MS);
	}
	return true;
}

int hazard_reset(struct hazard *hazard, const struct planned *planned,
		 const struct hazard_reason *reason, struct err *err)
{
	const struct watchdog *device = &hazard->held.device;
	struct err text;
	int result;

	err_set(&text, 0, "watchdog: %s (%s) is not fed any more, as %s: it resets the machine",
		device->path, device->identity, reason->text);
	result = note(hazard, planned, text.text, err);
	if (!result)
		result = stop_feeding(hazard, planned, err);
	if (result)
		return result;
	/* What else is on its way to a disk. Should that not come back, it is reset all the same.
	 */
	sync();
	err_set(&text, 0, "watchdog: %s is fed again: %s", device->path,
		await_reset(hazard, reason) ? "it has not reset the machine"
					    : "there is no reason any more to reset the machine");
	if (start_feeding(hazard, err))
		return -EAGAIN;
	watchdog_feed(&hazard->held, NULL);
	return note(hazard, planned, text.text, err);
}

int hazard_leave(struct hazard *hazard, const struct planned *planned, struct err *err)
{
	struct err why;
	int result = 0;

	if (escalation_undo(&hazard->escalation, &why))
		result = note(hazard, planned, why.text, err);
	hazard->escalation.n = 0;
	if (hazard->held.fd < 0 || hazard->held.device.nowayout == 1)
		return result;
	if (stop_watchdog(hazard, planned, &why) && !result)
		return err_plain(err, EIO, "%s", why.text);
	return result;
}

const struct watchdog_held *hazard_end(struct hazard *hazard)
{
	if (hazard->feeding)
		feeder_ask_to_end(&hazard->feeder);
	while (hazard->feeding && !feeder_ended(&hazard->feeder, END_WAIT_MS))
		; /* a sign that does not come back: the watchdog ends this */
	hazard->feeding = false;
	if (hazard->held.fd < 0)
		return NULL;
	vitals_close(&hazard->vitals);
	watchdog_let_go(&hazard->held);
	return &hazard->held;
}
