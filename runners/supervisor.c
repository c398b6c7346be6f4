// SPDX-License-Identifier: GPL-2.0-or-later
#include "supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "execution.h"
#include "family.h"
#include "known_table.h"
#include "record.h"
#include "surroundings.h"
#include "trace.h"

void supervisor_look_for_interrupt(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;

	while (read(supervisor->signals, &info, sizeof(info)) == sizeof(info))
		supervisor->interrupts++;
}

bool supervisor_is_stuck(struct supervisor *supervisor)
{
	pid_t one;

	if (!supervisor->stuck || !waitpid(supervisor->stuck, NULL, WNOHANG))
		return supervisor->stuck;
	/* Nor may anything be left that it had started. */
	if (!family_descendants(getpid(), supervisor->janitor, &one, 1))
		supervisor->stuck = 0;
	return supervisor->stuck;
}

int supervisor_note(struct supervisor *supervisor, const char *text, struct err *err)
{
	json_t *note = json_pack("{s:s}", "type", "note");

	record_set_text(note, "text", text, (size_t)-1);
	return journal_append(supervisor->journal, note, false, err);
}

/* The record that ends a test, without how its process ended. Takes over both arrays. */
static json_t *end_record(const struct planned *planned, enum verdict verdict, json_t *reasons,
			  json_t *restored)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:o, s:o}", "type", "end", "test",
			 planned->test->name, "iter", (int)planned->iter, "verdict",
			 verdict_name(verdict), "reasons", reasons, "restored", restored);
}

/* Its end is in the journal. What is shown of a known issue is not the verdict that it has. */
static void show_end(struct supervisor *supervisor, struct planned *planned, enum verdict verdict,
		     const char *reason, double duration_s)
{
	planned->verdict = verdict;
	verdict =
		known_live_verdict(supervisor->known, planned->test->name, planned->iter, verdict);
	progress_end(supervisor->progress, planned->label, verdict, reason, duration_s);
	tap_result(supervisor->tap, planned->number, planned->label, verdict, reason);
}

/* Of a test that we did not run. Takes over both arrays. */
static int end_unseen(struct supervisor *supervisor, struct planned *planned, enum verdict verdict,
		      json_t *reasons, json_t *restored, double duration_s, bool log_lost,
		      struct err *err)
{
	json_t *end = end_record(planned, verdict, json_incref(reasons), restored);
	const char *first = json_string_value(json_array_get(reasons, 0));
	int result;

	record_set_number(end, "duration_s", duration_s);
	json_object_set_new(end, "survivors", json_integer(0));
	json_object_set_new(end, "log_lost", json_boolean(log_lost));
	result = journal_append(supervisor->journal, end, true, err);
	show_end(supervisor, planned, verdict, first ? first : "", duration_s);
	json_decref(reasons);
	return result;
}

int supervisor_pass_over(struct supervisor *supervisor, struct planned *planned,
			 enum verdict verdict, const char *reason, struct err *err)
{
	json_t *reasons = json_array();

	json_array_append_new(reasons, json_string(reason));
	return end_unseen(supervisor, planned, verdict, reasons, json_array(), 0, false, err);
}

int supervisor_settle(struct supervisor *supervisor, struct planned *planned,
		      const struct judge *judge, json_t *restored, double duration_s, bool log_lost,
		      struct err *err)
{
	return end_unseen(supervisor, planned, judge_verdict(judge), judge_reasons(judge),
			  json_incref(restored), duration_s > 0 ? duration_s : 0, log_lost, err);
}

/* What a test left in tracefs is told of it; what processes of unknown origin left, of none. */
static void remove_leftovers(struct execution *execution)
{
	int own = trace_remove_leftovers(execution->pid, NULL);
	int others = trace_remove_leftovers(0, NULL);
	char text[80];
	struct err err;

	if (own > 0) {
		snprintf(text, sizeof(text), "removed %d tracefs instances that it left", own);
		execution_append(execution, json_pack("{s:s, s:s}", "type", "note", "text", text),
				 false);
	}
	if (others <= 0 || execution->journal_result)
		return;
	snprintf(text, sizeof(text), "removed %d tracefs instances of processes that have ended",
		 others);
	execution->journal_result = supervisor_note(execution->supervisor, text, &err);
	if (execution->journal_result)
		execution->journal_err = err;
}

static void journal_start(struct execution *execution)
{
	const struct suite_test *test = execution->planned->test;
	json_t *record =
		json_pack("{s:s, s:s}", "type", "start", "danger", danger_name(test->danger));

	record_set_number(record, "budget_s", test->budget_s * execution->supervisor->scale);
	execution_append(execution, record, true);
}

static void journal_end(struct execution *execution, enum verdict verdict, json_t *reasons,
			json_t *restored)
{
	json_t *end = end_record(execution->planned, verdict, reasons, restored);
	double duration_s = (double)(execution->ended - execution->started) / 1000;

	if (execution->gone && WIFSIGNALED(execution->status))
		json_object_set_new(end, "signal", json_integer(WTERMSIG(execution->status)));
	else if (execution->gone)
		json_object_set_new(end, "exit", json_integer(WEXITSTATUS(execution->status)));
	record_set_number(end, "duration_s", duration_s);
	json_object_set_new(end, "survivors", json_integer((json_int_t)execution->survivors));
	json_object_set_new(end, "log_lost", json_boolean(execution->tally.lost));
	if (!execution->klog_open)
		record_set_text(end, "log_unread", execution->klog_err.text, (size_t)-1);
	execution_append(execution, end, true);
}

/* Everything is known: settle the verdict and write it down. */
static void conclude(struct execution *execution, struct planned *planned, struct judge *judge,
		     json_t *restored)
{
	enum verdict verdict;
	json_t *reasons;
	const char *first;

	/* Ending a test breaks it, so that it is broken says nothing; a refutation remains one. */
	if (execution->ending == ENDING_INTERRUPT)
		judge_demote(judge, VERDICT_BROKEN, VERDICT_NONE);
	verdict = judge_verdict(judge);
	reasons = judge_reasons(judge);
	first = json_string_value(json_array_get(reasons, 0));
	journal_end(execution, verdict, json_incref(reasons), restored);
	show_end(execution->supervisor, planned, verdict, first ? first : "",
		 (double)(execution->ended - execution->started) / 1000);
	json_decref(reasons);
}

static void execute(struct execution *execution, struct planned *planned,
		    const struct surroundings *before)
{
	struct judge judge = { 0 };
	json_t *restored = json_array();
	struct err err;

	journal_start(execution);
	if (execution_run(execution, &err))
		judge_add(&judge, VERDICT_BROKEN, "%s", err.text);
	else
		execution_judge(execution, &judge);
	surroundings_restore(before, restored, &judge);
	surroundings_judge(before, &execution->tally, &judge);
	if (execution->gone)
		remove_leftovers(execution);
	conclude(execution, planned, &judge, restored);
	judge_free(&judge);
}

int supervisor_run(struct supervisor *supervisor, struct planned *planned, struct err *err)
{
	struct surroundings before;
	struct execution *execution;
	int result;

	progress_start(supervisor->progress, planned->number, planned->label,
		       planned->test->budget_s * supervisor->scale);
	tap_open(supervisor->tap, planned->label,
		 known_live_concerns(supervisor->known, planned->test->name));
	result = surroundings_save(&before, planned->test->sysctls, err);
	if (result)
		return supervisor_pass_over(supervisor, planned, VERDICT_BROKEN, err->text, err);
	execution = calloc(1, sizeof(*execution));
	if (!execution) {
		surroundings_free(&before);
		return err_set(err, ENOMEM, "execution of %s", planned->test->name);
	}
	surroundings_rearm_warnings(NULL);
	result = execution_prepare(execution, supervisor, planned, err);
	if (!result) {
		execute(execution, planned, &before);
		result = execution->journal_result;
		if (result)
			*err = execution->journal_err;
		execution_free(execution);
	}
	free(execution);
	surroundings_free(&before);
	return result;
}
